"""What QR codes were scanned: readings over time, what changed between them, reports of it."""
