"""Lists of records: pages, rows, filter, order, selection, columns, views, export."""
