"""A document for people: blocks from top to bottom, written as Markdown, plain text or a page of HTML."""
