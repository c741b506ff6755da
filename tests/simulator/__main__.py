"""Simulated minutes against every kind of rate limit: `python -m tests.simulator --seconds 1800`."""

import argparse

from tests.simulator.report import table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.simulator", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=330.0, help="simulated seconds for each kind of service (330)"
    )
    parser.add_argument("--seed", type=int, default=1, help="what decides the run (1)")
    options = parser.parse_args()
    for line in table(options.seconds, options.seed):
        print(line, flush=True)  # noqa: T201


main()
