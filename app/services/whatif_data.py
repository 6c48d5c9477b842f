"""Stored scores of one slice, prepared once so that a slider can move over them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.services.evaluating import flags, numbers, texts, tristate, units_of
from ragsieve_core.errors import InputError
from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.config import RSGConfig, rsg_preset
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.presets import rsq_preset
from ragsieve_core.whatif.outcome import KEEP, QUARANTINE, UNKNOWN, Basis, Truth
from ragsieve_core.whatif.ranking import RankingColumns
from ragsieve_core.whatif.rsg import RSGColumns
from ragsieve_core.whatif.rsq import RSQColumns
from warehouse import evaluation, whatif
from warehouse.corpora import get_corpus
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.scans import get_scan, list_scans

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class PreparedRSQ:
    """Candidates of a slice.

    Attributes
    ----------
    columns : terms and stored flags.
    config : the preset.
    truth, verdict : labels and people's verdicts per row.
    age_days : float32 (events,).
    query, document : n ids.
    ranking : rankings of judged questions.
    """

    columns: RSQColumns
    config: RSQConfig
    truth: Truth
    verdict: np.ndarray[Any, np.dtype[np.int8]]
    age_days: np.ndarray[Any, np.dtype[np.float32]]
    query: np.ndarray[Any, np.dtype[np.str_]]
    document: np.ndarray[Any, np.dtype[np.str_]]
    ranking: RankingColumns


@dataclass(frozen=True, slots=True)
class PreparedRSG:
    """Documents of a scan; ``reach`` = (row of the document in the scan or -1, event) of every ranked document."""

    scan: str
    encoder: str
    columns: RSGColumns
    config: RSGConfig | CalibratedConfig
    truth: Truth
    verdict: np.ndarray[Any, np.dtype[np.int8]]
    age_days: np.ndarray[Any, np.dtype[np.float32]]
    document: np.ndarray[Any, np.dtype[np.str_]]
    reach: tuple[np.ndarray[Any, np.dtype[np.int64]], np.ndarray[Any, np.dtype[np.int32]]]
    events: int


def prepare_rsq(
    wh: Warehouse, corpus: str, rule: str, retriever: str | None, *, now: datetime, principal: Principal
) -> PreparedRSQ:
    """Read a slice of the events.

    Raises
    ------
    InputError : unknown corpus or rule, or no scored candidate of the slice.
    """
    config = rsq_preset(rule)
    get_corpus(wh, corpus, principal=principal)
    table = whatif.candidates(wh, corpus, rule, retriever, principal=principal)
    if not table.num_rows:
        raise InputError(
            f"no scored candidate of {corpus!r} under rsq/{rule}" + (f" by {retriever}" if retriever else ""),
            where="whatif",
            do="ragsieve query or ragsieve replay first",
        )
    event, first = _codes(table["event_id"])
    query = texts(table, "query_id")
    query = np.where(query == "", texts(table, "query_hash"), query)
    _, unit = np.unique(query, return_inverse=True)
    stored = flags(table, "flagged")
    anchor, script, surprisal, alignment = (
        numbers(table, f"e_{term}") for term in ("anchor", "script", "surprisal", "alignment")
    )
    return PreparedRSQ(
        columns=RSQColumns(anchor, script, surprisal, alignment, stored, event, first.size),
        config=config,
        truth=_truth(table, unit.astype(np.int64)),
        verdict=_verdicts(table),
        age_days=_ages(table["occurred_at"], now)[first],
        query=query,
        document=texts(table, "document_id"),
        ranking=_rankings(whatif.judged_rankings(wh, corpus, rule, retriever, principal=principal), table, first.size),
    )


def prepare_rsg(
    wh: Warehouse,
    corpus: str,
    rule: str,
    retriever: str | None,
    *,
    now: datetime,
    principal: Principal,
    scan: str = "",
) -> PreparedRSG:
    """Read a scan: the one named, else the latest finished one of the slice.

    Raises
    ------
    InputError : unknown corpus, rule or scan, or no finished scan of the slice.
    """
    rsg_preset(rule)
    held = get_corpus(wh, corpus, principal=principal)
    row = get_scan(wh, scan, principal=principal) if scan else _latest(wh, corpus, rule, retriever, principal)
    scan_id = str(row["scan_id"])
    table = evaluation.labelled_documents(wh, scan_id, principal=principal)
    versions = table["version_id"].to_numpy()
    cosine, jaccard = _matrices(whatif.neighbors(wh, scan_id, principal=principal), versions)
    config = stored_config(json.loads(row["config"]))
    ranked = whatif.reach(wh, held.corpus_id, principal=principal)
    event, first = _codes(ranked["event_id"])
    wanted = ranked["version_id"].to_numpy()
    place = np.searchsorted(versions, wanted).clip(max=max(0, versions.size - 1))
    document = np.where(versions[place] == wanted, place, -1) if versions.size else np.zeros(0, dtype=np.int64)
    return PreparedRSG(
        scan=scan_id,
        encoder=str(row["encoder_key"] or ""),
        columns=RSGColumns(
            config,
            flags(table, "flagged"),
            numbers(table, "integrity"),
            numbers(table, "topology_score"),
            cosine,
            jaccard,
        ),
        config=config,
        truth=_truth(table, units_of(wh, scan_id, table, principal)),
        verdict=_verdicts(table),
        age_days=_ages(table["ingested_at"], now),
        document=texts(table, "document_id"),
        reach=(document.astype(np.int64), event),
        events=first.size,
    )


def stored_config(fields: Mapping[str, Any]) -> RSGConfig | CalibratedConfig:
    """The configuration a scan was stored with; fields of a later version keep their defaults."""
    kind = CalibratedConfig if fields.get("rule") == "calibrated" else RSGConfig
    known: dict[str, Any] = {name: fields[name] for name in kind.__dataclass_fields__ if name in fields}
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}
    return kind(**given)


def _latest(wh: Warehouse, corpus: str, rule: str, retriever: str | None, principal: Principal) -> dict[str, Any]:
    for row in list_scans(wh, principal=principal, corpus=corpus, limit=10_000):
        fits = row["status"] == "finished" and row["detector"] == "rsg" and row["rule"] == rule
        if fits and retriever in (None, row["encoder_key"] or ""):
            return row
    raise InputError(
        f"no finished scan of {corpus!r} under rsg/{rule}" + (f" by {retriever}" if retriever else ""),
        where="whatif",
        do=f"ragsieve scan --corpus {corpus} --rule {rule}",
    )


def _codes(column: pa.ChunkedArray) -> tuple[np.ndarray[Any, np.dtype[np.int32]], np.ndarray[Any, np.dtype[np.int64]]]:
    """Number of each value in order of appearance, and the row where each begins; equal values stand together."""
    if not len(column):
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    codes = column.combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int32)
    return codes, np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])


def _ages(column: pa.ChunkedArray, now: datetime) -> np.ndarray[Any, np.dtype[np.float32]]:
    moments = column.to_numpy().astype("datetime64[us]")
    age = (np.datetime64(now, "us") - moments).astype(np.int64) / 86_400e6
    return np.asarray(np.maximum(age, 0), dtype=np.float32)


def _verdicts(table: pa.Table) -> np.ndarray[Any, np.dtype[np.int8]]:
    column = table["verdict"].combine_chunks()
    kept, taken = (
        pc.fill_null(pc.equal(column, name), False).to_numpy(zero_copy_only=False) for name in ("keep", "quarantine")
    )
    return np.asarray(kept.astype(np.int8) * KEEP + taken.astype(np.int8) * QUARANTINE, dtype=np.int8)


def _truth(table: pa.Table, unit: np.ndarray[Any, np.dtype[np.int64]]) -> Truth:
    """Labels of rows, and what kind they are; without labels, verdicts of people tell precision."""
    poison = tristate(table, "poison")
    weight = table["weight"].to_numpy(zero_copy_only=False).astype(np.float64)
    drawn = np.isfinite(weight)
    basis: Basis
    if flags(table, "fixture").any():
        basis = "labels"
    elif drawn.any():
        return Truth(poison, unit, "audit_sample", np.where(drawn, weight, 1.0))
    elif (poison != UNKNOWN).any():
        basis = "flagged_only"
    else:
        verdict = _verdicts(table)
        poison = np.select([verdict == QUARANTINE, verdict == KEEP], [1, 0], UNKNOWN).astype(np.int8)
        basis = "flagged_only" if (poison != UNKNOWN).any() else "none"
    return Truth(poison, unit, basis)


def _rankings(table: pa.Table, candidates: pa.Table, events: int) -> RankingColumns:
    """Judged rankings, their documents joined to candidate rows."""
    if not table.num_rows:
        empty = np.zeros(0, dtype=np.int64)
        none = empty.astype(np.bool_)
        return RankingColumns(empty.astype(np.int32), empty, none, none, np.zeros(events, dtype=np.int32))
    codes, _ = _codes(table["event_id"])
    place = {
        pair: row
        for row, pair in enumerate(
            zip(candidates["event_id"].to_pylist(), candidates["document_id"].to_pylist(), strict=True)
        )
    }
    pairs = zip(table["event_id"].to_pylist(), table["document_id"].to_pylist(), strict=True)
    wanted = np.zeros(int(codes.max()) + 1, dtype=np.int32)
    wanted[codes] = table["wanted"].to_numpy()
    return RankingColumns(
        codes,
        np.array([place.get(pair, -1) for pair in pairs], dtype=np.int64),
        flags(table, "gone"),
        flags(table, "relevant"),
        wanted,
    )


def _matrices(
    table: pa.Table, versions: np.ndarray[Any, np.dtype[np.int64]]
) -> tuple[np.ndarray[Any, np.dtype[np.float32]] | None, Floats | None]:
    """Neighbour values as (k, N), contiguous by place; None where not every document has the same number of them."""
    count = versions.size
    if not table.num_rows or table.num_rows % count:
        return None, None
    k = table.num_rows // count
    if not (table["version_id"].to_numpy().reshape(count, k) == versions[:, None]).all():
        return None, None
    return (
        np.ascontiguousarray(table["cosine"].to_numpy().astype(np.float32).reshape(count, k).T),
        np.ascontiguousarray(table["jaccard"].to_numpy().reshape(count, k).T),
    )
