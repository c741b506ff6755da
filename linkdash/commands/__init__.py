"""The command line's verbs: what they print, over `linkdash.model`."""
