"""Parameters of the `calibrated` rule of RSQ."""

from __future__ import annotations

from dataclasses import dataclass

from ragsieve_core.errors import InputError
from ragsieve_core.rsq.config import RSQConfig


@dataclass(frozen=True, slots=True)
class CalibratedRSQConfig(RSQConfig):
    """Every parameter of the `calibrated` rule; reasons and measurements are in docs/why/rsq-calibrated.md.

    Inherited fields mean what they mean in `paper`, with n = 50 ranks looked at.

    Attributes
    ----------
    n_least : a ranking shorter than n is scored on what is there, down to this many documents, > k + guard.
    guard : ranks k+1..k+guard, on neither side of script and alignment, >= 0. Words are also tested over candidates
        and guard together.
    head_least : holders among candidates and guard from which a word is tested there, >= 2.
    window, window_stride : words of a window, and step between windows; a character of an unspaced script
        is half a word.
    query_share : share of the question's weight a window must hold for its words to count, in (0, 1].
    full_share : share of the question's weight from which the anchor term counts in full, in (0, 1].
    copy_jaccard : word Jaccard from which two documents are copies of each other, in (0, 1].
    copy_ranks : ranks searched for copies, >= k.
    anchor_weight, script_weight, surprisal_weight, alignment_weight : weights of the terms, >= 0.
    anchor_scale : the anchor term is full at p = 10 ** -anchor_scale, > 0.
    surprisal_offset : surprisal below this contributes nothing, >= 0.
    script_gate : share of misplaced letters below which script contributes nothing, in [0, 1].
    script_least : misplaced letters below which script contributes nothing, >= 1.
    stray_families : foreign script families from which their letters are misplaced by their number alone, >= 1.
    """

    rule: str = "calibrated"
    n: int = 50
    n_least: int = 20
    guard: int = 5
    head_least: int = 4
    window: int = 32
    window_stride: int = 16
    query_share: float = 0.4
    full_share: float = 0.8
    copy_jaccard: float = 0.9
    copy_ranks: int = 20
    anchor_weight: float = 2.0
    script_weight: float = 2.0
    surprisal_weight: float = 2.0
    alignment_weight: float = 0.5
    anchor_scale: float = 4.190443  # log10 C(20, 5), as in `paper`
    surprisal_offset: float = 0.5
    script_gate: float = 0.02
    script_least: int = 4
    stray_families: int = 2

    def __post_init__(self) -> None:
        # Named: super() without arguments finds no class cell in a slotted dataclass
        RSQConfig.__post_init__(self)
        checks = (
            (self.guard >= 0, "guard", self.guard, "at least 0"),
            (
                self.k + self.guard < self.n_least <= self.n,
                "n_least",
                self.n_least,
                f"more than k + guard = {self.k + self.guard}, at most n = {self.n}",
            ),
            (self.head_least >= 2, "head_least", self.head_least, "at least 2"),
            (self.window >= 2, "window", self.window, "at least 2"),
            (
                1 <= self.window_stride <= self.window,
                "window_stride",
                self.window_stride,
                f"1 to window = {self.window}",
            ),
            (0 < self.query_share <= 1, "query_share", self.query_share, "above 0, at most 1"),
            (0 < self.full_share <= 1, "full_share", self.full_share, "above 0, at most 1"),
            (0 < self.copy_jaccard <= 1, "copy_jaccard", self.copy_jaccard, "above 0, at most 1"),
            (self.copy_ranks >= self.k, "copy_ranks", self.copy_ranks, f"at least k = {self.k}"),
            (self.anchor_weight >= 0, "anchor_weight", self.anchor_weight, "at least 0"),
            (self.script_weight >= 0, "script_weight", self.script_weight, "at least 0"),
            (self.surprisal_weight >= 0, "surprisal_weight", self.surprisal_weight, "at least 0"),
            (self.alignment_weight >= 0, "alignment_weight", self.alignment_weight, "at least 0"),
            (self.anchor_scale > 0, "anchor_scale", self.anchor_scale, "above 0"),
            (self.surprisal_offset >= 0, "surprisal_offset", self.surprisal_offset, "at least 0"),
            (0 <= self.script_gate <= 1, "script_gate", self.script_gate, "between 0 and 1"),
            (self.script_least >= 1, "script_least", self.script_least, "at least 1"),
            (self.stray_families >= 1, "stray_families", self.stray_families, "at least 1"),
        )
        for holds, field, value, expected in checks:
            if not holds:
                raise InputError(f"{value!r} is out of range", where=f"RSQ parameter {field}", expected=expected)
