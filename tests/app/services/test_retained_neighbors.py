"""Which neighbours of the last scan make a tail suspect: all retained ones of `paper`, flagged ones of `calibrated`."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.services import owner_access
from app.services.owner_access import OwnerAccess
from tests.small_warehouse import CORPUS, build
from warehouse.database import Warehouse
from warehouse.principal import local_principal
from warehouse.scans import list_scans, scan_neighbors, scan_scores

ME = local_principal()


def test_weak_groups_of_calibrated_are_no_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = build(tmp_path / "w.duckdb")
    with Warehouse.open(small.path, command="test") as wh:
        last = list_scans(wh, principal=ME)[0]
        scores = scan_scores(wh, last["scan_id"], principal=ME).to_pylist()
        versions = [int(row["version_id"]) for row in scores]
        flagged = {row["document_id"] for row in scores if row["flagged"]}
        rows = scan_neighbors(wh, last["scan_id"], versions, principal=ME)
        retained = {(int(row["version_id"]), row["document_id"]) for row in rows if row["retained"]}
        access = OwnerAccess(wh, ME)
        given = access.retained_neighbors(CORPUS, versions)
        assert {(one, other) for one, others in given.items() for other in others} == retained
        monkeypatch.setattr(owner_access, "list_scans", lambda *a, **k: [{**last, "rule": "calibrated"}])
        given = access.retained_neighbors(CORPUS, versions)
        kept = {(one, other) for one, others in given.items() for other in others}
    assert kept == {(one, other) for one, other in retained if other in flagged}
    assert kept < retained
