"""The plans there are (reference: Plan). The reference has no endpoint that makes or changes one."""

import json

FREE = 1
ENTERPRISE = 4

PLAIN_FEATURES = ("custom", "multiple", "alias", "device", "geo", "bundle", "parameters", "export", "api")
COUNTED_FEATURES = ("team", "splash", "overlay", "pixels", "domain")


def _limits(links: int, clicks: int, retention: int, enabled: str, counts: str) -> str:
    """The plan's limits as stored JSON: `enabled` lists features, `counts` one number a counted feature."""
    features: dict[str, object] = {
        name: {"enabled": "1" if name in enabled.split() else "0"} for name in PLAIN_FEATURES
    }
    for name, count in zip(COUNTED_FEATURES, counts.split(), strict=True):
        features[name] = {"enabled": "0" if count == "0" else "1", "count": count}
    return json.dumps({"links": links, "clicks": clicks, "retention": retention, **features})


EVERYTHING = " ".join(PLAIN_FEATURES)

PLANS = (
    (FREE, "Starter", None, None, None, _limits(50, 1_000, 14, "api", "0 0 0 1 0")),
    (2, "Pro", 9.0, 90.0, 249.0, _limits(1_000, 50_000, 90, "custom alias device geo api", "0 2 2 5 1")),
    (3, "Business", 29.5, 295.0, 799.0, _limits(10_000, 500_000, 365, EVERYTHING, "5 10 10 25 5")),
    (ENTERPRISE, "Enterprise", 99.0, 990.0, 2490.0, _limits(0, 0, 0, EVERYTHING, "50 100 100 250 50")),
)
