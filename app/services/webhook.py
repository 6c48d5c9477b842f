"""Delivery of a quarantine version to an index over https: signed, to a checked address, again with growing pauses."""

from __future__ import annotations

import hashlib
import http.client
import secrets
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragsieve_core.errors import InputError
from ragsieve_core.review.signing import NONCE, SIGNATURE, TIMESTAMP, Target, parse_target, public_addresses, sign
from warehouse.database import Warehouse
from warehouse.index_export import Receipt, message, record_receipt
from warehouse.principal import Principal

ATTEMPTS = 5
PAUSE_S = 1.0
TIMEOUT_S = 10.0
_ANSWER = 500

Resolve = Callable[[str, int], Sequence[str]]
Send = Callable[[Target, str, bytes, dict[str, str]], tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where a quarantine goes.

    Attributes
    ----------
    url : https address.
    secret : shared with the index, at least 16 bytes; never stored or shown.
    allowed : networks (CIDR) that are no public addresses and yet allowed.
    """

    url: str
    secret: bytes
    allowed: tuple[str, ...] = ()


def resolve(host: str, port: int) -> list[str]:
    """Every address of a host."""
    return sorted({str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)})


class _Pinned(http.client.HTTPSConnection):
    """A connection to an address that was checked, with the certificate checked for the name."""

    def __init__(self, target: Target, address: str) -> None:
        super().__init__(target.host, target.port, timeout=TIMEOUT_S, context=ssl.create_default_context())
        self._address = address
        self._checked = ssl.create_default_context()

    def connect(self) -> None:
        """Connect to the checked address: asking for the name again could lead elsewhere."""
        raw = socket.create_connection((self._address, self.port), TIMEOUT_S)
        self.sock = self._checked.wrap_socket(raw, server_hostname=self.host)


def send(target: Target, address: str, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
    """POST once; returns status and the start of the answer. Redirects are not followed."""
    connection = _Pinned(target, address)
    try:
        connection.request("POST", target.path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read(_ANSWER).decode("utf-8", "replace")
    finally:
        connection.close()


def deliver_version(
    wh: Warehouse,
    quarantine_id: str,
    hook: Webhook,
    *,
    principal: Principal,
    attempts: int = ATTEMPTS,
    pause: Callable[[float], None] = time.sleep,
    resolver: Resolve = resolve,
    sender: Send = send,
) -> Receipt:
    """Deliver the version in force and store the receipt, whatever came of it.

    A 2xx answer is a delivery. A refusal (4xx save 408, 425 and 429) is not tried again; anything else is, after 1, 2,
    4, … seconds, each time with a new time, nonce and signature, and the address looked up and checked anew.

    Raises
    ------
    InputError
        an address that is not https or not allowed, a secret that is too short, or a version that is not in force.
    """
    target = parse_target(hook.url)
    body = message(wh, quarantine_id, principal=principal)
    sign(hook.secret, 0, "0", b"")
    status, problem, answer, nonce, made = None, "", "", "", 0
    for attempt in range(attempts):
        if attempt:
            pause(PAUSE_S * 2 ** (attempt - 1))
        made, nonce, status, answer = attempt + 1, secrets.token_hex(16), None, ""
        moment = int(time.time())
        headers = {
            "Content-Type": "application/json",
            TIMESTAMP: str(moment),
            NONCE: nonce,
            SIGNATURE: sign(hook.secret, moment, nonce, body),
        }
        try:
            address = public_addresses(resolver(target.host, target.port), allowed=hook.allowed)[0]
            status, answer = sender(target, address, body, headers)
        except InputError as refused:
            # Before anything was sent this is the user's mistake; later it is what came of the delivery.
            if not attempt:
                raise
            problem = refused.what
            break
        except (OSError, http.client.HTTPException) as error:
            problem = f"{type(error).__name__}: {error}"[:_ANSWER]
            continue
        if 200 <= status < 300:
            problem = ""
            break
        problem = f"answered {status}"
        if 400 <= status < 500 and status not in (408, 425, 429):
            break
    state = "delivered" if status is not None and 200 <= status < 300 else "failed"
    receipt = Receipt(
        target.shown, hashlib.sha256(body).hexdigest(), nonce, made, state, status, problem, answer[:_ANSWER]
    )
    record_receipt(wh, quarantine_id, receipt, principal=principal)
    return receipt


def read_secret(text: str) -> bytes:
    """The secret as bytes.

    Raises
    ------
    InputError
        shorter than 16 bytes.
    """
    secret = text.strip().encode()
    if len(secret) < 16:
        raise InputError("the secret is too short", where="secret", expected="at least 16 bytes")
    return secret
