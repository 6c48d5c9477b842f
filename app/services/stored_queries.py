"""Stored queries as a comparison of versions reads them: rankings as columns, and how each event was scored then."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from ragsieve_core.errors import InputError
from ragsieve_core.replay.rankings import Bools, Integers, StoredRankings
from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.presets import RSQ_PRESETS

HIDDEN: Final = "hidden_documents"
UNREADABLE: Final = "unreadable_parameters"
# Left a ranking by what a version decides; whatever else left stays out under every version
_DECIDED: Final = ("", "rsq", "quarantine")
_MOVED: Final = ("threshold", "weights", "gates", "script_support")
_TERMS: Final = ("e_anchor", "e_script", "e_surprisal", "e_alignment")


@dataclass(frozen=True, slots=True)
class StoredQueries:
    """Events that can be played again.

    Attributes
    ----------
    events, ranked : rows of compare_events.sql and compare_rankings.sql, in the order of ``rankings``.
    configs : how each event was scored.
    left_out : events that cannot be played, by reason: they ranked documents that the caller may not see, or what they
        say of their parameters cannot be read.
    """

    events: pa.Table
    ranked: pa.Table
    rankings: StoredRankings
    configs: tuple[RSQConfig, ...]
    left_out: dict[str, int]


def stored_queries(events: pa.Table, ranked: pa.Table) -> StoredQueries:
    """Events and their ranked documents as columns."""
    found = [
        _stored(text, rule) for text, rule in zip(*(events[n].to_pylist() for n in ("config", "rule")), strict=True)
    ]
    seen = events["hidden"].to_numpy() == 0
    readable = np.array([config is not None for config in found], dtype=np.bool_)
    events = events.filter(pa.array(seen & readable))
    configs = tuple(config for config, kept in zip(found, seen, strict=True) if kept and config is not None)
    codes = pa.compute.index_in(ranked["event_id"], value_set=events["event_id"].combine_chunks())
    inside = pa.compute.is_valid(codes)
    ranked, event = ranked.filter(inside), codes.filter(inside).to_numpy().astype(np.int32)
    # What a gate in shadow mode would have taken stands in for what it did, which is nothing
    place = ranked.schema.get_field_index("removed_by")
    ranked = ranked.set_column(place, "removed_by", pa.array(_removed(events, ranked, event), pa.string()))
    left = {HIDDEN: int((~seen).sum()), UNREADABLE: int((seen & ~readable).sum())}
    return StoredQueries(
        events, ranked, _rankings(events, ranked, event, configs), configs, {why: n for why, n in left.items() if n}
    )


def published_config(config: RSQConfig) -> RSQConfig:
    """The parameters with what a policy may move as its preset has it: the terms do not depend on it."""
    preset = RSQ_PRESETS.get(config.rule)
    if preset is None:
        return config
    return dataclasses.replace(config, **{name: getattr(preset, name) for name in _MOVED})


def flags(table: pa.Table, name: str) -> Bools:
    """A column of truth values."""
    return np.asarray(table[name].to_numpy(zero_copy_only=False), dtype=np.bool_)


def _rankings(events: pa.Table, ranked: pa.Table, event: Integers, configs: tuple[RSQConfig, ...]) -> StoredRankings:
    removed = np.array(ranked["removed_by"].to_pylist(), dtype=np.str_)
    terms = [ranked[name].to_numpy(zero_copy_only=False).astype(np.float64) for name in _TERMS]
    return StoredRankings(
        event=event,
        terms=np.column_stack(terms),
        stays_out=~np.isin(removed, _DECIDED),
        was_quarantined=removed == "quarantine",
        scored=flags(events, "scored"),
        state=np.array(events["state"].to_pylist(), dtype=np.str_),
        n=np.array([one.n for one in configs], dtype=np.int32),
        n_least=np.array([one.n_least for one in configs], dtype=np.int32),
        k=np.array([one.k for one in configs], dtype=np.int32),
    )


def _removed(events: pa.Table, ranked: pa.Table, event: Integers) -> list[str]:
    """What took each row out then; of a gate in shadow mode, what would have."""
    found: list[str] = ranked["removed_by"].to_pylist()
    shadow = pa.compute.indices_nonzero(pa.compute.is_valid(events["would"])).to_pylist()
    starts = np.searchsorted(event, np.array([shadow, [one + 1 for one in shadow]], dtype=np.int32))
    for place, start, end in zip(shadow, *starts.tolist(), strict=True):
        gone = (json.loads(events["would"][place].as_py()) or {}).get("removed", {})
        for row in range(start, end):
            found[row] = str(gone.get(ranked["document_id"][row].as_py(), ""))
    return found


@cache
def _stored(text: str, rule: str) -> RSQConfig | None:
    """How an event was scored, fields that it does not name as in the preset; None where that cannot be read."""
    kind = CalibratedRSQConfig if rule == "calibrated" else RSQConfig
    try:
        fields = {**json.loads(text), "rule": rule}
        known = {name: fields[name] for name in kind.__dataclass_fields__ if name in fields}
        given: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in known.items()}
        config = kind(**given)
        hash(config)
    except (InputError, TypeError, ValueError):
        # One event of a foreign program must not keep all others from being compared
        return None
    return config
