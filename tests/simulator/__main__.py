"""Hours of simulated minutes against every kind of rate limit: `python -m tests.simulator --hours 10`."""

import argparse

from tests.simulator.report import table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.simulator", description=__doc__)
    parser.add_argument(
        "--hours", type=float, default=10.0, help="simulated hours for each kind of service (10)"
    )
    parser.add_argument("--seed", type=int, default=1, help="what decides the run (1)")
    options = parser.parse_args()
    print(table(options.hours, options.seed))  # noqa: T201


main()
