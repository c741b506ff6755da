"""Every function of Textual that is replaced for the whole process."""

import sys

from textual._xterm_parser import XTermParser
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

from linkdash.widgets.textual_fixes import (
    double_dismiss,
    escape_delay,
    left_senders,
    lost_layouts,
    removed_widgets,
    two_sizes,
    unexpected_keys,
)
from linkdash.widgets.textual_fixes.patch import Patch

PATCHES = [
    Patch(MessagePump, "_dispatch_message", left_senders.forgets_sender),
    Patch(MessagePump, "_start_messages", left_senders.starts_as_itself),
    Patch(Widget, "_pre_process", removed_widgets.never_mounts),
    Patch(Widget, "refresh", lost_layouts.counts_each),
    Patch(Screen, "get_widget_and_offset_at", removed_widgets.selects_nothing),
    Patch(Screen, "dismiss", double_dismiss.only_the_top),
    Patch(Screen, "_on_resize", two_sizes.follows_the_terminal),
    Patch(XTermParser, "_parse_extended_key", unexpected_keys.read_as_pressed),
    Patch(XTermParser, "feed", escape_delay.told_soon),
]
if sys.platform != "win32":
    from textual.drivers import linux_driver

    PATCHES += [
        Patch(linux_driver, "getincrementaldecoder", unexpected_keys.left_out),
        Patch(linux_driver, "selectors", escape_delay.looks_soon_again),
    ]


def install() -> None:
    """Replace them all, once for the process."""
    for patch in PATCHES:
        patch.apply()
