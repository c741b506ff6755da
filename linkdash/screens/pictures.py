"""A screen, or a panel of it, as a picture: what stands there now, as SVG without secrets."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip

from linkdash.api.http.secrecy import MASK
from linkdash.model.lists.export import Export
from linkdash.model.local_time import local_moment, zone_name
from linkdash.screens.host_screen import HostScreen
from linkdash.store.files import save_text
from linkdash.store.folders import downloads_folder
from linkdash.widgets.panel import Panel
from linkdash.widgets.terminal.svg import drawn_color, svg
from linkdash.widgets.textual_fixes.cell_writer import drawn_strips


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
    secrets = [secret.get_secret_value() for secret in screen.session.settings.secrets]
    lines = [masked_line(line, secrets) for line in drawn_strips(screen)]
    title = f"linkdash · {screen.place} · {at:%Y-%m-%d %H:%M} {zone_name(at)}"
    head = Strip([Segment(f" {title}", Style(color=screen.styles.color.rich_color))])
    ground = drawn_color(screen.styles.background.rich_color, is_ground=True)
    return partial(svg, [head, *part_of(lines, panel.region if panel else screen.region)], title, ground)


def part_of(lines: Sequence[Strip], region: Region) -> Sequence[Strip]:
    """Return what of drawn lines lies in a region."""
    return [line.crop(region.x, region.right) for line in lines[region.y : region.bottom]]


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
