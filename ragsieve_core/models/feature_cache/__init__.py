"""Features of documents, computed once: token NLL, token vectors, words and script counts.

:class:`Features` wraps the two models RSQ needs and is used in their place: ``features.causal_lm`` and
``features.trace_encoder`` are roles (:mod:`ragsieve_core.models.roles`), whose ``surprisal(texts)`` and
``token_vectors(texts, max_tokens=…)`` give :class:`TokenSurprisal` and :class:`TokenVectors` as the models do.

For callers with a budget of time (the request gate):

- ``features.peek(texts)`` → :class:`Peeked`: the texts that have surprisal, and those that have vectors, right now.
  Nothing is computed or read; a few microseconds a text.
- ``features.get(texts, surprisal_for=candidates, deadline=time.monotonic() + 0.05)`` → :class:`Fetched`: what is known
  and what could be computed until then; ``missing`` names the texts that lack something, ``failure`` is the error of a
  model. What was begun goes on in the background. Without a deadline everything is computed.
- ``features.there(texts, surprisal_for=candidates)`` → :class:`Held`: what the tiers hold, nothing computed.
- ``features.lexical(texts)``: words and script counts; ``features.lexical_for(config)``: what a rule of RSQ needs of
  texts alone.
- ``features.forget(content_hashes)``: erasure, in both tiers and in every process that shares the disk tier.

Entries are keyed by content hash (and exact characters) and by every parameter of the model that made them. Token
vectors are rounded to float16 once, so that cached and fresh scores are equal to the last bit.
"""

from ragsieve_core.models.feature_cache.disk import DEFAULT_DISK, DiskTier
from ragsieve_core.models.feature_cache.features import DOCUMENT_TOKENS, Features, Fetched, Held, Peeked
from ragsieve_core.models.feature_cache.lexical import LexicalFeatures, lexical_features
from ragsieve_core.models.feature_cache.memory import DEFAULT_MEMORY, MemoryTier

__all__ = [
    "DEFAULT_DISK",
    "DEFAULT_MEMORY",
    "DOCUMENT_TOKENS",
    "DiskTier",
    "Features",
    "Fetched",
    "Held",
    "LexicalFeatures",
    "MemoryTier",
    "Peeked",
    "lexical_features",
]
