"""`POST /api/ingest`: segments from scanners and gates on other machines, each with its token.

What is taken in, and every status, is decided in :mod:`warehouse.http`; here is what carries it. A request is checked
before its body is read, the body is counted while it arrives, and nothing of it blocks the dashboard's event loop.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from app.session import open_warehouse
from ragsieve_core.errors import RagsieveError
from warehouse.http import HttpAnswer, check_request, handle_ingest
from warehouse.segments import LIMITS

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

PATH: Final = "/api/ingest"
_AT_ONCE: Final = 2
_SILENCE_S: Final = 60.0


def ingest_route() -> Route:
    """The route, for the application that `ragsieve serve --ingest` runs."""
    from starlette.routing import Route

    # A body may be a gigabyte: more senders than these wait before a byte of theirs is read
    turns = asyncio.Semaphore(_AT_ONCE)

    async def endpoint(request: Request) -> Response:
        return await _endpoint(request, turns)

    # All methods: the refusal of a GET is the handler's, with its Allow header
    return Route(PATH, endpoint, methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])


async def _endpoint(request: Request, turns: asyncio.Semaphore) -> Response:
    method, headers = request.method, dict(request.headers)
    try:
        wh = await asyncio.to_thread(open_warehouse)
        refused = await asyncio.to_thread(check_request, wh, method, headers)
        if refused is not None:
            return _response(refused, close=True)
        async with turns:
            body = await _body(request, int(headers["content-length"]))
            if isinstance(body, HttpAnswer):
                return _response(body, close=True)
            return _response(await asyncio.to_thread(handle_ingest, wh, method, headers, body))
    except RagsieveError as error:
        # The warehouse is missing, closing, or held: the sender keeps its segment and tries again
        return _response(HttpAnswer(503, {"error": error.what}, {"Retry-After": "30", "Cache-Control": "no-store"}))


async def _body(request: Request, stated: int) -> bytes | HttpAnswer:
    """The body, or the refusal of one that is longer than stated or allowed, or that stops arriving."""
    pieces = bytearray()
    stream = request.stream().__aiter__()
    while True:
        try:
            async with asyncio.timeout(_SILENCE_S):
                piece = await anext(stream)
        except StopAsyncIteration:
            return bytes(pieces)
        except TimeoutError:
            return HttpAnswer(408, {"error": f"nothing arrived for {_SILENCE_S:.0f} s"})
        pieces += piece
        if len(pieces) > min(stated, LIMITS.max_bytes):
            return HttpAnswer(413, {"error": f"at most {LIMITS.max_bytes} bytes, and no more than Content-Length says"})


def _response(answer: HttpAnswer, *, close: bool = False) -> Response:
    from starlette.responses import Response as Plain

    # The rest of a refused body is never read, so that the connection cannot be used again
    extra = {"Connection": "close"} if close else {}
    return Plain(answer.content, answer.status, {**answer.headers, **extra}, media_type="application/json")
