"""Keys in the order they were pressed: each is handed on when the one before it has been handled to the end.

Textual handles a letter in the widget that has the focus, and a key that is a binding in the app, each from a
queue of its own: of keys that come in one go, letters overtake the others.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

PATIENCE = 3.0
"""Seconds that keys wait for what takes the focus; then that is said, and they wait on."""
_TURNS = 60
"""Parts of the patience with a key that does not end: the event loop has a turn in each, so that a machine
without time for it does not count as something that stands in the way."""
ESCAPE_AFTER = 0.5
"""Seconds without a key after which escape no longer waits its turn, but ends the waiting."""
MOST_KEPT = 10_000
"""Keys that wait at the most."""
_ROUNDS = 8  # messages that follow from one another, and from a key

_Focus = tuple[Screen[Any] | None, Widget | None]


class _Pressed(NamedTuple):
    """A key or a paste, and when it came."""

    event: events.Event
    at: float


@dataclass(frozen=True)
class _Opening:
    """Something that will take the focus."""

    worker: Worker[Any]
    focus: _Focus
    """The focus before."""
    since: float
    tells: bool
    """True if it is said where it takes long."""


class TypeAhead:
    """Keys and pastes kept back while those before them are handled, or while what they are for opens.

    The app asks `keeps` about every event and leaves alone what is kept; that is posted to it again.
    """

    def __init__(self, app: App[Any], is_urgent: Callable[[events.Key], bool]) -> None:
        """`is_urgent` tells keys that never wait while something opens."""
        self._app = app
        self._is_urgent = is_urgent
        self.pressed_at = 0.0
        """When the key was pressed that is handled now, by the monotonic clock."""
        self._waiting: deque[_Pressed] = deque()
        self._due: list[_Pressed] = []
        """Those whose turn it is; they were posted to the app again, and come to `keeps` once more."""
        self._task: asyncio.Task[None] | None = None
        self._typed_into: Widget | None = None
        """The widget that has taken all keys since the last rest, where all of them were letters for it."""
        self._has_more = False
        """True if letters were handed on since it was looked whether all is handled."""
        self._opening: _Opening | None = None
        self._news = asyncio.Event()
        """The focus has moved, or a worker has ended."""
        self._is_subscribed = False

    def keeps(self, event: events.Event) -> bool:
        """Return whether the app is to leave an event alone: it is posted again when its turn has come."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if due := next((one for one in self._due if one.event is event), None):
            self._due.remove(due)
            self.pressed_at = due.at
            return False
        now = time.monotonic()
        if self._has_to_wait(event):
            self._keep(_Pressed(event, now))
            return True
        self.pressed_at = now
        return False

    @property
    def is_idle(self) -> bool:
        """Return whether every key has been handled."""
        return self._task is None or self._task.done()

    async def rest(self) -> None:
        """Return when every key has been handled that was pressed: what nobody waits for comes after them."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def hold(self, worker: Worker[Any], *, is_start: bool = False) -> None:
        """Keep keys until the focus is elsewhere or the worker has ended; nothing is said of the start."""
        if not self._is_subscribed:
            self._is_subscribed = True
            self._app.screen_change_signal.subscribe(self._app, self._look, immediate=True)
        if self._app.screen_stack:
            self._app.watch(self._app.screen, "focused", self.look, init=False)
        self._opening = _Opening(worker, self._focus, time.monotonic(), not is_start)

    def look(self) -> None:
        """The focus has moved, or a worker has ended: what was waited for may be there."""
        self._news.set()

    def _look(self, _: Screen[Any]) -> None:
        self.look()

    def close(self) -> None:
        """Drop what is kept, and keep nothing any more."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()

    # ---- what waits ----

    def _has_to_wait(self, event: events.Key | events.Paste) -> bool:
        """Return whether there is something before a key that just came; from now on that is looked at."""
        if isinstance(event, events.Key) and self._passes(event):
            return False
        into = self._taker(event)
        if not self.is_idle and into is not None and into is self._typed_into and not self._is_behind:
            self._has_more = True
            return False
        self._typed_into = into if self.is_idle else None
        if self.is_idle:
            self._task = asyncio.create_task(self._hand_on(), name="keys in order")
            return self._opening is not None
        return True

    @property
    def _is_behind(self) -> bool:
        """Return whether keys that came before have not reached the app yet."""
        return bool(self._waiting or self._due)

    def _keep(self, pressed: _Pressed) -> None:
        """Let a key wait; where too many do, it is dropped, so that none of these takes another's place."""
        if len(self._waiting) < MOST_KEPT:
            self._waiting.append(pressed)
        else:
            self._say("The last keys were ignored.", f"{MOST_KEPT:,} keys are waiting.")

    def _taker(self, event: events.Event) -> Widget | None:
        """The widget with the focus if it takes an event as a letter: those are in order by themselves."""
        focused = self._focus[1]
        if focused is None or not isinstance(event, events.Key):
            return None
        return focused if focused.check_consume_key(event.key, event.character) else None

    def _passes(self, key: events.Key) -> bool:
        """Return whether a key goes before those that wait for something to open; escape ends a long wait."""
        opening = self._opening
        if opening is None:
            return False
        before = self._waiting[-1].event.time if self._waiting else opening.since
        if key.key == "escape" and key.time - before > ESCAPE_AFTER:
            self._waiting.clear()
            return True
        return self._is_urgent(key) and not (self._waiting and key.is_printable)

    def _say(self, what: str, title: str) -> None:
        self._app.notify(what, title=title, severity="warning", markup=False)

    async def _hand_on(self) -> None:
        """Let each have its turn, and letters for the same widget have theirs together."""
        await self._handled()
        while self._waiting:
            self._typed_into = into = self._taker(self._waiting[0].event)
            self._post_next()
            while into is not None and self._waiting and self._taker(self._waiting[0].event) is into:
                self._post_next()
            await self._handled()

    def _post_next(self) -> None:
        self._due.append(self._waiting.popleft())
        self._app.post_message(self._due[-1].event)

    # ---- when a key has been handled ----

    async def _handled(self) -> None:
        """Return when nothing is left to do of what was handed on, and what it opens has the focus."""
        while True:
            resting = asyncio.ensure_future(self._come_to_rest())
            try:
                for _ in range(_TURNS):
                    done, _ = await asyncio.wait([resting], timeout=PATIENCE / _TURNS)
                    if done:
                        await resting
                        break  # else something stands in the way: the keys behind it count all the same
            finally:
                resting.cancel()
            if self._opening is None:
                return
            await self._opened(self._opening)

    async def _come_to_rest(self) -> None:
        """Wait until the queues from the focus up to the app have nothing in them that came of a key.

        A message that follows from another stands in a queue when that has been handled, thus rounds: the
        second one comes after all that the key itself has led to.
        """
        way: Sequence[MessagePump] = ()
        before: _Focus | None = None
        for _ in range(_ROUNDS):
            self._has_more, focus = False, self._focus
            if focus != before:
                now = (focus[1] or focus[0] or self._app).ancestors_with_self
                way = [self._app, *(pump for pump in way[1:] if pump not in now), *now]
            messenger = _Messenger(iter(way))
            messenger.go_on()
            await messenger.passed.wait()
            at_rest = focus == before == self._focus and not self._has_more
            if at_rest and not any(pump.message_queue_size for pump in way):
                return
            before = focus

    async def _opened(self, opening: _Opening) -> None:
        """Wait until something has the focus that was about to take it, or never will."""
        telling = asyncio.get_running_loop().call_later(PATIENCE, self._tell_wait, opening)
        try:
            while self._focus == opening.focus and not opening.worker.is_finished:
                self._news.clear()
                await self._news.wait()
        finally:
            telling.cancel()
        if self._opening is opening:
            self._opening = None

    def _tell_wait(self, opening: _Opening) -> None:
        """Say that keys wait for what opens so slowly."""
        if opening.tells and self._waiting:
            self._say(f"{len(self._waiting)} keys wait for it; esc drops them.", "Still opening.")

    @property
    def _focus(self) -> _Focus:
        if not self._app.screen_stack:  # at the end
            return None, None
        return self._app.screen, self._app.focused


@dataclass
class _Messenger:
    """A message that goes from queue to queue, each when all is handled that was in it before."""

    way: Iterator[MessagePump]
    passed: asyncio.Event = field(default_factory=asyncio.Event)

    def go_on(self) -> None:
        """Go into the next queue; `passed` is set at the end of the way."""
        for pump in self.way:
            if pump.post_message(events.Callback(callback=self.go_on)):  # not where it is about to go
                return
        self.passed.set()
