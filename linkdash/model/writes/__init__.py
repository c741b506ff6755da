"""Changes: draft, one write, bulk jobs, import, settling of unknown outcomes, undo."""
