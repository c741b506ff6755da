"""Charts: drawn in lines, or told in words."""
