"""What the program knows and does, without a terminal."""
