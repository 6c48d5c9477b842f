"""RSQ, the query-time detector: ranks 1-5 against ranks 6-20 of the same query, by four evidence terms."""

from ragsieve_core.rsq.config import RSQ_PRESETS, RSQConfig, rsq_preset
from ragsieve_core.rsq.score import CandidateEvidence, RankingEvidence, score_contexts, score_ranking

__all__ = [
    "RSQ_PRESETS",
    "CandidateEvidence",
    "RSQConfig",
    "RankingEvidence",
    "rsq_preset",
    "score_contexts",
    "score_ranking",
]
