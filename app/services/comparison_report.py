"""A comparison of two versions in numbers: counts with their n, states, documents that move, queries page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

import numpy as np
import pyarrow as pa

from app.services.comparing import Compared
from app.services.stored_queries import HIDDEN, UNREADABLE, flags
from ragsieve_core.replay.play import Unknown

NO_QUESTION: Final = "question_not_kept"
NO_TEXT: Final = "text_not_kept"
SCORABLE: Final = (Unknown.RANKING_CHANGED.value, Unknown.OTHER_RULE.value, Unknown.NEVER_SCORED.value)
"""Why an event is not compared, where the models can mend it."""
UNKNOWN_WORDS: Final[Mapping[str, str]] = {
    Unknown.RANKING_CHANGED.value: "RSQ would look at other documents than then, which the models must score",
    Unknown.OTHER_RULE.value: "scored by another rule, so the models must score again",
    Unknown.NEVER_SCORED.value: "not scored then, so the models must score now",
    NO_QUESTION: "the question's text was not kept, so nothing can score it",
    NO_TEXT: "a ranked text is not kept, so nothing can score it",
    HIDDEN: "ranked documents that you may not see",
    UNREADABLE: "say nothing readable of their parameters",
}


def reasons(done: Compared) -> list[str]:
    """Per event why it cannot be compared, empty where it can; what no model could mend goes first."""
    first = np.where(done.a.played.unknown != "", done.a.played.unknown, done.b.played.unknown)
    found = np.where(done.found.compared, "", first).astype("<U32")
    lost = done.rankings.any_row(~flags(done.ranked, "has_text") & (done.a.played.looked_at | done.b.played.looked_at))
    unasked = pa.compute.is_null(done.events["query_text"]).to_numpy(zero_copy_only=False)
    found[(found != "") & lost] = NO_TEXT
    found[(found != "") & unasked] = NO_QUESTION
    return [str(one) for one in found]


def report(done: Compared, *, listed: int = 20) -> dict[str, Any]:
    """The comparison as JSON values: counts with their n, states under each version, documents, queries that differ."""
    found, why = done.found, reasons(done)
    reason, number = np.unique([one for one in why if one], return_counts=True)
    left = {str(one): int(count) for one, count in zip(reason, number, strict=True)}
    left |= done.left_out
    moves = documents(done)
    queries, changed = len(why) + sum(done.left_out.values()), int(found.changed.sum())
    whole = int(found.compared.sum())
    return {
        "corpus": done.wanted.corpus,
        "a": asdict(done.a.version),
        "b": asdict(done.b.version),
        "queries": queries,
        "compared": whole,
        "not_compared": left,
        "changed": changed,
        "changed_share": changed / whole if whole else None,
        "entering": sum(bool(row["enters"]) for row in moves),
        "leaving": sum(bool(row["leaves"]) for row in moves),
        "entries": int(found.enters.sum()),
        "exits": int(found.leaves.sum()),
        "states": [{"state": state, "a": count[0], "b": count[1]} for state, count in sorted(_states(done).items())],
        "tail_short": {"a": int(done.a.played.tail_short.sum()), "b": int(done.b.played.tail_short.sum())},
        "documents": moves[:listed],
        "rows": queries_page(done, "changed", limit=listed)[0],
        "command": done.wanted.command(),
    }


def documents(done: Compared) -> list[dict[str, Any]]:
    """Documents that enter or leave a context, those that move most often first, with the queries of each kind."""
    names = done.ranked["document_id"].to_numpy(zero_copy_only=False)
    counts: dict[str, list[int]] = {}
    for side, inside in enumerate((done.found.enters, done.found.leaves)):
        for name in names[inside]:
            counts.setdefault(str(name), [0, 0])[side] += 1
    rows = [{"document_id": name, "enters": one, "leaves": two} for name, (one, two) in counts.items()]
    return sorted(rows, key=lambda row: (-(row["enters"] + row["leaves"]), row["document_id"]))


def queries_page(done: Compared, show: str, *, limit: int = 50, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
    """One page of queries and their number: ``changed``, ``same``, ``not_compared``, or all with an empty name.

    Most moved first, then the latest; rows for the page alone are made.
    """
    found, why = done.found, reasons(done)
    kind = np.select([found.changed, found.compared], ["changed", "same"], "not_compared")
    chosen = np.arange(kind.size) if not show else np.flatnonzero(kind == show)
    asked = done.events["occurred_at"].to_numpy()[chosen].astype("datetime64[us]").astype(np.int64)
    order = chosen[np.lexsort((chosen, -asked, -found.moves[chosen]))]
    names = done.ranked["document_id"]
    rows = []
    for event in order[offset : offset + limit]:
        start, end = done.rankings.starts[event : event + 2]
        own = {
            name: done.events[name][int(event)].as_py()
            for name in ("event_id", "query_id", "query_text", "condition", "source")
        }
        moves = {
            name: [names[int(start + row)].as_py() for row in np.flatnonzero(mask[start:end])]
            for name, mask in (("enters", found.enters), ("leaves", found.leaves))
        }
        rows.append(
            own
            | {
                "outcome": str(kind[event]),
                "why_not": why[event],
                "state_a": str(done.a.played.state[event]),
                "state_b": str(done.b.played.state[event]),
                "moves": int(found.moves[event]),
                **moves,
                "asked": done.events["occurred_at"][int(event)].as_py().isoformat(),
            }
        )
    return rows, int(chosen.size)


def _states(done: Compared) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for side, laid in enumerate((done.a, done.b)):
        for state, number in zip(*np.unique(laid.played.state, return_counts=True), strict=True):
            counts.setdefault(str(state), [0, 0])[side] = int(number)
    return counts
