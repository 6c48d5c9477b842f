"""RSQ evidence as flat records: the rows of `score-contexts` and of the candidate table."""

from __future__ import annotations

from typing import Any

from ragsieve_core.rsq.score import CandidateEvidence, RankingEvidence


def candidate_record(ranking: RankingEvidence, candidate: CandidateEvidence) -> dict[str, Any]:
    """One candidate as METHOD names its numbers; ``poison`` only where the input was labelled."""
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
    if candidate.poison is not None:
        record["poison"] = candidate.poison
    return record


def candidate_detail(ranking: RankingEvidence, candidate: CandidateEvidence) -> dict[str, Any]:
    """What the four terms of a candidate are made of, as JSON values: everything a reviewer is shown.

    Keys: ``anchor_tokens`` (token, K, x, p), ``script_counts``, ``script_runs``, ``script_transitions``,
    ``surprisal`` (per window: gate, burst and change with their token positions; ``nll`` and ``offsets``),
    ``alignment`` (``f1`` per window, token ``windows``, ``jump_at``, token ``offsets``),
    ``tail`` (document ids, mixed fractions, jumps).
    """
    trace = candidate.alignment.trace
    strange = candidate.surprisal
    return {
        "anchor_tokens": [{"token": t.token, "K": t.K, "x": t.x, "p": t.p} for t in candidate.anchor.tokens],
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
        },
    }
