"""A desk at the start of a morning: an alert that reached ten answers, a campaign of five, an alert alone; and people.

d0 stands in ten contexts, so that its quarantine needs a second person; d1 to d5 are a campaign, one more than the
policy lets one person quarantine alone; d6 is alone and may be put in force at once.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.warehouse.builders import documents, event_of, scan_of
from tests.warehouses import copy_warehouse
from warehouse.alerts import queue_page
from warehouse.database import Warehouse
from warehouse.events import record_events
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import CampaignRecord
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot

ADMIN = Principal("ada", "admin")
BOB = Principal("bob", "approver")
CY = Principal("cy", "reviewer")
DEE = Principal("dee", "reviewer")
VIC = Principal("vic", "viewer")
LOCAL = Principal("ada", "admin", mode="single_user_mode")
PEOPLE = {person.identity: person for person in (ADMIN, BOB, CY, DEE, VIC)}
DOCUMENTS = 12
MEMBERS = (1, 2, 3, 4, 5)
CONTEXTS = 10


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The file, the alert of each document id, and the id of the campaign."""

    path: Path
    alerts: dict[str, str]
    campaign: str


def build(path: Path) -> Reviewed:
    """Make it at ``path``."""
    with Warehouse.open(path, command="fixture") as wh:
        snapshot = str(ingest(wh, "c", [documents(DOCUMENTS)], principal=ADMIN).snapshot)
        held = load_snapshot(wh, snapshot, principal=ADMIN)
        at = {name: place for place, name in enumerate(held.ids)}
        campaign = np.full(len(held.ids), -1)
        campaign[[at[f"d{number}"] for number in MEMBERS]] = 0
        flagged = {at[f"d{number}"] for number in (0, *MEMBERS, 6)}
        record = dataclasses.replace(
            scan_of(snapshot, held.version_ids, flagged),
            campaign=campaign,
            campaigns=[CampaignRecord(0, 1.5, 0.01, ("harbour",), ())],
        )
        record_scan(wh, record, principal=ADMIN)
        events = [event_of(f"question {number}", ["d0", "d7", "d8"]) for number in range(CONTEXTS)]
        record_events(wh, events, principal=ADMIN)
        rows = queue_page(wh, principal=ADMIN).rows
    alerts = {row["document_id"]: row["alert_id"] for row in rows}
    return Reviewed(path, alerts, next(row["campaign"] for row in rows if row["document_id"] == "d1"))


def copied(made: Reviewed, folder: Path) -> Reviewed:
    """A copy to act on."""
    return dataclasses.replace(made, path=copy_warehouse(made.path, folder / made.path.name))
