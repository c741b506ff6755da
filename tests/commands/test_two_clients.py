"""Two clients and every command that writes: what the other one changes stays, or it is said and asked."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from linkdash.demo.server import Running
from linkdash.demo.service import DemoService
from tests.commands.shell import Here, Person, Ran
from tests.service.visitor import Visitor

_TAGS = itertools.count(70_000_000)
BEFORE_COMMAND, AT_QUESTION = "between list and command", "between question and answer"


class Pixels:
    """Two pixels of their own, and the other client, who changes the first of them."""

    def __init__(self, service: Running, visitor: Visitor) -> None:
        self.service, self._visitor = service, visitor
        self.tag_before = str(next(_TAGS))
        self.was = f"Was {self.tag_before}"
        """The name of both, which no other has."""
        made = [
            visitor.write("POST", "/api/pixel/add", {"type": "bing", "name": self.was, "tag": tag})
            for tag in (self.tag_before, str(next(_TAGS)))
        ]
        self.id, self.other_id = (answer["id"] for answer in made)

    def set(self, **members: str) -> None:
        """Change the first, as the other client."""
        self._visitor.write("PUT", f"/api/pixel/{self.id}/update", {"tag": self.now[1], **members})

    def delete(self) -> None:
        """Delete the first, as the other client."""
        self._visitor.write("DELETE", f"/api/pixel/{self.id}/delete")

    def rename(self) -> None:
        """Change what the commands name."""
        self.set(name="Theirs")

    def rename_again(self) -> None:
        """Change it once more."""
        self.set(name="Theirs, later")

    def retag(self) -> None:
        """Change what they do not name, and the service wants."""
        self.set(tag="THEIR-TAG")

    @property
    def now(self) -> tuple[str, str]:
        """The name and the tag of the first at the service; blank where it is gone."""
        return self._there().get(self.id, ("", ""))

    @property
    def name_of_the_other(self) -> str:
        return self._there().get(self.other_id, ("", ""))[0]

    def _there(self) -> dict[int, tuple[str, str]]:
        def newest(service: DemoService) -> object:
            return service.data("/api/pixels", {"limit": "100"}, 0.0)

        data = self.service.ask(newest)
        assert isinstance(data, dict)
        return {row["id"]: (row["name"], row["tag"]) for row in data["pixels"]}


# ---- the verbs that give a name ----


@dataclass(frozen=True)
class Verb:
    """A command that gives the first pixel, or both, the name `Mine`."""

    look: Callable[[], object]
    """What the person sees of them before."""
    command: Sequence[str]
    asks: bool = True
    """True if it asks before it sends, without --yes."""


def look_at_all(here: Here) -> Callable[[], object]:
    return lambda: here("list", "pixels")


def update(here: Here, pixels: Pixels, folder: Path) -> Verb:
    return Verb(look_at_all(here), ["update", "pixels", str(pixels.id), "name=Mine"], asks=False)


def update_matching(here: Here, pixels: Pixels, folder: Path) -> Verb:
    both = f"id>={pixels.id} id<={pixels.other_id}"
    return Verb(look_at_all(here), ["update", "pixels", "--filter", both, "name=Mine"])


def import_rows(here: Here, pixels: Pixels, folder: Path) -> Verb:
    path = folder / "pixels.csv"

    def export() -> None:
        assert here("export", "pixels", str(path), "--filter", f"id>={pixels.id}").status == 0
        path.write_text(path.read_text().replace(pixels.was, "Mine").replace("Theirs", "Mine"))

    command = ["import", "pixels", str(path)]
    return Verb(export, command)


def undo(here: Here, pixels: Pixels, folder: Path) -> Verb:
    command = ["undo", "?"]

    def change() -> None:
        pixels.set(name="Mine")
        here("list", "pixels")
        assert here("update", "pixels", str(pixels.id), f"name={pixels.was}").status == 0
        command[1] = str(here("journal", "--limit", "1", "--format", "jsonl").lines[0]["id"])

    return Verb(change, command)


VERBS = {"update": update, "update --filter": update_matching, "import": import_rows, "undo": undo}


@pytest.fixture
def here(service: Running, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here(service, capsys)


@pytest.fixture
def pixels(service: Running) -> Iterator[Pixels]:
    with Visitor(service, service.plain_key) as visitor:
        yield Pixels(service, visitor)


def run_with(here: Here, pixels: Pixels, verb: Verb, change: Callable[[], None], moment: str) -> Ran:
    """Run a command, whose pixel the other changes at a moment."""
    verb.look()
    if moment == BEFORE_COMMAND:
        change()
    if moment != AT_QUESTION:
        ran = here(*verb.command, "--yes")
    else:
        if not verb.asks:  # unless there is something to ask about
            pixels.rename()
            change = pixels.rename_again if change == pixels.rename else change
        ran = here(*verb.command, person=Person((change, "yes"), (lambda: None, "no")))
    return ran


EVERY = [
    ("update", AT_QUESTION),
    ("update --filter", AT_QUESTION),
    ("import", BEFORE_COMMAND),
    ("undo", AT_QUESTION),
]
"""Every verb once; every moment is the law's: `tests/model/writes/test_law_of_writes.py`."""


@pytest.mark.parametrize(("verb", "moment"), EVERY)
def test_what_a_command_does_not_name_stays_as_the_other_has_made_it(
    here: Here, pixels: Pixels, tmp_path: Path, verb: str, moment: str
) -> None:
    ran = run_with(here, pixels, VERBS[verb](here, pixels, tmp_path), pixels.retag, moment)
    assert ran.status == 0, ran.told
    assert pixels.now == ("Mine", "THEIR-TAG")


@pytest.mark.parametrize(("verb", "moment"), EVERY)
def test_what_a_command_names_is_replaced_only_where_that_was_seen(
    here: Here, pixels: Pixels, tmp_path: Path, verb: str, moment: str
) -> None:
    ran = run_with(here, pixels, VERBS[verb](here, pixels, tmp_path), pixels.rename, moment)
    assert ran.status == 3, ran.told
    name, tag = pixels.now
    assert name in ("Theirs", "Theirs, later")
    assert tag == pixels.tag_before
    assert "changed on the service since" in ran.told + ran.out
    if verb in ("update --filter", "import"):
        assert pixels.name_of_the_other == "Mine", "the others are done"


# ---- deletes ----


def deleting(pixels: Pixels) -> list[str]:
    return ["delete", "pixels", "--filter", f"name:{pixels.tag_before}"]


@pytest.mark.parametrize("moment", [BEFORE_COMMAND, AT_QUESTION])
def test_what_does_not_match_any_more_is_not_deleted(here: Here, pixels: Pixels, moment: str) -> None:
    ran = run_with(here, pixels, Verb(look_at_all(here), deleting(pixels)), pixels.rename, moment)
    assert ran.status == (3 if moment == AT_QUESTION else 0), ran.told
    assert (pixels.now[0], pixels.name_of_the_other) == ("Theirs", "")
    assert ("1 pixel changed elsewhere, not sent." in ran.told) is (moment == AT_QUESTION)


def test_a_record_that_is_named_by_its_id_is_deleted_whatever_it_says(here: Here, pixels: Pixels) -> None:
    command = ["delete", "pixels", str(pixels.id), str(pixels.other_id)]
    ran = run_with(here, pixels, Verb(look_at_all(here), command), pixels.rename, AT_QUESTION)
    assert (ran.status, pixels.now, pixels.name_of_the_other) == (0, ("", ""), "")


def test_what_the_other_has_deleted_is_said(here: Here, pixels: Pixels) -> None:
    command = ["delete", "pixels", str(pixels.id), str(pixels.other_id)]
    ran = run_with(here, pixels, Verb(look_at_all(here), command), pixels.delete, AT_QUESTION)
    assert (ran.status, pixels.name_of_the_other) == (3, "")
    assert f"Pixel {pixels.id} was not found." in ran.out


# ---- assignments ----


def test_an_assignment_to_what_the_other_has_deleted_is_said(here: Here, service: Running) -> None:
    with Visitor(service, service.plain_key) as visitor:
        channel = visitor.write("POST", "/api/channel/add", {"name": "Short"})["id"]
        command = ["assign", "channel", str(channel), "qr:1", "qr:2"]

        def delete() -> None:
            visitor.write("DELETE", f"/api/channel/{channel}/delete")

        ran = here(*command, person=Person((delete, "yes")))
    assert ran.status == 3
    assert [line["outcome"] for line in ran.lines] == ["rejected", "rejected"]


def test_an_assignment_that_the_other_has_made_too_stands_there_once(here: Here, service: Running) -> None:
    with Visitor(service, service.plain_key) as visitor:
        channel = visitor.write("POST", "/api/channel/add", {"name": "Both"})["id"]

        def assign() -> None:
            visitor.write("POST", f"/api/channel/{channel}/assign/qr/2")

        command = ["assign", "channel", str(channel), "qr:1", "qr:2"]
        ran = here(*command, person=Person((assign, "yes")))
        rows = visitor.read(f"/api/channel/{channel}?limit=100")["data"]["items"]
    assert ran.status == 0, ran.told
    assert sorted(row["id"] for row in rows) == [1, 2]
