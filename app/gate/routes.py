"""The routes: who, how much, what; then the gate in a thread, so that no call blocks the others."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from app.gate.auth import Denied, Who
from app.gate.metrics import CONTENT_TYPE
from app.gate.openapi import openapi
from app.gate.requests import BODY, answer_request, filter_request, read_object, retrieve_request
from app.gate.service import READ, USE, GateService
from ragsieve_core.errors import InputError, ModelUnavailableError, RagsieveError
from ragsieve_core.gate import GateState

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_log = logging.getLogger("ragsieve.gate")
_SILENCE_S: Final = 30.0
_LINGER_S: Final = 2.0
_LINGER_BYTES: Final = 8 << 20
_HEADERS: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

Work = Callable[[GateService, Who, Mapping[str, Any]], tuple[int, dict[str, Any]]]


class _RefusedError(Exception):
    """A refusal by the HTTP side, with what to answer."""

    def __init__(self, status: int, what: str, headers: Mapping[str, str] | None = None, **more: str) -> None:
        super().__init__(what)
        self.status, self.headers = status, dict(headers or {})
        self.body = {"error": what, **more}


class _Places:
    """So many calls at once, so many waiting; further ones are turned away."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._most, self._inside = at_once + waiting, 0

    async def __aenter__(self) -> None:
        if self._inside >= self._most:
            raise _RefusedError(503, "too many calls wait", {"Retry-After": "1"})
        self._inside += 1
        try:
            await self._places.acquire()
        except BaseException:
            self._inside -= 1
            raise

    async def __aexit__(self, *error: object) -> None:
        self._inside -= 1
        self._places.release()


def application(service: GateService, on_stop: Callable[[], None] = lambda: None) -> Starlette:
    """The ASGI application.

    Parameters
    ----------
    on_stop : called when the server stops, after the last answer.
    """
    from collections.abc import AsyncIterator
    from concurrent.futures import ThreadPoolExecutor
    from contextlib import asynccontextmanager

    from starlette.applications import Starlette
    from starlette.routing import Route

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        # The loop's own pool is sized by the cores; here most threads wait for features or the lock of a model
        pool = ThreadPoolExecutor(service.limits.at_once + 4, thread_name_prefix="ragsieve-call")
        asyncio.get_running_loop().set_default_executor(pool)
        yield
        await asyncio.to_thread(on_stop)

    places = _Places(service.limits.at_once, service.limits.waiting)
    description = json.dumps(openapi()).encode()

    def posting(work: Work) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            return await _post(service, places, request, work)

        return endpoint

    async def health(request: Request) -> Response:
        good, state = await asyncio.to_thread(service.health)
        return _response(200 if good else 503, state)

    async def metrics(request: Request) -> Response:
        who = await asyncio.to_thread(service.who, request.headers.get("authorization", ""), READ)
        if isinstance(who, Denied):
            return _denied(service, who)
        return _plain(200, service.metrics(who).encode(), CONTENT_TYPE)

    async def document(request: Request) -> Response:
        return _plain(200, description, "application/json")

    return Starlette(
        routes=[
            Route("/v1/filter", posting(_filter), methods=["POST"]),
            Route("/v1/retrieve", posting(_retrieve), methods=["POST"]),
            Route("/v1/answers", posting(_answers), methods=["POST"]),
            Route("/healthz", health, methods=["GET"]),
            Route("/metrics", metrics, methods=["GET"]),
            Route("/openapi.json", document, methods=["GET"]),
        ],
        lifespan=lifespan,
    )


def _filter(service: GateService, who: Who, given: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    asked = filter_request(given)
    answer = service.gate.filter(
        asked.query,
        asked.documents,
        groups=asked.groups,
        tenant=who.tenant,
        index_version=asked.index_version,
        query_id=asked.query_id,
    )
    return _status(answer.state, answer.mode), answer.shown(texts=asked.texts)


def _retrieve(service: GateService, who: Who, given: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    asked = retrieve_request(given)
    answer = service.gate.retrieve(
        asked.query, asked.groups, tenant=who.tenant, index_version=asked.index_version, query_id=asked.query_id
    )
    return _status(answer.state, answer.mode), answer.shown(texts=asked.texts)


def _status(state: GateState, mode: str) -> int:
    # In shadow mode a gate that cannot read what is in force must not stand in the way
    return 503 if state is GateState.NOT_IN_FORCE and mode == "enforce" else 200


def _answers(service: GateService, who: Who, given: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    asked = answer_request(given)
    receipt = service.gate.record_answer(asked.event, asked.answer, asked.cited, tenant=who.tenant)
    return 200, {
        "event": receipt.event_id,
        "answer": receipt.answer_id,
        "state": receipt.state,
        "cited": list(receipt.cited),
    }


async def _post(service: GateService, places: _Places, request: Request, work: Work) -> Response:
    from starlette.requests import ClientDisconnect

    who = await asyncio.to_thread(service.who, request.headers.get("authorization", ""), USE)
    if isinstance(who, Denied):
        await _linger(request)
        return _denied(service, who)
    try:
        body = await _checked_body(service, who, request)
        async with places:
            status, answer = await asyncio.to_thread(lambda: work(service, who, read_object(body)))
        service.count(who.tenant, status)
        return _response(status, answer, {} if status == 200 else {"Retry-After": "5"})
    except _RefusedError as refused:
        await _linger(request)
        service.count(who.tenant, refused.status)
        return _response(refused.status, refused.body, {**refused.headers, "Connection": "close"})
    except ClientDisconnect:
        return _response(400, {"error": "the body broke off"}, {"Connection": "close"})
    except RagsieveError as error:
        status = 503 if isinstance(error, ModelUnavailableError) else 400 if error.where == BODY else 422
        service.count(who.tenant, status)
        shown = {"error": error.what, "where": error.where, "expected": error.expected}
        if not isinstance(error, InputError):
            shown = {"error": "a model is not available", "where": "", "expected": ""}
            _log.error("%s", error)
        return _response(status, shown, {} if status != 503 else {"Retry-After": "30"})
    except Exception:  # noqa: BLE001
        # The boundary of the service: the trace stays here, a reference goes out
        reference = secrets.token_hex(4)
        _log.exception("a call failed (reference %s)", reference)
        service.count(who.tenant, 500)
        return _response(500, {"error": f"the gate failed on this (reference {reference})"})


async def _checked_body(service: GateService, who: Who, request: Request) -> bytes:
    """The body, counted while it arrives, of a caller within its rate."""
    seconds = service.rate.wait_s(who.name)
    if seconds:
        raise _RefusedError(429, f"more than {service.limits.rate:g} calls a second", {"Retry-After": str(seconds)})
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise _RefusedError(415, "only application/json is taken", expected="Content-Type: application/json")
    limit = service.limits.body
    stated = request.headers.get("content-length", "")
    if stated and (not (stated.isascii() and stated.isdigit()) or len(stated) > 15 or int(stated) > limit):
        raise _RefusedError(413, f"at most {limit:,} bytes", where="body")
    pieces = bytearray()
    stream = request.stream().__aiter__()
    while True:
        try:
            async with asyncio.timeout(_SILENCE_S):
                pieces += await anext(stream)
        except StopAsyncIteration:
            return bytes(pieces)
        except TimeoutError:
            raise _RefusedError(408, f"nothing arrived for {_SILENCE_S:.0f} s") from None
        if len(pieces) > limit:
            raise _RefusedError(413, f"at most {limit:,} bytes", where="body")


async def _linger(request: Request) -> None:
    """Read a little of a refused body: a connection closed with unread bytes is reset, and nobody sees why."""
    seen = 0
    with suppress(TimeoutError, RuntimeError):
        async with asyncio.timeout(_LINGER_S):
            async for piece in request.stream():
                seen += len(piece)
                if seen > _LINGER_BYTES:
                    return


def _denied(service: GateService, denied: Denied) -> Response:
    service.count(None, denied.status)
    headers = {"WWW-Authenticate": "Bearer"} if denied.status == 401 else {}
    return _response(denied.status, {"error": denied.reason}, {**headers, "Connection": "close"})


def _response(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    # A lone surrogate of a hostile id cannot be written as UTF-8; as an escape it can
    return _plain(status, json.dumps(dict(body)).encode("ascii"), "application/json", headers)


def _plain(status: int, content: bytes, media: str, headers: Mapping[str, str] | None = None) -> Response:
    from starlette.responses import Response as Plain

    return Plain(content, status, {**_HEADERS, **(headers or {})}, media_type=media)
