"""Settings: what the desk allows itself, who may do what, and what the machine holds."""

from __future__ import annotations

import streamlit as st

from app.components.outcome import show_outcome
from app.components.settings.models import show_models
from app.components.settings.policies import show_policies
from app.components.settings.retention import show_retention
from app.components.settings.roles import show_roles
from app.components.settings.tokens import show_tokens
from app.components.settings.trust import show_trust
from app.session import desk

TABS = {
    "Policies": show_policies,
    "Roles": show_roles,
    "Tokens": show_tokens,
    "Trust and risk": show_trust,
    "Models": show_models,
    "Retention": show_retention,
}


def main() -> None:
    """One tab at a time: the others would read files and rows that nobody looks at."""
    here = desk()
    st.title("Settings")
    st.caption("Every change is recorded with who made it. An address never changes anything.")
    show_outcome()
    tabs = st.tabs(list(TABS), key="tab", on_change="rerun", bind="query-params")
    for tab, (name, show) in zip(tabs, TABS.items(), strict=True):
        with tab:
            if (st.session_state.get("tab") or "Policies") == name:
                show(here)


main()
