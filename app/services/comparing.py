"""Version A against version B over all stored queries of a corpus, from what is stored."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from app.services.replay_scores import ReplayScore, ranking_key, read_scores
from ragsieve_core.errors import InputError, nearest
from ragsieve_core.policy import Policy
from ragsieve_core.replay.compare import Comparison, compare
from ragsieve_core.replay.play import Played, Side, play
from ragsieve_core.replay.rankings import Bools, Integers, StoredRankings
from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.presets import RSQ_PRESETS, rsq_preset
from warehouse.comparing import compared_rankings
from warehouse.database import Warehouse
from warehouse.policies import current_policy, get_policy
from warehouse.principal import Principal
from warehouse.quarantine_versions import current_version, get_version

AS_ASKED: Final = "as-asked"
NONE: Final = "none"
IN_FORCE: Final = "in-force"
SOURCES: Final = ("query", "replay", "gate")
# Left a ranking by what a version decides; whatever else left stays out under every version
_DECIDED: Final = ("", "rsq", "quarantine")
_MOVED: Final = ("threshold", "weights", "gates", "script_support")
_TERMS: Final = ("e_anchor", "e_script", "e_surprisal", "e_alignment")


@dataclass(frozen=True, slots=True)
class Version:
    """One side.

    Attributes
    ----------
    quarantine : a version's id, ``none``, ``in-force``, or ``as-asked`` = the one that each query met.
    policy : likewise; ``none`` = the presets as published.
    rule : preset of RSQ; empty = the one each query was scored by.
    """

    quarantine: str = AS_ASKED
    policy: str = AS_ASKED
    rule: str = ""

    def __post_init__(self) -> None:
        if self.rule:
            rsq_preset(self.rule)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to compare over which stored queries; empty filters match all. ``warehouse`` is a name for the command."""

    corpus: str
    a: Version = field(default_factory=Version)
    b: Version = field(default_factory=Version)
    source: str = ""
    rule: str = ""
    condition: str = ""
    event: str = ""
    warehouse: str = ""

    def __post_init__(self) -> None:
        if self.source and self.source not in SOURCES:
            raise InputError(
                f"unknown source {self.source!r}", where="--source", expected=nearest(self.source, SOURCES)
            )

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Wanted:
        """From JSON values."""
        known = {name: given[name] for name in cls.__dataclass_fields__ if name in given}
        return cls(**{**known, "a": Version(**known.get("a", {})), "b": Version(**known.get("b", {}))})

    def command(self) -> str:
        """The command that gives the same numbers."""
        words = ["ragsieve", "compare", self.a.quarantine, self.b.quarantine, "--corpus", self.corpus]
        for end, version in (("a", self.a), ("b", self.b)):
            words += [f"--policy-{end}", version.policy] if version.policy != AS_ASKED else []
            words += [f"--rule-{end}", version.rule] if version.rule else []
        for name in ("source", "rule", "condition", "event", "warehouse"):
            words += [f"--{name}", value] if (value := str(getattr(self, name))) else []
        return shlex.join(words)


@dataclass(frozen=True, slots=True)
class Laid:
    """One version over the rows: how it was played, and by which parameters each event was scored."""

    version: Version
    side: Side
    played: Played


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions over the stored queries.

    ``events`` and ``ranked`` are rows of compare_events.sql and compare_rankings.sql, in the order of ``rankings``.
    ``hidden`` counts events left out because they ranked documents that the caller may not see.
    """

    wanted: Wanted
    events: pa.Table
    ranked: pa.Table
    rankings: StoredRankings
    a: Laid
    b: Laid
    found: Comparison
    hidden: int


def resolved(wh: Warehouse, version: Version, *, principal: Principal) -> Version:
    """The version with ``in-force`` replaced by what is in force now.

    Raises
    ------
    InputError : an unknown version.
    """
    quarantine, policy = version.quarantine, version.policy
    if quarantine == IN_FORCE:
        current = current_version(wh, principal=principal)
        quarantine = current.quarantine_id if current else NONE
    elif quarantine not in (AS_ASKED, NONE):
        get_version(wh, quarantine, principal=principal)
    if policy == IN_FORCE:
        standing = current_policy(wh, principal=principal)
        policy = standing.policy_id if standing else NONE
    elif policy not in (AS_ASKED, NONE):
        get_policy(wh, policy, principal=principal)
    return Version(quarantine, policy, version.rule)


def compared(wh: Warehouse, wanted: Wanted, *, principal: Principal) -> Compared:
    """Play the stored queries under both versions.

    Raises
    ------
    InputError : unknown corpus, version or rule.
    """
    a, b = (resolved(wh, version, principal=principal) for version in (wanted.a, wanted.b))
    ids = ["" if one.quarantine in (AS_ASKED, NONE) else one.quarantine for one in (a, b)]
    events, ranked = compared_rankings(
        wh,
        wanted.corpus,
        *ids,
        principal=principal,
        source=wanted.source,
        rule=wanted.rule,
        condition=wanted.condition,
        event=wanted.event,
    )
    seen = events["hidden"].to_numpy() == 0
    events = events.filter(pa.array(seen))
    codes = pa.compute.index_in(ranked["event_id"], value_set=events["event_id"].combine_chunks())
    inside = pa.compute.is_valid(codes)
    ranked, event = ranked.filter(inside), codes.filter(inside).to_numpy().astype(np.int32)
    # What a gate in shadow mode would have taken stands in for what it did, which is nothing
    place = ranked.schema.get_field_index("removed_by")
    ranked = ranked.set_column(place, "removed_by", pa.array(_removed(events, ranked, event), pa.string()))
    configs = [_stored(text, rule) for text, rule in _pairs(events, "config", "rule")]
    rankings = _rankings(events, ranked, event, configs)
    scores = read_scores(wh.side)
    policies = {
        one.policy: Policy(one.policy, get_policy(wh, one.policy, principal=principal).rules)
        for one in (a, b)
        if one.policy not in (AS_ASKED, NONE)
    }
    keys = events["encoder_key"].to_pylist()
    laid: list[Laid] = []
    for end, version in (("a", a), ("b", b)):
        own = [
            _config(config, version, policies.get(version.policy), wanted.corpus, key)
            for config, key in zip(configs, keys, strict=True)
        ]
        other = np.array([one.rule != then.rule for one, then in zip(own, configs, strict=True)], dtype=np.bool_)
        out = rankings.was_quarantined if version.quarantine == AS_ASKED else flags(ranked, f"in_{end}")
        side = _side(own, other, out, ranked.num_rows)
        laid.append(_lay(rankings, events, ranked, version, side, scores, principal.scope_key()))
    numbers = _numbered([one.side.configs[number] for one in laid for number in one.side.config])
    same = numbers[1][: len(configs)] == numbers[1][len(configs) :]
    found = compare(rankings, laid[0].played, laid[1].played, same)
    return Compared(wanted, events, ranked, rankings, laid[0], laid[1], found, int((~seen).sum()))


def published_config(config: RSQConfig) -> RSQConfig:
    """The parameters with what a policy may move as its preset has it: the terms do not depend on it."""
    preset = RSQ_PRESETS.get(config.rule)
    if preset is None:
        return config
    return dataclasses.replace(config, **{name: getattr(preset, name) for name in _MOVED})


def score_name(done: Compared, laid: Laid, event: int, scope: str) -> tuple[str, list[int]]:
    """Name under which the score of a ranking is kept, and the rows that RSQ looks at, in rank order."""
    rows = _looked_at(done.rankings, laid.played, event)
    config = laid.side.configs[laid.side.config[event]]
    return _name(done.events, done.ranked, event, rows, config, scope), rows


def _side(own: list[RSQConfig], other: Bools, out: Bools, rows: int) -> Side:
    configs, number = _numbered(own)
    return Side(
        quarantined=out,
        configs=configs or (RSQConfig(),),
        config=number,
        other_rule=other,
        scored_anew=np.zeros(len(own), dtype=np.bool_),
        terms=np.full((rows, 4), np.nan),
        state=np.full(len(own), "", dtype="<U32"),
    )


def _lay(
    rankings: StoredRankings,
    events: pa.Table,
    ranked: pa.Table,
    version: Version,
    side: Side,
    scores: Mapping[str, ReplayScore],
    scope: str,
) -> Laid:
    """Play a version; where its ranking was scored since, those scores are laid over what is stored."""
    played = play(rankings, side)
    waiting = [int(event) for event in np.flatnonzero(played.unknown != "")]
    if not waiting or not scores:
        return Laid(version, side, played)
    known, ids = {score.event for score in scores.values()}, events["event_id"].to_pylist()
    for event in waiting:
        if ids[event] not in known:
            continue
        rows = _looked_at(rankings, played, event)
        score = scores.get(_name(events, ranked, event, rows, side.configs[side.config[event]], scope))
        if score is not None:
            side.scored_anew[event] = True
            side.state[event] = score.state
            for row in rows:
                side.terms[row] = score.terms.get(ranked["document_id"][row].as_py(), (np.nan,) * 4)
    return Laid(version, side, play(rankings, side))


def _looked_at(rankings: StoredRankings, played: Played, event: int) -> list[int]:
    start, end = rankings.starts[event : event + 2]
    return [int(row) for row in start + np.flatnonzero(played.looked_at[start:end])]


def _name(events: pa.Table, ranked: pa.Table, event: int, rows: list[int], config: RSQConfig, scope: str) -> str:
    part = ranked.select(["document_id", "version_id"]).take(rows).to_pydict()
    seen = list(zip(part["document_id"], part["version_id"], strict=True))
    return ranking_key(events["event_id"][event].as_py(), _rule_key(config), scope, seen)


@cache
def _rule_key(config: RSQConfig) -> str:
    return published_config(config).key


def _rankings(events: pa.Table, ranked: pa.Table, event: Integers, configs: list[RSQConfig]) -> StoredRankings:
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


def _config(then: RSQConfig, version: Version, policy: Policy | None, corpus: str, encoder: str | None) -> RSQConfig:
    """Parameters of an event under a version."""
    base = then if version.rule in ("", then.rule) else rsq_preset(version.rule)
    if version.policy == AS_ASKED:
        return base
    published = published_config(base)
    return published if policy is None else policy.applied(published, corpus, encoder)


@cache
def _stored(text: str, rule: str) -> RSQConfig:
    """The configuration that an event was scored by; fields it does not name are those of the preset."""
    fields = {**json.loads(text), "rule": rule}
    kind = CalibratedRSQConfig if rule == "calibrated" else RSQConfig
    known = {name: fields[name] for name in kind.__dataclass_fields__ if name in fields}
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}
    return kind(**given)


def _numbered(configs: list[RSQConfig]) -> tuple[tuple[RSQConfig, ...], Integers]:
    """Distinct configurations, and the number of each one's."""
    numbers: dict[RSQConfig, int] = {}
    found = [numbers.setdefault(config, len(numbers)) for config in configs]
    return tuple(numbers), np.array(found, dtype=np.int32)


def _pairs(table: pa.Table, one: str, two: str) -> list[tuple[str, str]]:
    return list(zip(table[one].to_pylist(), table[two].to_pylist(), strict=True))


def flags(table: pa.Table, name: str) -> Bools:
    """A column of truth values."""
    return np.asarray(table[name].to_numpy(zero_copy_only=False), dtype=np.bool_)
