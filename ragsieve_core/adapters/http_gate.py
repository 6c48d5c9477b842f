"""A client of the HTTP gate (`ragsieve serve --gate`) with the standard library alone."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragsieve_core.document import RankedDocument
from ragsieve_core.errors import InputError, RagsieveError
from ragsieve_core.gate.answer import ContextDocument, GateRemoval, GateState, Match, Status

_LARGEST = 64 << 20


class GateUnavailableError(RagsieveError):
    """The gate gave no answer: whether a prompt may go on without one is the caller's to say."""


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """What an HTTP gate answered; ``shown`` holds all of it."""

    event_id: str
    state: GateState
    context: tuple[ContextDocument, ...]
    removed: tuple[GateRemoval, ...]
    shown: Mapping[str, Any]


class HttpGate:
    """Calls a gate over HTTP. Safe to share between threads: every call has a connection of its own.

    Parameters
    ----------
    url : ``http://127.0.0.1:8502``, or ``https://…`` of a proxy in front of it.
    token : secret of a token of scope gate; empty for a gate that asks for none.
    timeout_s : seconds to wait for an answer; more than the gate's own budget.
    """

    def __init__(self, url: str, token: str = "", timeout_s: float = 30.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise InputError("no web address", where=f"url {url!r}", expected="http://127.0.0.1:8502")
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._path, self._token, self._timeout = parts.path.rstrip("/"), token, timeout_s

    def filter(
        self,
        query: str,
        ranking: Sequence[RankedDocument],
        *,
        groups: Iterable[str] | None = None,
        index_version: str = "",
        query_id: str = "",
    ) -> RemoteAnswer:
        """The context for a ranking.

        Raises
        ------
        InputError : the gate refused the call, with its reason.
        GateUnavailableError : no answer, or nothing is in force.
        """
        documents = [{"id": d.id, "text": d.text, "similarity": d.similarity} for d in ranking]
        texts = {document.id: document.text for document in ranking}
        asked: dict[str, Any] = {"query": query, "documents": documents, "groups": _listed(groups)}
        return _answer(self._post("/v1/filter", asked | {"index_version": index_version, "query_id": query_id}), texts)

    def retrieve(self, query: str, groups: Iterable[str] = (), *, query_id: str = "") -> RemoteAnswer:
        """The context for a query, ranked by the gate; errors as for :meth:`filter`."""
        return _answer(
            self._post("/v1/retrieve", {"query": query, "groups": _listed(groups), "query_id": query_id}), {}
        )

    def record_answer(self, event_id: str, answer_id: str, cited_ids: Sequence[str]) -> Mapping[str, Any]:
        """Say which documents an answer cited; errors as for :meth:`filter`."""
        return self._post("/v1/answers", {"event": event_id, "answer": answer_id, "cited": list(cited_ids)})

    def _post(self, path: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout)
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            connection.request("POST", self._path + path, json.dumps(dict(asked)).encode("ascii"), headers)
            answer = connection.getresponse()
            found = json.loads(answer.read(_LARGEST))
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise GateUnavailableError(
                f"the gate gave no answer ({error})", where=self._host, do="look at `ragsieve serve --gate`"
            ) from error
        finally:
            connection.close()
        if answer.status == 200 and isinstance(found, dict):
            return found
        told = found if isinstance(found, dict) else {}
        what = str(told.get("error") or told.get("state") or "refused")
        where = str(told.get("where") or self._host)
        if 400 <= answer.status < 500 and answer.status not in (408, 429):
            raise InputError(f"{what} (status {answer.status})", where=where, expected=str(told.get("expected") or ""))
        raise GateUnavailableError(f"{what} (status {answer.status})", where=where)


def _listed(groups: Iterable[str] | None) -> list[str] | None:
    return None if groups is None else list(groups)


def _answer(found: Mapping[str, Any], texts: Mapping[str, str]) -> RemoteAnswer:
    try:
        context = tuple(
            ContextDocument(
                str(entry["document_id"]),
                int(entry["original_rank"]),
                str(entry.get("text", texts.get(entry["document_id"], ""))),
                entry["similarity"],
                Status(entry["status"]),
                Match(entry["match"]),
            )
            for entry in found["context"]
        )
        removed = tuple(GateRemoval(**entry) for entry in found["removed"])
        return RemoteAnswer(str(found["event"]), GateState(found["state"]), context, removed, found)
    except (KeyError, TypeError, ValueError) as error:
        raise GateUnavailableError(f"not an answer of a gate ({error})", where="answer") from error
