from __future__ import annotations

import numpy as np
import pytest

from tests.warehouse.builders import documents, event_of, scan_of
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.events import record_events
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.publish import ensure_published
from warehouse.records import EncoderSpec
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot


@pytest.fixture
def sound(wh: Warehouse, me: Principal) -> Warehouse:
    result = ingest(wh, "c", [documents(3)], principal=me, embeddings=np.eye(3), encoder=EncoderSpec("enc", "e", 3))
    versions = load_snapshot(wh, str(result.snapshot), principal=me).version_ids
    record_scan(wh, scan_of(str(result.snapshot), versions, {1}), principal=me)
    record_events(wh, [event_of("q", ["d0", "d1"], {"d0"})], principal=me)
    ensure_published(wh, principal=me)
    assert broken_rules(wh) == []
    return wh


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ("INSERT INTO document_versions SELECT * FROM document_versions LIMIT 1", "version ids that stand twice"),
        ("DELETE FROM document_versions WHERE version_id = 1", "ingests without all"),
        ("DELETE FROM scan_scores WHERE version_id = 1", "scans without all"),
        ("DELETE FROM scans", "scores without a scan"),
        ("DELETE FROM retrieval_events", "without an event"),
        ("INSERT INTO alert_events SELECT * FROM alert_events LIMIT 1", "history rows of alerts"),
        ("DELETE FROM alert_current", "without a current state"),
        ("UPDATE alert_current SET verdict = 'keep'", "not their history"),
        ("UPDATE snapshots SET documents = 9", "snapshots without all"),
        ("DELETE FROM embedding_segments", "vectors without a file"),
        ("DELETE FROM audit_log WHERE sequence = 2", "the audit chain"),
        ("UPDATE publications SET number = 7", "publication 7"),
    ],
)
def test_every_rule_can_break(sound: Warehouse, change: str, rule: str) -> None:
    with sound.transaction() as cursor:
        cursor.execute(change)
    assert any(rule in found for found in broken_rules(sound))
