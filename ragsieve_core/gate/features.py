"""What RSQ needs of a document, and where a gate gets it from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ragsieve_core.models.roles import TokenSurprisal, TokenVectors


@dataclass(frozen=True, slots=True)
class DocumentFeatures:
    """Features of one document text: they depend on the text and the models alone."""

    surprisal: TokenSurprisal
    vectors: TokenVectors


@dataclass(frozen=True, slots=True)
class FeatureResult:
    """What was there in time.

    Attributes
    ----------
    found : text -> its features.
    missing : texts without features, in the order asked for, each once.
    failed : texts of ``missing`` whose computation ended with an error -> the error.
    """

    found: Mapping[str, DocumentFeatures]
    missing: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)


class FeatureSource(Protocol):
    """Features by text, within a time limit. Safe to share between threads."""

    @property
    def model_keys(self) -> Mapping[str, str]:
        """Keys of the models behind the numbers, by role: ``causal_lm``, ``trace_encoder``."""

    def peek(self, texts: Sequence[str]) -> Sequence[bool]:
        """Whether each text's features are there already; computes nothing."""

    def get(self, texts: Sequence[str], deadline_s: float) -> FeatureResult:
        """Features of the texts that are there or done within ``deadline_s`` seconds, computed in the order given.

        Never raises for a model that fails: the text is missing, with its error.
        """

    def query(self, text: str, deadline_s: float) -> TokenVectors | None:
        """Token vectors of a query, or None where they were not done within ``deadline_s`` seconds.

        Raises
        ------
        Exception : whatever the model raised.
        """
