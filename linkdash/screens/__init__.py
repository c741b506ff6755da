"""Screens: the places of the program, their windows, and the keys that work on the model.

One screen (`resource_screen`) serves any resource; those in `resources` say where theirs differs.
"""
