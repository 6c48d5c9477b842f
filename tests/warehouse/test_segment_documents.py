"""Documents and vectors come back from a segment, and the same content is the same bytes."""

from __future__ import annotations

import numpy as np

from tests.warehouse.builders import documents
from warehouse.records import EncoderSpec
from warehouse.segment_documents import documents_segment, embeddings_segment, read_documents, read_embeddings
from warehouse.segments import decode

ENCODER = EncoderSpec("enc", "small", 3, {"pooling": "cls"})


def test_documents_come_back() -> None:
    batch = documents(3)
    batch.acl = [("a", "b"), (), ("c",)]
    batch.metadata = ['{"k":1}', "", ""]
    matrix = np.arange(9, dtype=np.float32).reshape(3, 3)
    data = documents_segment("c", [batch], embeddings=matrix, encoder=ENCODER)
    assert data == documents_segment("c", [batch], embeddings=matrix, encoder=ENCODER)
    found, encoder = read_documents(decode(data))
    assert (found.id, found.text, found.acl, found.metadata) == (batch.id, batch.text, batch.acl, batch.metadata)
    assert encoder == ENCODER
    assert np.array_equal(found.embeddings, matrix)


def test_vectors_come_back() -> None:
    matrix = np.random.default_rng(0).standard_normal((4, 3), dtype=np.float32)
    snapshot, encoder, versions, found = read_embeddings(
        decode(embeddings_segment("snap", ENCODER, np.array([1, 2, 3, 4]), matrix))
    )
    assert (snapshot, encoder, versions.tolist()) == ("snap", ENCODER, [1, 2, 3, 4])
    assert np.array_equal(found, matrix)
