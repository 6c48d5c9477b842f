"""Script integrity: which writing systems the text mixes, and how that compares with the tail."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from app.charts.frame import CONFIG
from app.charts.palette import TERM_COLOURS
from app.charts.tail_strip import tail_strip
from app.components.evidence.reading import Candidate, number
from app.components.highlights import Highlight
from app.components.labels import plain_label, safe_label
from app.components.table import show_table
from app.components.untrusted_text import show_text
from ragsieve_core.text.scripts import script_runs

LATIN_FLOOR = (
    "0.2 of the score is the floor that every candidate has when all texts use one script: a tie with the whole tail "
    "gives p = 0.5 and e_script = 0.2 exactly."
)


def script_name(script: str) -> str:
    """Coarse script as a reader would write it."""
    return script.replace("_", " ").lower()


Runs = Sequence[Mapping[str, Any]]


def runs_of(text: str) -> list[dict[str, Any]]:
    """Runs of a text that has no stored ones, in the form of the stored ones."""
    return [asdict(run) for run in script_runs(text)]


def dominant(runs: Runs) -> str:
    """Script with most letters; empty for a text without letters."""
    letters: Counter[str] = Counter()
    for run in runs:
        letters[run["script"]] += run.get("letters", run["end"] - run["start"])
    return letters.most_common(1)[0][0] if letters else ""


def script_sentence(found: Candidate) -> str:
    """The term in words, Markdown."""
    value, tail = found.row.get("v_script"), found.tail_script
    if value is None:
        return "Not scored."
    if found.calibrated:
        return _misplaced_sentence(found, value)
    above = sum(1 for v in tail if v > value)
    equal = sum(1 for v in tail if v == value)
    if tail and equal == len(tail):
        return f"It mixes scripts exactly as the whole tail does (share {number(value)}). {LATIN_FLOOR}"
    return (
        f"{value:.1%} of its letters are not in its main script. {above} of {len(tail)} tail documents have a larger "
        f"share and {equal} an equal one: p_script = {number(found.row.get('p_script'))}."
    )


def _misplaced_sentence(found: Candidate, value: float) -> str:
    """What `calibrated` says of its letters, in words, Markdown."""
    bad, letters = int(found.own.get("misplaced", 0)), int(found.own.get("letters", 0))
    if not bad:
        return "Its writing systems belong together, so this term is 0."
    above = sum(1 for v in found.tail_script if v > value)
    counted = (
        f"{above} of {len(found.tail_script)} tail documents have a larger share: p_script = "
        f"{number(found.row.get('p_script'))}."
        if found.row.get("e_script")
        else "That is too little to count, so this term is 0."
    )
    return f"**{bad} of {letters:,}** letters stand where no writing system puts them. {counted}"


KINDS = {
    "word": "lookalike alphabets in one word",
    "adjacent": "foreign scripts side by side",
    "stray": "one of too many foreign scripts",
    "glued": "foreign letters run on to Latin ones",
}


def finding_highlights(findings: Sequence[Mapping[str, Any]]) -> list[Highlight]:
    """Misplaced letters, each stretch with what is wrong with it."""
    return [
        Highlight(
            found["start"],
            found["end"],
            "script",
            label=found["kind"] if found["kind"] in KINDS else "",
            note=f"{KINDS.get(found['kind'], 'misplaced letters')}: {plain_label(', '.join(found['families']), 60)}",
            script="OTHER",
        )
        for found in findings
    ]


def script_highlights(runs: Runs) -> list[Highlight]:
    """Runs that are not in the main script, each with its name."""
    main = dominant(runs)
    return [
        Highlight(
            run["start"],
            run["end"],
            "script",
            label=plain_label(script_name(run["script"]), 20),
            note=f"{script_name(run['script'])} letters, characters {run['start']} to {run['end']}",
            script=run["script"],
        )
        for run in runs
        if run["script"] != main
    ]


def code_points(runs: Runs, text: str, limit: int = 200) -> list[dict[str, object]]:
    """Letters outside the main script with their code points and Unicode names, most frequent first."""
    main = dominant(runs)
    seen: Counter[tuple[str, str]] = Counter()
    for run in runs:
        if run["script"] != main:
            seen.update((run["script"], c) for c in text[run["start"] : run["end"]] if c.isalpha())
    return [
        {
            "letter": plain_label(character),
            "code point": f"U+{ord(character):04X}",
            "name": unicodedata.name(character, "no name").capitalize(),
            "script": script_name(script),
            "times": times,
        }
        for (script, character), times in seen.most_common(limit)
    ]


def show_script(found: Candidate, text: str, *, key: str) -> None:
    """Strip plot against the tail, code points, and the text with its runs."""
    st.markdown(script_sentence(found))
    left, right = st.columns([2, 3], gap="medium")
    with right:
        if found.calibrated:
            show_text(text, finding_highlights(found.own.get("findings", [])))
            st.caption("Marked: letters that stand where no writing system puts them (UTS #39), with the kind.")
        else:
            show_text(text, script_highlights(found.runs))
            main = safe_label(script_name(dominant(found.runs)) or "no letters", 30)
            st.caption(f"Marked with its name: every run outside the main script ({main}).")
    with left:
        if found.row.get("v_script") is not None:
            figure = tail_strip(
                found.tail_script,
                found.row["v_script"],
                x="share of misplaced letters (v_script)"
                if found.calibrated
                else "share of letters outside the main script (v_script)",
                ids=found.tail_ids,
                colour=TERM_COLOURS["e_script"],
            )
            st.plotly_chart(figure, config=CONFIG, key=f"{key}_strip")
        letters = code_points(found.runs, text)
        if letters:
            show_table(letters, {}, name=f"script_{found.row['document_id']}", key=f"{key}_csv", most=8)
