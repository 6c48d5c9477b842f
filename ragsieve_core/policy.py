"""Thresholds in force per slice: what a policy changes about a named rule, and whether a change loosens it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.config import RSG_PRESETS, RSGConfig
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.decision import TERMS
from ragsieve_core.rsq.presets import RSQ_PRESETS
from ragsieve_core.whatif import rsg, rsq

AnyConfig: TypeAlias = RSQConfig | RSGConfig | CalibratedConfig
Config = TypeVar("Config", bound=RSQConfig | RSGConfig | CalibratedConfig)
DETECTORS = ("rsq", "rsg")

_RAISING_LOOSENS = {"eta_Q": True, "script_support": True, "eta_G": True, "tau_e": True, "cut": True, "tau_l": False,
                    "alpha_G": False}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """Parameters of one slice.

    Attributes
    ----------
    detector : rsq or rsg.
    rule : preset that is changed; the slice of another preset is not touched.
    moves : parameter name to value, by the names of :mod:`ragsieve_core.whatif`.
    corpus : name of the corpus, empty = all.
    encoder : key of the retriever, empty = all. One encoder's constants do not carry over to another.
    """

    detector: str
    rule: str
    moves: Mapping[str, float]
    corpus: str = ""
    encoder: str = ""

    def __post_init__(self) -> None:
        if self.detector not in DETECTORS:
            raise InputError(
                f"unknown detector {self.detector!r}", where="policy", expected=nearest(self.detector, DETECTORS)
            )
        if not self.moves:
            raise InputError("a slice without a parameter", where="policy", expected="at least one NAME=NUMBER")
        self.preset(self.moves)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Detector, rule, corpus, encoder: one rule each."""
        return (self.detector, self.rule, self.corpus, self.encoder)

    def preset(self, moves: Mapping[str, float]) -> AnyConfig:
        """The preset with these moves; wrong names and values are an :class:`InputError`."""
        return _moved(_preset(self.detector, self.rule), dict(moves))

    def as_dict(self) -> dict[str, Any]:
        """JSON values, keys in a fixed order."""
        return {
            "detector": self.detector,
            "rule": self.rule,
            "corpus": self.corpus,
            "encoder": self.encoder,
            "moves": {name: float(self.moves[name]) for name in sorted(self.moves)},
        }


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy in force; without rules every preset stands as published.

    Attributes
    ----------
    version : id of the policy version; None before the first.
    rules : at most one per slice.
    """

    version: str | None = None
    rules: tuple[PolicyRule, ...] = field(default=())

    def __post_init__(self) -> None:
        keys = [rule.key for rule in self.rules]
        twice = [key for key in keys if keys.count(key) > 1]
        if twice:
            raise InputError(f"the slice {' / '.join(filter(None, twice[0]))} is set twice", where="policy")

    def moves(self, detector: str, rule: str, corpus: str, encoder: str | None) -> dict[str, float]:
        """Parameters of a slice: of all corpora and encoders, then encoder, corpus, both; later wins."""
        found: dict[str, float] = {}
        for held in sorted(self.rules, key=lambda one: (bool(one.corpus), bool(one.encoder))):
            fits = held.detector == detector and held.rule == rule
            if fits and held.corpus in ("", corpus) and held.encoder in ("", encoder or ""):
                found |= held.moves
        return found

    def applied(self, config: Config, corpus: str, encoder: str | None) -> Config:
        """The configuration as this policy has it for a slice; unchanged where no rule fits."""
        detector = "rsq" if isinstance(config, RSQConfig) else "rsg"
        moves = self.moves(detector, config.rule, corpus, encoder)
        return _moved(config, moves) if moves else config


def _preset(detector: str, rule: str) -> AnyConfig:
    presets: Mapping[str, AnyConfig] = RSQ_PRESETS if detector == "rsq" else RSG_PRESETS
    if rule not in presets:
        raise InputError(f"unknown {detector} rule {rule!r}", where="policy", expected=nearest(rule, presets))
    return presets[rule]


def _moved(config: Config, moves: dict[str, float]) -> Config:
    found: Any = rsq.moved(config, moves) if isinstance(config, RSQConfig) else rsg.moved(config, moves)
    changed: Config = found
    return changed


def parse_rules(given: Iterable[Mapping[str, Any]]) -> tuple[PolicyRule, ...]:
    """Rules from JSON values, as :meth:`PolicyRule.as_dict` gives them."""
    return tuple(
        PolicyRule(
            str(row["detector"]),
            str(row["rule"]),
            {str(name): float(value) for name, value in dict(row["moves"]).items()},
            str(row.get("corpus", "")),
            str(row.get("encoder", "")),
        )
        for row in given
    )


@dataclass(frozen=True, slots=True)
class Change:
    """One parameter of one slice that differs; ``None`` = as the preset has it."""

    slice: str
    name: str
    before: float | None
    after: float | None
    loosens: bool


def changes(before: Sequence[PolicyRule], after: Sequence[PolicyRule]) -> list[Change]:
    """Effective parameters that differ between two policies, for every slice that either names.

    ``loosens`` is True where fewer documents may be flagged, and where it cannot be told (k_G, switching the density
    cut on or off): such a change needs two people where the two-person rule applies.
    """
    first, second = Policy(None, tuple(before)), Policy(None, tuple(after))
    found = []
    for detector, rule, corpus, encoder in sorted({held.key for held in (*before, *after)}):
        old, new = (policy.moves(detector, rule, corpus, encoder) for policy in (first, second))
        base = _defaults(detector, rule)
        for name in sorted(old.keys() | new.keys()):
            was, becomes = old.get(name), new.get(name)
            left, right = was if was is not None else base[name], becomes if becomes is not None else base[name]
            if left != right:
                where = " / ".join((f"{detector} {rule}", corpus or "all corpora", encoder or "all encoders"))
                found.append(Change(where, name, was, becomes, _loosens(name, left, right)))
    return found


def _loosens(name: str, before: float, after: float) -> bool:
    if name.startswith("weight."):
        return after < before
    if name.startswith("gate."):
        return after > before
    if name == "density_cut":
        return after > before or after == 0 or before == 0
    if name not in _RAISING_LOOSENS:
        return True
    return (after > before) is _RAISING_LOOSENS[name]


def _defaults(detector: str, rule: str) -> dict[str, float]:
    config = _preset(detector, rule)
    if isinstance(config, RSQConfig):
        named = {f"weight.{term}": value for term, value in zip(TERMS, config.weights, strict=True)}
        named |= {f"gate.{term}": value for term, value in zip(TERMS, config.gates, strict=True)}
        return {"eta_Q": config.threshold, "script_support": config.script_support, **named}
    return {name: float(getattr(config, field_name)) for name, field_name in rsg.fields_of(config).items()}
