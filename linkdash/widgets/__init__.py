"""Table, form, details, gauge, chart: none of them knows a resource by name."""
