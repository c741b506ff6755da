"""What goes to the terminal, and how it is given back."""
