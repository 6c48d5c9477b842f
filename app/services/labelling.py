"""Labels and relevance judgements from files into the warehouse."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from app.services.access import empty_corpus
from ragsieve_core.formats.beir import read_beir_qrels
from ragsieve_core.formats.rejected import Rejected
from ragsieve_core.formats.release import read_labels, read_qrels
from warehouse.corpora import get_corpus
from warehouse.database import Warehouse
from warehouse.labels import record_labels, record_qrels
from warehouse.principal import Principal
from warehouse.records import LabelRecord
from warehouse.snapshots import latest_snapshot, load_snapshot


@dataclass(frozen=True, slots=True)
class Labelled:
    """What was new of the files, and what was refused of them."""

    labels: int
    qrels: int
    rejected: tuple[Rejected, ...]


def take_labels(
    wh: Warehouse,
    corpus: str,
    labels: Path | None,
    qrels: Path | None,
    *,
    provenance: str,
    rest_clean: bool,
    principal: Principal,
) -> Labelled:
    """Store what the files hold; a row that cannot be read is left out and listed.

    Parameters
    ----------
    rest_clean : label every other document of the latest snapshot as clean.
    """
    get_corpus(wh, corpus, principal=principal)
    known = cast(Literal["fixture", "reviewer"], provenance)
    rejected: list[Rejected] = []
    records: list[LabelRecord] = []
    for row in read_labels(labels) if labels is not None else ():
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        records.append(
            LabelRecord(
                corpus=corpus,
                document_id=row.document_id,
                poison=row.poison,
                provenance=known,
                source=labels.name if labels else "",
                query_id=row.query_id,
                condition=row.condition,
                attack=row.attack,
                sampling_probability=row.sampling_probability,
            )
        )
    if rest_clean and labels is not None:
        latest = latest_snapshot(wh, corpus, principal=principal)
        if latest is None:
            raise empty_corpus(corpus)
        named = {record.document_id for record in records}
        held = load_snapshot(wh, latest.snapshot_id, principal=principal, texts=False)
        records += [LabelRecord(corpus, name, False, known, labels.name) for name in held.ids if name not in named]
    stored = record_labels(wh, records, principal=principal) if records else 0
    judged = []
    if qrels is not None:
        for one in read_qrels(qrels) if qrels.suffix == ".jsonl" else read_beir_qrels(qrels):
            if isinstance(one, Rejected):
                rejected.append(one)
            else:
                judged.append((one.query_id, one.document_id, one.score))
    new = record_qrels(wh, corpus, judged, source=qrels.name if qrels else "", principal=principal) if judged else 0
    return Labelled(stored, new, tuple(rejected))
