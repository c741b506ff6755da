"""The frame around every screen: header, sidebar, tabs, status bar, key line, messages."""
