"""Who looks at a page, as Streamlit tells and :mod:`app.services.sign_in` proves it; and links kept over a sign-in."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import streamlit as st
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

from app.proxy_door import PEER
from app.services.sign_in import (
    SignIn,
    deep_link,
    follow_link,
    oidc_principal,
    proxy_principal,
    read_sign_in,
    single_user,
)
from warehouse.database import Warehouse
from warehouse.principal import Principal

_COOKIE: Final = "_streamlit_xsrf"
_KEPT: Final = 1_000
_MINUTES: Final = 30
_guard = threading.Lock()
_links: OrderedDict[bytes, tuple[float, str]] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Proof:
    """What a session brought to prove who it is: claims of ``st.login``, or headers and peer of the proxy."""

    settings: SignIn
    claims: Mapping[str, Any] = field(default_factory=dict, repr=False)
    headers: Mapping[str, list[str]] = field(default_factory=dict, repr=False)
    peer: str = ""


def proof() -> Proof:
    """The proof of the session that this thread runs.

    Taken while the page is drawn: a download runs later, in a thread that belongs to no session.
    """
    settings = read_sign_in()
    if settings.mode == "oidc":
        return Proof(settings, claims())
    if settings.mode == "proxy":
        given = st.context.headers
        headers = {name: given.get_all(name) for name in given}
        return Proof(settings, headers=headers, peer=next(iter(given.get_all(PEER)), ""))
    return Proof(settings)


def prove(wh: Warehouse, given: Proof) -> Principal:
    """The principal of a proof; its age is checked and the role read anew each time.

    Raises
    ------
    RefusedError
        ``bad_identity``: nobody is signed in, or nothing proves who; ``not_a_user``: no role.
    """
    if given.settings.mode == "oidc":
        return oidc_principal(wh, given.claims, given.settings)
    if given.settings.mode == "proxy":
        return proxy_principal(wh, given.headers, given.peer, given.settings)
    return single_user()


def claims() -> dict[str, Any]:
    """Claims of the signed-in user; empty where nobody is, or where OIDC is not set up."""
    return dict(st.user.to_dict())


def keep_link(page: str, query: dict[str, str], pages: tuple[str, ...]) -> None:
    """Remember what this browser asked for: after OIDC it comes back to the bare address.

    Kept in memory under the browser's own anti-forgery token, so that one browser never follows the link of another.
    """
    browser, link = _browser(), deep_link(page, query, pages)
    if browser is None or not link:
        return
    with _guard:
        _links[browser] = (time.monotonic(), link)
        _links.move_to_end(browser)
        while len(_links) > _KEPT:
            _links.popitem(last=False)


def kept_link(pages: tuple[str, ...]) -> tuple[str, dict[str, str]] | None:
    """The page and query that this browser had asked for within the last half hour; given once."""
    browser = _browser()
    with _guard:
        found = _links.pop(browser, None) if browser is not None else None
    if found is None or time.monotonic() - found[0] > _MINUTES * 60:
        return None
    return follow_link(found[1], pages)


def _browser() -> bytes | None:
    # The cookie is masked anew at every answer; the token below the mask stays
    cookie = st.context.cookies.get(_COOKIE, "")
    if not cookie:
        return None
    token: bytes | None = decode_xsrf_token_string(cookie)[0]
    return token or None
