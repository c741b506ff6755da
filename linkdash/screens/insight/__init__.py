"""Screens that answer at a glance: the overview, the audit, the review of users, the plans side by side."""
