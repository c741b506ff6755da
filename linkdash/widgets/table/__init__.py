"""The table of records."""
