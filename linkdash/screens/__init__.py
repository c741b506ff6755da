"""What stands where, and which key calls what of the model: one screen for any resource, and some of their own.

`registry` finds the screen of a resource.
"""
