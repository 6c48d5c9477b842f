"""What a gate in another process may know of tenants and tokens, and when it learns of a change."""

from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.publication import PublicationReader
from tests.warehouse.builders import documents
from warehouse import corpora, facts, publish
from warehouse.database import Warehouse
from warehouse.ingest import ingest
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.snapshot_files import read_snapshot_files, write_snapshot_files
from warehouse.tokens import issue_token, revoke_token


def test_tokens_are_published_by_hash_and_gone_once_revoked(wh: Warehouse, me: Principal) -> None:
    reader = PublicationReader(wh.side.folder("published"))
    made = issue_token(wh, principal=me, name="rag", scope="gate", tenant="a")
    found = reader.read().in_force
    credential = found.credentials[made.token_id]
    assert (credential.scope, credential.tenant, credential.name) == ("gate", "a", "rag")
    assert made.secret.split(".")[2] not in (wh.side.folder("published") / "current").read_text()
    assert all(made.secret.split(".")[2].encode() not in f.read_bytes() for f in wh.side.folder("published").iterdir())
    assert found.query_key == facts.fact(wh, "query_key")
    revoke_token(wh, made.token_id, principal=me)
    assert reader.read().in_force.credentials == {}
    assert reader.read().in_force.number == found.number + 1
    assert publish.ensure_published(wh, principal=me) == found.number + 1


def test_documents_are_published_with_their_tenants(wh: Warehouse, me: Principal) -> None:
    ingest(wh, "c", [documents(2, tenant="a"), documents(1, start=2, tenant="b")], principal=me)
    corpora.ensure_corpus(wh, "c", principal=me, admission="after_scan")
    publish.ensure_published(wh, principal=me)
    found = PublicationReader(wh.side.folder("published")).read().in_force
    assert {name for _, name in found.unadmitted} == {"d0", "d1", "d2"}
    assert [found.concerns("c", f"d{i}", "a") for i in range(3)] == [True, True, False]
    assert found.excluded_by("c", "d2", tenant="a") == ""
    assert found.excluded_by("c", "d2", tenant="b") == found.excluded_by("c", "d2") == "unadmitted"


def test_snapshot_files_carry_access_lists_and_older_ones_are_written_anew(wh: Warehouse, me: Principal) -> None:
    from dataclasses import replace

    batch = replace(documents(2), acl=[("staff",), ()])
    snapshot = ingest(wh, "c", [batch], principal=me).snapshot
    assert snapshot is not None
    folder = write_snapshot_files(wh, snapshot, principal=me)
    assert [list(acl) for acl in read_snapshot_files(folder).acls] == [["staff"], []]
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 2', '"format": 1'))
    with pytest.raises(Exception, match="another version"):
        read_snapshot_files(folder)
    write_snapshot_files(wh, snapshot, principal=me)
    assert len(read_snapshot_files(folder)) == 2


def test_snapshot_files_tell_which_vectors_are_missing(wh: Warehouse, me: Principal) -> None:
    from warehouse.embeddings import add_embeddings

    spec = EncoderSpec("e", "e", 2)
    matrix = np.array([[1, 0], [0, 1]], dtype=np.float32)
    ingest(wh, "c", [documents(2)], principal=me, embeddings=matrix, encoder=spec)
    snapshot = ingest(wh, "c", [documents(1, start=2)], principal=me).snapshot
    assert snapshot is not None
    found = read_snapshot_files(write_snapshot_files(wh, snapshot, principal=me, encoder="e"))
    assert (found.missing.tolist(), found.embeddings) == ([2], None)
    add_embeddings(wh, snapshot, spec, matrix[:1], principal=me, version_ids=found.version_ids[found.missing])
    found = read_snapshot_files(write_snapshot_files(wh, snapshot, principal=me, encoder="e"))
    assert found.missing.size == 0
    np.testing.assert_array_equal(np.asarray(found.embeddings), [[1, 0], [0, 1], [1, 0]])
