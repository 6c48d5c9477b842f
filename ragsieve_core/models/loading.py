"""From a profile to models that compute, each loaded when it is first used."""

from __future__ import annotations

from ragsieve_core.models.device import Placement, choose_placement
from ragsieve_core.models.once import Once
from ragsieve_core.models.roles import CausalLM, Retriever, TraceEncoder
from ragsieve_core.models.sources import resolve
from ragsieve_core.models.specs import ModelProfile, RetrieverSpec


class LoadedModels:
    """The three roles of a profile.

    A role is found and checked when its attribute is first read, and its weights are loaded when it first computes,
    once, whatever the number of threads. Reading ``key`` does not load weights.

    Parameters
    ----------
    profile : what to load.
    device, dtype : see :func:`ragsieve_core.models.device.choose_placement`.
    allow_download : fetch hub models that are not in the local hub cache.
    """

    def __init__(
        self,
        profile: ModelProfile,
        *,
        device: str | None = None,
        dtype: str | None = None,
        allow_download: bool = False,
    ) -> None:
        self.profile = profile
        self._allow_download = allow_download
        self._placement = Once(lambda: choose_placement(device, dtype))
        self._retriever = Once(self._make_retriever)
        self._causal_lm = Once(self._make_causal_lm)
        self._trace_encoder = Once(self._make_trace_encoder)

    @property
    def placement(self) -> Placement:
        """Device and dtype in use."""
        return self._placement()

    @property
    def retriever(self) -> Retriever:
        """The retriever. Raises ModelUnavailableError where it is not on this machine."""
        return self._retriever()

    @property
    def causal_lm(self) -> CausalLM:
        """The causal LM. Raises ModelUnavailableError where it is not on this machine."""
        return self._causal_lm()

    @property
    def trace_encoder(self) -> TraceEncoder:
        """The trace encoder. Raises ModelUnavailableError where it is not on this machine."""
        return self._trace_encoder()

    def _make_retriever(self) -> Retriever:
        from ragsieve_core.models.retriever import TransformerRetriever
        from ragsieve_core.models.sentence_files import read_sentence_settings

        spec: RetrieverSpec = self.profile.retriever
        files = resolve(spec.source, allow_download=self._allow_download)
        settings = read_sentence_settings(files, spec)
        if settings.pooling == "other":
            from ragsieve_core.models.sentence_retriever import SentenceRetriever

            return SentenceRetriever(
                files,
                query_prefix=settings.query_prefix,
                passage_prefix=settings.passage_prefix,
                max_tokens=spec.max_tokens,
                placement=self.placement,
            )
        return TransformerRetriever(
            files,
            pooling=settings.pooling,
            query_prefix=settings.query_prefix,
            passage_prefix=settings.passage_prefix,
            max_tokens=spec.max_tokens,
            placement=self.placement,
        )

    def _make_causal_lm(self) -> CausalLM:
        from ragsieve_core.models.causal_lm import TransformerCausalLM

        spec = self.profile.causal_lm
        files = resolve(spec.source, allow_download=self._allow_download)
        return TransformerCausalLM(files, max_tokens=spec.max_tokens, placement=self.placement)

    def _make_trace_encoder(self) -> TraceEncoder:
        from ragsieve_core.models.trace_encoder import TransformerTraceEncoder

        spec = self.profile.trace_encoder
        files = resolve(spec.source, allow_download=self._allow_download)
        return TransformerTraceEncoder(files, layer=spec.layer, placement=self.placement)


def load(
    profile: ModelProfile,
    *,
    device: str | None = None,
    dtype: str | None = None,
    allow_download: bool = False,
) -> LoadedModels:
    """The models of a profile, nothing read yet.

    Parameters
    ----------
    profile : from ``get_profile`` or ``custom_profile``.
    device : torch device; None = the first GPU, else the CPU.
    dtype : ``float32`` or ``bfloat16``; None = bfloat16 on CUDA, float32 on the CPU.
    allow_download : fetch hub models that are missing. Off: nothing is ever fetched.
    """
    return LoadedModels(profile, device=device, dtype=dtype, allow_download=allow_download)
