"""Screens with charts: the statistics of codes, their comparison, the watch."""
