"""What the states of a screen say: what happened, and the next step."""

from dataclasses import dataclass

from linkdash.api.errors import AdminRequired, LinkdashError
from linkdash.model.listing import State


@dataclass(frozen=True)
class Words:
    """A headline and the next step."""

    headline: str
    advice: str
    failed: bool = False


def words_for(
    state: State, singular: str, error: LinkdashError | None, filter_text: str = "", *, complete: bool = True
) -> Words | None:
    """What stands in the place of the rows; None where the rows themselves are shown.

    `complete` tells whether all rows of the service are loaded, and so were filtered.
    """
    if state is State.ERROR and error is not None:
        retry = "" if isinstance(error, AdminRequired) else "r tries again."
        return Words(error.what, f"{error.advice} {retry}".strip(), failed=True)
    if state is State.LOADING:
        return Words("Loading…", "The budget's line below says whether it has to wait, and for how long.")
    if state is State.FILTERED:
        return Words(
            f'No {singular} that is loaded matches "{filter_text}".',
            "escape clears the filter." if complete else "escape clears the filter; L loads the rest.",
        )
    if state is State.EMPTY:
        return Words(f"There is no {singular} here.", "r asks again.")
    return None
