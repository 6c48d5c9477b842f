"""The request gate: rankings in, contexts out. See docs/gate.md."""

from ragsieve_core.gate.answer import ContextDocument, GateAnswer, GateRemoval, GateState, Match, Outcome, Status
from ragsieve_core.gate.cached_features import CachedFeatures
from ragsieve_core.gate.config import GateConfig, gate_config, read_gate_config
from ragsieve_core.gate.corpus import Caller, GateCorpus
from ragsieve_core.gate.features import FeatureResult, FeatureSource, Ready
from ragsieve_core.gate.gate import Gate
from ragsieve_core.gate.log import AnswerGiven, EventSink, GateEvent
from ragsieve_core.gate.remembered import AnswerReceipt

__all__ = [
    "AnswerGiven",
    "AnswerReceipt",
    "CachedFeatures",
    "Caller",
    "ContextDocument",
    "EventSink",
    "FeatureResult",
    "FeatureSource",
    "Gate",
    "GateAnswer",
    "GateConfig",
    "GateCorpus",
    "GateEvent",
    "GateRemoval",
    "GateState",
    "Match",
    "Outcome",
    "Ready",
    "Status",
    "gate_config",
    "read_gate_config",
]
