"""Examples of filters, made of the rows that are there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from linkdash.api.fields import Field, Kind
from linkdash.api.folded_text import folded
from linkdash.api.records import Unreadable
from linkdash.model.lists.columns import Column, Computed, value_of
from linkdash.model.lists.filter import asked_words, called

_LOOKED_AT = 30  # rows that examples are taken from
_LONGEST = 16  # letters of an example's value
_WORDS_TOLD = 5
_NO_EXAMPLE = frozenset({Kind.SECRET, Kind.NESTED, Kind.PAYLOAD})


def examples(
    fields: Sequence[Field], rows: Sequence[object], now: datetime, columns: Iterable[Column[Any]]
) -> list[tuple[str, str]]:
    """Filters that find something among these rows, or would with others; each with what it means."""
    seen = [row for row in rows[:_LOOKED_AT] if not isinstance(row, Unreadable)]
    word = next((word for field in fields for word in _words(field, seen)), "spring")
    told = [(word, "in any text"), (f'"{word} …"', "exact words"), (f"!{word}", "not")]
    shown = [*columns]
    for column in shown:
        told += _of_computed(column)
    named = {column.name for column in shown if isinstance(column, Computed) and column.names is not None}
    columns_of = {column.compared_field: column for column in shown}
    for field in fields:
        if field.name not in named:
            told += _of_field(columns_of.get(field.name, field), field, seen, now)
    return [*told, (f"~^{word[:4]}", "a pattern")]


class FilterHint(NamedTuple):
    """A guess at what a filter that finds nothing was meant to say."""

    what: str
    advice: str
    at: int = 0
    """The number of characters that stand before what it is about."""


def hint(
    typed: str,
    fields: Sequence[Field],
    columns: Iterable[Column[Any]],
    told: Iterable[tuple[str, str]],
    words_of: Callable[[Field], Sequence[str]],
) -> FilterHint | None:
    """Return what to write instead of a filter that finds nothing; None where that is not known.

    `told` are the examples, and `words_of` gives the different texts that the rows have in a field.
    """
    shown = [*columns]
    return (
        _unknown_word(typed, fields, shown, words_of)
        or _past(typed, fields)
        or _referenced(typed, shown)
        or _begun(typed, fields, shown, told)
    )


def _unknown_word(
    typed: str,
    fields: Sequence[Field],
    columns: Sequence[Column[Any]],
    words_of: Callable[[Field], Sequence[str]],
) -> FilterHint | None:
    """The words that there are in a field of a few, where another one is looked for."""
    for name, field, word, at in asked_words(typed, fields, columns):
        words = words_of(field) if field.kind is Kind.CHOICE else ()
        known = [str(field.labels.of(one)) for one in words]
        if known and not any(folded(word) in folded(one) for one in (*known, *words)):
            past = _past(word, fields)
            advice = f"{past.advice} for {word}" if past is not None else f"write {name}:{_quoted(known[0])}"
            return FilterHint(f"{name} is {_either(known)}", advice, at)
    return None


def _past(typed: str, fields: Sequence[Field]) -> FilterHint | None:
    """Return how a time that has come is asked for, where the word for that is typed: `expired`."""
    names = {one.passed: one.name for one in fields if one.passed}
    for word in typed.split():
        if (name := names.get(folded(word))) is not None:
            return FilterHint(word, f"write {name}<0d", typed.index(word))
    return None


def _referenced(typed: str, columns: Sequence[Column[Any]]) -> FilterHint | None:
    """Return how a record that rows refer to is asked for, where its name is typed: `business`."""
    named = [
        (called(one), folded(name))
        for one in columns
        if isinstance(one, Computed) and one.names is not None
        for name in one.names().values()
    ]
    for word in typed.split():
        for called_by, name in named:
            if folded(word) in name:
                return FilterHint(word, f"write {called_by}:{_quoted(word)}", typed.index(word))
    return None


def _either(words: Sequence[str]) -> str:
    """Words as a choice of one; of many the first."""
    if len(words) > _WORDS_TOLD:
        return f"{', '.join(words[:_WORDS_TOLD])}, …"
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _quoted(word: str) -> str:
    return word if word.isalnum() else f'"{word}"'


def _begun(
    typed: str, fields: Sequence[Field], columns: Sequence[Column[Any]], told: Iterable[tuple[str, str]]
) -> FilterHint | None:
    """The field whose name a word is the beginning of, and how it is compared by the examples."""
    word = folded(typed.strip())
    names = [(name, called(one)) for one in columns for name in (called(one), one.title.lower())]
    names += [(one.compared_field, called(one)) for one in columns]
    names += [(name, field.name) for field in fields for name in (field.name, field.title.lower())]
    for name, compared in names:
        if word.isalpha() and name.startswith(word) and name.isalpha():
            for example, _ in told:
                sign = example.removeprefix(compared)
                if sign != example and sign[0] in "<>:":
                    return FilterHint(name, f"write {name}{sign}")
    return None


def _of_computed(column: Column[Any]) -> Iterator[tuple[str, str]]:
    name = called(column)
    if isinstance(column, Computed) and column.rank is not None:
        match column.unit:
            case "percent":
                yield f"{name}<-30", "fell by more than 30 %"
            case "span":
                yield f"{name}>90d", "longer than 90 days"
            case "number":
                yield f"{name}>100", f"{column.title.lower()}; or < >= <= :"
    elif isinstance(column, Computed) and column.names is not None:
        word = next((word for known in column.names().values() for word in _plain_words(known)), "")
        yield (f"{name}:{word}", "by name") if word else (f"{name}:1", "by id")
    elif isinstance(column, Computed) and column.kind is Kind.MOMENT and name != column.name:
        yield f"{name}<7d", "in the next 7 days"


def _of_field(
    shown: Field | Column[Any], field: Field, seen: Sequence[object], now: datetime
) -> Iterator[tuple[str, str]]:
    """Examples for a field, under the name it is shown by."""
    name, title = called(shown), shown.title.lower()
    values = [value for row in seen if (value := value_of(row, field.name)) not in (None, "")]
    match field.kind:
        case Kind.COUNT | Kind.REFERENCE | Kind.IDENTIFIER:
            numbers = sorted(value for value in values if isinstance(value, int))
            middle = numbers[len(numbers) // 2] if numbers else 100
            yield f"{name}>{middle}", f"{title}; or < >= <= :"
        case Kind.MOMENT | Kind.DAY:
            if any(isinstance(value, datetime) and value > now for value in values):
                yield f"{name}<30d", "in the next 30 days"
            yield f"{name}>-1w", "last week; h d w m y"
            yield f"{name}>{now:%Y-%m}-01", "since a day"
        case Kind.FLAG:
            yield f"{name}:yes", "yes or no"
        case kind if kind not in _NO_EXAMPLE:
            word = next(iter(_words(field, seen)), "")
            yield f"{name}:{word or chr(34) * 2}", title if word else "empty"


def _words(field: Field, seen: Sequence[object]) -> Iterator[str]:
    """Words of a field that a filter can have as they are."""
    if field.kind in (Kind.TEXT, Kind.CHOICE, Kind.EMAIL, Kind.LINK):
        for row in seen:
            text = str(value_of(row, field.name) or "").partition("://")[2] or str(
                value_of(row, field.name) or ""
            )
            yield from _plain_words(text)


def _plain_words(text: str) -> Iterator[str]:
    """The first word of a text, where a filter can have it as it is."""
    for word in text.split()[:1]:
        if word.isprintable() and not set(word) & set('"<>:!~'):
            yield folded(word[:_LONGEST])
