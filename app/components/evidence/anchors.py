"""Answer anchors: tokens that stand in the candidates and not in the tail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components.evidence.reading import Candidate, number
from app.components.highlights import Highlight
from app.components.labels import plain_label, safe_label
from app.components.table import number_column, show_table
from app.components.untrusted_text import SHOWN_CHARACTERS, show_text
from ragsieve_core.rsq.calibrated.words import word_places
from ragsieve_core.text.words import word_spans

_NEARBY = {
    "weight": number_column("weight", "ln((N + 1) / (df + 1)) in the snapshot: rare words weigh more.", digits=1),
    "x": number_column("x", "Documents at the head that hold the word near the question."),
    "head": number_column("of head", "Candidates, or candidates and guard together: the test with the smaller p."),
    "tail": number_column("in tail", "Tail documents that hold the word."),
    "compared": None,
    "p": number_column("p", "P[Hypergeom(compared, K, head) ≥ x].", digits=5),
}


def nearby_rows(anchors: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the table of tested words under `calibrated`, smallest p first."""
    return [
        {
            "token": plain_label(t["token"], 40),
            "weight": t["weight"],
            "x": t["x"],
            "head": t["head"],
            "tail": t["K"] - t["x"],
            "compared": t["compared"],
            "p": t["p"],
        }
        for t in sorted(anchors, key=lambda t: (t["p"], t["token"]))
    ]


def anchor_sentence(found: Candidate, n: int, k: int) -> str:
    """The strongest token in words, Markdown."""
    tokens = sorted(found.anchors, key=lambda t: (t["p"], t["token"]))
    if found.calibrated:
        return _nearby_sentence(found, tokens, k)
    if not tokens:
        return "No token of this document stands in two or more candidates, so this term is 0."
    best = tokens[0]
    return (
        f"{safe_label(best['token'], 40)} stands in **{best['x']} of {k}** candidates and in "
        f"**{best['K'] - best['x']} of {n - k}** tail documents: p = {number(best['p'], 4)}. "
        f"Together its {len(tokens)} tested tokens give p_anchor = {number(found.row.get('p_anchor'), 4)}."
    )


def _nearby_sentence(found: Candidate, tokens: Sequence[Mapping[str, Any]], k: int) -> str:
    """What `calibrated` tested, in words, Markdown."""
    coverage = f"Its closest passage holds {found.own.get('coverage') or 0:.0%} of the question's weight in words."
    copy = found.own.get("copy_of")
    voice = f" It is a copy of {safe_label(copy, 40)} and carries its evidence." if copy else ""
    if not tokens:
        return f"{coverage} No word near the question is shared with other candidates, so this term is 0.{voice}"
    best = tokens[0]
    where = "candidates" if best["head"] <= k else "candidates and guard documents"
    return (
        f"{coverage} Near the question, {safe_label(best['token'], 40)} (weight {number(best['weight'], 1)}) stands in "
        f"**{best['x']} of {best['head']}** {where} and in **{best['K'] - best['x']} of "
        f"{best['compared'] - best['head']}** tail documents: p = {number(best['p'], 4)}. Weighted together, its "
        f"{len(tokens)} tested words give p_anchor = {number(found.row.get('p_anchor'), 4)}.{voice}"
    )


def window_highlights(found: Candidate) -> list[Highlight]:
    """Passages whose words counted, under `calibrated`; overlapping ones as one."""
    joined: list[list[int]] = []
    for start, end in sorted(found.own.get("windows", [])):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return [Highlight(a, b, "window", note="passage near the question: only its words counted") for a, b in joined]


def anchor_highlights(text: str, anchors: Sequence[Mapping[str, Any]], n: int, k: int) -> list[Highlight]:
    """Every place of a tested token in what is shown of ``text``."""
    # A word may reach over the end of what is shown; the rest of a million characters would be searched for nothing
    text = text[: SHOWN_CHARACTERS + 100]
    if any("weight" in token for token in anchors):
        weighed = {
            t["token"]: f"in {t['x']} of {t['head']} at the head, {t['K'] - t['x']} of {t['compared'] - t['head']} "
            f"tail documents, weight {number(t['weight'], 1)}, p = {number(t['p'], 4)}"
            for t in anchors
        }
        return [Highlight(a, b, "anchor", note=weighed[word]) for word, a, b in word_places(text) if word in weighed]
    notes = {
        t[
            "token"
        ]: f"in {t['x']} of {k} candidates, {t['K'] - t['x']} of {n - k} tail documents, p = {number(t['p'], 4)}"
        for t in anchors
    }
    return [Highlight(a, b, "anchor", note=notes[word]) for word, a, b in word_spans(text) if word in notes]


def show_anchors(found: Candidate, text: str, n: int, k: int, *, key: str) -> None:
    """Table of the tested tokens beside the text."""
    st.markdown(anchor_sentence(found, n, k))
    table, body = st.columns([2, 3], gap="medium")
    with body:
        show_text(text, [*window_highlights(found), *anchor_highlights(text, found.anchors, n, k)])
        st.caption(
            "Tinted: passages near the question; only words in them count for this document. Underlined: a word that "
            "was tested. Hover for its numbers."
            if found.calibrated
            else "Underlined: a token that was tested. Hover for its numbers."
        )
        if found.calibrated and found.word_weights == "ranking":
            st.caption("Weights were counted in this ranking alone: its snapshot was not known.")
    if not found.anchors:
        return
    if found.calibrated:
        with table:
            show_table(
                nearby_rows(found.anchors), _NEARBY, name=f"anchors_{found.row['document_id']}", key=f"{key}_csv"
            )
        return
    rows = [
        {"token": plain_label(t["token"], 40), "x": t["x"], "tail": t["K"] - t["x"], "K": t["K"], "p": t["p"]}
        for t in sorted(found.anchors, key=lambda t: (t["p"], t["token"]))
    ]
    columns = {
        "x": number_column(f"of {k} cand.", "x: candidates that hold the token."),
        "tail": number_column(f"of {n - k} tail", "Tail documents that hold the token."),
        "K": None,
        "p": number_column("p", "P[Hypergeom(n, K, k) ≥ x]: chance that x or more holders are candidates.", digits=5),
    }
    with table:
        show_table(rows, columns, name=f"anchors_{found.row['document_id']}", key=f"{key}_csv")
