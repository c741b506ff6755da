"""The windows that lie over a screen."""
