"""Features for a gate, apart for each tenant: a warm text of one must not be told from a cold one by another."""

from __future__ import annotations

import threading
from collections import OrderedDict

from ragsieve_core.gate import ModelFeatures
from ragsieve_core.models.roles import CausalLM, TraceEncoder
from ragsieve_core.rsq import RSQConfig

LIMIT = 512 << 20
TENANT_LIMIT = 128 << 20
_TENANTS = 64


class TenantFeatures:
    """One :class:`ModelFeatures` for callers of all tenants, and one for each tenant, over the same two models.

    Parameters
    ----------
    limit : bytes kept for callers of all tenants; a tenant gets at most 128 MiB, the last 64 tenants are kept.
    """

    def __init__(self, causal_lm: CausalLM, trace_encoder: TraceEncoder, config: RSQConfig, limit: int = LIMIT) -> None:
        self._causal_lm, self._trace_encoder, self._config, self._limit = causal_lm, trace_encoder, config, limit
        self._models = threading.Lock()
        self._guard = threading.Lock()
        self._sources: OrderedDict[str | None, ModelFeatures] = OrderedDict()

    def __call__(self, tenant: str | None) -> ModelFeatures:
        """The source of a tenant, None for callers of all."""
        gone = None
        with self._guard:
            found = self._sources.get(tenant)
            if found is None:
                found = self._sources[tenant] = ModelFeatures(
                    self._causal_lm,
                    self._trace_encoder,
                    document_max_tokens=self._config.document_max_tokens,
                    query_max_tokens=self._config.query_max_tokens,
                    limit=self._limit if tenant is None else min(self._limit, TENANT_LIMIT),
                    models=self._models,
                )
                if len(self._sources) > _TENANTS:
                    _, gone = self._sources.popitem(last=False)
            self._sources.move_to_end(tenant)
        if gone is not None:
            gone.close()
        return found

    def close(self) -> None:
        """End every thread."""
        with self._guard:
            sources = list(self._sources.values())
            self._sources.clear()
        for source in sources:
            source.close()
