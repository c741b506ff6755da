"""The program: `linkdash`, and `python -m linkdash`.

Ctrl+c ends it at once while there is nothing to clean up yet, or no longer: Python would write a trace.
"""

try:
    import gc
    import sys

    from linkdash.interrupts import end_at_interrupt

    end_at_interrupt()
except KeyboardInterrupt:
    raise SystemExit(130) from None

_GARBAGE_AFTER = 100_000
"""Objects: nothing of what a start makes is garbage, and a short run ends before it has made so many."""


def main() -> int:
    """Run the command line; the exit status."""
    gc.set_threshold(_GARBAGE_AFTER)
    from linkdash import cli

    try:
        return cli.main()
    finally:
        end_at_interrupt()
        gc.freeze()  # the end of the process frees it all: to look through it for garbage takes as long


if __name__ == "__main__":
    sys.exit(main())
