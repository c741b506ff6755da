"""Every endpoint of the reference, one file a resource."""
