"""The actions on selected codes, wherever codes can be selected."""

from typing import Protocol

from linkdash.screens.actions import Action, Flow, Host, Need


class CodesHost(Host, Protocol):
    """A screen on which codes can be selected."""

    def missing_to_compare(self) -> str | None:
        """The reason why the selected codes cannot be compared."""

    def do_compare(self) -> None: ...
    def do_watch(self) -> Flow | None: ...


COMPARABLE = Need[CodesHost](lambda screen: screen.missing_to_compare(), is_record=True)
COMPARE = Action[CodesHost](
    "compare",
    "c",
    "Compare",
    "Compare the selected codes",
    cost="1 request each",
    needs=(COMPARABLE,),
    is_for_selection=True,
    do=lambda screen: screen.do_compare(),
)
WATCH = Action[CodesHost](
    "watch",
    "W",
    "Watch live",
    "Watch the selected codes, or the one under the cursor",
    cost="1 request a code each time",
    is_for_selection=True,
    do=lambda screen: screen.do_watch(),
)
"""Each screen adds what it needs."""
