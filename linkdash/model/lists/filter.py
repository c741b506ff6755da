"""The filter of a list: a small language, and its meaning for a row.

`spring flyer`      both words, in any text          `"spring flyer"`   the words as they stand
`name:flyer`        a word in one field              `name:""`          a field that is empty
`scans>100`         by size; also < >= <=            `!flyer`           not; before any of these
`plan:pro`          a reference by the name of its record, as far as that is known, or by its id
`expires<30d`       within 30 days from now          `expires>2026-12-01`, `registered>-1w`
`age>90d`           a time; columns that linkdash computes are asked for by name: `week<-30` in percent
`~^sp.*r$`          all of it a regular expression, in any text or the id

Texts are the fields that are neither numbers nor times; a number as a word is the whole of an id, too.

A row of which a value is not known, or cannot be read, is found neither by a condition nor by its opposite:
not by `scans>100` nor by `!scans>100`; `scans:""` finds those without one. An end that there is not, as the
service says, is known: it is not before any moment.

Relative times count in hours, days, weeks, months of 30 days and years of 365: h, d, w, m, y. Where they
reach from now to a moment (`<30d`, `>-1w`) they mean the time between the two. Case never matters, nor
blanks around a sign, nor whether quotes are curly. What has no meaning is a FilterError.
"""

import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from linkdash.api.fields import NOT_IN_A_TEXT, TEMPORAL, AmbiguousNumber, Field, Kind, read_count, read_flag
from linkdash.api.folded_text import folded
from linkdash.api.paging import Rows
from linkdash.api.records import Record, Unreadable
from linkdash.api.slices import SMALL_SLICE, Slices
from linkdash.model.lists.columns import Column, Computed, Odd, Rank, moment_of, value_of
from linkdash.model.lists.row_texts import SEPARATOR, RowTexts, row_text, texts_of

# ---- the language ----

T = TypeVar("T", bound=Record)
Test = Callable[[object], bool | None]
"""Returns None for a value of which nothing can be said."""
Comparison = Callable[[Any, Any], bool]  # of two numbers or two dates
Asked: TypeAlias = Field | Computed[Any]
"""What a condition can be about."""

_NAMES_TOLD = 5
_NUMERIC = frozenset({Kind.IDENTIFIER, Kind.REFERENCE, Kind.COUNT})
_NOT_IN_WORDS = frozenset({*NOT_IN_A_TEXT, *TEMPORAL, Kind.FLAG, Kind.REFERENCE, Kind.COUNT})

_COMPARISONS: dict[str, Comparison] = {
    ">=": operator.ge,
    "≥": operator.ge,
    "<=": operator.le,
    "≤": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_CONDITION = r"[^\W\d]\w*\s*(?:[<>]=?|[≤≥]|:(?!//))"
_TERM = re.compile(
    rf"""
    (?P<no>!\s*)?
    (?:(?P<field>[^\W\d]\w*)\s*(?P<sign>[<>]=?|[≤≥]|:(?!//))(?:\s+(?!!?\s*{_CONDITION})(?=\S))?)?
    (?:"(?P<quoted>[^"]*)"?|[“”„«»](?P<curly>[^“”„«»"]*)[“”„«»"]?|(?P<bare>[\d.,]+(?:[\u00a0\u202f]\d{{3}})+|\S*))
    """,
    re.VERBOSE,
)
_OTHER_SIGN = re.compile(
    r"(?P<field>[^\W\d]\w*)(?P<sign>(?P<no>!)?(?:[~^$*|]?={1,3}~?|~))(?P<value>.*)", re.DOTALL
)
"""A word that compares as other languages do; `=` further on is a part of an address."""
_SIGNS = tuple("=~<>≤≥:")
_RELATIVE = re.compile(r"([+-]?\d{1,4})([hdwmy])", re.IGNORECASE)
_ANY_DATE = "0001-01-01 00:00:00"
_DATE_LENGTHS = frozenset(
    map(len, ("0001", "0001-01", "0001-01-01", "0001-01-01 00", _ANY_DATE[:-3], _ANY_DATE))
)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}


class FilterError(ValueError):
    """A filter that has no meaning: what is wrong with it, and one line about what would be right."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(f"{what}: {advice}")
        self.what, self.advice = what, advice
        self.at = 0
        """The number of characters of what was typed that stand before it."""


class _Typed(NamedTuple):
    """A condition as it was typed, with the whole name of its field; a mistake is told in these words."""

    field: str
    sign: str
    value: str
    is_quoted: bool


class _Word(NamedTuple):
    """A test of the texts of a row, of which one has to pass."""

    test: Callable[[str], bool]
    wanted: bool = True
    is_expression: bool = False
    """True if looking at one text may take a while."""
    in_joined: bool = False
    """True if it passes for texts in a row, with SEPARATOR between them, where it does for one of them."""

    def finds(self, joined: str) -> bool:
        """Return whether one of the texts in a row, with SEPARATOR between them, passes."""
        return self.test(joined) if self.in_joined else any(map(self.test, joined.split(SEPARATOR)))


class _Condition(NamedTuple):
    """A test of the value of one field, or of what a computed column compares by."""

    of: str | Callable[[Any], Rank | None]
    test: Test
    wanted: bool = True
    asks_for_end: bool = False
    """True if it asks whether something ends by a moment; the service can say that it never does."""

    def found_in(self, row: object) -> bool | None:
        """Return whether a row passes; None where its value is not known."""
        if not isinstance(self.of, str):
            return self.test(self.of(row))
        value = value_of(row, self.of)
        found = self.test(value)
        is_endless = self.asks_for_end and value is None and isinstance(row, Record) and row.tells(self.of)
        return False if found is None and is_endless else found


class Matches(NamedTuple, Generic[T]):
    """The rows that a filter finds."""

    rows: Rows[T]
    not_known: int = 0
    """Rows that were left out because what is asked for is not known of them, and that have all else."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of rows. An empty one, which is false, matches every row."""

    searched: tuple[Field, ...] = ()
    words: tuple[_Word, ...] = ()
    conditions: tuple[_Condition, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.conditions)

    def matches(self, row: object, text: str | None = None) -> bool | None:
        """Return whether a row passes; None where a value is not known of it, and it has all else.

        Of an unreadable row only the words are known. `text` is its text, where that was made before.
        Raises FilterError where an expression takes too long.
        """
        is_known = not (self.conditions and isinstance(row, Unreadable))
        for condition in self.conditions if is_known else ():
            found = condition.found_in(row)
            if found is not None and found is not condition.wanted:
                return False
            is_known = is_known and found is not None
        has_words = not self.words or self._has_words(row_text(row, self.searched) if text is None else text)
        return has_words if is_known or not has_words else None

    def matching(self, texts: RowTexts[T]) -> Slices[Matches[T]]:
        """The rows that `matches` is true of. Raises FilterError where an expression takes too long."""
        rows, found, not_known = texts.rows, list[T | Unreadable](), 0
        made = (yield from texts.all()) if self.words else None
        at_once = 1 if any(word.is_expression for word in self.words) else SMALL_SLICE
        for start in range(0, len(rows), at_once):
            for at in range(start, min(start + at_once, len(rows))):
                passed = self.matches(rows[at], None if made is None else made[at])
                if passed:
                    found.append(rows[at])
                elif passed is None:
                    not_known += 1
            yield
        return Matches(found, not_known)

    def _has_words(self, joined: str) -> bool:
        return all(word.finds(joined) is word.wanted for word in self.words)


def parse(text: str, fields: Sequence[Field], now: datetime, columns: Iterable[Column[Any]] = ()) -> Filter:
    """The filter that the user typed, for rows with these fields; `now` is where relative times begin.

    Those of the columns that are computed can be asked for as well. Raises FilterError for an unknown field,
    a value that does not suit its field or a bad expression.
    """
    if text.lstrip().startswith("~"):
        expression = text.strip()[1:]
        return Filter(searched(fields), (_expression(expression),)) if expression else Filter()
    words: list[_Word] = []
    conditions: list[_Condition] = []
    askable = _askable(fields, columns)
    for match in _TERM.finditer(text):
        value = _value(match)
        try:
            if match["field"]:
                conditions.append(_condition(match, value, askable, now))
                continue
            if match["bare"] is not None:
                _check_word(match, askable)
        except FilterError as error:
            error.at = match.start("field") if match["field"] else match.start()
            raise
        if value:
            test = _contains(folded(value))
            words.append(_Word(test, match["no"] is None, in_joined=SEPARATOR not in value))
    return Filter(searched(fields), tuple(words), tuple(conditions))


def _value(match: re.Match[str]) -> str:
    return match["quoted"] or match["curly"] or match["bare"] or ""


def _condition(match: re.Match[str], value: str, askable: Sequence[Asked], now: datetime) -> _Condition:
    wanted = match["no"] is None
    asked = _asked(match["field"], askable)
    name, sign = _whole_name(match["field"], askable), match["sign"]
    if value.startswith("!") and match["bare"]:
        raise FilterError(f'"!" stands before {name}', f"use !{name}{sign}{value[1:]}")
    if value.startswith(_SIGNS) and match["bare"]:
        bare = value.lstrip("".join(_SIGNS))
        raise FilterError(
            f'"{sign}{value[0]}" is not a comparison', f"use {name}:{bare}; quote for an exact match"
        )
    typed = _Typed(name, sign, value, is_quoted=match["bare"] is None)
    if isinstance(asked, Field):
        test = _named_test(asked, typed, askable) or _test(asked, typed, now)
        asks_for_end = bool(asked.passed) and not sign.startswith((">", "≥"))
        return _Condition(asked.name, test, wanted, asks_for_end)
    assert asked.rank is not None  # else its field is asked for
    return _Condition(asked.rank, _rank_test(asked, typed), wanted)


def searched(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields that words are looked for in, the id first."""
    found = [field for field in fields if field.kind not in _NOT_IN_WORDS]
    return tuple(sorted(found, key=lambda field: field.kind is not Kind.IDENTIFIER))


def _expression(text: str) -> _Word:
    from linkdash.model.lists.regular_expressions import Pattern  # few filters are one

    advice = "an expression is simple, such as ~^spring.*2026"
    try:
        pattern = Pattern(unicodedata.normalize("NFC", text))
    except ValueError as error:
        raise FilterError(str(error), advice) from None

    def found_in(text: str) -> bool:
        try:
            return pattern.found_in(text)
        except TimeoutError:
            raise FilterError("the expression takes too long: it repeats within a repeat", advice) from None

    return _Word(found_in, is_expression=True)


def _contains(word: str) -> Callable[[str], bool]:
    """A test of the texts of a row, an id before them: a number is that id, or stands in what follows."""
    if word.isdecimal():
        return lambda joined: (
            joined.startswith(word + SEPARATOR) or joined.find(word, joined.find(SEPARATOR) + 1) >= 0
        )
    return lambda text: word in text


def _texts(value: object, field: Field) -> list[str]:
    return [folded(text) for text in texts_of(value, field)]


# ---- which field ----


def _askable(fields: Sequence[Field], columns: Iterable[Column[Any]]) -> list[Asked]:
    """The fields, and the computed columns that have a rank or are compared by one of the fields."""
    names = {field.name for field in fields}
    computed = (column for column in columns if isinstance(column, Computed))
    return [*fields, *(one for one in computed if one.rank is not None or one.compared_field in names)]


def _asked(name: str, askable: Sequence[Asked]) -> Asked:
    """The match for a name, a title or the beginning of either, if it is the only one.

    A computed column that is compared by a field stands for that field.
    """
    fields = {one.name: one for one in askable if isinstance(one, Field)}
    meant = {one.name: one for one in (_compared(one, fields) for one in _spelled(name, askable))}
    if not meant:
        names = ", ".join(dict.fromkeys(called(one) for one in askable if one.kind not in NOT_IN_A_TEXT))
        raise FilterError(f'unknown field "{name}"', f"fields are {names}; quote for an exact match")
    if len(meant) > 1:
        raise FilterError(f'"{name}" can be {" or ".join(meant)}', "write more of it")
    (only,) = meant.values()
    if only.kind in NOT_IN_A_TEXT:
        raise FilterError(f"{name} cannot be searched", "secrets and nested members never are")
    return only


def _spelled(name: str, askable: Sequence[Asked]) -> list[Asked]:
    """Those with this name or title; if there is none, those of which it is the beginning."""
    wanted = _spelling(name)
    spellings = [(one, {_spelling(one.name), _spelling(one.title)}) for one in askable]
    return [one for one, known in spellings if wanted in known] or [
        one for one, known in spellings if any(spelling.startswith(wanted) for spelling in known)
    ]


def _whole_name(name: str, askable: Sequence[Asked]) -> str:
    """The name as it was typed; where that is only the beginning, the whole one. There must be one."""
    first, *_ = _spelled(name, askable)
    is_whole = _spelling(name) in (_spelling(first.name), _spelling(first.title))
    return name if is_whole else called(first)


def called(one: Field | Column[Any]) -> str:
    """Return the name of a field in a filter; of what is computed the title, where that is one word."""
    return one.title.lower() if isinstance(one, Computed) and one.title.isalpha() else one.name


class AskedWord(NamedTuple):
    """A word that a filter looks for in one field."""

    name: str
    """The field as it was typed, with its whole name."""
    field: Field
    word: str
    at: int
    """The number of characters of the filter that stand before it."""


def asked_words(text: str, fields: Sequence[Field], columns: Iterable[Column[Any]]) -> Iterator[AskedWord]:
    """The words that a filter, which has a meaning, looks for in a field each."""
    askable = _askable(fields, columns)
    for match in _TERM.finditer("" if text.startswith("~") else text):
        word = _value(match)
        if match["sign"] == ":" and word and match["no"] is None:
            asked = _asked(match["field"], askable)
            if isinstance(asked, Field):
                yield AskedWord(_whole_name(match["field"], askable), asked, word, match.start("field"))


def _check_word(match: re.Match[str], askable: Sequence[Asked]) -> None:
    """Raise FilterError for what is no word: it would find nothing, and its opposite everything."""
    word = match["bare"]
    if match["no"] and (not word or word.startswith("!")):
        raise FilterError('"!" is not enough', "a word or a condition follows one !, such as !flyer")
    if word.startswith("~"):
        raise FilterError(
            f'"{word}" is not a whole filter', "an expression stands alone; quote for an exact match"
        )
    if word.startswith(("=", ":")) or set(word) & set("<>≤≥"):
        raise FilterError(
            f'"{word}" does not name a field', "use name:flyer or scans>100; quote for an exact match"
        )
    if (found := _OTHER_SIGN.fullmatch(word)) is None:
        return
    _asked(found["field"], askable)  # a mistake in the name comes first
    no = "!" if bool(found["no"]) is not bool(match["no"]) else ""
    value = found["value"] or '""'
    what = f'"{found["field"]}{found["sign"]}" is not a comparison'
    raise FilterError(what, f"use {no}{found['field']}:{value}")


def _compared(one: Asked, fields: Mapping[str, Field]) -> Asked:
    if isinstance(one, Field) or one.rank is not None:
        return one
    return fields[one.compared_field]


def _spelling(name: str) -> str:
    return plain(name).replace("_", "").replace(" ", "").replace("-", "")


# ---- what its value must be ----


def _test(field: Field, typed: _Typed, now: datetime) -> Test:
    name, sign, value, is_quoted = typed
    if not value and is_quoted and sign == ":":
        return _is_empty
    if not value:
        raise FilterError(f"{name}{sign} needs a value", f'{name}:"" finds what is empty')
    if field.kind in _NUMERIC:
        return _number_test(typed)
    if field.kind in TEMPORAL:
        return _moment_test(field, typed, now)
    if sign != ":":
        is_flag = field.kind is Kind.FLAG
        holds, example = ("yes or no", "yes") if is_flag else ("text", "word")
        raise FilterError(f"{name} is {holds}", f"use {name}:{example}")
    if field.kind is Kind.FLAG:
        return _flag_test(typed)
    return _word_test(field, value)


def _is_empty(value: object) -> bool:
    return value is None or value == ""


def _word_test(field: Field, word: str) -> Test:
    wanted = folded(word)
    return lambda value: (
        None if isinstance(value, Odd) else any(wanted in text for text in _texts(value, field))
    )


def _flag_test(typed: _Typed) -> Test:
    name = typed.field
    try:
        wanted = read_flag(typed.value)
    except ValueError:
        raise FilterError(f"{name} is yes or no", f"{name}:yes or {name}:no") from None
    return lambda value: value is wanted if isinstance(value, bool) else None


def _named_test(field: Field, typed: _Typed, askable: Sequence[Asked]) -> Test | None:
    """A test of a reference by the name of its record; None where it is not asked for by name."""
    columns = (one for one in askable if isinstance(one, Computed) and one.compared_field == field.name)
    names = next((column.names() for column in columns if column.names is not None), None)
    word = typed.value
    if names is None or typed.sign != ":" or not word or _is_number(word):
        return None
    ids = {id for id, name in names.items() if plain(word) in plain(name)}
    if not ids:
        known = ", ".join([*names.values()][:_NAMES_TOLD])
        advice = f"known are {known}" if known else f"no name is known yet; {typed.field}:1 finds by id"
        raise FilterError(f'no name holds "{word}"', advice)
    return lambda value: value in ids if isinstance(value, int) else None


def _rank_test(column: Computed[Any], typed: _Typed) -> Test:
    name, sign, text, is_quoted = typed
    if not text and is_quoted and sign == ":":
        return _is_empty
    compare: Comparison = _COMPARISONS.get(sign, operator.eq)
    advice = {"number": "100", "percent": "-30", "span": "90d"}[column.unit]
    if column.unit == "span" and (span := _RELATIVE.fullmatch(text)):
        unit = timedelta(hours=_HOURS[span[2].lower()])
        if sign == ":":
            return lambda value: value // unit == int(span[1]) if isinstance(value, timedelta) else None
        return _comparison(compare, int(span[1]) * unit)
    count = None if column.unit == "span" else _number_of(text.removesuffix("%"), name, sign)
    if count is not None:
        return _comparison(compare, count)
    what = "a span of time" if column.unit == "span" else "a whole number"
    raise FilterError(f"{name} is compared with {what}", f"{name}>{advice} or {name}<{advice}")


def _comparison(compare: Comparison, bound: Rank) -> Test:
    return lambda value: None if value is None else compare(value, bound)


def _is_number(text: str) -> bool:
    try:
        return read_count(text) is not None
    except AmbiguousNumber:
        return True
    except ValueError:
        return False


def _number_of(text: str, name: str, sign: str) -> int | None:
    """The whole number that a text is. Raises FilterError for one that can be two numbers."""
    try:
        return read_count(text)
    except AmbiguousNumber:
        less = text.split(".")[0]
        raise FilterError(
            f"{text} can be {less} or {less},000", f"use {name}{sign}{less} or {name}{sign}{less}000"
        ) from None
    except ValueError:
        return None


def _number_test(typed: _Typed) -> Test:
    name, sign, text, _ = typed
    number = _number_of(text, name, sign)
    if number is None:
        raise FilterError(f"{name} is compared with a whole number", f"{name}>100 or {name}:100")
    compare: Comparison = _COMPARISONS.get(sign, operator.eq)
    return lambda value: compare(value, number) if isinstance(value, int) else None


def _moment_test(field: Field, typed: _Typed, now: datetime) -> Test:
    name, sign, text, _ = typed
    try:
        if sign == ":":
            return _in_time(text)
        if relative := _RELATIVE.fullmatch(text):
            hours = int(relative[1]) * _HOURS[relative[2].lower()]
            return _within(_COMPARISONS[sign], now + timedelta(hours=hours), now)
        return _beyond(_COMPARISONS[sign], text)
    except (ValueError, OverflowError):
        example = f"{name}:2026-12" if sign == ":" else f"{name}{sign}30d"
        raise FilterError(
            f"{name} is compared with a date or a span", f"{name}{sign}2026-12-01 or {example}"
        ) from None


def _in_time(text: str) -> Test:
    """A test for the year, month, day, hour or minute that is written. Raises ValueError for none."""
    begun = text.upper().replace("T", " ")
    if len(begun) not in _DATE_LENGTHS or not _first_moment(begun).startswith(begun):
        raise ValueError(text)
    return lambda value: str(value).startswith(begun) if isinstance(value, date) else None


def _first_moment(begun: str) -> str:
    """The first moment of a year, month, day, hour or minute. Raises ValueError."""
    return str(datetime.fromisoformat(begun + _ANY_DATE[len(begun) :]))


def _beyond(compare: Comparison, text: str) -> Test:
    """A comparison with a day or a moment. Raises ValueError for a text that is neither."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        raise ValueError(text)
    if len(text) <= len("2026-12-01"):
        day = moment.date()
        return lambda value: compare(_day(value), day) if isinstance(value, date) else None
    return lambda value: compare(moment_of(value), moment) if isinstance(value, date) else None


def _within(compare: Comparison, end: datetime, now: datetime) -> Test:
    """A comparison with the end of a span; between now and there, if it looks from there towards now."""
    towards_now = now != end and compare(now, end)
    first, last = min(now, end), max(now, end)

    def test(value: object) -> bool | None:
        if not isinstance(value, date):
            return None
        return compare(value, _as(value, end)) and (
            not towards_now or _as(value, first) <= value <= _as(value, last)
        )

    return test


def _as(value: date, moment: datetime) -> date:
    """A moment as what it is compared with: a day for a day."""
    return moment if isinstance(value, datetime) else moment.date()


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def plain(text: str) -> str:
    """`text` without case and accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    for letter in set(decomposed):  # of many texts together, far fewer than there are letters
        if unicodedata.combining(letter):
            decomposed = decomposed.replace(letter, "")
    return decomposed.casefold()
