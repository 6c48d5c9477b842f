"""RSQ, the query-time detector: the first ranks of a query against its own tail, by four evidence terms."""

from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.frequencies import DocumentFrequencies
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.evidence import CandidateEvidence, RankingEvidence
from ragsieve_core.rsq.presets import RSQ_PRESETS, rsq_preset
from ragsieve_core.rsq.score import score_contexts, score_ranking

__all__ = [
    "RSQ_PRESETS",
    "CalibratedRSQConfig",
    "CandidateEvidence",
    "DocumentFrequencies",
    "RSQConfig",
    "RankingEvidence",
    "rsq_preset",
    "score_contexts",
    "score_ranking",
]
