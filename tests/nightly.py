"""The two kinds of run: what decides whether a change may land, and with `--nightly` everything."""

_RUN = {"nightly": False}


def begin(*, nightly: bool) -> None:
    """Say which run this is, before the first test is collected."""
    _RUN["nightly"] = nightly


def is_nightly() -> bool:
    """Return whether laws are tried on very many examples, and what takes long is run."""
    return _RUN["nightly"]
