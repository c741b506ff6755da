"""What stands where, and which key calls what of the model. One screen serves any resource; some have their own.

`registry` finds the screen of a resource.
"""
