"""A screen, or a panel of it, as a picture: what stands there now, as SVG without secrets."""

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from io import StringIO

from rich.console import Console
from rich.segment import Segment, Segments
from textual.geometry import Region
from textual.strip import Strip

from linkdash.api.http.secrecy import MASK
from linkdash.model.humanize import local_moment, zone_name
from linkdash.model.lists.export import Export
from linkdash.screens.host_screen import HostScreen
from linkdash.store.files import save_text
from linkdash.store.folders import downloads_folder
from linkdash.widgets.panel import Panel
from linkdash.widgets.textual_fixes.cell_writer import drawn_strips

_FONT = re.compile(r"@font-face \{.*?\}", re.DOTALL)


def pictures(screen: HostScreen, panel: Panel | None) -> list[Export]:
    """A screen, and the panel that the user is at, as it stands there now."""
    at = f"{local_moment(screen.session.now()):%Y-%m-%d-%H%M}"
    whole = Export("Whole screen", "SVG", f"screen-{at}", "svg", _drawing(screen), "a picture", is_text=False)
    if panel is None:
        return [whole]
    part = Export("Panel", "SVG", f"panel-{at}", "svg", _drawing(screen, panel), "a picture", is_text=False)
    return [part, whole]


async def save_picture(screen: HostScreen) -> None:
    """Save a picture of a screen where the user finds it. Raises NotSaved."""
    name = f"linkdash-{screen.place_id}-{local_moment(screen.session.now()):%Y-%m-%d-%H%M}"
    draw = _drawing(screen)
    path = await asyncio.to_thread(lambda: save_text(downloads_folder(), name, "svg", draw()))
    screen.done(str(path), "Saved")


def _drawing(screen: HostScreen, panel: Panel | None = None) -> Callable[[], str]:
    """Return what draws a screen, or one of its panels, as it stands there now, without secrets."""
    at = local_moment(screen.session.now())
    region = panel.region if panel is not None else screen.region
    settings = screen.session.settings
    keys = (settings.api_key, settings.store_password)
    secrets = [key.get_secret_value() for key in keys if key is not None and key.get_secret_value()]
    lines = [masked_line(line, secrets) for line in drawn_strips(screen)]
    return partial(svg, lines, region, f"linkdash · {screen.place} · {at:%Y-%m-%d %H:%M} {zone_name(at)}")


def svg(lines: Sequence[Strip], region: Region, title: str) -> str:
    """The part of drawn lines that lies in a region, as SVG under a title."""
    shown = [line.crop(region.x, region.right) for line in lines[region.y : region.bottom]]
    console = Console(
        width=region.width,
        height=region.height,
        file=StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
        safe_box=False,
    )
    console.print(Segments(_segments(shown)), end="")
    styles, end_of_styles, drawn = console.export_svg(title=title).partition("</style>")
    without_fonts = _FONT.sub("", styles)  # a browser would fetch them from a network
    return f"{without_fonts}{end_of_styles}{drawn}"


def _segments(lines: Iterable[Strip]) -> Iterable[Segment]:
    for line in lines:
        yield from line
        yield Segment.line()


def masked_line(line: Strip, secrets: Iterable[str]) -> Strip:
    """A line with a mask over every secret in it, as wide as that was."""
    for secret in secrets:
        while (at := line.text.find(secret)) >= 0:
            start = Segment.get_line_length([Segment(line.text[:at])])
            width = Segment.get_line_length([Segment(secret)])
            style = next((segment.style for segment in line.crop(start, start + width)), None)
            mask = Strip([Segment((MASK * width)[:width], style)], width)
            line = Strip.join([line.crop(0, start), mask, line.crop(start + width)])
    return line
