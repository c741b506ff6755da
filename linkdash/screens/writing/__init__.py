"""Making, changing and deleting records: one by one or many at once, and what became of each."""
