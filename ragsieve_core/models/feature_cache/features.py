"""All features RSQ needs of documents, cached: the object that services and the gate hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ragsieve_core.models.feature_cache.background import Background, Job
from ragsieve_core.models.feature_cache.cached_models import CachedCausalLM, CachedTraceEncoder
from ragsieve_core.models.feature_cache.disk import DiskTier
from ragsieve_core.models.feature_cache.keys import text_keys
from ragsieve_core.models.feature_cache.kinds import HalfVectors, Kind, lexical_kind
from ragsieve_core.models.feature_cache.lexical import LexicalFeatures, lexical_features
from ragsieve_core.models.feature_cache.memory import DEFAULT_MEMORY, MemoryTier
from ragsieve_core.models.feature_cache.store import Store
from ragsieve_core.models.roles import CausalLM, TokenSurprisal, TokenVectors, TraceEncoder

if TYPE_CHECKING:
    from ragsieve_core.rsq.calibrated.text_features import CalibratedText
    from ragsieve_core.rsq.config import RSQConfig
    from ragsieve_core.rsq.score import Lexical, LexicalSource

DOCUMENT_TOKENS = 256
"""Model tokens read of a document for alignment (METHOD, "Query alignment")."""


@dataclass(frozen=True, slots=True)
class Peeked:
    """Texts that have features now, by kind."""

    surprisal: frozenset[str]
    vectors: frozenset[str]


@dataclass(frozen=True, slots=True)
class Fetched:
    """Features by text.

    Attributes
    ----------
    surprisal, vectors : what there is, as the detectors take it.
    missing : texts without something that was asked for, in the order given; empty = complete.
    failure : why something is missing, where a model failed; None where only the time ran out.
    """

    surprisal: Mapping[str, TokenSurprisal]
    vectors: Mapping[str, TokenVectors]
    missing: tuple[str, ...]
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """Features that are there, by text; vectors as they are kept."""

    surprisal: Mapping[str, TokenSurprisal]
    vectors: Mapping[str, HalfVectors]


class Features:
    """Features of documents, each computed once, kept in memory and (with a disk tier) between runs.

    Thread-safe. Usable wherever a pair of models is: ``features.causal_lm`` and ``features.trace_encoder`` are the two
    roles. Token vectors are rounded to float16 once, when they are computed, so that what comes from a model and
    what comes from a tier is the same to the last bit.

    Parameters
    ----------
    causal_lm, trace_encoder : the models, or functions that give them on first use (their weights are not needed
        while everything asked for is cached).
    document_tokens : ``max_tokens`` that marks a document; texts asked with another length are queries: never
        written to disk.
    memory : bytes of the memory tier.
    disk : the disk tier, or None.
    erasures : disk tier whose erasures empty the memory too; None = ``disk``. For features that must not be shared
        but must be forgotten with the rest.
    """

    def __init__(
        self,
        causal_lm: CausalLM | Callable[[], CausalLM],
        trace_encoder: TraceEncoder | Callable[[], TraceEncoder],
        *,
        document_tokens: int = DOCUMENT_TOKENS,
        memory: int = DEFAULT_MEMORY,
        disk: DiskTier | None = None,
        erasures: DiskTier | None = None,
    ) -> None:
        self._store = Store(MemoryTier(memory), disk, erasures)
        self._background = Background()
        self.document_tokens = document_tokens
        self.causal_lm = CachedCausalLM(self._store, causal_lm)
        self.trace_encoder = CachedTraceEncoder(self._store, trace_encoder, document_tokens)

    @property
    def memory(self) -> MemoryTier:
        """The memory tier."""
        return self._store.memory

    @property
    def disk(self) -> DiskTier | None:
        """The disk tier."""
        return self._store.disk

    def lexical(self, texts: Sequence[str]) -> list[LexicalFeatures]:
        """Words and script counts of texts, in the order given."""
        return self._store.fill(lexical_kind(), texts, lambda missing: [lexical_features(text) for text in missing])

    def lexical_for(self, config: RSQConfig) -> LexicalSource:
        """What the rule of ``config`` needs of texts alone, as :func:`ragsieve_core.rsq.score_ranking` takes it."""
        return partial(self._lexical_for, config)

    def _lexical_for(self, config: RSQConfig, texts: Sequence[str]) -> Lexical:
        from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
        from ragsieve_core.rsq.calibrated.text_features import calibrated_texts

        if not isinstance(config, CalibratedRSQConfig):
            return self.lexical(texts)
        found: list[CalibratedText] = self._store.fill(
            _lexical_kind(config), texts, lambda missing: calibrated_texts(missing, config.stray_families)
        )
        return found

    def there(self, texts: Sequence[str], *, surprisal_for: Collection[str] = ()) -> Held:
        """What the tiers hold of texts, surprisal of those of ``surprisal_for`` alone; nothing is computed."""
        keys, wanted = text_keys(texts), frozenset(surprisal_for)
        asked = {text: key for text, key in keys.items() if text in wanted}
        return Held(
            self._store.known_keys(self.causal_lm.kind, asked),
            self._store.known_keys(self.trace_encoder.kind, keys),
        )

    def lexical_there(self, texts: Sequence[str], config: RSQConfig) -> Mapping[str, Any]:
        """What the tiers hold of what the rule needs of texts alone, by text; nothing is computed."""
        return self._store.known(_lexical_kind(config), texts)

    def lexical_with(self, texts: Sequence[str], config: RSQConfig, there: Mapping[str, Any]) -> Lexical:
        """As :meth:`lexical_for`, but with what is ``there`` taken as it is and not kept here."""
        missing = [text for text in texts if text not in there]
        made: dict[str, Any] = dict(zip(missing, self.lexical_for(config)(missing), strict=True))
        return [there[text] if text in there else made[text] for text in texts]

    def query_there(self, text: str, max_tokens: int) -> TokenVectors | None:
        """Token vectors of a query that was asked before, or None."""
        found = self._store.known(self.trace_encoder.query_kind(max_tokens), [text]).get(text)
        return found.widened() if found is not None else None

    def peek(self, texts: Iterable[str]) -> Peeked:
        """Which texts have features now; nothing is computed or read."""
        wanted = list(texts)
        return Peeked(
            self._store.present(self.causal_lm.kind, wanted),
            self._store.present(self.trace_encoder.kind, wanted),
        )

    def get(
        self,
        texts: Sequence[str],
        *,
        surprisal_for: Collection[str] | None = None,
        deadline: float | None = None,
    ) -> Fetched:
        """Vectors of texts and the surprisal of those that need it.

        Parameters
        ----------
        texts : documents.
        surprisal_for : those whose token NLL is wanted (the candidates); None = all.
        deadline : value of ``time.monotonic()`` until which missing features are computed. What is begun then goes on
            in the background and is there for the next call. None = compute everything.

        Raises
        ------
        Without a deadline, what the models raise; with one, it is in ``failure``.
        """
        distinct = list(dict.fromkeys(texts))
        asked = distinct if surprisal_for is None else [text for text in distinct if text in set(surprisal_for)]
        lm, encoder = self.causal_lm, self.trace_encoder
        if deadline is None:
            strange = dict(zip(asked, lm.surprisal(asked), strict=True))
            vectors = dict(zip(distinct, encoder.token_vectors(distinct, max_tokens=self.document_tokens), strict=True))
            return Fetched(strange, vectors, ())
        strange = self._store.known(lm.kind, asked)
        halves = self._store.known(encoder.kind, distinct)
        # Vectors first: without the tail's, no candidate can be scored
        jobs: list[tuple[dict[str, Any], Job]] = []
        for known, wanted, compute in (
            (halves, distinct, lambda part: encoder.halves(part, self.document_tokens)),
            (strange, asked, lm.surprisal),
        ):
            absent = [text for text in wanted if text not in known]
            if absent:
                jobs.append((known, self._background.submit(absent, compute)))
        failure: Exception | None = None
        for known, job in jobs:
            job.done.wait(max(0.0, deadline - time.monotonic()))
            known.update(dict(job.values))
            failure = failure or job.failure
        missing = tuple(t for t in distinct if t not in halves or (t in set(asked) and t not in strange))
        return Fetched(strange, {text: half.widened() for text, half in halves.items()}, missing, failure)

    def forget(self, contents: Iterable[str]) -> int:
        """Erase the features of texts by content hash (:func:`ragsieve_core.document.content_hash`), in both tiers and
        in every other process that uses the same disk tier; returns the number of entries that went here."""
        return self._store.forget(contents)

    def flush(self) -> None:
        """Store the counts of hits that `doctor` shows."""
        if self._store.disk is not None:
            self._store.disk.flush()


def _lexical_kind(config: RSQConfig) -> Kind[Any]:
    # Imported late: the rules are built upon the cache
    from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
    from ragsieve_core.rsq.calibrated.text_features import calibrated_kind

    return calibrated_kind(config.stray_families) if isinstance(config, CalibratedRSQConfig) else lexical_kind()
