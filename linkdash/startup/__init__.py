"""The beginning of a run: its settings and folders, the demo's past, the questions of a first run."""
