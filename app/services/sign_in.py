"""Who is using the product: the only place where identities are proved and become principals.

Three ways, chosen by the administrator and never by a request: ``single`` (the OS user, loopback only), ``oidc`` (the
claims that Streamlit's ``st.login`` proved) and ``proxy`` (a header that a trusted proxy sets, with a shared secret,
from a checked peer). The role comes from the warehouse, on every request.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args
from urllib.parse import parse_qsl, urlencode

from ragsieve_core.errors import InputError, nearest
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.principal import Principal, local_principal
from warehouse.refusals import Refusal
from warehouse.roles import principal_for

Mode = Literal["single", "oidc", "proxy"]
MODES: tuple[Mode, ...] = get_args(Mode)
_LONGEST = 320


@dataclass(frozen=True, slots=True)
class SignIn:
    """How people sign in.

    Attributes
    ----------
    mode : single, oidc or proxy.
    issuer : exact ``iss`` claim that is accepted (oidc).
    claim : claim that names the identity; ``email`` counts only where ``email_verified`` is true (oidc).
    max_age_hours : hours after sign-in (claim ``iat``) at which it must be repeated: the cookie alone lasts 30 days and
        nobody checks the token's end (oidc).
    header, secret_header : names of the headers with the identity and the shared secret (proxy).
    secret : the shared secret, at least 16 characters (proxy).
    peers : networks (CIDR) from which the proxy connects (proxy).
    """

    mode: Mode = "single"
    issuer: str = ""
    claim: str = "email"
    max_age_hours: float = 12.0
    header: str = "X-Forwarded-User"
    secret_header: str = "X-Ragsieve-Proxy-Secret"
    secret: str = ""
    peers: tuple[str, ...] = ("127.0.0.1/32", "::1/128")

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InputError(f"unknown way to sign in {self.mode!r}", where="mode", expected=nearest(self.mode, MODES))
        if self.mode == "oidc" and not (self.issuer and self.claim and self.max_age_hours > 0):
            raise InputError("an incomplete sign-in", where="oidc", expected="issuer, claim and max_age_hours above 0")
        if self.mode == "proxy":
            if len(self.secret) < 16 or not self.header or not self.secret_header or not self.peers:
                raise InputError(
                    "an incomplete sign-in", where="proxy", expected="header, peers, and 16 characters secret"
                )
            for peer in self.peers:
                try:
                    ipaddress.ip_network(peer)
                except ValueError as error:
                    raise InputError(
                        f"no network {peer!r}", where="peers", expected="for instance 10.0.0.5/32"
                    ) from error


def read_sign_in(environment: Mapping[str, str] | None = None) -> SignIn:
    """Settings from the environment: RAGSIEVE_SIGN_IN (single, oidc, proxy), RAGSIEVE_OIDC_ISSUER, RAGSIEVE_OIDC_CLAIM,
    RAGSIEVE_PROXY_HEADER, RAGSIEVE_PROXY_SECRET, RAGSIEVE_PROXY_PEERS (networks, separated by commas)."""
    given = os.environ if environment is None else environment
    mode: Any = given.get("RAGSIEVE_SIGN_IN", "single")
    peers = tuple(entry.strip() for entry in given.get("RAGSIEVE_PROXY_PEERS", "").split(",") if entry.strip())
    return SignIn(
        mode,
        issuer=given.get("RAGSIEVE_OIDC_ISSUER", ""),
        claim=given.get("RAGSIEVE_OIDC_CLAIM", "email"),
        header=given.get("RAGSIEVE_PROXY_HEADER", "X-Forwarded-User"),
        secret=given.get("RAGSIEVE_PROXY_SECRET", ""),
        peers=peers or SignIn().peers,
    )


def check_bind(address: str, settings: SignIn) -> None:
    """Refuse to listen where other machines reach it while nobody signs in.

    Raises
    ------
    InputError
        a non-loopback address in single-user mode.
    """
    if settings.mode != "single" or address == "localhost":
        return
    try:
        loopback = ipaddress.ip_address(address).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise InputError(
            f"nobody signs in, so the dashboard does not listen on {address!r}",
            where="--address",
            expected="127.0.0.1, ::1 or localhost, or a way to sign in",
            do="set RAGSIEVE_SIGN_IN to oidc or proxy",
        )


def single_user() -> Principal:
    """The OS user as admin; recorded as ``single_user_mode`` with everything that would need a second person."""
    return local_principal()


def oidc_principal(
    wh: Warehouse, claims: Mapping[str, Any], settings: SignIn, *, now: float | None = None
) -> Principal:
    """The principal of somebody whom Streamlit signed in.

    Parameters
    ----------
    claims : ``st.user.to_dict()`` of a signed-in user: claims of an ID token whose signature Streamlit checked.
    now : seconds since 1970 (UTC); None for now.

    Raises
    ------
    RefusedError
        ``bad_identity``: not signed in, another issuer, an unverified address, too old; ``not_a_user``: no role.
    """
    if settings.mode != "oidc":
        raise _bad("this server does not sign people in by OIDC")
    if claims.get("is_logged_in") is not True:
        raise _bad("nobody is signed in")
    if claims.get("iss") != settings.issuer:
        raise _bad("the identity comes from another issuer")
    if settings.claim == "email" and claims.get("email_verified") is not True:
        raise _bad("the e-mail address is not verified")
    issued = claims.get("iat")
    if isinstance(issued, bool) or not isinstance(issued, int | float):
        raise _bad("the time of sign-in is missing")
    age = (time.time() if now is None else now) - issued
    if not -300 <= age <= settings.max_age_hours * 3600:
        raise _bad("the sign-in is too old")
    return principal_for(wh, _identity(claims.get(settings.claim)), mode="oidc")


def proxy_principal(wh: Warehouse, headers: Mapping[str, Any], peer: str, settings: SignIn) -> Principal:
    """The principal of somebody whom a trusted proxy signed in.

    Parameters
    ----------
    headers : of this request; names in any case, a value as text or a list of texts.
    peer : address of the socket's other end, never of a forwarded header.

    Raises
    ------
    RefusedError
        ``bad_identity``: another peer, a wrong secret, no identity or several; ``not_a_user``: no role.
    """
    if settings.mode != "proxy":
        raise _bad("this server does not take identities from a proxy")
    _require_proxy(headers, peer, settings)
    names = _values(headers, settings.header)
    if len(names) != 1:
        raise _bad("the proxy names nobody, or several people")
    return principal_for(wh, _identity(names[0]), mode="proxy")


def comes_from_proxy(headers: Mapping[str, Any], peer: str, settings: SignIn) -> bool:
    """True where address and secret are the proxy's, whoever it names; parameters as in :func:`proxy_principal`."""
    try:
        _require_proxy(headers, peer, settings)
    except RefusedError:
        return False
    return True


def _require_proxy(headers: Mapping[str, Any], peer: str, settings: SignIn) -> None:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        raise _bad("the peer has no address") from None
    mapped = getattr(address, "ipv4_mapped", None) or address
    if not any(mapped in ipaddress.ip_network(network) for network in settings.peers):
        raise _bad("the request does not come from the proxy")
    secrets = _values(headers, settings.secret_header)
    if len(secrets) != 1 or not hmac.compare_digest(secrets[0].encode(), settings.secret.encode()):
        raise _bad("the proxy's secret does not fit")


def deep_link(page: str, query: Mapping[str, str], pages: Collection[str]) -> str:
    """A link to return to after signing in: ``page?query`` of this product, or empty for a page that it does not have.

    Never an address: a link from outside must not lead out again.
    """
    if page not in pages:
        return ""
    return page + (f"?{urlencode(sorted(query.items()))}" if query else "")


def follow_link(link: str, pages: Collection[str]) -> tuple[str, dict[str, str]] | None:
    """Page and query of a link that :func:`deep_link` made; None for anything else."""
    page, _, query = link.partition("?")
    if page not in pages or len(link) > 8_000:
        return None
    return page, dict(parse_qsl(query, keep_blank_values=True, max_num_fields=50)) if query.count("&") < 50 else {}


def _identity(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST or not value.isprintable():
        raise _bad("the identity is missing or cannot be a name")
    return value.strip()


def _values(headers: Mapping[str, Any], name: str) -> list[str]:
    found: list[str] = []
    for key, value in headers.items():
        if key.casefold() == name.casefold():
            found += [value] if isinstance(value, str) else [str(entry) for entry in value]
    return found


def _bad(what: str) -> RefusedError:
    return RefusedError(Refusal.BAD_IDENTITY, what, do="sign in again, or ask an administrator")
