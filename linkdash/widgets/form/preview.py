"""A place in a form for a look at what it will make."""

from textual.containers import VerticalGroup

from linkdash.model.forms.draft import Draft


class Preview(VerticalGroup):
    """Base of a widget that a form shows below its fields, or beside them where there is room."""

    def show(self, draft: Draft) -> None:
        """Called on opening and after every edit; `draft.payload(name)` is what a code will hold."""
        raise NotImplementedError
