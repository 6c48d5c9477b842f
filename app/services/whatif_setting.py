"""What a what-if asks, and the rule it begins with."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.policy import DETECTORS
from warehouse.database import Warehouse
from warehouse.principal import Principal
from warehouse.whatif import rules_used


@dataclass(frozen=True, slots=True)
class Setting:
    """What is asked.

    Attributes
    ----------
    detector, corpus : of the slice.
    rule : preset; empty = the one whose scores were stored last (:func:`first_rule`).
    retriever : encoder key; None = any.
    moves : parameters on top of the policy in force.
    scan : scan to look at; empty = the latest of the slice.
    days : length of the recent window.
    choose_at : clean-removal budget for which a threshold is chosen on one half of the targets; None = not.
    listed : flipping documents listed.
    warehouse : as it stands in the command that makes the figures again.
    """

    detector: str
    rule: str
    corpus: str
    retriever: str | None = None
    moves: Mapping[str, float] = field(default_factory=dict)
    scan: str = ""
    days: int = 30
    choose_at: float | None = None
    listed: int = 50
    warehouse: str = ""

    def __post_init__(self) -> None:
        if self.detector not in DETECTORS:
            raise InputError(
                f"unknown detector {self.detector!r}", where="--detector", expected=nearest(self.detector, DETECTORS)
            )

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Setting:
        """From JSON values."""
        return cls(**{name: given[name] for name in cls.__dataclass_fields__ if name in given})

    def command(self) -> str:
        """The command that gives the same numbers."""
        words = ["ragsieve", "whatif", "--detector", self.detector, "--rule", self.rule, "--corpus", self.corpus]
        for name, value in (("warehouse", self.warehouse), ("retriever", self.retriever), ("scan", self.scan)):
            words += [f"--{name}", str(value)] if value else []
        words += ["--days", str(self.days)] if self.days != 30 else []
        words += ["--choose-at", f"{self.choose_at:g}"] if self.choose_at is not None else []
        return shlex.join(
            words + [word for name, value in self.moves.items() for word in ("--set", f"{name}={value:g}")]
        )


def first_rule(wh: Warehouse, detector: str, corpus: str, *, principal: Principal) -> str:
    """The rule whose scores of a corpus were stored last; `calibrated` before anything was scored."""
    used = rules_used(wh, corpus, detector, principal=principal)
    return used[0] if used else "calibrated"
