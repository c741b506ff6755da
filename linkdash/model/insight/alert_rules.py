"""The rules of alerts, as they are written in the configuration. Pure."""

import re
from typing import Literal, NamedTuple

RuleKind = Literal["drop", "silent", "country", "expires", "requests", "view"]


class Rule(NamedTuple):
    """A rule of an alert: `number` is the percent or the requests of the rule, `days` its time."""

    kind: RuleKind
    number: int = 0
    days: int = 0
    view: str = ""
    """The name of the view that must find nothing."""

    @property
    def is_about_codes(self) -> bool:
        """Return whether it applies to QR codes, rather than to users or to the budget."""
        return self.kind in ("drop", "silent", "country")


RULES: tuple[tuple[RuleKind, str, str], ...] = (
    ("drop", "scans drop 50% in 7d", r"scans drop (?P<number>\d{1,3})% in (?P<time>\d{1,3}[dw])"),
    ("silent", "silent 7d", r"silent (?P<time>\d{1,3}[dw])"),
    ("country", "new country", r"new country"),
    ("expires", "user expires 7d", r"user expires (?P<time>\d{1,3}[dw])"),
    ("requests", "requests left < 5", r"requests left < (?P<number>\d{1,6})"),
    ("view", "view expired, still pro", r"view (?P<view>.+)"),
)
"""The kinds of rules: an example and the pattern of each."""


def rule_of(text: str) -> Rule:
    """Return the meaning of a rule. Raises ValueError, with the rules there are."""
    for kind, _, pattern in RULES:
        if found := re.fullmatch(pattern, " ".join(text.split()), re.ASCII):
            given = found.groupdict()
            time = given.get("time") or "0d"
            days = int(time[:-1]) * (7 if time.endswith("w") else 1)
            rule = Rule(kind, int(given.get("number") or 0), days, given.get("view") or "")
            is_empty = (rule.number == 0 and "number" in given) or (rule.days == 0 and "time" in given)
            if not is_empty and (kind != "drop" or rule.number <= 100):
                return rule
    raise ValueError(f"is not a rule; use one of: {', '.join(example for _, example, _ in RULES)}")
