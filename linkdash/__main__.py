"""The program: `linkdash`, and `python -m linkdash`.

Ctrl+c ends it at once while there is nothing to clean up yet, or no longer: Python would write a trace.
"""

try:
    import sys

    from linkdash import garbage_collection
    from linkdash.interrupts import end_at_interrupt

    end_at_interrupt()
except KeyboardInterrupt:
    raise SystemExit(130) from None


def main() -> int:
    """Run the command line; the exit status."""
    garbage_collection.spare_short_runs()
    from linkdash import cli

    try:
        return cli.main()
    finally:
        end_at_interrupt()
        garbage_collection.keep_all()


if __name__ == "__main__":
    sys.exit(main())
