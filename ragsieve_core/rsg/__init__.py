"""RSG, the corpus-time detector: each document's semantic neighbours against its own local floor."""

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.score import CalibratedEvidence, SuspectGroup
from ragsieve_core.rsg.config import RSG_PRESETS, RSGConfig, rsg_preset
from ragsieve_core.rsg.density import Retention
from ragsieve_core.rsg.evidence import CorpusEvidence
from ragsieve_core.rsg.score import score_corpus

__all__ = [
    "RSG_PRESETS",
    "CalibratedConfig",
    "CalibratedEvidence",
    "CorpusEvidence",
    "RSGConfig",
    "Retention",
    "SuspectGroup",
    "rsg_preset",
    "score_corpus",
]
