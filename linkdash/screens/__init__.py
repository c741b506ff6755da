"""What stands where, and which key calls what of the model.

One screen serves any resource, and some have their own; `registry` finds the screen of a resource.
"""
