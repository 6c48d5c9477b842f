"""Unscanned documents and their age."""

from __future__ import annotations

import pytest

from tests.warehouse.builders import documents, scan_of
from warehouse.database import Warehouse
from warehouse.freshness import corpus_freshness
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.scans import record_scan
from warehouse.snapshots import load_snapshot


def test_counts_and_ages(wh: Warehouse, me: Principal) -> None:
    snapshot = str(ingest(wh, "c", [documents(4)], principal=me).snapshot)
    (before,) = corpus_freshness(wh, principal=me)
    assert (before.corpus, before.documents, before.unscanned, before.last_scan_at) == ("c", 4, 4, None)
    versions = load_snapshot(wh, snapshot, principal=me).version_ids
    record_scan(wh, scan_of(snapshot, versions, set()), principal=me)
    (scanned,) = corpus_freshness(wh, principal=me)
    assert (scanned.unscanned, scanned.oldest_at, scanned.oldest_hours) == (0, None, None)
    assert scanned.last_scan_at is not None

    # Another text under a known id and a new document are unscanned; another contributor of the same text is not
    batch = documents(5)
    batch.text[1], batch.contributor = "another text", ["", "", "eve", "", ""]
    ingest(wh, "c", [batch], principal=me)
    with wh.transaction() as cursor:
        cursor.execute(
            "UPDATE document_versions SET ingested_at = ingested_at - INTERVAL 2 HOUR WHERE text = 'another text'"
        )
    (later,) = corpus_freshness(wh, principal=me)
    assert (later.documents, later.unscanned) == (5, 2)
    assert later.oldest_hours == pytest.approx(2, abs=0.1)


def test_documents_that_are_gone_do_not_wait(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(4)], principal=me)
    ingest(wh, "c", [documents(1)], principal=me, full=True)
    (found,) = corpus_freshness(wh, principal=me)
    assert (found.documents, found.unscanned) == (1, 1)


def test_a_tenant_counts_its_own(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(3, tenant="a")], principal=me)
    ingest(wh, "c", [documents(2, start=3, tenant="b")], principal=me)
    ingest(wh, "d", [documents(2, tenant="b")], principal=me)
    ann = Principal("ann", "viewer", frozenset({"a"}))
    assert [(f.corpus, f.documents, f.unscanned) for f in corpus_freshness(wh, principal=ann)] == [("c", 3, 3)]
    assert [(f.corpus, f.documents) for f in corpus_freshness(wh, principal=me)] == [("c", 5), ("d", 2)]
