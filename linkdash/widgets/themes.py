"""Themes: the style sheets, and the design's tokens.

Our own themes carry the tokens, every other theme gets them computed from its colors.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from textual.binding import Binding
from textual.color import Color
from textual.theme import Theme

from linkdash.api import colors
from linkdash.widgets.textual_fixes.fixed_app import FixedApp

# ---- the sheets ----

_PACKAGE = Path(__file__).parents[1]
_FOLDERS = (_PACKAGE / "styles", _PACKAGE.parent / "styles")


def style_paths(*names: str) -> list[Path]:
    """The style sheets of these names, in this order; every one of them, by name, if none is named.

    A sheet is named after what it styles: `style_paths("cards")` is `styles/cards.tcss`. Raises
    FileNotFoundError for a name that has no sheet.
    """
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), None)
    if folder is None:
        raise FileNotFoundError(f"no styles in {' or '.join(str(folder) for folder in _FOLDERS)}")
    if not names:
        return sorted(folder.glob("*.tcss"))
    paths = [folder / f"{name}.tcss" for name in names]
    if missing := next((path for path in paths if not path.is_file()), None):
        raise FileNotFoundError(f"no style sheet {missing}")
    return paths


# ---- the themes ----

Result = TypeVar("Result")

READABLE = 4.5
"""The least contrast of text with what it stands on."""
_LAID_ON = {"muted": 0.62, "faint": 0.38, "edge": 0.24, "track": 0.12}  # of foreground in background
_CURSOR = 0.26  # of primary in background
_TURNS = (0, -50, 50, 165, 110, -140)  # degrees from primary to each series' hue
_TOO_NEAR = 30  # degrees between a series and a color that means good or bad
_SIGNALS = ("error", "warning", "success")
_OTHERS = ("muted", "faint", "primary", "secondary", "accent", "s1")
"""What else stands on the row under the cursor: in the terminal's colors that row can be the grey of any."""

NIGHT = Theme(
    name="linkdash-night",
    primary="#7eaffe",
    secondary="#c4a0ff",
    accent="#55d3c7",
    success="#7ed68e",
    warning="#f4c264",
    error="#ff7b86",
    foreground="#d6dbe5",
    background="#0f1219",
    surface="#161a23",
    panel="#1d222d",
    dark=True,
    variables={
        "hero": "#f2f5fb",
        "muted": "#8f96a7",
        "faint": "#5d6679",
        "edge": "#394257",
        "track": "#282c37",
        "cursor": "#27334c",
        "onfill": "#0f1219",
        "s1": "#7eaffe",
        "s2": "#55d3c7",
        "s3": "#c4a0ff",
        "s4": "#ffab7a",
        "s5": "#f29ac2",
        "s6": "#b9bf72",
    },
)
DAY = Theme(
    name="linkdash-day",
    primary="#1d5fc4",
    secondary="#7a3fb0",
    accent="#0a6e65",
    success="#1c7437",
    warning="#8f5200",
    error="#b2202c",
    foreground="#272b34",
    background="#fbfaf7",
    surface="#f4f2ed",
    panel="#eceae5",
    dark=False,
    variables={
        "hero": "#10131a",
        "muted": "#5c636f",
        "faint": "#8b8f97",
        "edge": "#c3bdb2",
        "track": "#dedad2",
        "cursor": "#dae5f7",
        "onfill": "#fbfaf7",
        "s1": "#3e7edb",
        "s2": "#1a9c90",
        "s3": "#8d5ac4",
        "s4": "#cc6a2c",
        "s5": "#c04f8c",
        "s6": "#7d8220",
    },
)
CONTRAST = Theme(
    name="linkdash-contrast",
    primary="#ffd75f",
    secondary="#d7afff",
    accent="#5fffff",
    success="#5fff5f",
    warning="#ffaf00",
    error="#ff8787",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    dark=True,
    variables={
        "hero": "#ffffff",
        "muted": "#d0d0d0",
        "faint": "#a8a8a8",
        "edge": "#8a8a8a",
        "track": "#444444",
        "cursor": "#303060",
        "onfill": "#000000",
    },
)
TERMINAL = Theme(
    name="linkdash-terminal",
    primary="ansi_cyan",
    secondary="ansi_bright_magenta",
    accent="ansi_bright_cyan",
    success="ansi_green",
    warning="ansi_yellow",
    error="ansi_bright_red",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    ansi=True,
    variables={
        "block-cursor-foreground": "ansi_black",
        "block-cursor-background": "ansi_cyan",
        "input-selection-background": "ansi_cyan",
        "input-selection-foreground": "ansi_black",
        "screen-selection-background": "ansi_cyan",
        "screen-selection-foreground": "ansi_black",
    },
)
"""In the sixteen colors that the user has given the terminal, on its own background."""
OWN_THEMES = (NIGHT, DAY, CONTRAST, TERMINAL)
_TERMINAL = {
    "hero": "ansi_default",
    "muted": "ansi_bright_black",
    "faint": "ansi_bright_black",
    "edge": "ansi_bright_black",
    "track": "ansi_bright_black",
    "cursor": "ansi_bright_black",
    "onfill": "ansi_black",
    "s1": "ansi_cyan",
    "s2": "ansi_bright_blue",
    "s3": "ansi_magenta",
    "s4": "ansi_bright_yellow",
    "s5": "ansi_bright_magenta",
    "s6": "ansi_bright_cyan",
}
_LEFT_OUT = {
    "ansi-background": "ansi_default",
    "ansi-foreground": "ansi_default",
    "foreground-disabled": "ansi_bright_black",
    "surface-active": "ansi_default",
}
"""Variables that Textual computes for colored themes only, though its own widgets ask for them in all."""


class ThemedApp(FixedApp[Result]):
    """An app with our own themes, in which every theme has the design's tokens, and our names of keys."""

    def __init__(self) -> None:
        super().__init__()
        for theme in OWN_THEMES:
            self.register_theme(theme)
        self.theme = NIGHT.name
        self.stylesheet.set_variables(self.get_css_variables())  # the first picture is in it already

    def get_key_display(self, binding: Binding) -> str:
        """As Textual's own, with ctrl as everywhere else."""
        shown = super().get_key_display(binding)
        return shown.replace("^", "ctrl+", 1) if "ctrl" in binding.parse_key()[0] else shown

    def get_css_variables(self) -> dict[str, str]:
        """As Textual's own; without colors red would be the darker grey of red and green.

        So what is bad takes the strongest one.
        """
        variables = super().get_css_variables()
        variables |= _scrollbars(variables, is_ansi=self.current_theme.ansi)
        if self.no_color and not self.current_theme.ansi:
            variables = {**variables, "error": variables["hero"], "cursor-error": variables["hero"]}
        self.theme_variables = dict(variables)
        return variables

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The tokens of the theme that is on."""
        return {**_LEFT_OUT, **tokens(self.current_theme)}


def _scrollbars(variables: Mapping[str, str], *, is_ansi: bool) -> Mapping[str, str]:
    """A scrollbar is a part of the edge; what it moves along looks like what it stands on."""
    ground = variables["background"] if is_ansi else "transparent"
    states = ("", "-hover", "-active")
    return {
        "scrollbar": variables["edge"],
        "scrollbar-corner-color": variables["background"],
        **{f"scrollbar-background{state}": ground for state in states},
    }


def tokens(theme: Theme) -> dict[str, str]:
    """Every token by name: those that a theme has, and the others computed from its colors.

    `hero`, `muted`, `faint`, `edge`, `track`, `cursor`, `onfill` and the series `s1` to `s6`; then the colors
    of text as they are readable on the row under the cursor, as `cursor-error` and so on.
    """
    system = theme.to_color_system().generate()
    if any(system[name].startswith("ansi_") for name in ("background", "foreground", "primary")):
        return {**_TERMINAL, **{f"cursor-{name}": "ansi_default" for name in (*_SIGNALS, *_OTHERS)}}
    background, foreground, primary = (
        Color.parse(system[name]) for name in ("background", "foreground", "primary")
    )
    computed = {name: background.blend(foreground, part).hex6 for name, part in _LAID_ON.items()}
    computed |= {
        "muted": readable(Color.parse(computed["muted"]), background).hex6,
        "hero": foreground.hex6,
        "onfill": background.hex6,
        "cursor": background.blend(primary, _CURSOR).hex6,
    }
    computed |= _series(primary, [Color.parse(system[name]) for name in ("error", "success")])
    computed |= {name: value for name, value in theme.variables.items() if name in computed}
    cursor = Color.parse(computed["cursor"])
    found = {name: readable(Color.parse(system[name]), cursor).hex6 for name in _SIGNALS}
    found |= {name: computed.get(name, system.get(name, "")) for name in _OTHERS}
    return computed | {f"cursor-{name}": value for name, value in found.items()}


def _series(primary: Color, taken: Iterable[Color]) -> Mapping[str, str]:
    """Six hues of one lightness, none of which is taken for good or bad; the first is the primary color."""
    hue, saturation, lightness = primary.hsl
    hues = [(hue + turn / 360) % 1 for turn in _TURNS]
    away = [color.hsl.h for color in taken]
    colors = [Color.from_hsl(_beside(found, away), max(saturation, 0.35), lightness) for found in hues]
    return {"s1": primary.hex6} | {f"s{n}": color.hex6 for n, color in enumerate(colors[1:], 2)}


def _beside(hue: float, taken: Iterable[float]) -> float:
    """The hue, turned on until it is far enough from all that are taken."""
    near = _TOO_NEAR / 360
    taken = [*taken]
    for turned in range(0, 360, 5):
        found = (hue + turned / 360) % 1
        if all(min((found - other) % 1, (other - found) % 1) >= near for other in taken):
            return found
    return hue


def contrast(color: Color, other: Color) -> float:
    """The contrast of two colors: 1 for the same, 21 for black and white."""
    found = colors.contrast(color.rgb, other.rgb)
    return max(found, 1 / found)


def readable(color: Color, background: Color) -> Color:
    """The color, as little lighter or darker as makes it readable on a background."""
    end = max((Color(255, 255, 255), Color(0, 0, 0)), key=lambda extreme: contrast(extreme, background))
    steps = (color.blend(end, step / 20) for step in range(21))
    return next((found for found in steps if contrast(found, background) >= READABLE), end)
