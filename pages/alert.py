"""One alert: why it was flagged, what that means, where it comes from, what it reached, and what to do about it."""

from __future__ import annotations

import streamlit as st

from app.components.alert_header import show_header
from app.components.deciding.allowed import show_allowed
from app.components.deciding.archive import show_archive
from app.components.deciding.bar import show_bar
from app.components.deciding.past import show_past
from app.components.deciding.refill import show_refill
from app.components.deciding.remedy import show_remedies
from app.components.deciding.truth import show_truth
from app.components.evidence.provenance import show_history, show_provenance, show_reach, show_versions
from app.components.evidence.rsg_side import show_rsg
from app.components.evidence.rsq_side import show_rsq
from app.components.labels import plain_label
from app.components.queue_view import last_query
from app.pages_map import QUEUE, page_file
from app.session import desk
from ragsieve_core.document import document_text
from ragsieve_core.errors import InputError
from warehouse.alerts import AlertDetail, alert_detail


def main() -> None:
    """Draw the alert that the address names."""
    st.page_link(page_file(QUEUE), label="Queue", icon=":material/arrow_back:", query_params=last_query())
    wanted = st.query_params.get("alert", "")
    if not wanted:
        st.title("Alert")
        st.info("Choose an alert in the queue: this page shows its evidence.", icon=":material/inbox:")
        return
    here = desk()
    try:
        found = alert_detail(here.warehouse, wanted, principal=here.principal)
    except InputError:
        st.title("No such alert")
        st.warning("The address names an alert that this warehouse does not have, or that is not yours to see.")
        st.code(plain_label(wanted, 200), language=None)
        return
    show_header(found.alert, found.document)
    show_bar(here, found.alert, seen(found))
    text = document_text(found.document.get("text", ""), found.document.get("title", ""))
    event = ""
    if found.alert["detector"] == "rsq":
        event = show_rsq(here, found, text)
    else:
        show_rsg(found, text)
    show_refill(here, found, event)
    st.subheader("Provenance")
    show_provenance(found.document)
    st.subheader("Reach")
    show_reach(found.reach_totals, found.reach, key="reach")
    st.subheader("Versions")
    show_versions(found.versions, found.alert["version_id"], key="versions")
    st.subheader("Decisions")
    show_past(found.history, key="decisions")
    show_allowed(here, found.alert)
    show_truth(here, found.alert)
    show_remedies(here, found.alert)
    st.subheader("History")
    show_history(found.history, key="history")
    show_archive(here, found.alert)


def seen(found: AlertDetail) -> dict[str, object]:
    """What stands on the screen, for the record of a verdict."""
    shown: dict[str, object] = {name: float(found.alert[name]) for name in ("score", "threshold", "severity")}
    if found.scores:
        shown["scan"] = found.scores[0]["scan_id"]
    if found.evidence:
        shown["event"] = st.query_params.get("event", found.evidence[0]["event_id"])[:100]
    return shown


main()
