"""The embedded service: the whole reference over SQLite, with validation and a rate limit.

`server` is the way in (`serve`, `serve_in_thread`, `run_forever`), `service` assembles the ASGI app and
`resources/` holds the endpoints, one file a resource. It is a second reading of the reference: no code is
shared with the client, so that a wrong reading cannot agree with itself.
"""
