"""Parameters of the `calibrated` rule of RSG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragsieve_core.config import config_key
from ragsieve_core.errors import InputError


@dataclass(frozen=True, slots=True)
class CalibratedConfig:
    """Every parameter of the `calibrated` rule; the reasons and the measurements are in docs/why/rsg-calibrated.md.

    Attributes
    ----------
    rule : name of the preset.
    k : neighbours searched, >= keep. Spare ones replace those of the same source and copies.
    keep : neighbours kept of them, >= largest group - 1.
    copy_jaccard : word Jaccard from which two documents are copies of each other, in (0, 1].
    group_sizes : sizes of the candidate groups, each document with its nearest, increasing, >= 3.
    distance_floor : share of the corpus's own neighbourhood radius added to every distance, >= 0.
    wording_weight : weight of ln(1 - mean Jaccard inside the group), >= 0.
    contrast_weight : weight of the wording shared inside against outside, >= 0.
    compactness_weight : weight of how much closer the group is than the corpus's usual neighbours, >= 0.
    compactness_limit : compactness counts up to this multiple of the isolation, >= 0.
    size_weight : weight of ln(size / full_size) for groups smaller than full_size, >= 0.
    full_size : group size from which more members add nothing, >= 3.
    island_share : share of a group's words found nowhere else from which it is a language island, in (0, 1].
    stray_families : foreign script families that flag a document by themselves, >= 1.
    evidence_cut : a group is an alert from this evidence on.
    tail_start : evidence from which clean documents thin out exponentially, below tail_end.
    tail_end : the corpus's own tail is read between tail_start and this; below the preset's cut, so that what alerts
        there does not inform it.
    tail_scale : scale of that exponential on the reference snapshot, > 0.
    tail_weight : documents between tail_start and tail_end that the reference's scale counts for, >= 0.
    tail_documents : documents without a tail that are added to the corpus when its own tail is read, >= 0.
    reference_share : share of the clean reference snapshot with at least reference_evidence, in (0, 1); expected in
        every corpus.
    reference_evidence : evidence where that share was measured, at least tail_start; the preset's cut, wherever a
        policy moves the cut.
    threshold : a document is flagged at score >= this; the score is a logistic curve through 1/2 at evidence_cut.
    """

    rule: str = "calibrated"
    k: int = 32
    keep: int = 16
    copy_jaccard: float = 0.90
    group_sizes: tuple[int, ...] = (3, 4, 5, 6, 7, 8, 10, 12)
    distance_floor: float = 0.10
    wording_weight: float = 1.0
    contrast_weight: float = 0.25
    compactness_weight: float = 0.75
    compactness_limit: float = 3.0
    size_weight: float = 0.75
    full_size: int = 5
    island_share: float = 0.5
    stray_families: int = 3
    evidence_cut: float = 1.16
    tail_start: float = 0.65
    tail_end: float = 1.05
    tail_scale: float = 0.28
    tail_weight: float = 220.0
    tail_documents: float = 200.0
    reference_share: float = 0.0012
    reference_evidence: float = 1.16
    threshold: float = 0.5

    budget: ClassVar[float] = 1.0
    """No share of the corpus limits the alerts: evidence is absolute."""

    def __post_init__(self) -> None:
        sizes = self.group_sizes
        checks = (
            (self.k >= self.keep, "k", self.k, f"at least keep = {self.keep}"),
            (self.keep >= 2, "keep", self.keep, "at least 2"),
            (0 < self.copy_jaccard <= 1, "copy_jaccard", self.copy_jaccard, "above 0, at most 1"),
            (
                len(sizes) > 0 and sizes[0] >= 3 and tuple(sorted(set(sizes))) == sizes and sizes[-1] <= self.keep + 1,
                "group_sizes",
                sizes,
                "increasing, from 3 up to keep + 1",
            ),
            (self.distance_floor >= 0, "distance_floor", self.distance_floor, "at least 0"),
            (self.wording_weight >= 0, "wording_weight", self.wording_weight, "at least 0"),
            (self.contrast_weight >= 0, "contrast_weight", self.contrast_weight, "at least 0"),
            (self.compactness_weight >= 0, "compactness_weight", self.compactness_weight, "at least 0"),
            (self.compactness_limit >= 0, "compactness_limit", self.compactness_limit, "at least 0"),
            (self.size_weight >= 0, "size_weight", self.size_weight, "at least 0"),
            (self.full_size >= 3, "full_size", self.full_size, "at least 3"),
            (0 < self.island_share <= 1, "island_share", self.island_share, "above 0, at most 1"),
            (self.stray_families >= 1, "stray_families", self.stray_families, "at least 1"),
            (self.tail_start < self.tail_end, "tail_start", self.tail_start, "below tail_end"),
            (self.tail_start <= self.evidence_cut, "evidence_cut", self.evidence_cut, "at least tail_start"),
            (self.tail_scale > 0, "tail_scale", self.tail_scale, "above 0"),
            (self.tail_weight >= 0, "tail_weight", self.tail_weight, "at least 0"),
            (self.tail_documents >= 0, "tail_documents", self.tail_documents, "at least 0"),
            (
                self.tail_start <= self.reference_evidence,
                "reference_evidence",
                self.reference_evidence,
                "at least tail_start",
            ),
            (0 < self.reference_share < 1, "reference_share", self.reference_share, "between 0 and 1"),
            (0 < self.threshold <= 1, "threshold", self.threshold, "above 0, at most 1"),
        )
        for holds, field, value, expected in checks:
            if not holds:
                raise InputError(f"{value!r} is out of range", where=f"RSG parameter {field}", expected=expected)

    @property
    def key(self) -> str:
        """Hash over every field."""
        return config_key(self)
