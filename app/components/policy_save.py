"""Saving a setting as a policy version, and what is in force."""

from __future__ import annotations

import streamlit as st

from app.components.labels import safe_label
from app.components.once import take
from app.services.weighing import loosening, rules_with
from app.services.whatif_setting import Setting
from app.session import Desk
from ragsieve_core.errors import RagsieveError
from ragsieve_core.policy import Policy
from warehouse.policies import save_policy


def show_in_force(policy: Policy) -> None:
    """One line: which version is in force."""
    if policy.version is None:
        st.caption("No policy is in force: every rule is as published.")
    else:
        st.caption(f"Policy in force: {safe_label(policy.version)}, {len(policy.rules)} slices.")


def show_save(here: Desk, policy: Policy, setting: Setting) -> bool:
    """A form that saves the setting for its slice; True where it was saved just now. An address never saves."""
    if not here.principal.at_least("approver"):
        st.caption("Saving a policy needs the role approver.")
        return False
    rules = rules_with(policy, setting)
    loose = loosening(policy, rules)
    with st.form("save_policy", border=True):
        moves = ", ".join(f"{name} = {value:g}" for name, value in setting.moves.items())
        where = f"{setting.corpus} · {setting.retriever or 'any retriever'}"
        st.markdown(f"**Save as a policy version** for {safe_label(where, 120)}: {safe_label(moves, 300)}")
        if loose:
            single = (
                "In single-user mode it comes into force at once."
                if here.single_user
                else "It waits for a second person."
            )
            st.warning(f"This may flag fewer documents. {single}", icon=":material/group:")
        note = st.text_input("Why", max_chars=500, key="policy_note")
        if not st.form_submit_button("Save policy", icon=":material/save:", type="primary"):
            return False
        try:
            saved = save_policy(here.warehouse, rules, principal=here.principal, note=note, parent=policy.version)
        except RagsieveError as error:
            st.error(safe_label(error.render(), 600))
            return False
    state = "in force from the next scan and query on" if saved.state == "in_force" else "waiting for another approver"
    st.session_state["policy_saved"] = f"{saved.policy_id}: {state}"
    return True


def show_saved() -> None:
    """What was saved a moment ago."""
    saved = take("policy_saved")
    if saved:
        st.success(safe_label(saved, 160), icon=":material/check:")
