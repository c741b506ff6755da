"""Widgets: table, form, details, charts, the frame. None of them knows a resource by name."""
