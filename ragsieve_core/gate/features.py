"""What RSQ needs of documents, and where a gate gets it from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from ragsieve_core.models.feature_cache.kinds import DocumentVectors
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.score import Lexical


@dataclass(frozen=True, slots=True)
class FeatureResult:
    """What was there in time, by text.

    Attributes
    ----------
    surprisal : token NLL of texts for which it was wanted.
    vectors : token vectors.
    failed : texts whose computation ended with an error -> the error.
    """

    surprisal: Mapping[str, TokenSurprisal] = field(default_factory=dict)
    vectors: Mapping[str, DocumentVectors] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ready:
    """Texts that have surprisal, and texts that have vectors, right now."""

    surprisal: Set[str]
    vectors: Set[str]


class FeatureSource(Protocol):
    """Features by text, within a time limit. Safe to share between threads.

    ``known`` are texts of documents that the caller may see in the snapshot. For them a source may use what others
    have computed. Of any other text, what the caller alone knows it to hold, the time an answer takes must not depend
    on whether somebody else holds it.
    """

    @property
    def model_keys(self) -> Mapping[str, str]:
        """Keys of the models behind the numbers, by role: ``causal_lm``, ``trace_encoder``."""

    def peek(self, texts: Sequence[str], known: Set[str]) -> Ready:
        """What is there already; computes nothing."""

    def get(self, texts: Sequence[str], surprisal_for: Set[str], known: Set[str], deadline_s: float) -> FeatureResult:
        """Features of the texts that are there or done within ``deadline_s`` seconds, vectors first, in the order
        given; surprisal of those of ``surprisal_for`` alone. At 0 nothing is begun.

        Never raises for a model that fails: the text is missing, with its error.
        """

    def lexical(self, texts: Sequence[str], config: RSQConfig, known: Set[str]) -> Lexical:
        """What the rule needs of the texts alone, in the order given."""

    def query(self, text: str, deadline_s: float) -> TokenVectors | None:
        """Token vectors of a query, or None where they were not done within ``deadline_s`` seconds.

        Raises
        ------
        Exception : whatever the model raised.
        """
