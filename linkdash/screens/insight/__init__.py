"""Screens that answer at a glance: the overview, the plans side by side."""
