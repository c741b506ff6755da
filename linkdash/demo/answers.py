"""The response envelope and its refusals (reference: Response envelope, Errors)."""

from collections.abc import Mapping, Sequence

from starlette.responses import JSONResponse

Answer = dict[str, object]


class Refusal(Exception):
    """A request the service refuses: error 1 with a message, and the HTTP status that fits."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers

    def response(self) -> JSONResponse:
        """The refusal as it goes out."""
        return JSONResponse({"error": 1, "message": self.message}, self.status, self.headers)


def done(message: str) -> Answer:
    """A success that only says so."""
    return {"error": 0, "message": message}


def created(record_id: int, **members: object) -> Answer:
    """A success that names the new record."""
    return {"error": 0, "id": record_id, **members}


def found(data: object) -> Answer:
    """A success that carries one record."""
    return {"error": 0, "data": data}


def listed(data: Sequence[object] | Mapping[str, object]) -> Answer:
    """A list response: its `error` is the string zero, as the reference says."""
    return {"error": "0", "data": data}
