"""Scoring what a comparison of versions cannot answer from stored scores: rankings that a version changes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.services.asking import snapshot_frequencies
from app.services.comparing import Compared, Wanted, compared, score_name
from app.services.comparison_report import SCORABLE, reasons
from app.services.events import CHUNK, model_versions
from app.services.owner_access import OwnerAccess
from app.services.replay_scores import ReplayScore, keep_scores
from app.services.stored_queries import published_config
from ragsieve_core.document import RankedContext, RankedDocument, document_text
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.rsq import DocumentFrequencies, RankingEvidence, RSQConfig, score_contexts
from ragsieve_core.serial import InForce, RankingState, tail_suspects
from warehouse.comparing import version_texts
from warehouse.snapshots import load_snapshot

Tell = Callable[[str, int, int], None]
OTHER_MODELS = "other_models"


@dataclass(frozen=True, slots=True)
class Rescored:
    """Rankings scored by this run, and events left out by reason (other than what scoring cannot mend anyway)."""

    scored: int
    left: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Work:
    key: str
    event: int
    rows: tuple[int, ...]
    config: RSQConfig
    snapshot: str | None


def rescore(access: OwnerAccess, wanted: Wanted, features: Features, tell: Tell) -> Rescored:
    """Score every ranking that stands between the two versions and a comparison; keep the scores.

    Committed in chunks of 16 rankings: what was interrupted goes on from there. Only with the models that scored the
    event: else the difference would be one of models and not of versions.

    Parameters
    ----------
    tell : called with a title, rankings done and rankings in all; whatever it raises ends the run.
    """
    wh, who = access.wh, access.principal
    done = compared(wh, wanted, principal=who)
    used = model_versions(features)
    work, left = _work(done, used, who.scope_key())
    tell("scoring rankings", 0, len(work))
    alerted = access.open_rsg_alerts(wanted.corpus) if work else frozenset()
    groups: dict[tuple[RSQConfig, str | None], list[_Work]] = {}
    for one in work:
        groups.setdefault((one.config, one.snapshot), []).append(one)
    finished = 0
    for (config, snapshot), part in groups.items():
        weights = _weights(access, snapshot, config)
        for start in range(0, len(part), CHUNK):
            chunk = part[start : start + CHUNK]
            scores = _scored(access, done, chunk, config, features, weights, alerted)
            features.flush()
            keep_scores(wh.side, scores)
            finished += len(chunk)
            tell("scoring rankings", finished, len(work))
    return Rescored(len(work), left)


def _work(done: Compared, used: Mapping[str, str], scope: str) -> tuple[list[_Work], dict[str, int]]:
    found: dict[str, _Work] = {}
    left: Counter[str] = Counter()
    for event, why in enumerate(reasons(done)):
        if why not in SCORABLE:
            continue
        then: dict[str, str] = json.loads(done.events["model_versions"][event].as_py() or "{}")
        if any(used.get(role) != key for role, key in then.items()):
            left[OTHER_MODELS] += 1
            continue
        for laid in (done.a, done.b):
            if laid.played.unknown[event]:
                key, rows = score_name(done, laid, event, scope)
                config = published_config(laid.side.configs[laid.side.config[event]])
                snapshot = done.events["snapshot_id"][event].as_py()
                found[key] = _Work(key, event, tuple(rows), config, snapshot)
    return list(found.values()), dict(left)


def _weights(access: OwnerAccess, snapshot: str | None, config: RSQConfig) -> DocumentFrequencies | None:
    """Weights of words as the event had them: of its snapshot, none for a ranking that came without one."""
    if snapshot is None or config.rule == "paper":
        return None
    held = load_snapshot(access.wh, snapshot, principal=access.principal)
    return snapshot_frequencies(held.full_texts(), config)


def _scored(
    access: OwnerAccess,
    done: Compared,
    chunk: list[_Work],
    config: RSQConfig,
    features: Features,
    weights: DocumentFrequencies | None,
    alerted: frozenset[str],
) -> list[ReplayScore]:
    names, versions = done.ranked["document_id"], done.ranked["version_id"]
    wanted = sorted({int(versions[row].as_py()) for one in chunk for row in one.rows})
    texts = version_texts(access.wh, wanted, principal=access.principal)
    near = access.retained_neighbors(done.wanted.corpus, wanted)
    contexts = [_context(done, one, names, versions, texts) for one in chunk]
    scored = score_contexts(
        contexts,
        features.causal_lm,
        features.trace_encoder,
        config,
        frequencies=weights,
        lexical=features.lexical_for(config),
    )
    results = []
    for one, context, evidence in zip(chunk, contexts, scored, strict=True):
        fellows = {names[row].as_py(): near.get(int(versions[row].as_py()), frozenset()) for row in one.rows}
        results.append(
            ReplayScore(
                one.key,
                done.events["event_id"][one.event].as_py(),
                _state(context, evidence, InForce(alerted=alerted, retained_neighbors=fellows), config),
                _terms(evidence),
            )
        )
    return results


def _context(
    done: Compared, one: _Work, names: Any, versions: Any, texts: Mapping[int, tuple[str, str]]
) -> RankedContext:
    documents = []
    for place, row in enumerate(one.rows, start=1):
        title, text = texts[int(versions[row].as_py())]
        documents.append(RankedDocument(names[row].as_py(), place, document_text(text, title)))
    event = done.events.slice(one.event, 1).to_pylist()[0]
    return RankedContext(event["query_id"], event["query_text"], event["condition"], tuple(documents))


def _state(context: RankedContext, evidence: RankingEvidence, force: InForce, config: RSQConfig) -> str:
    behind = frozenset(evidence.tail_ids)
    tail = [document for document in context.documents if document.id in behind]
    suspect = tail_suspects(context.documents[: config.k], tail, force)
    return (RankingState.TAIL_CONTAMINATED if suspect else RankingState.OK).value


def _terms(evidence: RankingEvidence) -> dict[str, tuple[float, float, float, float]]:
    return {
        one.document_id: (
            one.anchor.e_anchor,
            one.script.e_script,
            one.surprisal.e_surprisal,
            one.alignment.e_alignment,
        )
        for one in evidence.candidates
    }
