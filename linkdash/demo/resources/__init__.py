"""Every endpoint of the reference, a file a resource. A resource is registered here and nowhere else."""

from linkdash.demo.resources import campaigns, channels, domains, overlays, pixels, plans, qr, users

RESOURCES = (users, domains, overlays, campaigns, channels, pixels, qr, plans)
