"""Who may do what."""

from __future__ import annotations

import streamlit as st

from app.components.facts import moment
from app.components.labels import plain_label, safe_label
from app.components.outcome import attempt
from app.components.settings.requests import show_requests
from app.components.table import show_table, text_column
from app.session import Desk
from warehouse.principal import ROLES
from warehouse.roles import NONE, list_roles, set_role

_MEANS = (
    "**viewer** reads · **reviewer** claims, decides, proposes · **approver** approves what others proposed, draws "
    "samples, says how far a source is trusted · **admin** changes roles, limits, tokens and admission."
)


def show_roles(here: Desk) -> None:
    """Roles in force and the form that changes one; admins of all tenants only."""
    st.caption(_MEANS)
    who = here.principal
    st.markdown(f"You are {safe_label(who.identity)}, **{who.role}**, {_tenants(who.tenants)}.")
    if here.single_user:
        st.info(
            "Single-user mode: whoever opens this page on this computer is admin. The roles below count once people "
            "sign in (docs/operations.md). Make yourself admin before you switch.",
            icon=":material/person:",
        )
    if not who.at_least("admin") or who.tenants is not None:
        st.caption("Roles are read and changed by an admin of all tenants.")
        return
    found = list_roles(here.warehouse, principal=who)
    if found:
        show_table(
            [
                {
                    "identity": plain_label(row["identity"], 120),
                    "role": row["role"],
                    "tenants": "all" if row["tenants"] is None else plain_label(", ".join(row["tenants"]), 120),
                    "since": moment(row["acted_at"]),
                    "by": plain_label(row["actor"]),
                    "approved by": plain_label(row["approved_by"]).replace("_", " "),
                    "note": plain_label(row["note"], 200),
                }
                for row in found
            ],
            {"identity": text_column("identity", "As the identity provider names the person.", width=240)},
            name="roles",
            key="roles_csv",
        )
    else:
        st.caption("Nobody has a role yet.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Identity", key="role_identity", placeholder="max@example.org", max_chars=320, width=260)
        st.selectbox("Role", (*ROLES, NONE), key="role_role", width=140, help="none takes the role away.")
        st.text_input("Tenants", key="role_tenants", placeholder="all", max_chars=1000, width=200, help="By commas.")
        st.text_input("Why", key="role_note", max_chars=500, width=240)
        st.button("Give this role", icon=":material/person_add:", type="primary", key="role_go", on_click=_set)
    st.caption(
        "A change takes effect with the person's next click."
        + ("" if here.single_user else " It waits for another admin first.")
    )
    show_requests(here, "role")


def _tenants(tenants: frozenset[str] | None) -> str:
    return "all tenants" if tenants is None else f"tenants {safe_label(', '.join(sorted(tenants)), 120)}"


def _set() -> None:
    def work(here: Desk) -> str:
        given = [one.strip() for one in st.session_state.get("role_tenants", "").split(",") if one.strip()]
        changed = set_role(
            here.warehouse,
            st.session_state.get("role_identity", ""),
            st.session_state["role_role"],
            principal=here.principal,
            tenants=given or None,
            note=st.session_state.get("role_note", ""),
        )
        if changed.state == "waiting":
            return "The change waits for another admin, below."
        st.session_state["role_identity"] = ""
        return "The role is in force."

    attempt(work)
