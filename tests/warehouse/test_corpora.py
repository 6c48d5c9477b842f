from __future__ import annotations

import pytest

from ragsieve_core.errors import InputError
from tests.warehouse.builders import documents
from warehouse import audit
from warehouse.corpora import ensure_corpus, get_corpus, list_corpora
from warehouse.database import Warehouse
from warehouse.errors import PermissionRefusedError
from warehouse.ingest import ingest
from warehouse.labels import list_labels, record_labels
from warehouse.overview import overview
from warehouse.principal import Principal
from warehouse.records import LabelRecord


def test_made_once_and_listed(wh: Warehouse, me: Principal) -> None:
    first = ensure_corpus(wh, "news", principal=me)
    assert ensure_corpus(wh, "news", principal=me) == first
    assert (first.admission, first.documents, first.snapshot_id) == ("at_once", 0, None)
    ingest(wh, "news", [documents(3)], principal=me)
    assert [(corpus.name, corpus.documents) for corpus in list_corpora(wh, principal=me)] == [("news", 3)]


def test_the_admission_policy_has_a_history(wh: Warehouse, me: Principal) -> None:
    ensure_corpus(wh, "news", principal=me)
    assert ensure_corpus(wh, "news", principal=me, admission="after_scan").admission == "after_scan"
    assert ensure_corpus(wh, "news", principal=me).admission == "after_scan"
    assert wh.cursor().execute("SELECT admission FROM corpus_policies ORDER BY seq").fetchall() == [
        ("at_once",),
        ("after_scan",),
    ]
    assert audit.audit_page(wh, principal=me, action="admission_changed").total == 1
    with pytest.raises(PermissionRefusedError):
        ensure_corpus(wh, "news", principal=Principal("r", "reviewer"), admission="at_once")


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201])
def test_names_that_are_none(wh: Warehouse, me: Principal, name: str) -> None:
    with pytest.raises(InputError):
        ensure_corpus(wh, name, principal=me)


def test_unknown_names_get_the_nearest(wh: Warehouse, me: Principal) -> None:
    ensure_corpus(wh, "news", principal=me)
    with pytest.raises(InputError, match="did you mean 'news'"):
        get_corpus(wh, "new", principal=me)
    with pytest.raises(InputError, match="unknown admission"):
        ensure_corpus(wh, "news", principal=me, admission="later")  # type: ignore[arg-type]


def test_tenants_see_corpora_that_hold_theirs(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "one", [documents(2, tenant="a"), documents(3, start=2, tenant="b")], principal=me)
    ingest(wh, "two", [documents(1, tenant="b")], principal=me)
    ann = Principal("ann", "viewer", frozenset({"a"}))
    assert [(corpus.name, corpus.documents) for corpus in list_corpora(wh, principal=ann)] == [("one", 2)]
    assert overview(wh, principal=ann)["documents"] == 2


def test_labels_are_appended_once(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(2, tenant="a"), documents(1, start=2, tenant="b")], principal=me)
    given = [LabelRecord("c", f"d{n}", n > 0, "fixture", "labels.jsonl", attack="copy") for n in range(3)]
    assert record_labels(wh, given, principal=me) == 3
    assert record_labels(wh, given, principal=me) == 0
    assert list_labels(wh, principal=me)["poison"].to_pylist().count(True) == 2
    assert list_labels(wh, principal=Principal("b", "viewer", frozenset({"b"})))["document_id"].to_pylist() == ["d2"]
    with pytest.raises(InputError, match="provenance"):
        record_labels(wh, [LabelRecord("c", "d0", True, "guess", "x")], principal=me)  # type: ignore[arg-type]


def test_overview_counts(wh: Warehouse, me: Principal) -> None:
    counts = overview(wh, principal=me)
    assert (counts["documents"], counts["alerts"], counts["alerts_by"]) == (0, 0, [])
