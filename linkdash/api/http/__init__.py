"""Requests over the network: address, transport, connection, retries, the envelope of answers."""
