"""Admission per corpus, the limits of the desk with their requests, and the threshold versions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

import streamlit as st

from app.components.facts import moment
from app.components.labels import apart, plain_label
from app.components.outcome import attempt
from app.components.settings.limits import LIMITS
from app.components.settings.requests import show_requests
from app.components.table import count_columns, number_column, show_table, text_column
from app.pages_map import WHAT_IF, page_file
from app.session import Desk
from ragsieve_core.review.approval import ReviewPolicy
from warehouse.corpora import Corpus, ensure_corpus, list_corpora
from warehouse.desk_policy import policy_history, review_policy
from warehouse.policies import approve_policy, list_policies, reject_policy
from warehouse.publish import ensure_published
from warehouse.records import ADMISSIONS
from warehouse.roles import set_policy

ADMISSION_WORDS: Final = {
    "at_once": "at once",
    "after_scan": "after a scan without alert",
    "after_review": "after somebody admitted them",
}
_GROUPS: Final = {
    "One person may quarantine alone up to": ("alone_contexts", "alone_campaign", "alone_tier", "alone_per_day"),
    "Claims, releases, new evidence": ("claim_minutes", "release_days", "realert_margin", "realert_members"),
    "Holds and samples": ("hold_severity", "hold_hours", "sample_rate", "double_rate"),
}


def show_policies(here: Desk) -> None:
    """The three kinds of policy."""
    st.subheader("When new documents may be retrieved")
    _admission(list_corpora(here.warehouse, principal=here.principal))
    st.subheader("Limits of the desk")
    _limits(here)
    show_requests(here, "policy")
    _history(here)
    st.subheader("Thresholds")
    _thresholds(here)


def _admission(found: Sequence[Corpus]) -> None:
    if not found:
        st.caption("No corpus yet.")
        return
    by_name = {corpus.name: corpus for corpus in found}
    rows = [
        {
            "corpus": plain_label(one.name),
            "documents": one.documents,
            "new documents": ADMISSION_WORDS.get(one.admission, one.admission),
        }
        for one in found
    ]
    st.dataframe(
        rows,
        hide_index=True,
        width="content",
        height="content" if len(found) <= 8 else 320,
        column_config=count_columns(rows),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Corpus", list(by_name), format_func=apart(by_name), key="admission_corpus", width=220)
        st.selectbox(
            "New documents are retrieved",
            ADMISSIONS,
            format_func=lambda one: ADMISSION_WORDS.get(one, one),
            key="admission_chosen",
            width=260,
        )
        st.button("Change", key="admission_go", icon=":material/save:", on_click=_admit)


def _admit() -> None:
    def work(here: Desk) -> str:
        chosen = st.session_state["admission_chosen"]
        corpus = st.session_state["admission_corpus"]
        ensure_corpus(here.warehouse, corpus, principal=here.principal, admission=chosen)
        ensure_published(here.warehouse, principal=here.principal)
        return f"New documents of this corpus are retrieved {ADMISSION_WORDS[chosen]}."

    attempt(work)


def _limits(here: Desk) -> None:
    now = review_policy(here.warehouse, principal=here.principal)
    st.caption(
        "Above the first four a quarantine waits for a second person. "
        + (
            "You work alone here: no second person is asked for, and that is recorded."
            if here.single_user
            else "What loosens a limit waits for another admin; what tightens is in force at once."
        )
    )
    with st.form("limits", border=True):
        for title, names in _GROUPS.items():
            st.markdown(f"**{title}**")
            for place, name in zip(st.columns(4), names, strict=True):
                label, meaning = LIMITS[name]
                value = getattr(now, name)
                with place:
                    if isinstance(value, int):
                        st.number_input(label, value=value, step=1, key=f"limit_{name}", help=meaning)
                    else:
                        st.number_input(label, value=value, key=f"limit_{name}", help=meaning, format="%g")
        st.text_input("Why", key="limits_note", max_chars=500)
        st.form_submit_button("Save the limits", icon=":material/save:", type="primary", on_click=_save)


def _save() -> None:
    def work(here: Desk) -> str:
        given = {field.name: st.session_state[f"limit_{field.name}"] for field in fields(ReviewPolicy)}
        note = st.session_state.get("limits_note", "")
        changed = set_policy(here.warehouse, ReviewPolicy(**given), principal=here.principal, note=note)
        if changed.state == "waiting":
            looser = ", ".join(LIMITS[name][0] for name in changed.loosened)
            return f"This loosens a limit ({looser}): it waits for another admin, below. Nothing changed yet."
        return "These limits are in force."

    attempt(work)


def _history(here: Desk) -> None:
    found = policy_history(here.warehouse, principal=here.principal)
    if not found:
        return
    with st.expander(f"Limits so far, n = {len(found):,}"):
        rows = []
        for row, before in zip(found, [*found[1:], None], strict=True):
            old = json.loads(before["policy"]) if before else {}
            new = json.loads(row["policy"])
            base = ReviewPolicy()
            told = [
                f"{LIMITS[name][0]} {old.get(name, getattr(base, name)):g} → {value:g}"
                for name, value in new.items()
                if name in LIMITS and value != old.get(name, getattr(base, name))
            ]
            rows.append(
                {
                    "since": moment(row["acted_at"]),
                    "changed": ", ".join(told),
                    "by": plain_label(row["actor"]),
                    "approved by": plain_label(row["approved_by"]).replace("_", " "),
                    "note": plain_label(row["note"], 200),
                }
            )
        columns = {"changed": text_column("changed", width=380), "note": text_column("note", width=240)}
        show_table(rows, columns, name="limits", key="limits_csv", most=6)


def _thresholds(here: Desk) -> None:
    found = list_policies(here.warehouse, principal=here.principal)
    st.page_link(page_file(WHAT_IF), label="Move and save thresholds in What-if", icon=":material/tune:")
    if not found:
        st.caption("No version yet: every rule is as published.")
        return
    show_table(
        [
            {
                "number": one.sequence,
                "state": one.state.replace("_", " "),
                "slices": len(one.rules),
                "looser": "yes" if one.loosens else "no",
                "author": plain_label(one.author),
                "approved": plain_label(one.approved_by).replace("_", " "),
                "created": one.created_at.replace("T", " ").replace(":00Z", ""),
                "note": plain_label(one.note, 200),
            }
            for one in found
        ],
        {
            "number": number_column("#", width=50),
            "slices": number_column("slices", "Slices of corpus and retriever that it sets.", width=70),
            "looser": text_column("looser", "It may flag fewer documents than the one before.", width=70),
            "note": text_column("note", width=260),
        },
        name="threshold_versions",
        key="thresholds_csv",
        most=6,
    )
    waiting = {one.policy_id: one for one in found if one.state == "waiting"}
    if not waiting:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Waits for approval",
            list(waiting),
            format_func=lambda one: f"#{waiting[one].sequence} by {plain_label(waiting[one].author, 40)}",
            key="threshold_chosen",
            width=300,
        )
        st.text_input("Note", key="threshold_note", max_chars=500, width=260)
        st.button("Approve", key="threshold_approve", icon=":material/check:", on_click=_decide, args=(True,))
        st.button("Reject", key="threshold_reject", icon=":material/close:", on_click=_decide, args=(False,))


def _decide(yes: bool) -> None:
    def work(here: Desk) -> str:
        given: dict[str, Any] = {"principal": here.principal, "note": st.session_state.get("threshold_note", "")}
        chosen = st.session_state["threshold_chosen"]
        if yes:
            made = approve_policy(here.warehouse, chosen, **given)
            return f"Thresholds #{made.sequence} are in force from the next scan and query on."
        made = reject_policy(here.warehouse, chosen, **given)
        return f"Thresholds #{made.sequence} are rejected."

    attempt(work)
