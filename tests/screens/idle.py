"""The rest of a running app: it has done what it was asked for last."""

from linkdash.app import LinkdashApp
from linkdash.screens.resource_screen import ResourceScreen


def is_idle(app: LinkdashApp) -> bool:
    """Nothing is being asked for, what a key began has come, and a form that was opened can be typed into."""
    screen = app.screen
    if not app.is_open:
        return False
    if not isinstance(screen, ResourceScreen):
        return True
    listing, form = screen.collection.listing, screen.pane.form
    answered = not listing.loading and (listing.page is not None or listing.error is not None)
    if form is not None:
        return answered and form.has_focus_within
    flows = (worker for worker in app.workers if worker.group == "flow")
    return answered and all(flow.is_finished for flow in flows)
