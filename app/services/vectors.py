"""Which vectors a corpus is compared with, and encoding what still lacks them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.models.roles import Progress, Retriever
from warehouse.database import Warehouse
from warehouse.embeddings import add_embeddings
from warehouse.encoders import list_encoders
from warehouse.principal import Principal
from warehouse.records import EncoderSpec
from warehouse.snapshots import SnapshotDocuments, load_snapshot

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

ENCODE_CHUNK = 512
"""Documents encoded between two commits: an interrupted run goes on from there."""


def encoder_spec(models: LoadedModels, retriever: Retriever) -> EncoderSpec:
    """The profile's retriever as the warehouse registers it."""
    spec = models.profile.retriever
    return EncoderSpec(retriever.key, spec.source.name, retriever.dimension, asdict(spec))


def covering_encoder(wh: Warehouse, snapshot: str, preferred: str, asked: str | None, *, principal: Principal) -> str:
    """Key of the encoder to use: the one asked for, else the profile's, else the only one that covers the snapshot.

    Raises
    ------
    InputError : the encoder asked for is unknown.
    """
    known = {str(row["encoder_key"]) for row in list_encoders(wh, principal=principal)}
    if asked is not None:
        if asked not in known:
            raise InputError(
                f"no vectors of encoder {asked!r} are stored",
                where="--encoder",
                expected=nearest(asked, known) if known else "a key given at `ragsieve ingest --embeddings`",
                do="ingest them: ragsieve ingest --embeddings E.npy --encoder KEY",
            )
        return asked
    if preferred in known:
        return preferred
    covering = [
        key
        for key in sorted(known)
        if load_snapshot(wh, snapshot, principal=principal, encoder=key, texts=False).missing.size == 0
    ]
    return covering[0] if len(covering) == 1 else preferred


def embedded_snapshot(
    wh: Warehouse,
    snapshot: str,
    models: LoadedModels,
    *,
    principal: Principal,
    encoder: str | None = None,
    progress: Progress | None = None,
) -> tuple[SnapshotDocuments, str]:
    """A snapshot with a vector for every member, and the key of the encoder that made them.

    Members without one are encoded with the profile's retriever, in chunks that are committed one by one.

    Raises
    ------
    InputError : another encoder was asked for and some members have no vector of it.
    """
    retriever = models.retriever
    key = covering_encoder(wh, snapshot, retriever.key, encoder, principal=principal)
    documents = load_snapshot(wh, snapshot, principal=principal, encoder=key)
    if documents.missing.size == 0:
        return documents, key
    if key != retriever.key:
        raise InputError(
            f"{documents.missing.size:,} of {len(documents):,} documents have no vector of encoder {key!r}",
            where=f"snapshot {snapshot}",
            expected="vectors of one encoder for every document",
            do="ingest the missing vectors, or leave --encoder out to encode with the profile's retriever",
        )
    spec = encoder_spec(models, retriever)
    texts = documents.full_texts()
    total = int(documents.missing.size)
    for start in range(0, total, ENCODE_CHUNK):
        part = documents.missing[start : start + ENCODE_CHUNK]
        matrix = retriever.encode([texts[i] for i in part], kind="passage")
        add_embeddings(wh, snapshot, spec, matrix, principal=principal, version_ids=documents.version_ids[part])
        if progress is not None:
            progress(start + len(part), total)
    stored = load_snapshot(wh, snapshot, principal=principal, encoder=key, texts=False)
    return replace(documents, embeddings=stored.embeddings, missing=stored.missing), key
