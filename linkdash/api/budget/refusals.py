"""Refusals for the rate that look like any other no."""

from dataclasses import dataclass, field
from enum import Enum


class LimitRefusal(Enum):
    """The likelihood that an answer is a refusal because of the rate."""

    NONE = "none"
    SUSPECTED = "suspected"
    SURE = "sure"
    TOLD = "told"


@dataclass(slots=True)
class Suspicion:
    """The difference between a refusal that looks like any other no (HTTP 200 with error 1) and a true one.

    Such an answer is suspicious to a request which cannot be wrong in itself and was granted before; it is a
    refusal if the next such request gets the same, with nothing granted in between. One whose words speak of
    too many requests is suspicious to any request: texts are translated, so words alone decide nothing.
    """

    granted: set[str] = field(default_factory=set)
    """Requests granted before, by method and path."""
    is_proven: bool = False
    """True if the service has refused like that and granted the same later."""
    refused: set[str] = field(default_factory=set)
    """Requests refused since then."""
    doubts: int = 0
    is_proven_in_words: bool = False
    """True if the service has refused in words again and again, and granted something later."""
    _in_words: int = 0

    def judge(self, label: str, *, rejected: bool | None, in_words: bool = False) -> LimitRefusal:
        """Judge an answer; `rejected` is None where the request could be wrong.

        `in_words` says that the answer is a no, and that its words speak of too many requests.
        """
        name = label.partition("?")[0]
        if in_words:
            self.doubts, self._in_words = self.doubts + 1, self._in_words + 1
            self.refused.add(name)
            is_sure = self.is_proven_in_words or self.doubts > 1
            return LimitRefusal.SURE if is_sure else LimitRefusal.SUSPECTED
        if rejected is False:
            self.is_proven = self.is_proven or (self.doubts > 1 and name in self.refused)
            self.is_proven_in_words = self.is_proven_in_words or self._in_words > 1
            self._in_words = 0
            self.granted.add(name)
            self.refused.clear()
            self.doubts = 0
        if not rejected or name not in self.granted:
            return LimitRefusal.NONE
        self.doubts += 1
        self.refused.add(name)
        return LimitRefusal.SURE if self.is_proven or self.doubts > 1 else LimitRefusal.SUSPECTED
