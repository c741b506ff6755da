"""Flows that change records: forms, deletes, undo, bulk jobs, imports."""
