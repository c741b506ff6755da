"""Keys and passwords kept elsewhere: printed by a command of the user's, or in the system's keyring."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from linkdash.api.errors import Misconfigured

if TYPE_CHECKING:
    from subprocess import Popen

    from keyring.backend import KeyringBackend

KEYRING_SERVICE = "linkdash"
"""The name under which keys are in the system's keyring, each for the name of its profile."""
STORE_KEYRING_SERVICE = "linkdash-store"
"""The same for the passwords of team stores."""

_COMMAND_SECONDS = 60.0  # the user may have to type a passphrase
_KEYRING_SECONDS = 3.0
_LAST_SECONDS = 0.5  # for what a command printed before it ended
_LONGEST_SECRET = 65_536  # bytes


def key_from_command(command: Sequence[str]) -> str:
    """The first line that a command prints. Raises Misconfigured, without what it printed."""
    return _printed("key_command", command, "key")


def password_from_command(command: Sequence[str]) -> str:
    """The same for the password of a team's store."""
    return _printed("store_password_command", command, "password")


def _printed(setting: str, command: Sequence[str], wanted: str) -> str:
    """The first line that the command of a setting prints. Raises Misconfigured, without what it printed."""
    import subprocess
    from threading import Thread

    what = f"The {setting} {command[0]!r}"
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no command can hold NUL or half of a character"
        raise Misconfigured(f"{what} cannot be run: {reason}.") from None
    printed = bytearray()
    reader = Thread(target=_read_secret, args=(process, printed), daemon=True)
    reader.start()
    try:
        status = process.wait(_COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        raise Misconfigured(f"{what} gave no {wanted} within {_COMMAND_SECONDS:.0f} s.") from None
    finally:
        process.kill()
        process.wait()
        reader.join(_LAST_SECONDS)  # what it has left running, such as an agent, may keep the pipe open
    if len(printed) > _LONGEST_SECRET:
        raise Misconfigured(f"{what} printed no {wanted}: more than {_LONGEST_SECRET:,} bytes.")
    try:
        lines = printed.decode().strip().splitlines()
    except UnicodeDecodeError:
        raise Misconfigured(f"{what} printed no {wanted}: it is not UTF-8.") from None
    if status or not lines:
        raise Misconfigured(f"{what} printed no {wanted}; exit status {status}.")
    return lines[0]


def _read_secret(process: "Popen[bytes]", printed: bytearray) -> None:
    """Add what a command prints, until it ends or has printed too much, which ends it."""
    assert process.stdout is not None
    with process.stdout as pipe:
        while len(printed) <= _LONGEST_SECRET and (piece := os.read(pipe.fileno(), _LONGEST_SECRET)):
            printed.extend(piece)
    if len(printed) > _LONGEST_SECRET:
        process.kill()


def key_from_keyring(profile: str) -> str:
    """The key of a profile in the system's keyring. Raises Misconfigured."""
    key = with_keyring(lambda keyring: keyring.get_password(KEYRING_SERVICE, profile))
    if not key:
        raise Misconfigured(f"The keyring has no key for the profile {profile!r}.", "Run: linkdash setup")
    return str(key)


def with_keyring(use: Callable[["KeyringBackend"], str | None]) -> str | None:
    """Return `use` of the system's keyring, within 3 seconds at the most; never of one of plain text.

    Raises Misconfigured.
    """
    from threading import Thread

    try:
        import keyring
    except ImportError:
        raise Misconfigured("Keyring support is not installed.", "pip install 'linkdash[keyring]'") from None
    results: list[str | None] = []
    failures: list[str] = []

    def work() -> None:
        try:
            backend = keyring.get_keyring()
            if backend.priority <= 0 or "plaintext" in type(backend).__name__.lower():
                failures.append("no keyring that protects secrets was found")
            else:
                results.append(use(backend))
        except Exception as error:  # noqa: BLE001  backends raise whatever their systems do
            failures.append(type(error).__name__)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(_KEYRING_SECONDS)
    if results:
        return results[0]
    reason = next(iter(failures), f"no answer within {_KEYRING_SECONDS:.0f} s")
    raise Misconfigured(f"The system's keyring cannot be used: {reason}.", "Use key_command or api_key.")
