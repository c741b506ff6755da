"""The code a form will make, scannable before it is sent."""

from textual.app import ComposeResult
from textual.widgets import Static

from linkdash.api.fields import read_color
from linkdash.widgets.form import Draft, Preview
from linkdash.widgets.qr_code import Rgb
from linkdash.widgets.qr_image import QrImage


class QrPreview(Preview):
    """Shows what a code will hold, in its chosen colors where a scanner can tell them apart."""

    def compose(self) -> ComposeResult:
        yield Static("The code appears here once its data is complete.", id="preview-hint", markup=False)
        yield QrImage(id="preview-code")

    def show(self, draft: Draft) -> None:
        payload = draft.payload("data")
        code = self.query_one(QrImage)
        code.display = payload is not None
        self.query_one("#preview-hint").display = payload is None
        if payload is not None:
            code.show(payload.content(), _color(draft, "foreground"), _color(draft, "background"))


def _color(draft: Draft, name: str) -> Rgb | None:
    try:
        return read_color(draft.text(name))
    except ValueError:
        return None
