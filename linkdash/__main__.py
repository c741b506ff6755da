"""The program: `linkdash`, and `python -m linkdash`."""

try:
    import gc
    import signal
    import sys

    from linkdash.interrupts import end_at_interrupt, ended_by_interrupt
except KeyboardInterrupt:  # Python would write a trace
    raise SystemExit(130) from None

_GARBAGE_AFTER = 100_000
"""Objects: nothing of what a start makes is garbage, and a short run ends before it has made so many."""


def main() -> int:
    """Run the command line; the exit status.

    Ctrl+c ends it at once while there is nothing to clean up yet, or no longer: Python would write a trace.
    """
    gc.set_threshold(_GARBAGE_AFTER)
    with ended_by_interrupt():
        from linkdash import cli
    heard = signal.getsignal(signal.SIGINT)
    try:
        return cli.main()
    except KeyboardInterrupt:  # before it is listened for there
        return 130
    finally:
        gc.freeze()  # the end of the process frees it all: to look through it for garbage takes as long
        if heard is not signal.SIG_IGN:
            end_at_interrupt()


if __name__ == "__main__":
    sys.exit(main())
