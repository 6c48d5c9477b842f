"""The only screen for somebody who is not signed in, or has no role yet; and the way back to what they asked for."""

from __future__ import annotations

import streamlit as st

from app.components.labels import plain_label, safe_label
from app.identity import claims, keep_link, kept_link
from app.pages_map import names, page_file
from app.services.sign_in import read_sign_in
from app.session import Desk
from warehouse.errors import RefusedError
from warehouse.refusals import Refusal

_WAYS = {
    "oidc": "Sign in with your organisation's account. You come back to the page that you asked for.",
    "proxy": "This server takes your name from its sign-in proxy. Open it through the proxy's address and sign in "
    "there; this page then opens by itself.",
}


def show_sign_in(refused: RefusedError, page: st.Page) -> None:
    """What is missing and how to get on; nothing of the warehouse."""
    mode = read_sign_in().mode
    if refused.reason == Refusal.NOT_A_USER:
        st.title("Ask an admin")
        st.markdown("You are signed in, but nobody gave you a role here yet.")
        st.text(plain_label(refused.what, 400))
        st.markdown("An admin gives it on the screen Settings, or where the warehouse lies:")
        st.code("ragsieve roles set IDENTITY reviewer", language=None)
    else:
        st.title("Sign in")
        st.markdown(_WAYS.get(mode, ""))
        st.caption(f"Why you see this: {safe_label(refused.what, 200)}.")
    if mode == "oidc":
        _oidc(page)
    st.button("Try again", icon=":material/refresh:", key="sign_in_again")


def _oidc(page: st.Page) -> None:
    if claims().get("is_logged_in") is True:
        st.button("Sign out", icon=":material/logout:", on_click=st.logout, key="sign_out")
        return
    keep_link(page.url_path, {name: st.query_params[name] for name in st.query_params}, names())
    st.button("Sign in", icon=":material/login:", type="primary", on_click=st.login, key="sign_in")


def show_account(here: Desk) -> None:
    """Below the menu: who is signed in, and the way out where there is one."""
    if here.single_user:
        return
    who = here.principal
    with st.sidebar:
        st.caption(f"{safe_label(who.identity, 60)} · {who.role}")
        if who.mode == "oidc":
            st.button("Sign out", icon=":material/logout:", on_click=st.logout, key="sign_out", type="tertiary")


def go_on(page: st.Page) -> None:
    """After an OIDC sign-in, which ends at the bare address: to the page that was asked for before it."""
    if page.url_path or read_sign_in().mode != "oidc":
        return
    found = kept_link(names())
    if found is not None:
        st.switch_page(page_file(found[0]), query_params=found[1])
