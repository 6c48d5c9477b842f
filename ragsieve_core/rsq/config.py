"""Parameters of RSQ."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from ragsieve_core.config import config_key
from ragsieve_core.errors import InputError


@dataclass(frozen=True, slots=True)
class RSQConfig:
    """Every parameter of RSQ; the defaults are the `paper` rule.

    Attributes
    ----------
    rule : name of the preset.
    n : ranks looked at (> k); a ranking may be stored deeper.
    k : candidates, ranks 1..k (>= 2); the tail is ranks k+1..n.
    threshold : a candidate is flagged at score >= threshold (eta_Q).
    min_word_length : shortest anchor word that is not all digits, in characters.
    surprisal_windows : window lengths, in tokens.
    surprisal_gate : gate of the 16-token window, in nats; other lengths scale with sqrt(16 / w).
    surprisal_max_tokens : truncation of a candidate for the causal LM.
    alignment_window, alignment_stride : window and step over document tokens.
    alignment_level : mid-rank probability above which alignment contributes nothing.
    document_max_tokens, query_max_tokens : truncation for the trace encoder, special tokens counted.
    weights : factor of each term in the sum, in the order anchor, script, surprisal, alignment, >= 0; all 1 in `paper`.
    gates : a term below its gate counts 0, same order, >= 0; all 0 in `paper`.
    script_support : the script term counts only where the others come to at least this, >= 0; 0 in `paper`.
    """

    rule: str = "paper"
    n: int = 20
    k: int = 5
    threshold: float = 1.0
    min_word_length: int = 3
    surprisal_windows: tuple[int, ...] = (8, 16)
    surprisal_gate: float = 3.4657359027997265  # 5 ln 2
    surprisal_max_tokens: int = 512
    alignment_window: int = 32
    alignment_stride: int = 16
    alignment_level: float = 0.05
    document_max_tokens: int = 256
    query_max_tokens: int = 64
    weights: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    gates: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    script_support: float = 0.0

    def __post_init__(self) -> None:
        checks = (
            (self.k >= 2, "k", self.k, "at least 2"),
            (self.n > self.k, "n", self.n, f"more than k = {self.k}"),
            (self.threshold > 0, "threshold", self.threshold, "a positive number"),
            (self.min_word_length >= 1, "min_word_length", self.min_word_length, "at least 1"),
            (
                bool(self.surprisal_windows) and all(w >= 2 for w in self.surprisal_windows),
                "surprisal_windows",
                self.surprisal_windows,
                "one or more lengths of at least 2 tokens",
            ),
            (self.surprisal_gate > 0, "surprisal_gate", self.surprisal_gate, "a positive number of nats"),
            (self.surprisal_max_tokens >= 2, "surprisal_max_tokens", self.surprisal_max_tokens, "at least 2"),
            (self.alignment_window >= 1, "alignment_window", self.alignment_window, "at least 1"),
            (
                1 <= self.alignment_stride <= self.alignment_window,
                "alignment_stride",
                self.alignment_stride,
                f"1 to alignment_window = {self.alignment_window}",
            ),
            (0 < self.alignment_level < 1, "alignment_level", self.alignment_level, "between 0 and 1"),
            (self.document_max_tokens >= 3, "document_max_tokens", self.document_max_tokens, "at least 3"),
            (self.query_max_tokens >= 3, "query_max_tokens", self.query_max_tokens, "at least 3"),
            (
                len(self.weights) == 4 and all(0 <= w < inf for w in self.weights) and any(self.weights),
                "weights",
                self.weights,
                "four numbers of at least 0, not all 0",
            ),
            (
                len(self.gates) == 4 and all(0 <= g < inf for g in self.gates),
                "gates",
                self.gates,
                "four numbers of at least 0",
            ),
            (0 <= self.script_support < inf, "script_support", self.script_support, "at least 0"),
        )
        for holds, field, value, expected in checks:
            if not holds:
                raise InputError(f"{value!r} is out of range", where=f"RSQ parameter {field}", expected=expected)

    @property
    def n_least(self) -> int:
        """Documents below which a ranking is not scored: n, the rule knows no shorter tail."""
        return self.n

    @property
    def key(self) -> str:
        """Hash over every field."""
        return config_key(self)
