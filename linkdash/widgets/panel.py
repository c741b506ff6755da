"""Titled panels, with a status line above, counts and keys below.

How they stand beside each other, the style sheets decide by the size of the screen.
"""

from collections.abc import Sequence

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from linkdash.widgets.frame.sizes import WIDE
from linkdash.widgets.styled_text import Piece, Tone, content

FOCUS = "▶ "
_GAP, _DOT = "  ", Piece(" · ", Tone.FAINT)

PanelText = Sequence[Piece | str]


class Panel(Vertical):
    """A box, or in a narrow terminal a rule with the title in it. Titles are never parsed as markup.

    What has no room in its frame is cut at the end: the most important comes first.
    """

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

        What is not given stays. In a rule there is one line for all of it, but the keys.
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
        """Say what comes after all else."""
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
        return self.app.size.width >= WIDE

    @property
    def is_pointed_at(self) -> bool:
        """Return whether keys work on it."""
        return self.has_focus_within

    def on_mount(self) -> None:
        self._write()

    def on_resize(self) -> None:
        self._write()  # as a box it has a line below, too

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        self.call_after_refresh(self._write)

    def on_descendant_blur(self, _event: events.DescendantBlur) -> None:
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        """Say it in the frame."""
        if not self.is_attached:
            return
        self._highlight()
        title: list[Piece | str] = [Piece(FOCUS, Tone.KEY)] if self.is_pointed_at else []
        title.append(Piece(self._title, self.title_tone, bold=True))
        hidden, aside = _muted(self._hidden), _muted(self._aside)
        if self.is_boxed:
            lines = _joined(_GAP, title, self._above), _joined(_DOT, hidden, self._below, self._keys, aside)
        else:
            lines = _joined(_GAP, title, hidden, self._above, self._below, aside), ()
        written = content(lines[0] if self._title else ()), content(lines[1])
        if self._written is None or not all(map(Content.is_same, written, self._written)):
            self._written = written  # assigned only where it says something else: assigning paints
            self.border_title, self.border_subtitle = written

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


def _muted(words: str) -> PanelText:
    return [Piece(words, Tone.MUTED)] if words else ()


def _joined(between: Piece | str, *groups: PanelText) -> PanelText:
    """Those groups that say something, one after the other."""
    return [piece for group in groups if group for piece in (between, *group)][1:]
