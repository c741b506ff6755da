"""The entries of the palette: actions, places, views, themes, profiles."""

from collections.abc import Callable, Iterable
from functools import partial

from textual.theme import Theme

from linkdash.model.configuration_file import CommandSetting
from linkdash.model.declaration import declaration
from linkdash.model.lists.views import View
from linkdash.model.resources import Place
from linkdash.model.session import ProfileChoice
from linkdash.screens.actions import AnyAction
from linkdash.screens.frame_entries import NOT_KNOWN, is_production
from linkdash.screens.host_screen import HostScreen
from linkdash.screens.key_names import KeyNames
from linkdash.screens.lists.own_commands import label_of
from linkdash.screens.palette.palette_screen import DO, Group, PaletteEntry
from linkdash.widgets.found_list import FoundLine
from linkdash.widgets.frame.sidebar import Freshness, PlaceEntry
from linkdash.widgets.styled_text import Tone

# ---- what there is to find ----


def doing(screen: HostScreen, do: Callable[[str], object]) -> Group:
    """The actions of a screen, first those on the record under its cursor, last those not possible now."""
    actions = [action for action in screen.actions if screen.check_action("do", (action.id,))]
    possible = [action for action in actions if action.blocked(screen) is None]
    possible.sort(key=lambda action: not action.is_for_records)
    others = [action for action in actions if action not in possible and action.is_offered(screen)]
    entries = [
        action_entry("›", action, screen.keys, partial(do, action.id), action.blocked(screen) or "")
        for action in (*possible, *others)
    ]
    on_a_record = any(action.is_for_records for action in possible)
    return Group(DO, entries, "on the record under the cursor" if on_a_record else "")


def action_entry(
    icon: str, action: AnyAction, keys: KeyNames, do: Callable[[], object], why_not: str = ""
) -> PaletteEntry:
    """An action with its key, as the user has it; `why_not` is why it is not possible now."""
    told = why_not or action.described
    line = FoundLine(icon, action.label, told, keys.of(action.id, [action]), icon_tone=Tone.KEY)
    return PaletteEntry(line, do, words=action.found_by)


def own_command_entry(name: str, command: CommandSetting, run: Callable[[], object]) -> PaletteEntry:
    """A command that the user has configured."""
    line = FoundLine("›", label_of(name, command), "Your own command", command.key, icon_tone=Tone.KEY)
    return PaletteEntry(line, run, words=name)


def place_entry(place: PlaceEntry, go: Callable[[], object]) -> PaletteEntry:
    """A place, with how much of it is known."""
    is_counted = place.count != NOT_KNOWN and not declaration(place.id).is_single
    known = f"{place.count} in all" if is_counted else ""
    note = "not loaded" if place.freshness is Freshness.NOT_LOADED else known
    return PaletteEntry(FoundLine("→", place.name, note, place.key, icon_tone=Tone.KEY), go)


def view(place: Place, view: View, told: str, open: Callable[[], object]) -> PaletteEntry:
    """A finding or a saved view of a list; `told` says what it shows."""
    return PaletteEntry(FoundLine(place.icon, f"{place.title}: {view.name}", told), open, words=told)


def themes(known: Iterable[Theme], current: str, choose: Callable[[str], object]) -> list[PaletteEntry]:
    """Every theme, the program's own first, that in use last; each is shown while the cursor is on it."""

    def rank(theme: Theme) -> tuple[bool, bool, str]:
        return theme.name == current, not theme.name.startswith("linkdash"), theme.name

    return [
        PaletteEntry(
            FoundLine("◑", f"Theme: {theme.name}", _theme_note(theme, current), icon_tone=Tone.WARNING),
            partial(choose, theme.name),
            words=f"{_brightness(theme)} color colour",
            theme=theme.name,
        )
        for theme in sorted(known, key=rank)
    ]


def _theme_note(theme: Theme, current: str) -> str:
    return f"{_brightness(theme)}{' · in use' if theme.name == current else ''}"


def _brightness(theme: Theme) -> str:
    return "dark" if theme.dark else "light"


def set_up(ask: Callable[[], object]) -> PaletteEntry:
    """The questions for the address and the key of the profile in use."""
    told = "enter its address and key again, in the terminal"
    line = FoundLine("→", "Set up this profile", told, icon_tone=Tone.KEY)
    return PaletteEntry(line, ask, words=f"{told}, setup, refused")


def profile(choice: ProfileChoice, current: str, open: Callable[[], object]) -> PaletteEntry:
    """A profile that can be switched to."""
    in_production = is_production(choice.name)
    notes = (
        choice.host,
        "read-only" if choice.read_only else "",
        "in use" if choice.name == current else "asks first" if in_production else "",
    )
    told = " · ".join(filter(None, notes))
    tone = Tone.BAD if in_production else Tone.GOOD
    return PaletteEntry(FoundLine("●", f"Profile: {choice.name}", told, icon_tone=tone), open)


def picture(save: Callable[[], object]) -> PaletteEntry:
    """The screen as a picture."""
    told = "what stands here now as SVG, in a file"
    return PaletteEntry(
        FoundLine("→", "Save the screen as a picture", told, icon_tone=Tone.KEY), save, words=told
    )
