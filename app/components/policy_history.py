"""Policy versions on the page: what each changed, approval of a waiting one, roll-back to an earlier one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from app.components.labels import plain_label, safe_label
from app.components.once import draw_again
from app.components.table import number_column, show_table, text_column
from app.session import Desk
from ragsieve_core.errors import RagsieveError
from warehouse.policies import PolicyVersion, approve_policy, list_policies, reject_policy, rollback_policy

PUBLISHED = "none"


def show_history(here: Desk) -> None:
    """Versions, latest first, and the acts that the caller's role allows."""
    versions = list_policies(here.warehouse, principal=here.principal)
    if not versions:
        return
    st.subheader("Policy versions")
    rows = [
        {
            "sequence": one.sequence,
            "policy_id": one.policy_id,
            "state": one.state,
            "thresholds": plain_label("; ".join(_slice(rule) for rule in _rules(one)) or "as published", 200),
            "author": plain_label(one.author, 40),
            "approved_by": plain_label(one.approved_by, 40),
            "created_at": one.created_at,
            "note": plain_label(one.note, 120),
        }
        for one in versions
    ]
    columns = {"sequence": number_column("No.", width=60), "policy_id": text_column("Version")}
    columns |= {name: text_column(name.replace("_", " ").capitalize()) for name in list(rows[0])[2:]}
    show_table(rows, columns, name="policies", key="policies")
    if here.principal.at_least("approver"):
        _acts(here, versions)


def _rules(version: PolicyVersion) -> list[dict[str, Any]]:
    return [rule.as_dict() for rule in version.rules]


def _slice(rule: dict[str, Any]) -> str:
    shown = " ".join(f"{name}={value:g}" for name, value in rule["moves"].items())
    return f"{rule['detector']} {rule['rule']} {rule['corpus'] or 'all corpora'} {shown}"


def _acts(here: Desk, versions: list[PolicyVersion]) -> None:
    earlier = [one.policy_id for one in versions if one.state == "superseded"] + [PUBLISHED]
    waiting = [one.policy_id for one in versions if one.state == "waiting"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        back = st.selectbox("Roll back to", earlier, format_func=_shown, key="policy_back", width=330)
        if st.button("Roll back", icon=":material/history:", key="policy_rollback"):
            _done(lambda: rollback_policy(here.warehouse, back, principal=here.principal))
        if waiting:
            asked = st.selectbox("Waiting for approval", waiting, key="policy_waiting", width=330)
            if st.button("Approve", icon=":material/check:", key="policy_approve"):
                _done(lambda: approve_policy(here.warehouse, asked, principal=here.principal))
            if st.button("Reject", icon=":material/close:", key="policy_reject"):
                _done(lambda: reject_policy(here.warehouse, asked, principal=here.principal))


def _shown(version: str) -> str:
    return "the rules as published" if version == PUBLISHED else version


def _done(act: Callable[[], PolicyVersion]) -> None:
    try:
        saved = act()
    except RagsieveError as error:
        st.error(safe_label(error.render(), 600))
        return
    st.session_state["policy_saved"] = f"{saved.policy_id}: {saved.state.replace('_', ' ')}"
    draw_again()
