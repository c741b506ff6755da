"""Records, lists, writes and statistics, without a terminal.

`resources` declares what there is, `session` opens one account, `collection` holds its records, `writes`
takes every change on its way, `statistics` reckons with the history of QR codes.
"""
