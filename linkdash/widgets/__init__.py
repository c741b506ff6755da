"""How things are drawn: table, form, details, charts, status bar. None of them knows a resource by name."""
