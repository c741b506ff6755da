"""Faults of Textual 8.2 that end the app, freeze it or lose something, each mended in a file of its own.

Read against Textual 8.2.8, and therefore pinned to `>=8.2,<8.3`. `tests/widgets/test_textual_fixes.py` shows
each fault on plain Textual: a test there that fails tells that a newer one no longer needs the fix.

Private names of Textual are used here and nowhere else. What is only slow is left as it is, unless a
measurement shows that it takes 50 ms of something a user does.
"""
