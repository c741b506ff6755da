"""linkdash: a keyboard-driven terminal dashboard for a link-management service."""

__version__ = "0.1.0"
