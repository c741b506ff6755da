"""Charts as styled lines of text, for the screen and for reports alike; nothing here needs an application."""
