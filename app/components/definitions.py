"""What every number on a screen is: shown name, and the definition that stands on hover."""

from __future__ import annotations

from typing import Final

NAMES: Final = {
    "severity": "Severity",
    "score": "Score",
    "threshold": "Threshold",
    "rank": "Rank",
    "reach": "Reach",
    "retrieved": "Retrieved",
    "in_context": "In context",
    "campaign_size": "Campaign",
    "kind": "Kind",
    "opened_at": "Age",
    "status": "Status",
    "density": "Density",
    "floor": "Floor",
    "eligible_neighbors": "Retained",
    "tail_probability": "Tail probability",
    "integrity": "Integrity",
    "topology_score": "Topology score",
    "cosine": "Cosine",
    "jaccard": "Jaccard",
}

DEFINITIONS: Final = {
    "severity": "0 to 100. Orders the queue and nothing else: 40 for the score (full at twice the threshold), 25 for "
    "reach (full at 99 contexts), 15 for the campaign (full at five members), 10 for distrust, 10 for the risk tier.",
    "score": "What the rule compares with the threshold. No unit; higher is more suspicious. RSQ: sum of four terms. "
    "RSG: 0 to 1.",
    "threshold": "A score at or above it is flagged. η_Q for RSQ, η_G for RSG.",
    "rank": "Place in the ranking that the detector saw, 1 = first.",
    "reach": "Answers it got into / times it was retrieved, in the recorded retrieval events.",
    "retrieved": "Recorded retrieval events whose ranking held this document.",
    "in_context": "Recorded retrieval events whose final context held this document.",
    "campaign_size": "Documents in the connected group it was found in; 1 = alone.",
    "kind": "What an alert of the corpus rests on. isolation: a group apart from the rest. integrity: mixed writing "
    "systems. copies: the same words from several places, triage only. Empty for RSQ.",
    "opened_at": "Time since the alert was opened.",
    "status": "State of the review: open, claimed, decided, waiting, in_force, closed.",
    "density": "D_i, 0 to 1: how far the retained neighbours stand above the floor of its own neighbourhood.",
    "floor": "b_i: cosine of the farthest of the k_G nearest neighbours, -1 to 1.",
    "eligible_neighbors": "|N_i|: neighbours that are close in meaning and yet differ in words.",
    "tail_probability": "Share of documents of the corpus that are at least as dense, over N + 1. Small is rare.",
    "integrity": "I_i: 1 if the text mixes writing systems inside a word or holds three or more of them, else 0.",
    "topology_score": "0 to 1, from density's tail probability and what is left of the alert budget.",
    "cosine": "Cosine of the two embeddings, -1 to 1; 1 = same direction.",
    "jaccard": "Shared words over all words of the two texts, 0 to 1; 1 = same words.",
    "e_anchor": "Answer-anchor concentration: words that stand in many candidates and few tail documents. 0 and up. "
    "Rule calibrated: 0 to 2, only words near the question's.",
    "e_script": "Script integrity: more mixed writing systems than the tail. Rule paper: 0 to 1, exactly 0.2 where "
    "all are alike. Rule calibrated: 0 to 2, 0 below an absolute gate.",
    "e_surprisal": "Surprisal: a burst of improbable tokens, or a step between two stretches, over its gate. 0 and up.",
    "e_alignment": "Query alignment: closeness to the query jumps inside the document more than in the tail. 0 and up.",
    "p_anchor": "Chance of such a concentration among n ranked documents (hypergeometric, Simes over its tokens).",
    "p_script": "Mid-rank of the mixed share among the tail's; small = above nearly all of the tail.",
    "p_alignment": "Mid-rank of the jump among the tail's; small = above nearly all of the tail.",
    "v_script": "Rule paper: 1 − share of the most used writing system among the letters. Rule calibrated: share of "
    "letters that stand where no writing system puts them.",
    "alignment_jump": "Largest difference in F1 between neighbouring windows of the document, 0 to 2.",
}


def name(field: str) -> str:
    """Shown name of a field."""
    return NAMES.get(field, field.replace("_", " ").capitalize())


def definition(field: str) -> str:
    """Definition of a field, for hover."""
    return DEFINITIONS[field]
