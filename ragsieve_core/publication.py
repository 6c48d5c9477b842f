"""What is in force, as a gate in another process reads it: an immutable file and a pointer with a rising number.

The owner writes ``NNNNNNNNNN-<hash>.json`` and then renames ``current`` over the old pointer. A reader looks at the
pointer on every request (one ``stat`` while nothing changed), checks the file against its hash, and refuses a number
lower than one it has seen: an old pointer put back must not free what was quarantined since.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from ragsieve_core.errors import InputError
from ragsieve_core.policy import Policy, parse_rules

MissingPolicy = Literal["refuse", "open"]
State = Literal["ok", "stale", "missing", "damaged", "lower_number"]
FORMAT = 1
Name = tuple[str, str]
"""(corpus name, document id)."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A program's token as other processes may know it: ``secret_hash`` is the SHA-256 (hex) of its secret.

    ``tenant`` None = all tenants; ``expires_at`` None = never.
    """

    token_id: str
    name: str
    scope: str
    tenant: str | None
    secret_hash: str
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class InForce:
    """One publication.

    Attributes
    ----------
    number : rises with every publication; 0 while there is none.
    quarantine_version : version in force, None before the first.
    quarantined : documents that leave every ranking.
    held : documents on hold, with the UTC time at which the hold ends by itself.
    unadmitted : documents that the corpus's admission policy does not let into retrieval yet.
    policy : thresholds per slice that apply to the next scan and the next query; empty before the first.
    published_at, confirmed_at : UTC; when it was made, and when the owner last said that it still holds.
    tenants : tenants of the documents named above; a document without an entry concerns every tenant.
    credentials : tokens of programs that were neither revoked nor over when it was made, by token id.
    query_key : secret (hex) under which query texts are hashed; empty where it was not published.
    """

    number: int = 0
    quarantine_version: str | None = None
    quarantined: frozenset[Name] = frozenset()
    held: Mapping[Name, datetime] = field(default_factory=dict)
    unadmitted: frozenset[Name] = frozenset()
    policy: Policy = field(default_factory=Policy)
    published_at: datetime | None = None
    confirmed_at: datetime | None = None
    tenants: Mapping[Name, frozenset[str]] = field(default_factory=dict)
    credentials: Mapping[str, Credential] = field(default_factory=dict)
    query_key: str = ""

    def concerns(self, corpus: str, document_id: str, tenant: str | None) -> bool:
        """Whether what is in force on a document concerns a tenant; None = a caller of all tenants."""
        of = self.tenants.get((corpus, document_id))
        return tenant is None or of is None or tenant in of

    def excluded_by(self, corpus: str, document_id: str, now: datetime | None = None, tenant: str | None = None) -> str:
        """What keeps a document out: quarantine, hold or unadmitted; empty if nothing does.

        With a ``tenant``, what concerns other tenants does not exist.
        """
        name = (corpus, document_id)
        if tenant is not None and not self.concerns(corpus, document_id, tenant):
            return ""
        if name in self.quarantined:
            return "quarantine"
        ends = self.held.get(name)
        if ends is not None and (now or datetime.now(UTC)) < ends:
            return "hold"
        return "unadmitted" if name in self.unadmitted else ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found.

    Attributes
    ----------
    state : ok; stale (not confirmed for longer than allowed); missing; damaged; lower_number. In the last two the last
        good publication stays in force.
    age_s : seconds since the publication was made; None without one.
    confirmed_age_s : seconds since the owner last confirmed it; None without one.
    serve : False where the declared policy is to answer nothing.
    """

    in_force: InForce
    state: State
    age_s: float | None
    confirmed_age_s: float | None
    serve: bool
    problem: str = ""


def encode_publication(content: Mapping[str, Any]) -> bytes:
    """Bytes of a publication file: JSON with sorted keys, so that equal content has an equal hash."""
    return json.dumps(dict(content), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


class PublicationReader:
    """Reads the folder ``published``; safe to share between threads.

    Parameters
    ----------
    folder : where the owner publishes.
    missing : with no readable publication, answer nothing (``refuse``) or without exclusions (``open``).
    max_age_s : seconds without confirmation after which the state is ``stale``; None = never.
    stale : what to do then: go on with the last one (``open``) or answer nothing (``refuse``).
    floor : lowest number accepted, for a gate that remembers across restarts.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        missing: MissingPolicy = "refuse",
        max_age_s: float | None = None,
        stale: MissingPolicy = "open",
        floor: int = 0,
    ) -> None:
        for name, value in (("missing", missing), ("stale", stale)):
            if value not in ("refuse", "open"):
                raise InputError(f"unknown policy {value!r}", where=name, expected="refuse or open")
        self._folder = Path(folder)
        self._missing = missing
        self._stale = stale
        self._max_age = max_age_s
        self._floor = floor
        self._guard = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._last = InForce()
        self._problem: tuple[State, str] = ("missing", "nothing was published yet")

    @property
    def highest(self) -> int:
        """Highest number seen: the ``floor`` of the next start."""
        return max(self._floor, self._last.number)

    def read(self) -> Reading:
        """The publication in force now."""
        with self._guard:
            self._look()
            last, (state, problem) = self._last, self._problem
        now = datetime.now(UTC)
        age = (now - last.published_at).total_seconds() if last.published_at else None
        confirmed = (now - last.confirmed_at).total_seconds() if last.confirmed_at else None
        serve = last.number > 0 or self._missing == "open"
        if state == "ok" and self._max_age is not None and confirmed is not None and confirmed > self._max_age:
            state, problem = "stale", f"not confirmed for {confirmed:.0f} s"
        if state == "stale" and self._stale == "refuse":
            serve = False
        return Reading(last, state, age, confirmed, serve, problem)

    def _look(self) -> None:
        try:
            status = os.stat(self._folder / "current", follow_symlinks=False)
        except OSError as error:
            self._seen = None
            self._problem = ("missing", f"no publication ({error.strerror})")
            return
        identity = (status.st_ino, status.st_mtime_ns, status.st_size)
        if identity == self._seen:
            return
        try:
            pointer = json.loads((self._folder / "current").read_text(encoding="utf-8"))
            number, file, digest = int(pointer["number"]), str(pointer["file"]), str(pointer["sha256"])
            confirmed_at = datetime.fromisoformat(str(pointer["confirmed_at"]))
            if number < self.highest:
                # Remembered, so that the same old pointer is not read again on every request.
                self._seen = identity
                self._problem = ("lower_number", f"number {number} after {self.highest}")
                return
            if number == self._last.number:
                found = replace(self._last, confirmed_at=confirmed_at)
            else:
                found = _in_force(number, confirmed_at, self._content(file, digest))
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._problem = ("damaged", f"the publication cannot be read ({error})")
            return
        self._last, self._seen, self._problem = found, identity, ("ok", "")

    def _content(self, file: str, digest: str) -> dict[str, Any]:
        if os.path.basename(file) != file:
            raise ValueError("the pointer names a file outside the folder")
        data = (self._folder / file).read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise ValueError("the file has another hash than the pointer says")
        content: dict[str, Any] = json.loads(data)
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']}, this version reads {FORMAT}")
        return content


def _policy(content: Mapping[str, Any]) -> Policy:
    try:
        return Policy(content.get("policy_version"), parse_rules(content.get("policy", ())))
    except InputError as error:
        # Of a newer version, say: thresholds that cannot be read must not be taken for the published ones
        raise ValueError(f"a policy this version cannot read ({error.what})") from error


def _in_force(number: int, confirmed_at: datetime, content: Mapping[str, Any]) -> InForce:
    if int(content["number"]) != number:
        raise ValueError("the file has another number than the pointer says")
    return InForce(
        number=number,
        quarantine_version=content["quarantine_version"],
        quarantined=frozenset((str(corpus), str(name)) for corpus, name in content["quarantined"]),
        held={(str(corpus), str(name)): datetime.fromisoformat(end) for corpus, name, end in content["held"]},
        unadmitted=frozenset((str(corpus), str(name)) for corpus, name in content["unadmitted"]),
        policy=_policy(content),
        published_at=datetime.fromisoformat(content["published_at"]),
        confirmed_at=confirmed_at,
        tenants=_tenants(content.get("tenants", [])),
        credentials={str(entry["token_id"]): _credential(entry) for entry in content.get("credentials", [])},
        query_key=str(content.get("query_key", "")),
    )


def _tenants(rows: list[list[str]]) -> dict[Name, frozenset[str]]:
    found: dict[Name, frozenset[str]] = {}
    for corpus, name, tenant in rows:
        key = (str(corpus), str(name))
        found[key] = found.get(key, frozenset()) | {str(tenant)}
    return found


def _credential(entry: Mapping[str, Any]) -> Credential:
    end = entry["expires_at"]
    return Credential(
        str(entry["token_id"]),
        str(entry["name"]),
        str(entry["scope"]),
        None if entry["tenant"] is None else str(entry["tenant"]),
        str(entry["secret_hash"]),
        None if end is None else datetime.fromisoformat(str(end)),
    )
