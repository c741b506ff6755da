"""What the program knows and does, without a terminal.

`places` and `resources` declare what there is, `session` opens one account, `collection` holds its records,
`writes` takes every change on its way, `statistics` reckons with the history of QR codes.
"""
