"""The search for garbage: not in what a start makes, and not at the end, when all is freed anyhow.

To look through what a start makes takes 0.12 s: a held key in the dashboard, an eighth of a short command.
"""

import gc

_SHORT_RUN = 100_000  # objects; a short run ends before it has made so many


def spare_short_runs() -> None:
    """Look for garbage only where very much is made."""
    gc.set_threshold(_SHORT_RUN)


def put_off() -> None:
    """Look for none until `look_from_now_on`."""
    gc.disable()


def look_from_now_on() -> None:
    """Look for it in what is made from now on, in what has grown old only now and then."""
    keep_all()
    gc.set_threshold(700, 10, 100)
    gc.enable()


def keep_all() -> None:
    """Never look for it in what there is now."""
    gc.freeze()
