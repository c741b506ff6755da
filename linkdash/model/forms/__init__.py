"""A form without its inputs: which fields it has, what was typed, what of it is to be sent."""
