"""The filter of a list as it is typed, with examples and the filters typed before."""

from collections.abc import Sequence
from functools import partial
from typing import Generic, TypeVar

from textual.worker import Worker

from linkdash.api.fields import Field, fields_of
from linkdash.api.records import Record
from linkdash.model.lists.filter_examples import FilterHint, examples, hint
from linkdash.screens.actions import Flow
from linkdash.screens.lists.arranging import Arranging
from linkdash.screens.lists.pane import Pane
from linkdash.screens.lists.record_list import RecordList
from linkdash.widgets.filter_line import FilterInput, FilterLine

T = TypeVar("T", bound=Record)


_NO_HINT = FilterHint("", "")


class Filtering(Generic[T]):
    """The filter line below a list, while the pane shows what can be typed."""

    def __init__(self, records: RecordList[T], pane: Pane, arranging: Arranging[T]) -> None:
        self._records, self._pane, self._arranging = records, pane, arranging
        self._before = ""
        """The filter that was on when the line was opened."""
        self._examples: Sequence[tuple[str, str]] = ()
        self._arranging_of: object = None
        self._arranger: Worker[None] | None = None

    @property
    def _line(self) -> FilterLine:
        return self._records.screen.query_one(FilterLine)

    @property
    def _input(self) -> FilterInput:
        return self._records.screen.query_one("#filter", FilterInput)

    @property
    def is_open(self) -> bool:
        """Return whether the line is in sight."""
        return self._line.display

    @property
    def is_typed(self) -> bool:
        """Return whether keys go into the line."""
        return self._records.screen.focused is self._input

    def open(self) -> Flow:
        """Show the line and let keys go into it; the rest is prepared beside that."""
        screen, collection = self._records.screen, self._records.collection
        arrangement = collection.arrangement
        self._before = arrangement.text
        if arrangement.error is None or not self.is_open:  # else it is mended
            self._input.value = arrangement.text
        self._line.display = True
        screen.set_focus(self._input)  # at once: no key may reach the list any more
        _: Worker[None] = screen.run_worker(
            collection.prepare_filter, group="arrange", exclusive=True, exit_on_error=False
        )
        fields, rows = fields_of(self._records.resource.record), collection.listing.loaded_rows()
        self._examples = examples(fields, rows, screen.session.local_time(), self._records.columns)
        self._pane.show_help(self._examples)
        return self._recall()

    async def _recall(self) -> None:
        self._input.offer_history(await self._arranging.filters())

    def submit(self, typed: str) -> None:
        """Leave the line; what has no meaning is mended first, or given up."""
        if typed and self._records.collection.arrangement.error:
            self._records.screen.app.bell()
            return
        self._close()
        self._records.screen.begin(self._arranging.keep_filter(), "keep-filter")

    def give_up(self) -> None:
        """Leave the line with the filter that was on before it was opened.

        Where the line was left before, without a meaning, that is the last one that had a meaning.
        """
        if self.is_typed:
            self._records.collection.filter(self._before)
        self._input.value = self._records.collection.arrangement.text
        self._close()

    def clear(self) -> None:
        """Show all rows again."""
        self._records.collection.filter("")
        self._input.value = ""

    def _close(self) -> None:
        screen = self._records.screen
        self._line.display = False
        self._pane.hide_help()
        screen.set_focus(self._records.table)
        if self._arranger is not None:  # the next key is for the rows that match
            screen.hold_keys(self._arranger)

    def update_line(self) -> None:
        """Say what is wrong with what is typed; filter and order many rows beside everything else."""
        collection = self._records.collection
        error, steps = collection.arrangement.error, collection.listing.work
        meant = self.meant if self.is_typed else None
        self._line.point_out(*((error.what, error.advice, error.at) if error else meant or _NO_HINT))
        if steps is not None and steps is not self._arranging_of:
            self._arranging_of = steps
            self._arranger = self._records.screen.run_worker(
                partial(collection.arrange, steps), group="arrange", exclusive=True, exit_on_error=False
            )

    @property
    def meant(self) -> FilterHint | None:
        """Return a guess at what a filter that finds nothing was meant to say."""
        collection = self._records.collection
        if not collection.arrangement.text or collection.listing.rows or collection.listing.work is not None:
            return None
        rows, fields = collection.listing.loaded_rows(), fields_of(self._records.resource.record)

        def words_of(field: Field) -> Sequence[str]:
            return collection.arrangement.words(rows, field.name)

        return hint(collection.arrangement.text, fields, self._records.columns, self._examples, words_of)
