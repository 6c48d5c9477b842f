"""Version A against version B over all stored queries of a corpus, from what is stored."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from app.services.replay_scores import ReplayScore, ranking_key, read_scores
from app.services.stored_queries import flags, published_config, stored_queries
from ragsieve_core.errors import InputError, nearest
from ragsieve_core.policy import Policy
from ragsieve_core.replay.compare import Comparison, compare
from ragsieve_core.replay.play import Played, Side, play
from ragsieve_core.replay.rankings import Bools, Integers, StoredRankings
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.presets import rsq_preset
from warehouse.comparing import compared_rankings
from warehouse.database import Warehouse
from warehouse.policies import current_policy, get_policy
from warehouse.principal import Principal
from warehouse.quarantine_versions import current_version, get_version

AS_ASKED: Final = "as-asked"
NONE: Final = "none"
IN_FORCE: Final = "in-force"
SOURCES: Final = ("query", "replay", "gate")


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
    ``left_out`` counts events that cannot be played at all, by reason.
    """

    wanted: Wanted
    events: pa.Table
    ranked: pa.Table
    rankings: StoredRankings
    a: Laid
    b: Laid
    found: Comparison
    left_out: Mapping[str, int]


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
    held = stored_queries(events, ranked)
    events, ranked, rankings, configs = held.events, held.ranked, held.rankings, held.configs
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
    return Compared(wanted, events, ranked, rankings, laid[0], laid[1], found, held.left_out)


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


def _config(then: RSQConfig, version: Version, policy: Policy | None, corpus: str, encoder: str | None) -> RSQConfig:
    """Parameters of an event under a version."""
    base = then if version.rule in ("", then.rule) else rsq_preset(version.rule)
    if version.policy == AS_ASKED:
        return base
    published = published_config(base)
    return published if policy is None else policy.applied(published, corpus, encoder)


def _numbered(configs: list[RSQConfig]) -> tuple[tuple[RSQConfig, ...], Integers]:
    """Distinct configurations, and the number of each one's."""
    numbers: dict[RSQConfig, int] = {}
    found = [numbers.setdefault(config, len(numbers)) for config in configs]
    return tuple(numbers), np.array(found, dtype=np.int32)
