"""How a table stands with what belongs to it, under the ids that the style sheets lay out."""

from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static


def table_and_pane(*listed: Widget, pane: Widget) -> Container:
    """A table among what is `listed`, the line of truth under it, and a pane beside or below them."""
    truth = Static(id="truth", markup=False)
    return Container(Vertical(*listed, truth, id="list"), Container(pane, id="pane"), id="work")
