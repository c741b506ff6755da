"""Titled panels, with a status line above, counts and keys below.

How they stand beside each other, the style sheets decide by the size of the screen.
"""

import re
from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from linkdash.widgets.styled_text import Piece, Tone, content

FOCUS = "▶ "
BOXED = 100
"""Columns of the terminal from which a panel is a box; below it is a rule with its title in it."""
_BESIDE_TITLE = 8  # cells of a frame that its title cannot have

PanelText = Sequence[Piece | str]
_PARTS = re.compile(r"( · |  +)")


class Panel(Vertical):
    """A box, or under `BOXED` columns a rule with the title in it. Titles are never parsed as markup."""

    title_tone = Tone.HERO

    def __init__(
        self, *children: Widget, title: str = "", id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(*children, id=id, classes=classes)
        self.add_class("-panel", update=False)  # it has no styles before it is mounted
        self._title = title
        self._above: PanelText = ()
        self._below: PanelText = ()
        self._keys: PanelText = ()
        self._hidden = ""
        self._aside = ""
        self._written: tuple[Content, Content] | None = None

    def say(
        self,
        title: str | None = None,
        *,
        above: PanelText | None = None,
        below: PanelText | None = None,
        keys: PanelText | None = None,
    ) -> None:
        """Say what it is called, what is true of all of it, its counts, and the keys that are its own.

        What is not given stays. In a rule there is one line for all of it: the keys go first, then the counts
        where something is said of all of it.
        """
        before = self._title, self._above, self._below, self._keys
        self._title = self._title if title is None else title
        self._above = self._above if above is None else above
        self._below = self._below if below is None else below
        self._keys = self._keys if keys is None else keys
        if (self._title, self._above, self._below, self._keys) != before:
            self._write()

    def say_hidden(self, words: str) -> None:
        """Say that there are lines beside those in sight; nothing for none."""
        if words != self._hidden:
            self._hidden = words
            self._write()

    def say_aside(self, words: str) -> None:
        """Say what gives way to all else: told only where there is room for it."""
        if words != self._aside:
            self._aside = words
            self._write()

    @property
    def title(self) -> str:
        """Return what it is called."""
        return self._title

    @property
    def below(self) -> PanelText:
        """Return what is said of its counts and its age."""
        return self._below

    @property
    def is_boxed(self) -> bool:
        """Return whether there is a line for what is said below."""
        return self.app.size.width >= BOXED

    def has_room_for(self, title: str) -> bool:
        """Return whether the frame can say this, whole."""
        return 0 < cell_len(title) <= self.outer_size.width - _BESIDE_TITLE

    @property
    def is_pointed_at(self) -> bool:
        """Return whether keys work on it."""
        return self.has_focus_within

    def on_mount(self) -> None:
        self._write()

    def on_resize(self) -> None:
        self._write()

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        self.call_after_refresh(self._write)

    def on_descendant_blur(self, _event: events.DescendantBlur) -> None:
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        """Say it in the frame."""
        if not self.is_attached:
            return
        self._highlight()
        boxed = self.is_boxed
        above = self._line_above()
        written = content(above if self._title else ()), content(self._line_below() if boxed else ())
        if self._written is None or not all(map(Content.is_same, written, self._written)):
            self._written = written  # assigned only where it says something else: assigning paints
            self.border_title, self.border_subtitle = written

    def _line_above(self) -> list[Piece | str]:
        """The title and what is true of all of it; in a rule its counts, too, where there is room."""
        title: list[Piece | str] = [Piece(FOCUS, Tone.KEY)] if self.is_pointed_at else []
        title.append(Piece(self._title, self.title_tone, bold=True))
        said = _parted(self._above)
        if self.is_boxed:
            return [*title, *self._whole_parts(title, said)]
        line = self._rule(title, said)
        aside = _parted(self._said_aside)
        return [*line, *aside] if self._has_room(*line, *aside) else line

    def _rule(self, title: list[Piece | str], said: list[Piece | str]) -> list[Piece | str]:
        """The title with what is said above, and as much of what is said below as there is room for."""
        if not self._above or self._has_room(*title, *said, "  ", *self._below):
            said += _parted(self._below)
        more = _parted(self._more)
        said = [*(self._whole_parts([*title, *more], said) or _parted(self._below))]  # cut, if need be
        return [*title, *said, *more]

    def _line_below(self) -> list[Piece | str]:
        """The counts and the keys, or as much of them as there is room for."""
        gap = Piece(" · ", Tone.FAINT)
        for first in (self._said_aside, ()):
            said = [group for group in (first, self._more, self._below, self._keys) if group]
            line = [piece for group in said for piece in (gap, *group)][1:]
            if self._has_room(*line):
                return line
        line = [*self._more, *([gap] if self._more else []), *(self._below or self._keys)]
        return [*(self._whole_parts((), line) or line)]

    @property
    def _more(self) -> PanelText:
        return [Piece(self._hidden, Tone.MUTED)] if self._hidden else ()

    @property
    def _said_aside(self) -> PanelText:
        return [Piece(self._aside, Tone.MUTED)] if self._aside else ()

    def _has_room(self, *pieces: Piece | str) -> bool:
        """Return whether all that is said in a frame can be read; a box takes three cells at each end."""
        ends = 6 if self.is_boxed else 2
        return content(pieces).cell_length <= self.outer_size.width - ends

    def _whole_parts(self, called: PanelText, pieces: PanelText) -> PanelText:
        """The pieces, after what it is called, as far as each part fits whole: one ends at a gap or a dot."""
        if not self.outer_size.width or self._has_room(*called, *pieces):
            return pieces
        made = (piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)
        split = [piece._replace(text=text) for piece in made for text in _PARTS.split(piece.text) if text]
        ends = [at for at, piece in enumerate(split) if _PARTS.fullmatch(piece.text)]
        return next((split[:at] for at in reversed(ends) if self._has_room(*called, *split[:at])), ())

    def _highlight(self) -> None:
        """Give the frame its look for the focus; what is in it looks the same and is not styled again."""
        if self.has_focus_within != self.has_class("-focused"):
            self.set_class(self.has_focus_within, "-focused", update=False)
            self.app.stylesheet.apply(self)


class Window(Panel):
    """A panel that lies over a screen: as large as what is in it, its keys below."""

    def __init__(
        self,
        *children: Widget,
        title: str,
        keys: PanelText = (),
        is_danger: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(*children, title=title, id=id, classes=classes)
        self.remove_class("-panel", update=False)
        self.add_class("-window", update=False)
        self.set_class(is_danger, "-danger", update=False)
        self.title_tone = Tone.BAD if is_danger else Tone.HERO
        self._keys = keys

    @property
    def is_boxed(self) -> bool:
        return True


def _parted(*groups: PanelText) -> list[Piece | str]:
    """Groups, each after a gap."""
    parted: list[Piece | str] = []
    for group in groups:
        if group:
            parted += ["  ", *group]
    return parted
