"""The terminal: output to it, and how it is given back."""
