"""The request budget: how many are left, who goes first, and what was spent."""
