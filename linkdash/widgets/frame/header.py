"""The header: profile, host, where the user is, the time."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from textual.color import Color, ColorParseError
from textual.content import Content

from linkdash.model.humanize import ATTENTION
from linkdash.widgets.styled_text import DrawnLines, Lines, Piece, Said, Tone, apart, cells, content

BRAND, BADGE, STEP = "◆", "●", "›"


class AccountBadge(NamedTuple):
    """The user and the service."""

    profile: str
    host: str
    user: str = ""
    status: str = ""
    """`free` or `pro`, which is no plan's name; "" where it is not known yet."""
    is_production: bool = False
    read_only: bool = False
    color: str = ""
    """Of the badge, where the user has chosen one: a name, or #RRGGBB."""


class Header(DrawnLines):
    """The header row; `trail` is where the user is, the outermost place first.

    `offline` tells since when the service does not answer, by the same clock as `now`; None where it does.
    """

    ticks = True

    def __init__(
        self,
        account: AccountBadge,
        trail: Sequence[str],
        now: Callable[[], datetime],
        offline: Callable[[], datetime | None] = lambda: None,
    ) -> None:
        super().__init__()
        self._account = account
        self._trail = tuple(trail)
        self._now = now
        self._offline = offline

    def show(self, *, account: AccountBadge | None = None, trail: Sequence[str] | None = None) -> None:
        """Say another account or another place."""
        if account is not None and account != self._account:
            self._account = account
            self.refresh()  # its badge is none of the lines
        self._trail = self._trail if trail is None else tuple(trail)
        self.update_lines()

    @property
    def _badge(self) -> str:
        account = self._account
        name = account.profile.upper() if account.is_production else account.profile
        only = " read-only" if account.read_only else ""
        return f" {ATTENTION if account.is_production else BADGE} {name}{only} "

    @property
    def _fill(self) -> str:
        """The style of the badge: in the color that the user has chosen, if it is one."""
        account = self._account
        if account.color:
            with suppress(ColorParseError):
                chosen = Color.parse(account.color)
                return f"bold {chosen.get_contrast_text(1.0).hex} on {chosen.hex}"
        return f"bold $onfill on {'$error' if account.is_production else '$accent'}"

    def _drawn(self, said: Said) -> Content:
        """The row, with the badge filled: the only background of its own here."""
        brand = [Piece(f" {BRAND} ", Tone.BRAND)]
        badge = Content.styled(self._badge, self._fill)
        room = self.size.width - cells(brand) - badge.cell_length
        (rest,) = self.lines(max(0, room), 1)
        return Content.assemble(content(brand), badge, content(rest))

    def lines(self, width: int, height: int) -> Lines:
        """Return what stands right of the badge: where the user is, then the service; the time at the end."""
        account, now = self._account, self._now()
        left = [Piece("  ")]
        if (since := self._offline()) is not None:
            left += [Piece(f"{ATTENTION} offline since {since:%H:%M}", Tone.BAD, bold=True), Piece("  ")]
        for name in self._trail[:-1]:
            left += [Piece(name, Tone.MUTED), Piece(f" {STEP} ", Tone.FAINT)]
        left += [Piece(name, Tone.HERO) for name in self._trail[-1:]]
        left.append(Piece(f"  {account.host}  {account.user}", Tone.MUTED))
        left += [Piece(f" {account.status}", Tone.ICON)] if account.status else []
        clock = [Piece(f"{now:%a %-d %b} ", Tone.MUTED), Piece(f"{now:%H:%M} ", Tone.HERO)]
        return [apart(left, clock, width)]
