"""Scores of stored rankings under versions they were not asked under, kept beside the warehouse.

Texts of a version never change and features depend on texts alone, so a score once made holds. Nothing here is an
event: no alert opens, no reach is counted. The files can be thrown away; the next run makes them again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warehouse.ids import canonical_json, new_id
from warehouse.side import Side

FOLDER = "replays"


@dataclass(frozen=True, slots=True)
class ReplayScore:
    """RSQ of one ranking as it survives a version.

    Attributes
    ----------
    key : of event, rule and the documents looked at (:func:`ranking_key`).
    state : ok or tail_contaminated, with the alerts that were open when it was scored.
    terms : document id -> anchor, script, surprisal, alignment, each >= 0, higher = more suspicious.
    """

    key: str
    event: str
    state: str
    terms: Mapping[str, Sequence[float]]


def ranking_key(event: str, rule_key: str, scope: str, documents: Sequence[tuple[str, int | None]]) -> str:
    """Name of a ranking to score: the event, the parameters of the terms, and (id, version) of what RSQ looks at.

    ``scope`` of the caller: weights of words are counted over what the caller may see, so callers of different tenants
    have scores of their own.
    """
    text = canonical_json([event, rule_key, scope, [[name, version] for name, version in documents]])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_scores(side: Side) -> dict[str, ReplayScore]:
    """Everything scored so far, by key; a file that cannot be read counts as absent."""
    found: dict[str, ReplayScore] = {}
    for file in sorted(side.folder(FOLDER).glob("*.jsonl")):
        try:
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            found |= {row["key"]: ReplayScore(**row) for row in rows}
        except (OSError, ValueError, TypeError, KeyError):
            continue
    return found


def stamp(side: Side) -> str:
    """Changes whenever something was scored: part of the key of whatever is derived from it."""
    return max((file.name for file in side.folder(FOLDER).glob("*.jsonl")), default="")


def keep_scores(side: Side, scores: Iterable[ReplayScore]) -> None:
    """Add scores; the file is there whole or not at all."""
    rows: list[dict[str, Any]] = [
        {"key": s.key, "event": s.event, "state": s.state, "terms": {n: list(t) for n, t in s.terms.items()}}
        for s in scores
    ]
    if rows:
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        side.write(side.folder(FOLDER) / f"{new_id('replay')}.jsonl", lambda stream: stream.write(text))
