"""How good the review is: agreement, known items, time to decision, and recall with its interval or its reason."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.components.labels import plain_label, safe_label
from app.components.table import number_column, show_table, text_column
from app.session import Desk
from ragsieve_core.errors import RagsieveError
from ragsieve_core.review.kappa import Agreement
from warehouse.quality import recall_estimate, review_quality

_WIDTH = 230


def show_quality(here: Desk, names: Sequence[str], corpus: str) -> None:
    """Draw the figures over what the caller may see; ``corpus`` empty for all."""
    st.subheader("Recall")
    _recall(here, [corpus] if corpus else names)
    st.subheader("Agreement and time")
    try:
        found = review_quality(here.warehouse, principal=here.principal, corpus=corpus)
    except RagsieveError:
        st.caption("Agreement of reviewers and times are shown to approvers.")
        return
    with st.container(horizontal=True):
        _kappa(found.agreement)
        hours = "–" if found.median_hours is None else f"{found.median_hours:,.1f} h"
        late = "" if found.p90_hours is None else f" · 90 % within {found.p90_hours:,.1f} h"
        st.metric(
            f"Time to verdict, n = {found.decisions:,}",
            hours,
            help=f"Median from an alert's opening to its first verdict{late}.",
            width=_WIDTH,
            border=True,
        )
    if found.agreement.kappa is None:
        st.caption(
            "No kappa yet: draw second looks of decided alerts below, and have somebody answer them who did not decide."
        )
    if found.known:
        st.markdown("**Known items**")
        show_table(
            [{"reviewer": plain_label(name), "n": n, "right": right} for name, (n, right) in found.known.items()],
            {"n": number_column("answered", width=90), "right": number_column("answered right", width=110)},
            name="known_items",
            key="known_csv",
        )


def _kappa(found: Agreement) -> None:
    shown = "–" if found.kappa is None else f"{found.kappa:.2f}"
    st.metric(
        f"Cohen's kappa, n = {found.n:,}",
        shown,
        help="Verdicts against blind second looks: 1 = always alike, 0 = as by chance. Items that somebody could not "
        "tell are left out.",
        width=_WIDTH,
        border=True,
    )
    if found.low is not None and found.high is not None:
        st.metric(
            "95 % interval of kappa", f"{found.low:.2f} to {found.high:.2f}", width=_WIDTH, border=True,
            help="Large-sample interval of Fleiss, Cohen and Everitt.",
        )  # fmt: skip


def _recall(here: Desk, names: Sequence[str]) -> None:
    rows, told = [], []
    for name in names:
        for detector in ("rsg", "rsq"):
            try:
                found = recall_estimate(here.warehouse, name, principal=here.principal, detector=detector)
            except RagsieveError:
                st.caption("Recall is estimated over all tenants, which you may not see.")
                return
            told.append(found.text)
            if found.state == "no_samples":
                continue
            interval = None if found.low is None or found.high is None else f"{found.low:.0%} to {found.high:.0%}"
            rows.append(
                {
                    "corpus": plain_label(name),
                    "detector": detector.upper(),
                    "recall": None if found.recall is None else f"{found.recall:.0%}",
                    "interval": interval,
                    "sampled": found.sampled,
                    "answered": found.answered,
                    "found": found.found,
                    "undecided": found.undecided,
                    "why": found.text or None,
                }
            )
    if not rows:
        st.info(next((text for text in told if text), "No corpus yet."), icon=":material/help:")
        return
    show_table(
        rows,
        {
            "recall": text_column("recall", "Found over found and missed, estimated.", width=70),
            "interval": text_column("95 % interval", "Covers at least 95 %; nobody's answer widens it.", width=110),
            "sampled": number_column("drawn", "Units that were not flagged, drawn at random.", width=70),
            "answered": number_column("answered", width=80),
            "found": number_column("found", "Flagged units judged promoted.", width=70),
            "undecided": number_column("undecided", "Flagged units without a verdict.", width=90),
            "why": None,
        },
        name="recall",
        key="recall_csv",
    )
    for text in dict.fromkeys(str(row["why"]) for row in rows if row["why"]):
        st.caption(text)
    if len(rows) < len(told):
        silent = sorted(set(names) - {row["corpus"] for row in rows})
        if silent:
            st.caption(f"No draw yet of {', '.join(safe_label(name, 40) for name in silent[:5])}.")
