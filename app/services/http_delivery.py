"""Documents to the owner of a warehouse on another machine, over HTTP with a token."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.services.waiting import Say
from ragsieve_core.errors import BusyError, InputError
from warehouse.segments import LIMITS

ROUTE = "/api/ingest"
_TRIES = 4
_PATIENCE_S = 600.0
_ANSWER_BYTES = 8 << 20


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Refuse: the token must not follow to another address."""


def read_token(file: Path) -> str:
    """The token of a file, which nobody else may read.

    Raises
    ------
    InputError
        no such file, one that others may read, or no token in it.
    """
    try:
        with file.open(encoding="utf-8") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            text = stream.read(1000).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the token cannot be read ({error})", where=f"--token-file {file}") from error
    if mode & 0o077:
        raise InputError("others may read this token", where=f"--token-file {file}", do=f"chmod 600 {file}")
    if len(text.split(".")) != 3 or not text.isascii() or any(letter.isspace() for letter in text):
        raise InputError(
            "no token in this file", where=f"--token-file {file}", expected="one line rgs.…", do="ragsieve token create"
        )
    return text


def endpoint(url: str) -> str:
    """Address of the route on a server.

    Raises
    ------
    InputError
        no http address, or plain HTTP to another machine: the token would cross the network in the clear.
    """
    parts = urllib.parse.urlsplit(url)
    try:
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise InputError(f"no address ({error})", where=f"--url {url}", expected="http://127.0.0.1:8501") from error
    if parts.scheme not in ("http", "https") or not host:
        raise InputError("no web address", where=f"--url {url}", expected="https://HOST or http://127.0.0.1:8501")
    if parts.username is not None or parts.query or parts.fragment:
        raise InputError(
            "an address with more than host and path", where="--url", expected="https://HOST[:PORT][/PATH]"
        )
    if parts.scheme == "http" and not _loopback(host):
        raise InputError(
            "plain HTTP to another machine would show the token to the network",
            where=f"--url {url}",
            expected="https, or http to this machine",
            do=f"ssh -N -L 8501:127.0.0.1:8501 {host}, then --url http://127.0.0.1:8501",
        )
    path = parts.path.rstrip("/")
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path if path.endswith(ROUTE) else path + ROUTE, "", ""))


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def post_segment(url: str, token: str, data: bytes, *, say: Say) -> Mapping[str, Any]:
    """Send one segment and return the result in its receipt.

    The same bytes are taken in once, however often they are sent: a lost answer is asked for again by sending again.

    Raises
    ------
    InputError
        refused, with the server's reason.
    BusyError
        not reachable, or its disk refuses, after four tries.
    """
    if len(data) > LIMITS.max_bytes:
        raise InputError(
            f"{len(data):,} bytes in one delivery", expected=f"at most {LIMITS.max_bytes:,}", do="split the input"
        )
    target = endpoint(url)
    # No proxy of the environment between this process and its own machine
    here = _loopback(urllib.parse.urlsplit(target).hostname or "")
    handlers = [urllib.request.ProxyHandler({})] if here else []
    opener = urllib.request.build_opener(_NoRedirect, *handlers)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
    problem = ""
    for attempt in range(_TRIES):
        if attempt:
            say(f"{problem}: trying again")
            time.sleep(2.0**attempt)
        request = urllib.request.Request(target, data=data, headers=headers, method="POST")
        try:
            with opener.open(request, timeout=_PATIENCE_S) as answer:
                return _receipt(answer.read(_ANSWER_BYTES), target)
        except urllib.error.HTTPError as error:
            if error.code not in (408, 429, 502, 503, 504):
                raise _refused(error, target) from error
            problem = f"{target} answers {error.code}"
        except (OSError, http.client.HTTPException) as error:
            problem = f"{target} cannot be reached ({getattr(error, 'reason', None) or error})"
    raise BusyError(
        problem,
        where="--url",
        expected="`ragsieve serve --ingest` running there",
        do="run the same command again: what was taken in already is not taken in twice",
    )


def _receipt(body: bytes, target: str) -> Mapping[str, Any]:
    try:
        receipt = json.loads(body)
        state, found = receipt["state"], dict(receipt["result"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("not an answer of `ragsieve serve`", where=target, do="look at --url") from error
    if state != "taken":
        raise InputError(f"the owner refused it ({receipt.get('reason')}): {receipt.get('message')}", where=target)
    return found


def _refused(error: urllib.error.HTTPError, target: str) -> InputError:
    try:
        told = json.loads(error.read(_ANSWER_BYTES))
        words = str(told.get("message") or told.get("error") or "")
    except (OSError, ValueError, AttributeError):
        words = ""
    hints = {
        401: "a token of scope ingest that has not ended: ragsieve token list",
        403: "a token whose scope allows this kind",
        404: "start the server with: ragsieve serve --ingest",
        405: "start the server with: ragsieve serve --ingest",
        413: "split the input",
    }
    return InputError(
        f"refused with status {error.code}" + (f": {words.splitlines()[0]}" if words else ""),
        where=target,
        do=hints.get(error.code, ""),
    )
