"""One screen a resource, and what they share."""
