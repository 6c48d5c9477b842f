"""What-if: what other thresholds would do, beside the policy in force."""

from __future__ import annotations

import dataclasses

import streamlit as st

from app.components.labels import safe_label
from app.components.once import draw_again
from app.components.policy_history import show_history
from app.components.policy_save import show_in_force, show_save, show_saved
from app.components.whatif_controls import forget_moves, show_slice, show_sliders
from app.components.whatif_numbers import show_curves, show_flips, show_numbers
from app.services.weighing import Prepared, policy_now, prepare, report_of, weigh
from app.services.whatif_data import PreparedRSG
from app.services.whatif_setting import Setting, first_rule
from app.session import Desk, desk
from ragsieve_core.errors import InputError
from ragsieve_core.whatif.refused import RefusedMoveError
from warehouse.audit import head
from warehouse.corpora import list_corpora
from warehouse.encoders import list_encoders


def main() -> None:
    """Choose a slice, move its parameters, see what follows."""
    here = desk()
    st.title("What-if")
    corpora = [corpus.name for corpus in list_corpora(here.warehouse, principal=here.principal)]
    encoders = [str(row["encoder_key"]) for row in list_encoders(here.warehouse, principal=here.principal)]
    as_of = (str(here.warehouse.path), here.principal.scope_key(), head(here.warehouse).sequence)
    setting = show_slice(corpora, encoders, lambda detector, corpus: rule_of(here, detector, corpus, *as_of))
    if setting is None:
        st.info("No corpus yet: take documents in, scan them, and ask questions.")
        st.code("ragsieve ingest --corpus NAME DOCUMENTS.jsonl", language=None)
        return
    setting = dataclasses.replace(setting, warehouse=here.warehouse.path.name)
    policy = policy_now(here.warehouse, principal=here.principal)
    show_in_force(policy)
    show_saved()
    try:
        prepared = prepared_slice(here, setting, *as_of)
    except InputError as error:
        st.info(f"Nothing to weigh here yet: {safe_label(error.what, 200)}")
        if error.do:
            st.code(error.do, language=None)
        return
    standing = weigh(prepared, setting, policy).parameters["in_force"]
    left, right = st.columns([1, 3], gap="large")
    with left:
        moves = show_sliders(setting, standing, depth(prepared))
        if moves:
            st.button("Back to what is in force", icon=":material/undo:", on_click=forget_moves, args=(setting,))
    setting = dataclasses.replace(setting, moves=moves)
    with right:
        try:
            weighed = weigh(prepared, setting, policy)
        except RefusedMoveError as refused:
            st.warning(f"This cannot be worked out from stored scores: {safe_label(refused.what, 300)}")
            return
        found = report_of(weighed, setting)
        show_numbers(found)
    show_curves(weighed, found)
    show_flips(found)
    if moves and show_save(here, policy, setting):
        forget_moves(setting)
        draw_again()
    show_history(here)


def depth(prepared: Prepared) -> int | None:
    """Neighbours that the scan stored."""
    if isinstance(prepared, PreparedRSG) and prepared.columns.cosine is not None:
        return int(prepared.columns.cosine.shape[0])
    return None


@st.cache_data(max_entries=64, show_spinner=False)
def rule_of(_here: Desk, detector: str, corpus: str, path: str, scope: str, sequence: int) -> str:
    """The rule to begin with as of one state of the warehouse: a moving slider reads nothing."""
    return first_rule(_here.warehouse, detector, corpus, principal=_here.principal)


@st.cache_resource(max_entries=3, show_spinner="reading stored scores", hash_funcs={Setting: lambda one: one.command()})
def prepared_slice(_here: Desk, setting: Setting, path: str, scope: str, sequence: int) -> Prepared:
    """Columns of a slice as of one state of the warehouse, for one scope."""
    return prepare(_here.warehouse, setting, principal=_here.principal)


main()
