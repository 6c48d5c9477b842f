"""Which vectors a corpus is compared with, and encoding what still lacks them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.services.access import Access, empty_corpus
from ragsieve_core.errors import InputError, nearest
from ragsieve_core.models.roles import Progress, Retriever
from warehouse.records import EncoderSpec
from warehouse.snapshots import SnapshotDocuments

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

ENCODE_CHUNK = 512
"""Documents encoded between two commits: an interrupted run goes on from there."""


def encoder_spec(models: LoadedModels, retriever: Retriever) -> EncoderSpec:
    """The profile's retriever as the warehouse registers it."""
    spec = models.profile.retriever
    return EncoderSpec(retriever.key, spec.source.name, retriever.dimension, asdict(spec))


@dataclass(frozen=True, slots=True)
class EmbeddedSnapshot:
    """Documents, their vectors (float32 (N, d), unit rows, same order), and the key of the encoder that made them."""

    documents: SnapshotDocuments
    vectors: NDArray[np.float32]
    encoder: str


def with_matrix(documents: SnapshotDocuments, encoder: str) -> EmbeddedSnapshot:
    """The snapshot with its matrix, once no vector is missing."""
    if documents.embeddings is None:
        raise RuntimeError("a snapshot with every vector came without its matrix")
    return EmbeddedSnapshot(documents, documents.embeddings, encoder)


def covering_encoder(access: Access, corpus: str, snapshot: str | None, preferred: str, asked: str | None) -> str:
    """Key of the encoder to use: the one asked for, else the profile's, else the only one that covers the snapshot.

    Raises
    ------
    InputError : the encoder asked for is known to be unknown.
    """
    known = access.encoder_keys()
    if asked is not None:
        if known and asked not in known:
            raise InputError(
                f"no vectors of encoder {asked!r} are stored",
                where="--encoder",
                expected=nearest(asked, known),
                do="ingest them: ragsieve ingest --embeddings E.npy --encoder KEY",
            )
        return asked
    if preferred in known or not known:
        return preferred
    covering = [key for key in sorted(known) if access.snapshot(corpus, snapshot, key).missing.size == 0]
    return covering[0] if len(covering) == 1 else preferred


def embedded_snapshot(
    access: Access,
    corpus: str,
    models: LoadedModels,
    *,
    snapshot: str | None = None,
    encoder: str | None = None,
    progress: Progress | None = None,
) -> EmbeddedSnapshot:
    """A snapshot (the latest by default) with a vector for every member.

    Members without one are encoded with the profile's retriever, in chunks that are committed one by one.

    Raises
    ------
    InputError : an empty corpus, or another encoder was asked for and some members have no vector of it.
    """
    known = access.encoder_keys()
    sure = next(iter(known)) if encoder is None and len(known) == 1 else encoder
    documents = None
    if sure is not None and (not known or sure in known):
        # Asked for, or the only one there is: where it covers all, loading libraries to learn what the profile's
        # retriever is called would take longer than the scan
        documents = access.snapshot(corpus, snapshot, sure)
        if len(documents) == 0:
            raise empty_corpus(corpus)
        if documents.missing.size == 0:
            return with_matrix(documents, sure)
    retriever = models.retriever
    key = covering_encoder(access, corpus, snapshot, retriever.key, encoder)
    if documents is None or key != sure:
        documents = access.snapshot(corpus, snapshot, key)
    if len(documents) == 0:
        raise empty_corpus(corpus)
    if documents.missing.size == 0:
        return with_matrix(documents, key)
    if key != retriever.key:
        raise InputError(
            f"{documents.missing.size:,} of {len(documents):,} documents have no vector of encoder {key!r}",
            where=f"snapshot {documents.snapshot}",
            expected="vectors of one encoder for every document",
            do="ingest the missing vectors, or leave --encoder out to encode with the profile's retriever",
        )
    spec = encoder_spec(models, retriever)
    texts = documents.full_texts()
    total = int(documents.missing.size)
    for start in range(0, total, ENCODE_CHUNK):
        part = documents.missing[start : start + ENCODE_CHUNK]
        matrix = retriever.encode([texts[i] for i in part], kind="passage")
        access.add_vectors(documents.snapshot, spec, documents.version_ids[part], matrix)
        if progress is not None:
            progress(start + len(part), total)
    return with_matrix(access.snapshot(corpus, documents.snapshot, key), key)
