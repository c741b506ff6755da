"""Finding rows among those that are loaded: a small filter language and what it means for a row.

`spring flyer`      both words, in any field         `"spring flyer"`   the words as they stand
`name:flyer`        a word in one field              `name:""`          a field that is empty
`scans>100`         by size; also < >= <=            `!flyer`           not; before any of these
`expires<30d`       within 30 days from now          `expires>2026-12-01`, `registered>-1w`
`~^sp.*r$`          all of it a regular expression, in any field

Relative times count in hours, days, weeks, months of 30 days and years of 365: h, d, w, m, y. Where they
reach from now to a moment (`<30d`, `>-1w`) they mean the time between the two. Case never matters.
"""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar

from linkdash.api.fields import Field, Kind, read_count, read_flag, read_moment
from linkdash.api.model import Record, Unreadable
from linkdash.model.columns import value_of
from linkdash.model.order import plain
from linkdash.model.patterns import Pattern
from linkdash.model.steps import A_STEP, Steps
from linkdash.model.values import SEPARATOR, Values, texts_of

T = TypeVar("T", bound=Record)
Test = Callable[[object], bool]
Comparison = Callable[[Any, Any], bool]  # of two numbers or two dates

_NUMERIC = frozenset({Kind.IDENTIFIER, Kind.REFERENCE, Kind.COUNT})
_TEMPORAL = frozenset({Kind.MOMENT, Kind.DAY})
_NOT_IN_WORDS = frozenset({Kind.SECRET, Kind.NESTED, Kind.FLAG})
_NOT_FOUND = frozenset({Kind.SECRET, Kind.NESTED})

_COMPARISONS: dict[str, Comparison] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_TERM = re.compile(
    r'(?P<no>!)?(?:(?P<field>[^\W\d]\w*)(?P<sign>[<>]=?|:(?!//)))?(?:"(?P<quoted>[^"]*)"?|(?P<bare>\S*))'
)
_RELATIVE = re.compile(r"([+-]?\d{1,4})([hdwmy])", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}


class FilterError(ValueError):
    """A filter that has no meaning: what is wrong with it, and one line about what would be right."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(f"{what}: {advice}")
        self.what, self.advice = what, advice
        self.at = 0
        """How many characters of what was typed stand before that."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A test of the texts of a row, of which one has to pass."""

    test: Callable[[str], bool]
    wanted: bool = True
    in_joined: bool = False
    """Whether it passes for texts in a row, with SEPARATOR between them, where it does for one of them."""


@dataclass(frozen=True, slots=True)
class _Condition:
    """A test of the value of one field."""

    name: str
    test: Test
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Filter:
    """What a person looks for. An empty filter, which is false, matches every row."""

    searched: tuple[Field, ...] = ()
    words: tuple[_Word, ...] = ()
    conditions: tuple[_Condition, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.conditions)

    def matches(self, row: object) -> bool:
        """Whether a row has everything that is asked; an unreadable one can only have words."""
        if isinstance(row, Unreadable):
            return not self.conditions and self._has_words([row.text.casefold()])
        for condition in self.conditions:
            if condition.test(value_of(row, condition.name)) is not condition.wanted:
                return False
        return not self.words or self._has_words(
            [text for field in self.searched for text in _texts(value_of(row, field.name), field)]
        )

    def matching(self, values: Values[T]) -> Steps[Sequence[int]]:
        """Where the rows stand that `matches` is true of, without reading them."""
        found: Sequence[int] = range(len(values))
        if self.conditions:
            unreadable = yield from values.unreadable()
            found = yield from _kept(found, lambda index: index not in unreadable)
        for condition in self.conditions:
            column = yield from values.of(condition.name)
            found = yield from _kept(found, _passes(condition, column))
        if self.words:
            texts = yield from values.texts(self.searched)
            for word in self.words:
                found = yield from _kept(found, _holds(word, texts))
        return found

    def _has_words(self, texts: Sequence[str]) -> bool:
        return all(any(map(word.test, texts)) is word.wanted for word in self.words)


def _kept(positions: Sequence[int], test: Callable[[int], bool]) -> Steps[Sequence[int]]:
    kept: list[int] = []
    for start in range(0, len(positions), A_STEP):
        kept += filter(test, positions[start : start + A_STEP])
        yield
    return kept


def _passes(condition: _Condition, column: Sequence[object]) -> Callable[[int], bool]:
    test, wanted = condition.test, condition.wanted
    return lambda index: test(column[index]) is wanted


def _holds(word: _Word, texts: Sequence[str]) -> Callable[[int], bool]:
    test, wanted = word.test, word.wanted
    if word.in_joined:
        return lambda index: test(texts[index]) is wanted
    return lambda index: any(map(test, texts[index].split(SEPARATOR))) is wanted


def parse(text: str, fields: Sequence[Field], now: datetime) -> Filter:
    """The filter that a person typed, for rows with these fields; `now` is where relative times begin.

    Raises FilterError for an unknown field, a value that does not suit its field or a bad expression.
    """
    if text.lstrip().startswith("~"):
        expression = text.strip()[1:]
        return Filter(searched(fields), (_expression(expression),)) if expression else Filter()
    words: list[_Word] = []
    conditions: list[_Condition] = []
    for match in _TERM.finditer(text):
        wanted, value = match["no"] is None, match["quoted"] or match["bare"] or ""
        if match["field"]:
            conditions.append(_condition(match, value, fields, now))
        elif value:
            words.append(_Word(_contains(value.casefold()), wanted, in_joined=SEPARATOR not in value))
    return Filter(searched(fields), tuple(words), tuple(conditions))


def _condition(match: re.Match[str], value: str, fields: Sequence[Field], now: datetime) -> _Condition:
    try:
        field = _field(match["field"], fields)
        test = _test(field, match["sign"], value, match["quoted"] is not None, now)
    except FilterError as error:
        error.at = match.start("field")
        raise
    return _Condition(field.name, test, match["no"] is None)


def searched(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields that words are looked for in."""
    return tuple(field for field in fields if field.kind not in _NOT_IN_WORDS)


def _expression(text: str) -> _Word:
    try:
        return _Word(Pattern(text).found_in)
    except ValueError as error:
        raise FilterError(str(error), "an expression is simple, such as ~^spring.*2026") from None


def _contains(word: str) -> Callable[[str], bool]:
    return lambda text: word in text


def _texts(value: object, field: Field) -> list[str]:
    return [text.casefold() for text in texts_of(value, field)]


# ---- which field ----


def _field(name: str, fields: Sequence[Field]) -> Field:
    """The field of a name, a title or the beginning of either, if it is the only one."""
    wanted = _folded(name)
    spellings = [(field, {_folded(field.name), _folded(field.title)}) for field in fields]
    found = [field for field, known in spellings if wanted in known] or [
        field for field, known in spellings if any(spelling.startswith(wanted) for spelling in known)
    ]
    if not found:
        names = ", ".join(field.name for field in fields if field.kind not in _NOT_FOUND)
        raise FilterError(f'there is no field "{name}"', f"fields are {names}; quotes take it as it stands")
    if len(found) > 1:
        raise FilterError(f'"{name}" can be {" or ".join(field.name for field in found)}', "write more of it")
    if found[0].kind in _NOT_FOUND:
        raise FilterError(f"{found[0].name} cannot be searched", "secrets and nested members never are")
    return found[0]


def _folded(name: str) -> str:
    return plain(name).replace("_", "").replace(" ", "").replace("-", "")


# ---- what its value must be ----


def _test(field: Field, sign: str, value: str, quoted: bool, now: datetime) -> Test:
    if not value and quoted and sign == ":":
        return _is_empty
    if not value:
        raise FilterError(f"{field.name}{sign} needs a value", f'{field.name}:"" finds what is empty')
    if field.kind in _NUMERIC:
        return _number_test(field, sign, value)
    if field.kind in _TEMPORAL:
        return _moment_test(field, sign, value, now)
    if sign != ":":
        is_flag = field.kind is Kind.FLAG
        holds, example = ("yes or no", "yes") if is_flag else ("text", "word")
        raise FilterError(f"{field.name} is {holds}", f"use {field.name}:{example}")
    if field.kind is Kind.FLAG:
        return _flag_test(field, value)
    return _word_test(field, value)


def _is_empty(value: object) -> bool:
    return value is None or value == ""


def _word_test(field: Field, word: str) -> Test:
    folded = word.casefold()
    return lambda value: any(folded in text for text in _texts(value, field))


def _flag_test(field: Field, word: str) -> Test:
    try:
        wanted = read_flag(word)
    except ValueError:
        raise FilterError(f"{field.name} is yes or no", f"{field.name}:yes or {field.name}:no") from None
    return lambda value: value is wanted


def _number_test(field: Field, sign: str, text: str) -> Test:
    try:
        number = read_count(text)
    except ValueError:
        number = None
    if number is None:
        advice = f"{field.name}>100 or {field.name}:100"
        raise FilterError(f"{field.name} is compared with a whole number", advice)
    compare: Comparison = _COMPARISONS.get(sign, operator.eq)
    return lambda value: isinstance(value, int) and compare(value, number)


def _moment_test(field: Field, sign: str, text: str, now: datetime) -> Test:
    if sign == ":":
        return lambda value: any(known.startswith(text.casefold()) for known in _texts(value, field))
    compare = _COMPARISONS[sign]
    try:
        if relative := _RELATIVE.fullmatch(text):
            hours = int(relative[1]) * _HOURS[relative[2].lower()]
            return _within(compare, now + timedelta(hours=hours), now)
        moment = read_moment(text)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        advice = f"{field.name}{sign}2026-12-01 or {field.name}{sign}30d"
        raise FilterError(f"{field.name} is compared with a date or a span", advice)
    if len(text) == len("2026-12-01"):
        day = moment.date()
        return lambda value: isinstance(value, date) and compare(_day(value), day)
    return lambda value: isinstance(value, date) and compare(_moment(value), moment)


def _within(compare: Comparison, end: datetime, now: datetime) -> Test:
    """A comparison with the end of a span; between now and there, if it looks from there towards now."""
    towards_now = now != end and compare(now, end)
    first, last = min(now, end), max(now, end)

    def test(value: object) -> bool:
        if not isinstance(value, date) or not compare(value, _as(value, end)):
            return False
        return not towards_now or _as(value, first) <= value <= _as(value, last)

    return test


def _as(value: date, moment: datetime) -> date:
    """A moment as what it is compared with: a day for a day."""
    return moment if isinstance(value, datetime) else moment.date()


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time())
