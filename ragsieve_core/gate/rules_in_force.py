"""The rule of a call: the caller's own parameters, or the thresholds in force for a corpus and a retriever."""

from __future__ import annotations

import threading
from collections import OrderedDict

from ragsieve_core.publication import InForce
from ragsieve_core.rsq.config import RSQConfig

_KEPT = 64


class RulesInForce:
    """Applies what is in force to one rule, each combination once. Safe to share between threads."""

    def __init__(self, rsq: RSQConfig) -> None:
        self._rsq = rsq
        self._guard = threading.Lock()
        self._rules: OrderedDict[tuple[str | None, str, str], RSQConfig] = OrderedDict()

    def rule(self, in_force: InForce, corpus: str, encoder: str) -> RSQConfig:
        """The rule with the thresholds in force; an empty ``encoder`` is the caller's own retriever."""
        policy = in_force.policy
        if not policy.rules:
            return self._rsq
        key = (policy.version, corpus, encoder)
        with self._guard:
            found = self._rules.get(key)
            if found is None:
                found = self._rules[key] = policy.applied(self._rsq, corpus, encoder)
                if len(self._rules) > _KEPT:
                    self._rules.popitem(last=False)
        return found


def rule_shown(rsq: RSQConfig) -> dict[str, object]:
    """Parameters of a rule as an answer names them."""
    return {
        "rule": rsq.rule,
        "n": rsq.n,
        "n_least": rsq.n_least,
        "k": rsq.k,
        "threshold": rsq.threshold,
        "weights": list(rsq.weights),
        "gates": list(rsq.gates),
        "script_support": rsq.script_support,
    }
