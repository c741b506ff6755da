"""Lists of records on a screen: table, filter, order, pages, selection, and what is known beside them."""
