"""Controls of the what-if page: slice and sliders, all of it in the address."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from app.components import url_state
from app.components.labels import apart
from app.services.whatif_setting import Setting
from ragsieve_core.rsg.config import RSG_PRESETS
from ragsieve_core.rsq.decision import TERMS
from ragsieve_core.rsq.presets import RSQ_PRESETS

_bound = url_state.bound


@dataclass(frozen=True, slots=True)
class Slider:
    """One parameter: shown name, range, step, definition."""

    label: str
    low: float
    high: float
    step: float
    help: str


_RSQ: Final = {
    "eta_Q": Slider("η_Q, threshold", 0.05, 4.0, 0.05, "A candidate is flagged at a score of at least this."),
    **{
        f"weight.{term}": Slider(f"weight of {term}", 0.0, 3.0, 0.1, "Factor of the term in the sum; 1 as published.")
        for term in TERMS
    },
    **{
        f"gate.{term}": Slider(f"gate of {term}", 0.0, 2.0, 0.05, "Below its gate the term counts 0; 0 as published.")
        for term in TERMS
    },
    "script_support": Slider(
        "script support",
        0.0,
        2.0,
        0.05,
        "The script term counts only where the other terms come to at least this; 0 as published. Alone it is reached "
        "by chance once in sixteen.",
    ),
}
_PAPER: Final = {
    "alpha_G": Slider("α_G, alert budget", 0.001, 0.5, 0.001, "Share of the corpus that may be flagged for density."),
    "density_cut": Slider("density cut", 0.0, 1.0, 0.01, "Absolute cut on density instead of the budget; 0 = budget."),
    "tau_e": Slider("τ_e, cosine", 0.0, 1.0, 0.01, "A neighbour is retained at a cosine of at least this."),
    "tau_l": Slider("τ_l, word overlap", 0.0, 1.0, 0.01, "And at a Jaccard of at most this."),
    "k_G": Slider("k_G, neighbours", 2, 16, 1, "Neighbours looked at, up to those the scan stored."),
    "eta_G": Slider(
        "η_G, threshold", 0.05, 1.0, 0.05, "Stands on both sides of the published rule: moves scores and no flag."
    ),
}
_CALIBRATED: Final = {
    "cut": Slider("evidence cut", 0.6, 4.0, 0.05, "A group is an alert from this evidence on."),
    "eta_G": Slider("η_G, threshold", 0.05, 1.0, 0.05, "A document is flagged at a score of at least this."),
}
RULES: Final = {"rsq": tuple(RSQ_PRESETS), "rsg": tuple(RSG_PRESETS)}
_FIRST: Final = {"rsq": ("eta_Q", "script_support"), "rsg": tuple(_PAPER)}


def sliders_of(detector: str, rule: str) -> dict[str, Slider]:
    """Parameters of a rule by their names in `ragsieve whatif --set`."""
    if detector == "rsq":
        return _RSQ
    return _PAPER if rule == "paper" else _CALIBRATED


def show_slice(corpora: Sequence[str], retrievers: Sequence[str], rule_of: Callable[[str, str], str]) -> Setting | None:
    """Draw the choice of the slice; None where there is no corpus.

    Parameters
    ----------
    rule_of : the rule to begin with, of a detector and a corpus.
    """
    detector = url_state.one_of("detector", list(RULES), "rsq") or "rsq"
    rules = RULES[detector]
    corpus = url_state.one_of("corpus", list(corpora), corpora[0] if corpora else None)
    retriever = url_state.one_of("retriever", list(retrievers))
    used = rules[0] if corpus is None else rule_of(detector, corpus)
    first = used if used in rules else rules[0]
    rule = url_state.one_of("rule", rules, first) or first
    others = [*_RSQ, *_PAPER, *_CALIBRATED]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Detector", list(RULES), format_func=str.upper, width=120, **_bound("detector", "rsq", ["rule", *others])
        )
        st.selectbox("Rule", rules, width=150, **_bound("rule", first, others))
        kept = _bound("corpus", None, ["rule", *others])
        st.selectbox("Corpus", list(corpora), None, apart(corpora), width=230, **kept)
        st.selectbox(
            "Retriever", list(retrievers), None, apart(retrievers), width=230, placeholder="Any", **_bound("retriever")
        )
    return None if corpus is None else Setting(detector, rule, corpus, retriever)


def show_sliders(setting: Setting, in_force: dict[str, float], depth: int | None) -> dict[str, float]:
    """Draw the sliders, set to what is in force or the address says; returns the parameters that differ.

    Parameters
    ----------
    in_force : parameters of the policy in force.
    depth : neighbours the scan stored; None for RSQ.
    """
    moves: dict[str, float] = {}
    drawn = sliders_of(setting.detector, setting.rule)
    front = _FIRST[setting.detector]
    behind = [name for name in drawn if name not in front]
    for name in (one for one in drawn if one in front or setting.detector == "rsg"):
        moves |= _slider(name, drawn[name], in_force[name], depth)
    if behind and setting.detector == "rsq":
        with st.expander("Weights and gates"):
            for name in behind:
                moves |= _slider(name, drawn[name], in_force[name], None)
    return moves


def _slider(name: str, one: Slider, standing: float, depth: int | None) -> dict[str, float]:
    """Draw one slider; its parameter if it differs from what stands."""
    # What a policy set from the command line may lie outside; it is shown, not bent
    low, high = min(one.low, standing), max(one.high, standing)
    whole = name == "k_G"
    if whole and depth:
        if depth < 2:
            # Two documents have one neighbour each: there is nothing to move
            return {}
        low, high = min(low, depth - 1), depth
        standing = min(standing, depth)
    value = url_state.number(name, low, high, standing)
    options: dict[str, Any] = {"min_value": float(low), "max_value": float(high), "step": one.step}
    if whole:
        options = {field: int(amount) for field, amount in options.items()}
        standing, value = int(standing), int(value)
        st.session_state[name] = value
    st.slider(one.label, **options, help=one.help, key=name, on_change=url_state.keep, args=(name, standing))
    return {name: float(value)} if abs(value - standing) > 1e-9 else {}


def forget_moves(setting: Setting) -> None:
    """Take every parameter out of the address: back to what is in force."""
    for name in sliders_of(setting.detector, setting.rule):
        st.query_params.pop(name, None)
