"""Forms that are derived from request models and stand inline in a pane."""

from linkdash.model.forms import Change, Draft, Options, Problems
from linkdash.widgets.form.form import Form, Preview

__all__ = ["Change", "Draft", "Form", "Options", "Preview", "Problems"]
