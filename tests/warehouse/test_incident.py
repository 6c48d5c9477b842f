from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.review.archive import verify_archive
from tests.warehouse.desk import ADA, CY, LOCAL, OF_B, fill, reached
from warehouse.canary import run_canary
from warehouse.chain import row_hash
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import PermissionRefusedError
from warehouse.holds import hold
from warehouse.incident import incident_archive
from warehouse.principal import Principal
from warehouse.remediation import record_remedy
from warehouse.truth import record_check, state_claim


def test_it_holds_the_whole_story(wh: Warehouse, tmp_path: Path) -> None:
    name = fill(wh)["d0"]
    reached(wh, "d0", 3)
    hold(wh, name, principal=CY, hours=1, reason="planted")
    done = decide(
        wh, name, 1, principal=LOCAL, verdict="quarantine", reason="true_positive", note="my words", at_once=True
    )
    run_canary(wh, str(done.quarantine_id), principal=CY)
    claim = state_claim(wh, "c", "d0", principal=CY, statement="s")
    record_check(wh, claim, principal=CY, kind="human_review", outcome="contradicted", evidence=["x"])
    record_remedy(wh, "c", "d0", "source_notified", principal=CY)
    data, told = incident_archive(wh, name, principal=CY)
    file = tmp_path / "incident.zip"
    file.write_bytes(data)
    assert verify_archive(file).ok
    assert told["entries"] == 15
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {entry: json.loads(archive.read(entry)) for entry in archive.namelist()}
    assert parts["manifest.json"]["content_hash"] == parts["alert.json"]["alert"]["content_hash"]
    assert parts["document_versions.json"][0]["text"] == "text 0"
    assert [step["kind"] for step in parts["history.json"]] == ["opened", "evidence", "decided"]
    assert parts["history.json"][-1]["note"] == "my words"
    assert parts["scans.json"][0]["config_key"] == "key-paper"
    assert len(parts["queries.json"]) == 3
    assert {row["kind"] for row in parts["quarantine.json"]["changes"]} == {"proposed", "published"}
    assert {row["outcome"] for row in parts["canary.json"]["results"]} == {"verified_absent"}
    assert parts["truth.json"][0]["status"] == "contradicted"
    assert parts["remediation.json"][0]["step"] == "source_notified"
    rows = parts["audit.json"]["rows"]
    assert {"decided", "quarantine_published", "held", "claim_checked", "canary_replayed"} <= {
        r["action"] for r in rows
    }
    from datetime import datetime

    for row in rows:
        fields = (datetime.fromisoformat(row["acted_at"]), row["actor"], row["action"], row["object"], row["payload"])
        assert row_hash(row["sequence"], *fields, row["previous_hash"]) == row["hash"]


def test_who_may_have_it(wh: Warehouse) -> None:
    name = fill(wh)["d0"]
    with pytest.raises(InputError, match="no alert"):
        incident_archive(wh, name, principal=OF_B)
    with pytest.raises(PermissionRefusedError):
        incident_archive(wh, name, principal=Principal("v", "viewer"))
    assert incident_archive(wh, name, principal=ADA)[1]["document"] == "d0"
