"""RSQ evidence as flat records: the rows of `score-contexts` and of the candidate table."""

from __future__ import annotations

from typing import Any

from ragsieve_core.rsq.anchor import AnchorToken
from ragsieve_core.rsq.calibrated.anchor import NearbyAnchors, WeightedToken
from ragsieve_core.rsq.calibrated.script import MisplacedScript
from ragsieve_core.rsq.evidence import CandidateEvidence, RankingEvidence


def candidate_record(ranking: RankingEvidence, candidate: CandidateEvidence) -> dict[str, Any]:
    """One candidate as METHOD names its numbers; ``poison`` only where the input was labelled.

    Under `calibrated` also ``coverage``, ``repeats_question``, ``copy_of`` and ``tail_short``.
    """
    record: dict[str, Any] = {
        "query_id": ranking.query_id,
        "condition": ranking.condition,
        "document_id": candidate.document_id,
        "rank": candidate.rank,
        "p_anchor": candidate.anchor.p_anchor,
        "e_anchor": candidate.anchor.e_anchor,
        "v_script": candidate.script.v_script,
        "p_script": candidate.script.p_script,
        "e_script": candidate.script.e_script,
    }
    for part in candidate.surprisal.windows:
        record[f"burst_{part.window}"] = part.burst
        record[f"change_{part.window}"] = part.change
    record |= {
        "e_surprisal": candidate.surprisal.e_surprisal,
        "alignment_jump": candidate.alignment.trace.jump,
        "p_alignment": candidate.alignment.p_alignment,
        "e_alignment": candidate.alignment.e_alignment,
        "score": candidate.score,
        "flagged": candidate.flagged,
    }
    if isinstance(candidate.anchor, NearbyAnchors):
        record |= {
            "coverage": candidate.anchor.coverage,
            "repeats_question": candidate.repeats_question,
            "copy_of": candidate.copy_of,
            "tail_short": ranking.tail_short,
        }
    if candidate.poison is not None:
        record["poison"] = candidate.poison
    return record


def candidate_detail(ranking: RankingEvidence, candidate: CandidateEvidence) -> dict[str, Any]:
    """What the four terms of a candidate are made of, as JSON values: everything a reviewer is shown.

    Keys: ``anchor_tokens`` (token, K, x, p), ``script_counts``, ``script_runs``, ``script_transitions``,
    ``surprisal`` (per window: gate, burst and change with their token positions; ``nll`` and ``offsets``),
    ``alignment`` (``f1`` per window, token ``windows``, ``jump_at``, token ``offsets``),
    ``tail`` (document ids, mixed fractions, jumps).

    Under `calibrated` an anchor token has its ``weight``, and ``head`` and ``compared`` of its test, and ``tail`` also
    holds ``guard_ids``, ``short``, ``word_weights`` and what the candidate's terms rest on, ``candidate``:
    ``coverage``, ``windows`` (character spans), ``repeats_question``, ``copy_of``, ``misplaced``, ``letters`` and
    ``findings`` of misplaced letters.
    """
    trace = candidate.alignment.trace
    strange = candidate.surprisal
    return {
        "anchor_tokens": [_token(token) for token in candidate.anchor.tokens],
        "script_counts": [list(pair) for pair in candidate.script.profile.counts],
        "script_transitions": candidate.script.profile.transitions,
        "script_runs": [
            {"script": r.script, "start": r.start, "end": r.end, "letters": r.letters} for r in candidate.script.runs
        ],
        "surprisal": {
            "windows": [
                {
                    "window": w.window,
                    "gate": w.gate,
                    "burst": w.burst,
                    "burst_at": w.burst_at,
                    "change": w.change,
                    "change_at": w.change_at,
                }
                for w in strange.windows
            ],
            "nll": [round(float(v), 4) for v in strange.nll],
            "offsets": strange.offsets.tolist(),
        },
        "alignment": {
            "f1": [round(float(v), 6) for v in trace.f1],
            "windows": trace.windows.tolist(),
            "jump_at": trace.jump_at,
            "offsets": candidate.alignment.offsets.tolist(),
        },
        "tail": {
            "document_ids": list(ranking.tail_ids),
            "v_script": list(ranking.tail_script),
            "alignment_jump": list(ranking.tail_jumps),
            **_calibrated(ranking, candidate),
        },
    }


def _token(token: AnchorToken) -> dict[str, Any]:
    found = {"token": token.token, "K": token.K, "x": token.x, "p": token.p}
    if isinstance(token, WeightedToken):
        found |= {"weight": token.weight, "head": token.head, "compared": token.compared}
    return found


def _calibrated(ranking: RankingEvidence, candidate: CandidateEvidence) -> dict[str, Any]:
    anchor, script = candidate.anchor, candidate.script
    if not isinstance(anchor, NearbyAnchors) or not isinstance(script, MisplacedScript):
        return {}
    return {
        "guard_ids": list(ranking.guard_ids),
        "short": ranking.tail_short,
        "word_weights": ranking.word_weights,
        "candidate": {
            "coverage": anchor.coverage,
            "windows": [list(span) for span in anchor.windows],
            "repeats_question": candidate.repeats_question,
            "copy_of": candidate.copy_of,
            "misplaced": script.misplaced,
            "letters": script.letters,
            "findings": [
                {"kind": f.kind, "start": f.start, "end": f.end, "families": list(f.families)} for f in script.findings
            ],
        },
    }
