"""What QR codes were scanned: one code, several side by side, all of them, and as it happens."""
