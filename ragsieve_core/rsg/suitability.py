"""Whether RSG can work on a corpus, before anything is scanned: measures of `doctor --corpus`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragsieve_core.rsg.calibrated.score import CalibratedEvidence
from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.density import local_density


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure with its reading.

    Attributes
    ----------
    name : which.
    value : measured.
    state : ``suited``, ``weak`` or ``unsuited``.
    reason : what that means for this corpus.
    """

    name: str
    value: float
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Suitability:
    """Measures of a corpus; ``state`` is the worst of theirs.

    Attributes
    ----------
    measures : the measures, in a fixed order.
    floor_quantiles : 5, 25, 50, 75 and 95 % of the floor cosines.
    """

    measures: tuple[Measure, ...]
    floor_quantiles: tuple[float, ...]

    @property
    def state(self) -> str:
        """``unsuited`` if any measure is, else ``weak`` if any is, else ``suited``."""
        states = {measure.state for measure in self.measures}
        return next((state for state in ("unsuited", "weak") if state in states), "suited")


def corpus_suitability(found: CalibratedEvidence, sources: Sequence[str | None] | None = None) -> Suitability:
    """Measures of a corpus that was scanned with the `calibrated` rule.

    Parameters
    ----------
    found : the scan.
    sources : source of each document, None where unknown.
    """
    count = len(found.document_ids)
    paper = RSGConfig()
    depth = min(paper.k, found.neighbors.cosine.shape[1])
    density = local_density(found.neighbors.cosine[:, :depth], found.jaccard[:, :depth], paper)
    floor = density.floor.astype(np.float64)
    above = float((floor >= paper.cosine_cut).mean())
    dense = float((density.density > 0).mean())
    covered = 0.0 if sources is None else sum(bool(source) for source in sources) / count
    expected = found.expected_at_cut / count
    measures = (
        _read(
            "documents",
            float(count),
            weak=count < 500,
            unsuited=count < 2 * depth,
            reasons=(
                "enough documents for neighbourhoods",
                "few documents: neighbourhoods reach across topics, and the expected number leans on the reference",
                f"fewer than {2 * depth} documents: every neighbourhood is half of the corpus",
            ),
        ),
        _read(
            "floor_above_cut",
            above,
            weak=above > 0.05,
            unsuited=above > 0.5,
            reasons=(
                f"floors lie below the `paper` cut of {paper.cosine_cut}",
                "some neighbourhoods lie wholly above the `paper` cut: it says little there; `calibrated` has none",
                "most neighbourhoods lie wholly above the `paper` cut: use `calibrated`",
            ),
        ),
        _read(
            "density_above_zero",
            dense,
            weak=dense > 0.10,
            unsuited=dense > 0.50,
            reasons=(
                "few documents have close neighbours in other words",
                "many documents have close neighbours in other words: chunks, versions or families of pages",
                "most documents have close neighbours in other words: `paper` cannot tell planted ones",
            ),
        ),
        _read(
            "source_coverage",
            covered,
            weak=covered < 0.95,
            unsuited=False,
            reasons=(
                "sources are known: pieces of one source are not taken for coordination",
                "sources are missing: overlapping pieces of one source can look like coordination",
                "",
            ),
        ),
        _read(
            "expected_clean_alerts",
            expected,
            weak=expected > 0.0075,
            unsuited=expected > 0.05,
            reasons=(
                "the tail of the evidence is short: few clean alerts expected",
                "the tail of the evidence is long: this encoder or corpus has many tight families of pages",
                "the tail of the evidence is so long that alerts would mostly be clean families of pages",
            ),
        ),
    )
    return Suitability(measures, tuple(float(value) for value in np.quantile(floor, (0.05, 0.25, 0.5, 0.75, 0.95))))


def _read(name: str, value: float, *, weak: bool, unsuited: bool, reasons: tuple[str, str, str]) -> Measure:
    level = 2 if unsuited else int(weak)
    return Measure(name, value, ("suited", "weak", "unsuited")[level], reasons[level])
