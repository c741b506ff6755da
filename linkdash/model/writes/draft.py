"""The draft of a form: its fields, what was typed, the body that comes of it, the changes that it makes.

The inputs are those that a request model asks for; the name of one is its text's path.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from linkdash.api.fields import Field, Kind, fields_of
from linkdash.api.http.secrecy import MASK
from linkdash.api.inert_text import inert, marked
from linkdash.api.qr_payloads import PAYLOADS, Payload
from linkdash.api.records import Body
from linkdash.model.writes.form_fields import (
    AGAIN,
    every_default,
    every_field,
    part_path,
    payload_names,
    shown_fields,
    texts_of,
    type_field,
    value_of,
)
from linkdash.model.writes.value_texts import flag_word


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their beginning on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


@dataclass(frozen=True, slots=True)
class InputText:
    """The text of a field, and what an input shows for it: a mark for each character that cannot be typed.

    Both have the same length, character by character. An edit is what differs between two texts that the
    input showed, and only that is taken as it was typed: what stands before and after it stays what it is in
    the field. So an untouched mark still stands for its character, a mark that is deleted takes its
    character with it, and one that is typed is itself.
    """

    value: str
    """The value that the field holds and that is sent."""
    shown: str

    @classmethod
    def of(cls, value: str, *, several_lines: bool = False) -> "InputText":
        """The text of a field as an input first shows it; one of several lines has its line ends as such."""
        return cls(value, "\n".join(map(marked, value.split("\n"))) if several_lines else marked(value))

    def edited(self, shown: str) -> "InputText":
        """The text after an edit that made the input show this."""
        before = _alike(self.shown, shown)
        after = _alike(self.shown[before:][::-1], shown[before:][::-1])
        end = len(self.value) - after
        return InputText(self.value[:before] + shown[before : len(shown) - after] + self.value[end:], shown)


Options = Mapping[str, Sequence[tuple[int | str, str]]]
"""The known records that can be referred to: resource -> (id, label)."""


def choice_labels(records: Sequence[tuple[int | str, str]]) -> dict[str, str]:
    """The names of records to choose from, by the text of their id, added where a name is not alone."""
    count = Counter(name for _, name in records)
    return {str(id): name if name and count[name] == 1 else f"{name} · {id}" for id, name in records}


class Problems(NamedTuple):
    """Reasons why a form cannot be sent: a sentence for each path; "" is the path of the form as a whole."""

    messages: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A line of the difference that a form makes; secrets are masked."""

    title: str
    before: str | None
    """None where the value before is not known, because the service does not show it."""
    after: str

    def __str__(self) -> str:
        before, after = self.words
        return f"{self.title}: {before} → {after}"

    @property
    def words(self) -> tuple[str, str]:
        """Return what was there and what will be, inert, with words for nothing."""
        before = "not shown by the service" if self.before is None else inert(self.before) or "(empty)"
        return before, inert(self.after) or "(empty)"


@dataclass(frozen=True, slots=True)
class Draft:
    """The texts of a form's fields, by path; what the inputs show of them is an `InputText`'s.

    `original` holds the texts of the record that is updated, and is None when one is created.
    """

    model: type[Body]
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    original: Mapping[str, str] | None = field(default=None, repr=False)
    chosen: frozenset[str] = frozenset()
    """The paths of what the service has chosen, which nothing sent from here gives back."""

    @classmethod
    def create(cls, model: type[Body], values: Mapping[str, object] | None = None) -> "Draft":
        """A draft of a new record, with some values filled in already."""
        return cls(model, texts_of(model, values or {}))

    @classmethod
    def update(cls, model: type[Body], record: Mapping[str, object], chosen: Collection[str] = ()) -> "Draft":
        """A draft of a record as it is now; what the service does not show is left out of `record`.

        `chosen` are the members that were left to the service, and are empty in it.
        """
        texts = texts_of(model, record)
        return cls(model, texts, texts, frozenset(chosen))

    @property
    def is_update(self) -> bool:
        """Return whether there is a record that this draft changes."""
        return self.original is not None

    @property
    def fields(self) -> tuple[Field, ...]:
        """The inputs to show, in order; the name of each is the path of its text."""
        return self._without_known_types(shown_fields(self.model, self.values))

    @property
    def every_field(self) -> tuple[Field, ...]:
        """The inputs that this draft may ever show, whatever is typed."""
        return self._without_known_types(every_field(self.model))

    def _without_known_types(self, fields: tuple[Field, ...]) -> tuple[Field, ...]:
        """The same inputs but for types that are known, of which the body does not speak: they stay."""
        known = self._known_types
        return tuple(item for item in fields if item.name not in known)

    @property
    def _known_types(self) -> set[str]:
        types = {type_field(self.model, name) for name in payload_names(self.model)}
        return {path for path in types - self.model.model_fields.keys() if (self.original or {}).get(path)}

    @property
    def fixed(self) -> tuple[str, ...]:
        """The types that are known and stay, in words: `Type Link (URL)`."""
        known = self._known_types
        fields = (item for item in every_field(self.model) if item.name in known)
        return tuple(f"{item.title} {item.labels.of(self.text(item.name))}" for item in fields)

    @property
    def to_type(self) -> tuple[Field, ...]:
        """The secrets without which a content that is known cannot be sent again: they are never kept."""
        problems = self.parse() if self.original else None
        if not isinstance(problems, Problems):
            return ()
        return tuple(
            item for item in self.fields if item.kind is Kind.SECRET and item.name in problems.messages
        )

    def is_untold(self, path: str) -> bool:
        """Return whether the record that is updated has a value here that the service does not show."""
        is_member = path in self.model.model_fields
        return is_member and self.original is not None and path not in self.original

    @property
    def defaults(self) -> dict[str, str]:
        """Return what holds where nothing is typed, by path."""
        return every_default(self.model)

    def text(self, path: str) -> str:
        """The text at `path`."""
        return self.values.get(path, "")

    def with_text(self, path: str, text: str) -> "Draft":
        """The same draft with another text at `path`."""
        return replace(self, values={**self.values, path: text})

    def with_stored(self, texts: Mapping[str, str]) -> "Draft":
        """The same draft with stored texts put over its own; paths that no input has are dropped."""
        known = {item.name for item in self.every_field}
        stored = {path: text for path, text in texts.items() if path in known}
        return replace(self, values={**self.values, **stored})

    def storable_values(self) -> dict[str, str]:
        """The texts that differ from the record's, without secrets: what a draft on disk may hold."""
        before = self.original or {}
        return {
            item.name: self.text(item.name)
            for item in self.every_field
            if item.kind is not Kind.SECRET and self.text(item.name) != before.get(item.name, "")
        }

    def differs_from(self, other: "Draft") -> bool:
        """Return whether anything was typed since; an input that was emptied again is as it was."""
        paths = {*self.values, *other.values}
        return any(self.text(path) != other.text(path) for path in paths)

    # ---- what is sent ----

    def parse(self) -> Body | Problems:
        """The body to send, with nothing in it but what was given, or what is wrong.

        Created are the members that were filled in or switched; updated those that differ from the record
        and those that the model requires. A member that was emptied is sent as "".
        """
        members: dict[str, object] = {}
        problems = self._unequal_repeats()
        for item in fields_of(self.model):
            if item.kind is Kind.PAYLOAD:
                self._read_payload(item, members, problems)
            elif self._is_given(item.name, item.required):
                self._read(item, members, problems)
        try:
            body = self.model.model_validate(members)
        except ValidationError as error:
            return Problems(self._with_found(sentences(error), problems))
        return Problems(problems) if problems else body

    def payload(self, name: str) -> Payload | None:
        """The payload at the field `name` as far as it is complete, for a look at it before it is sent."""
        parsed = self._parsed_payload(name)
        return parsed if isinstance(parsed, Payload) else None

    def _read(self, item: Field, members: dict[str, object], problems: dict[str, str]) -> None:
        try:
            members[item.name] = value_of(item, self.text(item.name))
        except ValueError as error:
            problems[item.name] = str(error)

    def _read_payload(self, item: Field, members: dict[str, object], problems: dict[str, str]) -> None:
        parts = [path for path in self._shown_paths() if path.startswith(f"{item.name}.")]
        if not item.required and not any(self._is_given(path, required=False) for path in parts):
            return
        parsed = self._parsed_payload(item.name)
        if isinstance(parsed, Payload):
            members[item.name] = parsed.data()
        elif parsed is None:
            type_ = self._payload_type(item.name)
            problems[type_field(self.model, item.name)] = NOT_OFFERED if type_ else NEEDED
        else:
            prefix = part_path(item.name, self._payload_type(item.name), "")
            problems |= {prefix + part: message for part, message in parsed.messages.items()}

    def _with_found(self, found: dict[str, str], problems: dict[str, str]) -> dict[str, str]:
        """All problems; what is wrong with the whole goes without saying where its parts are faulted."""
        for name in payload_names(self.model):
            message = found.pop(name, "")
            if message and not problems:
                found[""] = message
        if problems:
            found.pop("", None)
        return found | problems

    def _parsed_payload(self, name: str) -> Payload | Problems | None:
        type_ = self._payload_type(name)
        if type_ not in PAYLOADS:
            return None
        prefix = part_path(name, type_, "")
        parts = (path for path in self.values if path.startswith(prefix))
        parsed = Draft(
            PAYLOADS[type_], {path.removeprefix(prefix): self.text(path) for path in parts}
        ).parse()
        assert isinstance(parsed, Payload | Problems)
        return parsed

    def _is_given(self, path: str, required: bool) -> bool:
        text = self.text(path)
        if self.original is None:
            return text != ""
        return text != self.original.get(path, "") or (required and text != "")

    def _unequal_repeats(self) -> dict[str, str]:
        repeats = {path.removesuffix(AGAIN): path for path in self._shown_paths() if path.endswith(AGAIN)}
        unequal = [path for first, path in repeats.items() if self.text(first) != self.text(path)]
        return dict.fromkeys(unequal, "does not match")

    def _payload_type(self, name: str) -> str:
        return self.text(type_field(self.model, name))

    def _unsent_paths(self) -> set[str]:
        """Inputs that are no member of the body: a text typed again, and a type that it does not name."""
        types = {type_field(self.model, name) for name in payload_names(self.model)}
        return {path for path in self._shown_paths() if path.endswith(AGAIN)} | types - set(
            self.model.model_fields
        )

    def _shown_paths(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.fields)

    # ---- what that changes ----

    def changes(self, labels: Mapping[str, Mapping[str, str]] | None = None) -> tuple[FieldChange, ...]:
        """Return what will be different, in the order of the inputs and in the spelling that is sent.

        `labels` names the records of resources by the text of their id: resource -> id -> label.
        """
        known = (self.original or {}).items()
        before = {path: text for path, text in known if path not in self.chosen}
        after = self._sent_texts()
        shown = [item for item in self.fields if item.name not in self._unsent_paths()]
        return tuple(
            FieldChange(
                title=item.title,
                before=_labelled(item, before.get(item.name), labels or {}),
                after=_labelled(item, after.get(item.name, ""), labels or {}) or "",
            )
            for item in shown
            if before.get(item.name, "") != after.get(item.name, "")
        )

    def _sent_texts(self) -> dict[str, str]:
        """The texts after the write; those that were typed, as long as they cannot be sent."""
        body = self.parse()
        texts = dict(self.values)
        if isinstance(body, Body):
            types = {
                type_field(self.model, name): self._payload_type(name) for name in payload_names(self.model)
            }
            texts = {**(self.original or {}), **texts_of(self.model, {**types, **body.given()})}
        secrets = (item.name for item in self.fields if item.kind is Kind.SECRET)
        return texts | {path: MASK for path in secrets if self.text(path)}


def _labelled(item: Field, text: str | None, labels: Mapping[str, Mapping[str, str]]) -> str | None:
    if text and item.kind is Kind.FLAG:
        return flag_word(text)
    if text and item.reference is not None:
        return labels.get(item.reference, {}).get(text, text)
    return text and str(item.labels.of(text))


NEEDED = "Required"
NOT_OFFERED = "choose one from the list"

_SENTENCES: Mapping[str, str] = {
    "missing": NEEDED,
    "literal_error": NOT_OFFERED,
    "enum": NOT_OFFERED,
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "bool_parsing": "this is either on or off",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
    "too_short": "at least {min_length} characters",
    "too_long": "at most {max_length} characters",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be {le} or less",
}


def sentences(error: ValidationError) -> dict[str, str]:
    """A sentence for each member that failed, by its name; "" names the body as a whole."""
    problems = error.errors(include_url=False, include_input=False)
    return {str(problem["loc"][0]) if problem["loc"] else "": _sentence(problem) for problem in problems}


def _sentence(problem: ErrorDetails) -> str:
    context = problem.get("ctx", {})
    if problem["type"] == "value_error":
        return str(context["error"])
    if sentence := _SENTENCES.get(problem["type"]):
        return sentence.format_map(context)
    return problem["msg"][:1].lower() + problem["msg"][1:]
