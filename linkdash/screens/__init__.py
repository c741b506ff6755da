"""Screens: the places of the program, their windows, and the keys that work on the model.

One screen serves any resource, and some have their own; `registry` finds the screen of a resource.
"""
