"""Features for a gate, apart for each tenant: a warm text of one must not be told from a cold one by another."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from ragsieve_core.gate import CachedFeatures
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.models.roles import CausalLM, TraceEncoder
from ragsieve_core.rsq import RSQConfig

TENANT_LIMIT = 128 << 20
_TENANTS = 64


class TenantFeatures:
    """A source for callers of all tenants, which fills the product's cache, and one for each tenant, over two models.

    A tenant's source reads that cache for texts of documents the tenant sees in the snapshot, so that `ragsieve warm`
    helps it too, and keeps what it has computed itself in a memory of its own.

    Parameters
    ----------
    shared : the product's cache.
    causal_lm, trace_encoder : the models behind it.
    config : lengths to read of texts.
    tenant_limit : bytes kept for each of the last 64 tenants.
    """

    def __init__(
        self,
        shared: Features,
        causal_lm: Callable[[], CausalLM],
        trace_encoder: Callable[[], TraceEncoder],
        config: RSQConfig,
        tenant_limit: int = TENANT_LIMIT,
    ) -> None:
        self._shared, self._config, self._tenant_limit = shared, config, tenant_limit
        self._causal_lm, self._trace_encoder = causal_lm, trace_encoder
        self._models = threading.Lock()
        self._guard = threading.Lock()
        self._sources: OrderedDict[str | None, CachedFeatures] = OrderedDict()

    def __call__(self, tenant: str | None) -> CachedFeatures:
        """The source of a tenant, None for callers of all."""
        gone = None
        with self._guard:
            found = self._sources.get(tenant)
            if found is None:
                found = self._sources[tenant] = self._make(tenant)
                if len(self._sources) > _TENANTS:
                    _, gone = self._sources.popitem(last=False)
            self._sources.move_to_end(tenant)
        if gone is not None:
            gone.close()
        return found

    def _make(self, tenant: str | None) -> CachedFeatures:
        length = self._config.query_max_tokens
        if tenant is None:
            return CachedFeatures(self._shared, query_max_tokens=length, models=self._models)
        own = Features(
            self._causal_lm,
            self._trace_encoder,
            document_tokens=self._shared.document_tokens,
            memory=self._tenant_limit,
            erasures=self._shared.disk,
        )
        return CachedFeatures(own, shared=self._shared, query_max_tokens=length, models=self._models)

    def close(self) -> None:
        """End every thread, and store the counts of hits."""
        with self._guard:
            sources = list(self._sources.values())
            self._sources.clear()
        for source in sources:
            source.close()
        self._shared.flush()
