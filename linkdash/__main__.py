"""The program: `linkdash`, and `python -m linkdash`."""

try:
    import signal
    import sys
except KeyboardInterrupt:  # Python would write a trace
    raise SystemExit(130) from None


def main() -> int:
    """Run the command line; the exit status.

    Ctrl+c ends it at once while there is nothing to clean up yet, or no longer: Python would write a trace.
    """
    heard = signal.getsignal(signal.SIGINT)
    if heard is not signal.SIG_IGN:  # as in a shell's background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from linkdash import cli

    signal.signal(signal.SIGINT, heard)
    try:
        return cli.main()
    except KeyboardInterrupt:  # before it is listened for there
        return 130
    finally:
        if heard is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
