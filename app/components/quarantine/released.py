"""What released quarantines had cost, and which texts stay released."""

from __future__ import annotations

import streamlit as st

from app.components.facts import moment
from app.components.labels import plain_label
from app.components.table import number_column, show_table, text_column
from app.session import Desk
from warehouse.realerting import allow_list
from warehouse.release_costs import costs_by_week, release_costs

MOST = 500
_HOURS = "Hours between the quarantine and the release."
_QUERIES = "Distinct questions whose top five it left while it was quarantined."
_ANSWERS = "Recorded answers given to them."


def show_released(here: Desk) -> None:
    """Costs by source and week, every release, and the allow-list."""
    found = release_costs(here.warehouse, principal=here.principal)
    st.subheader("What false alarms cost")
    if not found:
        st.caption("Nothing was released yet. The cost of a release is counted here, by source and week.")
    else:
        st.caption(
            f"n = {len(found):,} released documents, {sum(row['hours_in_force'] for row in found):,.1f} hours in "
            f"force, {sum(row['answers_affected'] for row in found):,} recorded answers affected."
        )
        numbers = {
            "hours_in_force": number_column("hours in force", _HOURS, digits=1),
            "queries_changed": number_column("questions changed", _QUERIES),
            "answers_affected": number_column("answers affected", _ANSWERS),
        }
        show_table(
            [
                row | {"week": f"{row['week']:%Y-%m-%d}", "source": plain_label(row["source"])}
                for row in costs_by_week(found)
            ],
            {
                "week": text_column("week from", "Monday of the week of release (UTC).", width=110),
                "source": text_column("source", "Source, else contributor.", width=320),
                "documents": number_column("documents", width=90),
                **numbers,
            },
            name="release_costs_by_week",
            key="weeks_csv",
            most=6,
        )
        st.subheader("Releases")
        show_table(
            [
                {
                    "document": plain_label(row["document_id"]),
                    "corpus": plain_label(row["corpus"]),
                    "source": plain_label(row["source_uri"] or row["contributor"]),
                    "released": moment(row["released_at"]),
                    "hours_in_force": row["hours_in_force"],
                    "queries_changed": row["queries_changed"],
                    "answers_affected": row["answers_affected"],
                    "reason": (row["reason"] or "").replace("_", " "),
                    "by": plain_label(row["actor"]),
                }
                for row in found[:MOST]
            ],
            {"document": text_column("document", width=200), **numbers},
            name="release_costs",
            key="costs_csv",
            most=6,
        )
    _sticking(here)


def _sticking(here: Desk) -> None:
    st.subheader("Texts that stay released or kept")
    listed = allow_list(here.warehouse, principal=here.principal)
    if not listed:
        st.caption("None. A kept or released text alerts again only if its content or its evidence changes.")
        return
    active = sum(bool(row["active"]) for row in listed)
    st.caption(f"n = {len(listed):,} entries by content and detector version, {active:,} of them active.")
    show_table(
        [
            {
                "corpus": plain_label(row["corpus"]),
                "hash": row["content_hash"][:12],
                "until": moment(row["expires_at"]),
                "active": "yes" if row["active"] else "no",
                "reason": (row["reason"] or "").replace("_", " "),
                "by": plain_label(row["actor"]),
                "alert": row["alert_id"],
            }
            for row in listed[:MOST]
        ],
        {"hash": text_column("content hash", width=130), "until": text_column("until (UTC)", width=150)},
        name="allow_list",
        key="allow_csv",
        most=6,
    )
