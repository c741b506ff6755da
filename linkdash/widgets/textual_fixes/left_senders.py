"""A widget keeps a screen that was left: the sender of its last message, what was active when it came."""

from collections.abc import Awaitable, Callable
from functools import wraps

from textual.message import Message
from textual.message_pump import MessagePump

_Dispatch = Callable[[MessagePump, Message], Awaitable[None]]


def forgets_sender(dispatch: _Dispatch) -> _Dispatch:
    """Let a message forget its sender once it was handled, where no parent handles it after this one."""

    @wraps(dispatch)
    async def mended(self: MessagePump, message: Message) -> None:
        await dispatch(self, message)
        if message.no_dispatch or not message.bubble:
            message._sender = None

    return mended


def starts_as_itself(start: Callable[[MessagePump], None]) -> Callable[[MessagePump], None]:
    """Start the task of a widget in a context that knows no other: it keeps that for as long as it runs."""

    @wraps(start)
    def mended(self: MessagePump) -> None:
        with self._context():
            start(self)

    return mended
