"""The service as an ASGI app: endpoints behind the gate, and faults around it all."""

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from linkdash.demo.endpoint import Call, Endpoint, Refusal, check, check_content_type, parsed
from linkdash.demo.fault_injection import FaultInjection
from linkdash.demo.rate_limit import DemoGate, RateLimit, refusal_response
from linkdash.demo.service import ENDPOINTS, DemoService

LARGEST_BODY = 1_000_000
"""Bytes of a request's body."""


def asgi_app(service: DemoService) -> ASGIApp:
    """The app that answers for a service. It raises ConnectionDropped where a fault says so."""
    settings = service.settings
    rate = RateLimit(settings.rate, settings.window)
    app = Starlette(
        routes=[Route(each.path, _endpoint(service, each), methods=[each.method]) for each in ENDPOINTS],
        middleware=[Middleware(DemoGate, service.db, rate, service.log, settings.clock)],
        exception_handlers={Refusal: _refused, HTTPException: _no_endpoint},
    )
    app.router.redirect_slashes = False  # a path with a slash too many is not part of the reference
    return FaultInjection(app, service.faults, service.log, settings.clock)


def _endpoint(service: DemoService, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        user = request.state.user
        if endpoint.admin and user["class"] != "admin":
            raise Refusal(403, "Plans and users need admin privileges.")
        check_content_type(request.headers.get("content-type", ""))
        body: dict[str, object] = {}
        if endpoint.body is not None:
            body = parsed(await _content(request))
            request.state.members = tuple(body)
            check(body, endpoint.body)
        now = service.settings.clock()
        with service.db as db:
            path, query = request.path_params, request.query_params
            call = Call(db, service.settings, service.seed, service.made, now, user, path, query, body)
            return JSONResponse(endpoint.handle(call))

    return answer


async def _content(request: Request) -> bytes:
    """The body as it came; a 413 Refusal for a larger one than any request needs."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > LARGEST_BODY:
            raise Refusal(413, f"The request body is larger than {LARGEST_BODY:,} bytes.")
    return bytes(content)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return refusal_response(error)


def _no_endpoint(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = f"{request.method} {request.url.path} is not part of this service."
    return refusal_response(Refusal(error.status_code, message, error.headers))
