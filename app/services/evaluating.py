"""Cells of an evaluation from what the warehouse holds, and their rows for tables and files."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.bootstrap import RESAMPLES, Comparison, draw, paired_differences
from ragsieve_core.evaluate.cells import BUDGETS, Cell, Sample, Slice, ablation, measure
from ragsieve_core.evaluate.rate import Rate
from ragsieve_core.evaluate.samples import (
    Candidates,
    Documents,
    injected_for_rsg,
    injected_for_rsq,
    retrieved_by_rsg,
    retrieved_by_rsq,
    slice_of,
)
from ragsieve_core.evaluate.units import document_units
from warehouse import evaluation
from warehouse.database import Warehouse
from warehouse.encoders import list_encoders
from warehouse.principal import Principal

RSQ_TERMS = ("anchor", "script", "surprisal", "alignment")
FIELDS = ("dataset", "retriever", "attack", "detector", "population")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cells; empty = all."""

    corpus: str = ""
    retriever: str = ""
    attack: str = ""
    detector: str = ""
    population: str = ""

    def fits(self, where: Slice) -> bool:
        """True where a slice is asked for."""
        pairs = (
            (self.corpus, where.dataset),
            (self.retriever, where.retriever),
            (self.attack, where.attack),
            (self.detector, where.detector),
            (self.population, where.population),
        )
        return all(not asked or asked == held for asked, held in pairs)


def texts(table: pa.Table, name: str) -> np.ndarray[Any, np.dtype[np.str_]]:
    """A text column, null as empty."""
    values = table[name].to_pylist()
    return np.array([value or "" for value in values], dtype=np.str_)


def numbers(table: pa.Table, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A number column, null as 0."""
    return np.asarray(np.nan_to_num(table[name].to_numpy(zero_copy_only=False).astype(np.float64), nan=0.0))


def tristate(table: pa.Table, name: str) -> np.ndarray[Any, np.dtype[np.int8]]:
    """A truth column: 1, 0, and -1 for null."""
    column = table[name].combine_chunks()
    return np.asarray(column.cast(pa.int8()).fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int8)


def flags(table: pa.Table, name: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """A flag column."""
    return np.asarray(table[name].to_numpy(zero_copy_only=False), dtype=np.bool_)


def collect(wh: Warehouse, wanted: Wanted, *, principal: Principal) -> dict[Slice, Sample]:
    """Every slice that labels and scores make, in a fixed order."""
    found: dict[Slice, Sample] = {}
    table = evaluation.labelled_candidates(wh, principal=principal, corpus=wanted.corpus)
    candidates = _candidates(table)
    planted = evaluation.injected(wh, principal=principal, corpus=wanted.corpus)
    for (corpus, retriever, rule), held in candidates.items():
        detector = f"rsq/{rule}"
        for attack, sample in retrieved_by_rsq(held):
            found[slice_of(corpus, retriever, attack, detector, "retrieved")] = sample
        ours = planted.filter(pa.compute.equal(planted["corpus"], corpus))
        columns = (ours[name].to_pylist() for name in ("document_id", "query_id", "attack"))
        for attack, sample in injected_for_rsq(held, *columns):
            found[slice_of(corpus, retriever, attack, detector, "injected")] = sample
    for scan in evaluation.latest_scans(wh, principal=principal, corpus=wanted.corpus):
        corpus, retriever = str(scan["corpus"]), str(scan["retriever"])
        detector = f"{scan['detector']}/{scan['rule']}"
        documents = _documents(wh, str(scan["scan_id"]), principal)
        if documents is None:
            continue
        for attack, sample in injected_for_rsg(documents):
            found[slice_of(corpus, retriever, attack, detector, "injected")] = sample
        asked = next((c for (name, by, _), c in candidates.items() if name == corpus and by == retriever), None)
        for attack, sample in retrieved_by_rsg(asked, documents) if asked is not None else ():
            found[slice_of(corpus, retriever, attack, detector, "retrieved")] = sample
    kept = {where: sample for where, sample in found.items() if wanted.fits(where) and sample.poison.any()}
    return dict(sorted(kept.items(), key=lambda item: tuple(getattr(item[0], name) for name in FIELDS)))


def _candidates(table: pa.Table) -> dict[tuple[str, str, str], Candidates]:
    corpus, retriever, rule = (texts(table, name) for name in ("corpus", "retriever", "rule"))
    query = texts(table, "query_id")
    # A question without an id is itself
    query = np.where(query == "", texts(table, "query_hash"), query)
    columns = {name: texts(table, name) for name in ("document_id", "condition", "attack", "event_id")}
    poison, score, flagged = tristate(table, "poison"), numbers(table, "score"), flags(table, "flagged")
    terms = {name: numbers(table, f"e_{name}") for name in RSQ_TERMS}
    found = {}
    for key in sorted(set(zip(corpus.tolist(), retriever.tolist(), rule.tolist(), strict=True))):
        rows = np.flatnonzero((corpus == key[0]) & (retriever == key[1]) & (rule == key[2]))
        found[key] = Candidates(
            query[rows],
            columns["document_id"][rows],
            columns["condition"][rows],
            columns["attack"][rows],
            columns["event_id"][rows],
            poison[rows],
            score[rows],
            flagged[rows],
            {name: term[rows] for name, term in terms.items()},
        )
    return found


def _documents(wh: Warehouse, scan: str, principal: Principal) -> Documents | None:
    table = evaluation.labelled_documents(wh, scan, principal=principal)
    poison = tristate(table, "poison")
    if not (poison == 1).any():
        return None
    return Documents(
        texts(table, "document_id"),
        texts(table, "attack"),
        units_of(wh, scan, table, principal),
        poison,
        numbers(table, "score"),
        flags(table, "flagged"),
        {
            "topology alone": numbers(table, "topology_score"),
            "integrity alone": numbers(table, "integrity"),
            "density alone": numbers(table, "density"),
        },
    )


def units_of(wh: Warehouse, scan: str, table: pa.Table, principal: Principal) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Independent unit of every document of a scan."""
    versions = table["version_id"].to_numpy()
    links = evaluation.retained_links(wh, scan, principal=principal)
    ends = [np.searchsorted(versions, links[name].to_numpy()) for name in ("version_id", "neighbor_id")]
    return document_units(
        tristate(table, "poison") == 1,
        texts(table, "target").tolist(),
        texts(table, "source").tolist(),
        (ends[0], ends[1]),
    )


def retriever_names(wh: Warehouse, *, principal: Principal) -> dict[str, str]:
    """Short name of each encoder key; the key itself where two share a name."""
    held = {str(row["encoder_key"]): str(row["name"]) for row in list_encoders(wh, principal=principal)}
    names = list(held.values())
    return {key: name if names.count(name) == 1 else key for key, name in held.items()}


def retriever_key(wh: Warehouse, given: str, *, principal: Principal) -> str:
    """The key that a key or an unambiguous name stands for; anything else as it is."""
    names = retriever_names(wh, principal=principal)
    if given in names:
        return given
    return next((key for key, name in names.items() if name == given), given)


def cells(samples: Mapping[Slice, Sample], *, resamples: int = RESAMPLES, seed: int = 0) -> list[Cell]:
    """A cell for each slice."""
    if resamples < 1:
        raise InputError(f"{resamples} resamples", where="--resamples", expected="at least 1")
    return [measure(where, sample, resamples=resamples, seed=seed) for where, sample in samples.items()]


def command_of(where: Slice | None, *, warehouse: str, resamples: int, seed: int, more: Sequence[str] = ()) -> str:
    """The command that makes a figure again."""
    words = ["ragsieve", "evaluate", "--warehouse", warehouse]
    if where is not None:
        names = ("corpus", "retriever", "attack", "detector", "population")
        for option, value in zip(names, (getattr(where, name) for name in FIELDS), strict=True):
            words += [f"--{option}", value]
    return shlex.join([*words, "--resamples", str(resamples), "--seed", str(seed), *more])


def cell_row(cell: Cell, command: str) -> dict[str, Any]:
    """One cell as a flat row: numbers with their intervals, n and the command."""
    row: dict[str, Any] = {name: getattr(cell.slice, name) for name in FIELDS}
    row |= {
        "n": cell.n,
        "positives": cell.positives,
        "prevalence": cell.prevalence,
        "positive_units": cell.positive_units,
        "negative_units": cell.negative_units,
        "few_positives": cell.few,
    }
    for end in ("value", "low", "high"):
        row["auroc" if end == "value" else f"auroc_{end}"] = getattr(cell.auroc, end) if cell.auroc else None
    for budget in BUDGETS:
        row |= _rate_columns(f"detection_at_{budget:g}", cell.detection.get(budget))
    row |= _rate_columns("caught", cell.caught) | _rate_columns("clean_removed", cell.removed)
    return row | {"command": command}


def _rate_columns(name: str, rate: Rate | None) -> dict[str, float | None]:
    if rate is None or rate.n == 0:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}


def difference_rows(
    samples: Mapping[Slice, Sample], *, resamples: int = RESAMPLES, seed: int = 0
) -> list[dict[str, Any]]:
    """AUROC of one detector less another over the rows both scored, Holm over all pairs of the call."""
    groups: dict[tuple[str, str, str, str], list[Slice]] = {}
    for where in samples:
        key = (where.dataset, where.retriever, where.attack, where.population)
        groups.setdefault(key, []).append(where)
    named: list[dict[str, Any]] = []
    comparisons: list[Comparison] = []
    for key, held in groups.items():
        for first, second in combinations(held, 2):
            a, b = samples[first], samples[second]
            place = {name: row for row, name in enumerate(b.name)}
            both = [(row, place[name]) for row, name in enumerate(a.name) if name in place]
            left, right = (np.array([pair[end] for pair in both], dtype=np.int64) for end in (0, 1))
            poison = a.poison[left]
            if not 0 < int(poison.sum()) < len(both):
                continue
            pair = {"first": first.detector, "second": second.detector, "n": len(both), "positives": int(poison.sum())}
            named.append(dict(zip(("dataset", "retriever", "attack", "population"), key, strict=True)) | pair)
            drawn = draw(a.cluster[left], poison, resamples=resamples, seed=seed)
            comparisons.append(Comparison(a.score[left], b.score[right], poison, drawn))
    return [
        row | {"difference": one.value, "low": one.low, "high": one.high, "p": one.p, "p_holm": one.p_adjusted}
        for row, one in zip(named, paired_differences(comparisons), strict=True)
    ]


def ablation_rows(
    samples: Mapping[Slice, Sample], *, budget: float = 0.05, resamples: int = RESAMPLES, seed: int = 0
) -> list[dict[str, Any]]:
    """AUROC and detection of each slice's score and of its terms."""
    rows = []
    for where, sample in samples.items():
        if not sample.terms:
            continue
        for name, area, caught in ablation(sample, budget=budget, resamples=resamples, seed=seed):
            row: dict[str, Any] = {field: getattr(where, field) for field in FIELDS} | {"score": name}
            row |= {"auroc": area.value, "auroc_low": area.low, "auroc_high": area.high}
            rows.append(row | _rate_columns(f"detection_at_{budget:g}", caught))
    return rows


def rows(
    wh: Warehouse,
    wanted: Wanted,
    *,
    view: str,
    resamples: int,
    seed: int,
    warehouse: str,
    principal: Principal,
) -> list[dict[str, Any]]:
    """Rows of ``cells``, ``differences`` or ``ablation``, each with the command that makes it."""
    if wanted.retriever:
        wanted = replace(wanted, retriever=retriever_key(wh, wanted.retriever, principal=principal))
    samples = collect(wh, wanted, principal=principal)
    names = retriever_names(wh, principal=principal)
    if view == "cells":
        return [
            named(cell_row(cell, command_of(cell.slice, warehouse=warehouse, resamples=resamples, seed=seed)), names)
            for cell in cells(samples, resamples=resamples, seed=seed)
        ]
    if view == "ablation":
        found = ablation_rows(samples, resamples=resamples, seed=seed)
    else:
        found = difference_rows(samples, resamples=resamples, seed=seed)
    words = [f"--{name} {shlex.quote(value)}" for name, value in asdict(wanted).items() if value]
    command = command_of(None, warehouse=warehouse, resamples=resamples, seed=seed, more=["--view", view])
    return [named(row, names) | {"command": " ".join([command, *words])} for row in found]


def named(row: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The row with the short name of its retriever beside the key."""
    return row | {"retriever_name": names.get(str(row["retriever"]), str(row["retriever"]))}
