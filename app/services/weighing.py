"""What-if reports: a setting beside the policy in force, in numbers that the page and the command share."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from app.services.evaluating import retriever_key
from app.services.whatif_data import PreparedRSG, PreparedRSQ, prepare_rsg, prepare_rsq
from app.services.whatif_setting import Setting, first_rule
from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.rate import Rate
from ragsieve_core.policy import Policy, PolicyRule, changes
from ragsieve_core.rsg.config import rsg_preset
from ragsieve_core.rsq.decision import TERMS
from ragsieve_core.whatif import rsg, rsq
from ragsieve_core.whatif.halves import HeldOut, chosen_threshold
from ragsieve_core.whatif.outcome import Flips, flips, truth_rates, volume
from ragsieve_core.whatif.ranking import needs_replay, recall_at
from ragsieve_core.whatif.refused import RefusedMoveError
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.policies import current_policy
from warehouse.principal import Principal

Prepared = PreparedRSQ | PreparedRSG
Scores = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Weighed:
    """Scores and flags of a setting and of the policy in force over the same rows.

    ``axis`` is what the setting's threshold ``axis_name`` cuts: the score, or under `paper` the density (integrity at
    1), because the published score saturates at the budget.
    """

    prepared: Prepared
    score: Scores
    flagged: Flags
    before_score: Scores
    before: Flags
    flips: Flips
    parameters: dict[str, dict[str, float]]
    notes: tuple[str, ...]
    axis: Scores
    axis_name: str


def prepare(wh: Warehouse, setting: Setting, *, principal: Principal) -> Prepared:
    """Read what the setting needs; the costly part, worth keeping."""
    given: dict[str, Any] = {"now": utc_now(), "principal": principal}
    if setting.detector == "rsq":
        return prepare_rsq(wh, setting.corpus, setting.rule, setting.retriever, **given)
    return prepare_rsg(wh, setting.corpus, setting.rule, setting.retriever, scan=setting.scan, **given)


def policy_now(wh: Warehouse, *, principal: Principal) -> Policy:
    """The policy in force."""
    found = current_policy(wh, principal=principal)
    return Policy(found.policy_id, found.rules) if found else Policy()


def weigh(prepared: Prepared, setting: Setting, policy: Policy) -> Weighed:
    """Rescore under the policy in force and under the setting; no reading, fast enough for a slider."""
    notes: list[str] = []
    moves = dict(setting.moves)
    if isinstance(prepared, PreparedRSQ):
        base = policy.applied(prepared.config, setting.corpus, setting.retriever)
        before_score, before = rsq.rescore(prepared.columns, base)
        score, flagged = rsq.rescore(prepared.columns, rsq.moved(base, moves))
        axis, axis_name = score, "eta_Q"
        parameters = {"in_force": _rsq_parameters(base), "proposed": _rsq_parameters(rsq.moved(base, moves))}
    else:
        preset = rsg_preset(setting.rule)
        held = policy.applied(preset, setting.corpus, prepared.encoder)
        try:
            old = rsg.rescore(prepared.columns, held)
            before_score, before = old.score, old.flagged
        except RefusedMoveError as refused:
            notes.append(f"in force cannot be worked out from this scan, so it stands as stored: {refused.what}")
            before, before_score = prepared.columns.flagged, np.zeros(prepared.columns.flagged.size)
        wanted = rsg.moved(held, moves)
        new = rsg.rescore(prepared.columns, wanted)
        score, flagged = new.score, new.flagged
        axis, axis_name = score, "eta_G"
        if new.density is not None:
            axis, axis_name = np.maximum(new.density.astype(np.float64), prepared.columns.integrity), "density_cut"
        parameters = {"in_force": _rsg_parameters(held), "proposed": _rsg_parameters(wanted)}
        if setting.rule == "paper" and "eta_G" in moves:
            notes.append(
                "eta_G stands on both sides of the published rule, in the score and in its threshold: it moves scores "
                "and no flag; alpha_G and density_cut move flags"
            )
    return Weighed(
        prepared,
        score,
        flagged,
        before_score,
        before,
        flips(before, flagged, prepared.verdict),
        parameters,
        tuple(notes),
        axis,
        axis_name,
    )


def _rsq_parameters(config: Any) -> dict[str, float]:
    named = {"eta_Q": config.threshold, "script_support": config.script_support}
    named |= {f"weight.{term}": value for term, value in zip(TERMS, config.weights, strict=True)}
    return named | {f"gate.{term}": value for term, value in zip(TERMS, config.gates, strict=True)}


def _rsg_parameters(config: Any) -> dict[str, float]:
    return {name: float(getattr(config, attribute)) for name, attribute in rsg.fields_of(config).items()}


def report(wh: Warehouse, setting: Setting, *, principal: Principal) -> dict[str, Any]:
    """The whole report as JSON values."""
    if setting.retriever:
        setting = replace(setting, retriever=retriever_key(wh, setting.retriever, principal=principal))
    if not setting.rule:
        setting = replace(setting, rule=first_rule(wh, setting.detector, setting.corpus, principal=principal))
    prepared = prepare(wh, setting, principal=principal)
    return report_of(weigh(prepared, setting, policy_now(wh, principal=principal)), setting)


def report_of(weighed: Weighed, setting: Setting) -> dict[str, Any]:
    """The report of rows that were weighed already."""
    prepared = weighed.prepared
    found: dict[str, Any] = {
        "detector": setting.detector,
        "rule": setting.rule,
        "corpus": setting.corpus,
        "retriever": setting.retriever,
        "scan": prepared.scan if isinstance(prepared, PreparedRSG) else None,
        "unit": "queries" if isinstance(prepared, PreparedRSQ) else "documents",
        "days": setting.days,
        "parameters": weighed.parameters,
        "in_force": side(prepared, weighed.before, setting.days),
        "proposed": side(prepared, weighed.flagged, setting.days),
        "raised": int(weighed.flips.raised.size),
        "released": int(weighed.flips.released.size),
        "contradicting": int(weighed.flips.contradicting.size),
        "flips": flip_rows(weighed, setting.listed),
        "needs_replay": None,
        "held_out": None,
        "notes": list(weighed.notes),
        "command": setting.command(),
    }
    if isinstance(prepared, PreparedRSG):
        flipped = weighed.flagged != weighed.before
        found["needs_replay"] = needs_replay(*prepared.reach, flipped)
        found["events"] = prepared.events
    if setting.choose_at is not None:
        found["held_out"] = held_out(weighed, setting.choose_at)
    return found


def side(prepared: Prepared, flagged: Flags, days: int) -> dict[str, Any]:
    """Volume and rates of one setting."""
    unit = prepared.columns.event if isinstance(prepared, PreparedRSQ) else None
    amount = volume(flagged, unit, prepared.age_days, days=days)
    rates = truth_rates(flagged, prepared.truth)
    found: dict[str, Any] = {name: _number(value) for name, value in asdict(amount).items() if name != "per_day"} | {
        "per_day": amount.per_day.tolist(),
        "basis": rates.basis,
    }
    for name in ("caught", "removed", "precision"):
        found[name] = _rate(getattr(rates, name))
    if isinstance(prepared, PreparedRSQ):
        value, judged = recall_at(prepared.ranking, flagged)
        found |= {"recall_at_5": _number(value), "recall_queries": judged}
    return found


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _rate(rate: Rate | None) -> dict[str, Any] | None:
    return None if rate is None else {name: _number(value) for name, value in asdict(rate).items()}


def flip_rows(weighed: Weighed, limit: int) -> list[dict[str, Any]]:
    """Documents whose flag changes: those against a person's verdict first, then the highest score."""
    against = set(weighed.flips.contradicting.tolist())
    rows = [*weighed.flips.raised.tolist(), *weighed.flips.released.tolist()]
    highest = np.maximum(weighed.score, weighed.before_score)
    rows.sort(key=lambda row: (row not in against, -highest[row], row))
    prepared = weighed.prepared
    found = []
    for row in rows[:limit]:
        entry: dict[str, Any] = {
            "document_id": str(prepared.document[row]),
            "before": float(weighed.before_score[row]),
            "after": float(weighed.score[row]),
            "flag": "raised" if weighed.flagged[row] else "released",
            "verdict": ("", "keep", "quarantine")[int(prepared.verdict[row])],
            "contradicts": row in against,
        }
        if isinstance(prepared, PreparedRSQ):
            entry["query_id"] = str(prepared.query[row])
        found.append(entry)
    return found


def held_out(weighed: Weighed, budget: float) -> dict[str, Any]:
    """A threshold for what this setting cuts, chosen on one half of the targets and reported on the other."""
    truth = weighed.prepared.truth
    if truth.basis != "labels":
        raise InputError(
            "a threshold is chosen on labelled rows of both kinds",
            where="--choose-at",
            expected="labels of an attack fixture",
            do="ragsieve label",
        )
    known = truth.poison >= 0
    chosen: HeldOut = chosen_threshold(weighed.axis[known], truth.poison[known] == 1, truth.cluster[known], budget)
    return {"parameter": weighed.axis_name, **asdict(chosen)}


def rules_with(policy: Policy, setting: Setting, *, everywhere: bool = False) -> tuple[PolicyRule, ...]:
    """The rules in force with this slice's parameters on top; nothing else is touched.

    Parameters
    ----------
    everywhere : for all corpora and retrievers instead of the setting's own.
    """
    corpus, encoder = ("", "") if everywhere else (setting.corpus, setting.retriever or "")
    key = (setting.detector, setting.rule, corpus, encoder)
    standing = next((dict(rule.moves) for rule in policy.rules if rule.key == key), {})
    fresh = PolicyRule(setting.detector, setting.rule, standing | dict(setting.moves), corpus, encoder)
    return (*(rule for rule in policy.rules if rule.key != key), fresh)


def loosening(policy: Policy, rules: tuple[PolicyRule, ...]) -> bool:
    """True where saving these rules would need a second person in shared use."""
    return any(change.loosens for change in changes(policy.rules, rules))
