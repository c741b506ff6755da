"""Scans of QR codes: readings over time, what changed between them, reports of it."""
