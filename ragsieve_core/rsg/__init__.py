"""RSG, the corpus-time detector: each document's semantic neighbours against its own local floor."""

from ragsieve_core.rsg.config import RSG_PRESETS, RSGConfig, rsg_preset
from ragsieve_core.rsg.density import Retention
from ragsieve_core.rsg.score import CorpusEvidence, score_corpus

__all__ = ["RSG_PRESETS", "CorpusEvidence", "RSGConfig", "Retention", "rsg_preset", "score_corpus"]
