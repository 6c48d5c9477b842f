"""Is this machine ready? One finding per question, each green or with its fix."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragsieve_core.errors import ModelUnavailableError, RagsieveError

if TYPE_CHECKING:
    from ragsieve_core.rsg.calibrated.config import CalibratedConfig
    from warehouse.freshness import Freshness

ENOUGH_DISK = 2 * 1024**3
"""Bytes free below which a warning is given: the converted LM alone takes about 0.6 GB."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; ``fix`` is empty where ``ok``."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def check_python() -> Iterator[Finding]:
    """Python new enough."""
    version = platform.python_version()
    fine = sys.version_info >= (3, 11)
    yield Finding("python", fine, version, "" if fine else "install Python 3.11 or newer and run `make setup` again")


def check_packages() -> Iterator[Finding]:
    """Installed versions against the pinned ones."""
    wrong: list[str] = []
    number = 0
    for requirement in importlib.metadata.requires("ragsieve-console") or []:
        match = re.fullmatch(r"([A-Za-z0-9._-]+)==([^;\s]+)", requirement)
        if match is None:
            continue
        number += 1
        name, pinned = match.groups()
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found = "missing"
        if found.partition("+")[0] != pinned:
            wrong.append(f"{name} {found}, pinned {pinned}")
    detail = f"{number} pinned packages" if not wrong else "; ".join(wrong)
    yield Finding("packages", not wrong, detail, "" if not wrong else "pip install -r requirements.txt")


def check_models(profile: str) -> Iterator[Finding]:
    """Each role's weights found and verified; hashes every file."""
    from app.services.models import open_models

    models = open_models(profile)
    roles: dict[str, Callable[[], object]] = {
        "retriever": lambda: models.retriever,
        "causal_lm": lambda: models.causal_lm,
        "trace_encoder": lambda: models.trace_encoder,
    }
    for role, find in roles.items():
        try:
            find()
        except ModelUnavailableError as error:
            yield Finding(role, False, error.what, error.do)
        else:
            source = getattr(models.profile, role).source
            yield Finding(role, True, f"{source.label}, found" + (" and verified" if source.sha256 else ""))


def check_device() -> Iterator[Finding]:
    """Where models run."""
    from ragsieve_core.models.device import choose_placement

    place = choose_placement()
    yield Finding("device", True, f"{place.device}, {place.dtype}, {os.cpu_count()} cores")


def check_warehouse(path: Path) -> Iterator[Finding]:
    """File, schema and lock. Never touches the file while another process owns it."""
    from warehouse.database import Warehouse
    from warehouse.freshness import corpus_freshness
    from warehouse.overview import overview
    from warehouse.owner import current_holder
    from warehouse.principal import local_principal

    holder = current_holder(path) if path.exists() else None
    if holder is not None:
        yield Finding("warehouse", True, f"{path}, in use")
        yield Finding("lock", True, f"held by `{holder.command}` (process {holder.pid}) since {holder.since}")
        return
    if not path.exists():
        yield Finding("warehouse", True, f"{path} is not there yet: the first `ragsieve ingest` makes it")
        yield Finding("lock", True, "free")
        return
    try:
        with Warehouse.open(path, command="doctor") as wh:
            figures = overview(wh, principal=local_principal())
            fresh = corpus_freshness(wh, principal=local_principal())
    except RagsieveError as error:
        yield Finding("warehouse", False, error.what, error.do)
    else:
        counts = ", ".join(f"{value:,} {name}" for name, value in figures.items() if isinstance(value, int))
        yield Finding("warehouse", True, f"{path}: {counts}")
        yield Finding("lock", True, "free")
        yield from freshness_findings(fresh)


def freshness_findings(found: Sequence[Freshness]) -> Iterator[Finding]:
    """One finding per corpus with documents no scan has seen; green, for a wait is no fault of the machine."""
    from app.components.facts import age

    for entry in found:
        if entry.unscanned and entry.oldest_hours is not None:
            detail = f"{entry.corpus}: {entry.unscanned:,} of {entry.documents:,} documents unscanned"
            yield Finding("freshness", True, f"{detail}, the oldest for {age(entry.oldest_hours)}")


def check_disk(path: Path) -> Iterator[Finding]:
    """Room for vectors and converted weights."""
    folder = path.resolve().parent
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    fine = free >= ENOUGH_DISK
    yield Finding(
        "disk", fine, f"{free / 1024**3:,.1f} GiB free beside the warehouse", "" if fine else "free some space"
    )


def check_features(path: Path) -> Iterator[Finding]:
    """Size of the feature cache beside the warehouse, and how often it had what was asked for."""
    from app.services.features import disk_limit, features_folder
    from ragsieve_core.models.feature_cache import DiskTier

    folder = features_folder(path)
    if not folder.is_dir():
        yield Finding("features", True, f"none kept yet in {folder}: the first query keeps some, or `ragsieve warm`")
        return
    try:
        tier = DiskTier(folder, disk_limit())
        tally = tier.sweep()
    except RagsieveError as error:
        yield Finding("features", False, error.what, error.do or f"remove {folder}, or name another: RAGSIEVE_FEATURES")
        return
    hits = tally.from_memory + tally.from_disk
    share = f"{hits / tally.asked:.1%} of {tally.asked:,} asked for were there" if tally.asked else "not asked yet"
    broken = f", {tally.corrupt:,} damaged files computed again" if tally.corrupt else ""
    yield Finding(
        "features",
        True,
        f"{tally.bytes / 1024**2:,.1f} MiB of {tier.limit / 1024**2:,.0f} in {folder}; {share}{broken}",
    )


def check_corpus(warehouse: Path, corpus: str, profile: str, say: Callable[[str], None]) -> Iterator[Finding]:
    """Is this corpus suited to RSG? One finding per measure; a weak one is green with its reason, an unsuited one not.

    Encodes documents that have no vector yet, and searches the whole corpus.
    """
    from app.services.access import open_access
    from app.services.models import open_models
    from app.services.scan_record import sources_of
    from app.services.vectors import embedded_snapshot
    from ragsieve_core.rsg import rsg_preset
    from ragsieve_core.rsg.calibrated.score import score_calibrated
    from ragsieve_core.rsg.knn import nearest_neighbors
    from ragsieve_core.rsg.suitability import corpus_suitability

    config = calibrated_preset(rsg_preset("calibrated"))
    with open_access(warehouse, command="doctor", say=say) as access:
        embedded = embedded_snapshot(access, corpus, open_models(profile))
    documents = embedded.documents
    sources = sources_of(documents)
    neighbors = nearest_neighbors(embedded.vectors, documents.ids, config.k)
    found = score_calibrated(documents.ids, documents.full_texts(), neighbors, config, sources=sources)
    suitability = corpus_suitability(found, sources)
    floors = ", ".join(f"{value:.2f}" for value in suitability.floor_quantiles)
    yield Finding("corpus", suitability.state != "unsuited", f"{corpus}: {suitability.state}; floors {floors}")
    for measure in suitability.measures:
        unsuited = measure.state == "unsuited"
        detail = f"{measure.value:.4g}, {measure.state}"
        yield Finding(
            measure.name, not unsuited, detail if unsuited else f"{detail}: {measure.reason}", measure.reason * unsuited
        )


def calibrated_preset(config: object) -> CalibratedConfig:
    """The preset as its own type.

    Raises
    ------
    TypeError : another rule's parameters.
    """
    from ragsieve_core.rsg.calibrated.config import CalibratedConfig

    if not isinstance(config, CalibratedConfig):
        raise TypeError(f"expected CalibratedConfig, got {type(config).__name__}")
    return config


def examine(warehouse: Path, profile: str) -> Iterator[Finding]:
    """Every finding, in the order a newcomer needs them."""
    yield from check_python()
    yield from check_packages()
    yield from check_models(profile)
    yield from check_device()
    yield from check_warehouse(warehouse)
    yield from check_disk(warehouse)
    yield from check_features(warehouse)
