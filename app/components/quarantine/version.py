"""One quarantine version: what can be done with it, what it changed, its canary replay, and a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app.components import url_state
from app.components.facts import facts_html, moment
from app.components.labels import apart, plain_label
from app.components.quarantine.acts import approve, propose_release, reject, roll_back
from app.components.quarantine.canary import show_canary
from app.components.quarantine.words import CAUSES, STATES, version_name
from app.components.table import number_column, show_table, text_column
from app.session import Desk
from ragsieve_core.review.workflow import REASONS
from warehouse.quarantine_versions import diff_versions, proposal_exposure, version_changes, version_members

MOST = 1_000
_NOTHING = "none"


def show_version(
    here: Desk, row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], run: Mapping[str, Any] | None
) -> None:
    """Facts, acts, changes, canary replay ``run``, members and comparison of the version ``row``."""
    by_id = {one["quarantine_id"]: one for one in rows}
    restores, parent = by_id.get(row["restores_id"] or ""), by_id.get(row["parent_id"] or "")
    facts = {
        "State": STATES.get(row["state"], row["state"]),
        "Documents": f"{row['members']:,}",
        "Proposed by": row["author"],
        "Proposed": moment(row["created_at"]),
        "Approved by": (row["approved_by"] or "").replace("_", " "),
        "In force since": moment(row["published_at"]) if row["published_at"] else "",
        "Made from": f"#{parent['sequence']}" if parent else "the empty set",
        "Rolls back to": f"#{restores['sequence']}" if restores else "",
        "Id": row["quarantine_id"],
        "Note": row["note"],
    }
    st.html(facts_html(facts))
    if row["state"] == "proposed":
        _waiting(here, row, by_id)
    elif row["state"] == "superseded":
        _old(row)
    _changes(here, row)
    show_canary(here, row, run)
    _members(here, row)
    _compare(here, row, by_id)


def _waiting(here: Desk, row: Mapping[str, Any], by_id: Mapping[str, Any]) -> None:
    standing = next((one for one in by_id.values() if one["state"] == "in_force"), None)
    if row["parent_id"] != (standing["quarantine_id"] if standing else None):
        st.warning(
            "**Another version came into force since this one was proposed.** Reject it and propose it again.",
            icon=":material/history:",
        )
    exposed = proposal_exposure(here.warehouse, row["quarantine_id"], principal=here.principal)
    answers, reached = sum(one["answers"] for one in exposed), sum(1 for one in exposed if one["answers"])
    if exposed:
        st.info(
            f"**Until somebody approves, answers still get these documents.** Since the proposal: {answers:,} contexts "
            f"of recorded answers held one, n = {reached:,} of {len(exposed):,} documents.",
            icon=":material/hourglass_top:",
        )
    if reached:
        show_table(
            [
                one
                | {"document_id": plain_label(one["document_id"]), "corpus": plain_label(one["corpus"])}
                | {"last_at": moment(one["last_at"])}
                for one in exposed[:MOST]
                if one["answers"]
            ],
            {
                "document_id": text_column("document", width=220),
                "answers": number_column("answers", "Recorded answers since the proposal whose context held it."),
                "queries": number_column("questions", "Distinct questions among them."),
                "tenants": number_column("tenants", "Tenants that asked them."),
                "last_at": text_column("last (UTC)", width=150),
            },
            name="exposed",
            key="exposed_csv",
            most=6,
        )
    st.caption(
        "Approving applies to every answer at once, for gates in other processes too. "
        + ("" if here.single_user else "Who proposed any of its changes cannot approve it.")
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Note", key="approve_note", max_chars=500, width=360)
        given = (row["quarantine_id"],)
        st.button("Approve", icon=":material/check:", type="primary", key="approve", on_click=approve, args=given)
        st.button("Reject", icon=":material/close:", key="reject", on_click=reject, args=given)


def _old(row: Mapping[str, Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Note", key="rollback_note", max_chars=500, width=360)
        st.button(
            "Propose a roll-back to this version",
            icon=":material/history:",
            key="rollback",
            on_click=roll_back,
            args=(row["quarantine_id"],),
            help="Makes a new version with the documents of this one. Nothing is erased from the history.",
        )


def _changes(here: Desk, row: Mapping[str, Any]) -> None:
    st.subheader("What it changes" if row["state"] == "proposed" else "What it changed")
    found = version_changes(here.warehouse, row["quarantine_id"], principal=here.principal)
    if not found:
        st.caption("Nothing that you may see.")
        return
    added = sum(one["change"] == "added" for one in found)
    st.caption(f"n = {added:,} documents in, {len(found) - added:,} out, against the version it was made from.")
    show_table(
        [
            {
                "change": "in" if one["change"] == "added" else "out",
                "document": plain_label(one["document_id"]),
                "corpus": plain_label(one["corpus"]),
                "cause": CAUSES.get(one["cause"], one["cause"]),
                "proposer": plain_label(one["proposer"]),
                "reason": (one["reason"] or "").replace("_", " "),
                "until": moment(one["release_until"]) if one["release_until"] else None,
                "note": plain_label(one["note"], 200),
            }
            for one in found[:MOST]
        ],
        {
            "document": text_column("document", width=220),
            "proposer": text_column("proposed by", "Who proposed this change first.", width=135),
            "until": text_column("sticks until", "Released: the same text does not alert again before.", width=150),
            "note": text_column("note", width=240),
        },
        name="quarantine_changes",
        key="changes_csv",
        most=6,
    )


def _members(here: Desk, row: Mapping[str, Any]) -> None:
    found = version_members(here.warehouse, row["quarantine_id"], principal=here.principal)
    st.subheader("Documents")
    if not found:
        st.caption("None that you may see.")
        return
    st.caption(f"n = {len(found):,} documents" + (f", the first {MOST:,} shown" if len(found) > MOST else ""))
    show_table(
        [
            {
                "document": plain_label(one["document_id"]),
                "corpus": plain_label(one["corpus"]),
                "tenant": plain_label(one["tenant"]),
                "ends": moment(one["expires_at"]) if one["expires_at"] else None,
                "alert": one["alert_id"],
                "hash": one["content_hash"][:12],
            }
            for one in found[:MOST]
        ],
        {
            "document": text_column("document", width=220),
            "ends": text_column("leaves by itself", "A new version without it comes into force then.", width=150),
            "hash": text_column("content hash", "First characters of the SHA-256 of its text.", width=120),
        },
        name="quarantine_members",
        key="members_csv",
        most=6,
    )
    if row["state"] == "in_force":
        _release(found)


def _release(found: Sequence[Mapping[str, Any]]) -> None:
    names = {f"{one['corpus']}\x1f{one['document_id']}": one for one in found}
    with st.expander("Release documents"):
        st.caption(
            "Released texts come back into answers, and the same text does not alert again under the same rule for "
            "the days below; one changed word does."
        )
        st.multiselect(
            "Documents",
            list(names),
            format_func=apart(
                names, lambda key: f"{plain_label(names[key]['document_id'], 60)} · {plain_label(names[key]['corpus'])}"
            ),
            key="release_documents",
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Reason", REASONS, 1, lambda one: one.replace("_", " "), key="release_reason", width=180)
            st.number_input("Days", 1.0, 3650.0, 180.0, 1.0, key="release_days", width=130, format="%.0f")
            st.text_input("Note", key="release_note", max_chars=500, width=320)
            st.button("Propose the release", icon=":material/lock_open:", key="release", on_click=propose_release)


def _compare(here: Desk, row: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> None:
    st.subheader("Compare")
    others = [_NOTHING, *(name for name in by_id if name != row["quarantine_id"])]
    default = row["parent_id"] if row["parent_id"] in others else _NOTHING
    chosen = url_state.one_of("with", others, default)
    st.selectbox(
        "This version against",
        others,
        format_func=lambda name: "the empty set" if name == _NOTHING else version_name(by_id[name]),
        key="with",
        on_change=url_state.keep,
        args=("with", default),
        width=360,
    )
    first = None if chosen == _NOTHING else chosen
    found = diff_versions(here.warehouse, first, row["quarantine_id"], principal=here.principal)
    both = [("only here", key) for key in found.added] + [("only there", key) for key in found.removed]
    st.caption(f"n = {len(found.added):,} only in #{row['sequence']}, {len(found.removed):,} only in the other.")
    if both:
        show_table(
            [{"where": w, "document": plain_label(key[1]), "corpus": plain_label(key[0])} for w, key in both[:MOST]],
            {"document": text_column("document", width=260)},
            name="quarantine_diff",
            key="diff_csv",
            most=6,
        )
