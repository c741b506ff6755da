"""Finding rows among those that are loaded: a small filter language and what it means for a row.

`spring flyer`      both words, in any field         `"spring flyer"`   the words as they stand
`name:flyer`        a word in one field              `name:""`          a field that is empty
`scans>100`         by size; also < >= <=            `!flyer`           not; before any of these
`expires<30d`       within 30 days from now          `expires>2026-12-01`, `registered>-1w`
`~^sp.*r$`          all of it a regular expression, in any field

Relative times count in hours, days, weeks, months of 30 days and years of 365: h, d, w, m, y. Where they
reach from now to a moment (`<30d`, `>-1w`) they mean the time between the two. Case never matters.

Python's engine tries every way a regular expression can match, which for `(a+)+$` doubles with each letter,
cannot be interrupted and would hold the whole app. So the number of ways is estimated before, for the longest
text that is searched, and a pattern above the limit is refused with a reason.
"""

import operator
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple, TypeVar

from linkdash.api.fields import Field, Kind, read_count, read_flag, read_moment
from linkdash.api.model import Record, Unreadable
from linkdash.model.columns import value_of
from linkdash.model.rows import A_STEP, SEPARATOR, Steps, Values, texts_of

# ---- regular expressions ----

MAX_PATTERN = 200
"""Characters of a pattern."""
MAX_SEARCHED = 256
"""Characters of a text that are searched, from its beginning."""

_MAX_WAYS = 10**8  # two free repeats and two choices; some 50 ms on the worst text, usually microseconds
_ENDLESS = 10**30
_TOKEN = re.compile(
    r"""
      (?P<flags> \(\? [aiLmsux-]+ [:)] )
    | (?P<open> \( (?: \?(?: [:=!>] | <[=!] | P<\w+> ) )? )
    | (?P<close> \) )
    | (?P<either> \| )
    | (?P<repeat> (?: [*+?] | \{\d*(?:,\d*)?\} ) [?+]? )
    | (?P<atom> \\. | \[ \^? \]? (?: \\. | [^\]\\] )* \] | . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Pattern:
    """A checked regular expression. Raises ValueError with a sentence for a person if it cannot be used."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_PATTERN:
            raise ValueError(f"the expression is longer than {MAX_PATTERN} characters")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._expression = re.compile(text, re.IGNORECASE)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"the expression is not complete: {error}") from None
        if MAX_SEARCHED * _ways(text) > _MAX_WAYS:
            raise ValueError("the expression could take too long: it repeats within a repeat, or too often")

    def found_in(self, text: str) -> bool:
        """Whether it matches anywhere in the first `MAX_SEARCHED` characters of `text`."""
        return self._expression.search(text, 0, MAX_SEARCHED) is not None


def _ways(text: str) -> int:
    """At most how many ways a valid pattern can be tried from one place of the longest text.

    A sequence multiplies, a choice adds, a repeat of something with one way has as many ways as it can
    have lengths, and a repeat of something with several ways has their power.
    """
    groups = [_Group()]
    for match in _TOKEN.finditer(text):
        group = groups[-1]
        match match.lastgroup:
            case "flags":
                raise ValueError("the expression needs no flags: case is ignored already")
            case "open":
                groups.append(_Group())
            case "close":
                inner = groups.pop().total
                groups[-1].add(inner)
            case "either":
                group.alternative()
            case "repeat":
                group.repeat(*_bounds(match[0]))
            case _:
                group.add(1)
    return groups[0].total


class _Group:
    """The ways of one group while it is read from left to right."""

    def __init__(self) -> None:
        self._before = 0  # of the alternatives that are complete
        self._sequence = 1  # of this alternative without its last item
        self._last = 1  # of the last item, which a repeat may still change

    @property
    def total(self) -> int:
        return min(_ENDLESS, self._before + self._sequence * self._last)

    def add(self, ways: int) -> None:
        self._sequence, self._last = min(_ENDLESS, self._sequence * self._last), ways

    def alternative(self) -> None:
        self._before, self._sequence, self._last = self.total, 1, 1

    def repeat(self, least: int, most: int) -> None:
        lengths = min(most, MAX_SEARCHED) - least + 1
        times = min(most, 100)  # two ways a hundred times are endless already
        self._last = max(1, lengths) if self._last == 1 else min(_ENDLESS, lengths * self._last**times)


def _bounds(quantifier: str) -> tuple[int, int]:
    """How often a quantifier repeats at least and at most."""
    sign = quantifier[0]
    if sign != "{":
        return int(sign == "+"), 1 if sign == "?" else MAX_SEARCHED
    least, comma, most = quantifier.rstrip("?+")[1:-1].partition(",")
    low = int(least or 0)
    return low, int(most or MAX_SEARCHED) if comma else low


# ---- the language ----

T = TypeVar("T", bound=Record)
Value = TypeVar("Value")
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


class _Word(NamedTuple):
    """A test of the texts of a row, of which one has to pass."""

    test: Callable[[str], bool]
    wanted: bool = True
    in_joined: bool = False
    """Whether it passes for texts in a row, with SEPARATOR between them, where it does for one of them."""

    def finds(self, joined: str) -> bool:
        """Whether one of the texts in a row, with SEPARATOR between them, passes."""
        return self.test(joined) if self.in_joined else any(map(self.test, joined.split(SEPARATOR)))


class _Condition(NamedTuple):
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
        if self.conditions and (unreadable := (yield from values.unreadable())):
            found = [index for index in found if index not in unreadable]
        for condition in self.conditions:
            column = yield from values.of(condition.name)
            found = yield from _kept(found, column, condition.test, condition.wanted)
        if self.words:
            texts = yield from values.texts(self.searched)
            for word in self.words:
                found = yield from _kept(found, texts, word.finds, word.wanted)
        return found

    def _has_words(self, texts: Sequence[str]) -> bool:
        return all(any(map(word.test, texts)) is word.wanted for word in self.words)


def _kept(
    positions: Sequence[int], column: Sequence[Value], test: Callable[[Value], bool], wanted: bool
) -> Steps[Sequence[int]]:
    """Those of some positions, in their order, of whose values the test says what is wanted."""
    kept: list[int] = []
    for start in range(0, len(positions), A_STEP):
        some = positions[start : start + A_STEP]
        part = column[some[0] : some[-1] + 1]
        kept += [index for index in some if test(part[index - some[0]]) is wanted]
        yield
    return kept


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


def plain(text: str) -> str:
    """`text` without case and accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    for letter in set(decomposed):  # of many texts together, far fewer than there are letters
        if unicodedata.combining(letter):
            decomposed = decomposed.replace(letter, "")
    return decomposed.casefold()


# ---- what can be typed, with examples ----

_LOOKED_AT = 30  # rows that examples are taken from
_LONGEST = 16  # letters of an example's value
_NO_EXAMPLE = frozenset({Kind.SECRET, Kind.NESTED, Kind.PAYLOAD})


def examples(fields: Sequence[Field], rows: Sequence[object], now: datetime) -> list[tuple[str, str]]:
    """Filters that find something among these rows, or would with others; each with what it means."""
    seen = [row for row in rows[:_LOOKED_AT] if not isinstance(row, Unreadable)]
    word = next((word for field in fields for word in _words(field, seen)), "spring")
    told = [(word, "in any field"), (f'"{word} …"', "as it stands"), (f"!{word}", "not")]
    for field in fields:
        told += _of_field(field, seen, now)
    return [*told, (f"~^{word[:4]}", "a pattern")]


def _of_field(field: Field, seen: Sequence[object], now: datetime) -> Iterator[tuple[str, str]]:
    values = [value for row in seen if (value := value_of(row, field.name)) not in (None, "")]
    match field.kind:
        case Kind.COUNT | Kind.REFERENCE | Kind.IDENTIFIER:
            numbers = sorted(value for value in values if isinstance(value, int))
            middle = numbers[len(numbers) // 2] if numbers else 100
            yield f"{field.name}>{middle}", f"{field.title.lower()}; or < >= <= :"
        case Kind.MOMENT | Kind.DAY:
            if any(isinstance(value, datetime) and value > now for value in values):
                yield f"{field.name}<30d", "in the next 30 days"
            yield f"{field.name}>-1w", "last week; h d w m y"
            yield f"{field.name}>{now:%Y-%m}-01", "since a day"
        case Kind.FLAG:
            yield f"{field.name}:yes", "yes or no"
        case kind if kind not in _NO_EXAMPLE:
            word = next(iter(_words(field, seen)), "")
            yield f"{field.name}:{word or chr(34) * 2}", field.title.lower() if word else "empty"


def _words(field: Field, seen: Sequence[object]) -> Iterator[str]:
    """Words of a field that a filter can have as they are."""
    if field.kind in (Kind.TEXT, Kind.CHOICE, Kind.EMAIL, Kind.LINK):
        for row in seen:
            text = str(value_of(row, field.name) or "").partition("://")[2] or str(
                value_of(row, field.name) or ""
            )
            for word in text.split()[:1]:
                if word.isprintable() and not set(word) & set('"<>:!~'):
                    yield word[:_LONGEST].casefold()
