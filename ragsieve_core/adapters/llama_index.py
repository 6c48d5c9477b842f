"""The gate as a LlamaIndex node postprocessor: behind any retriever, before the response synthesizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle
from pydantic import ConfigDict

from ragsieve_core.adapters.ranking import NOTE, Filter, GatedContext, as_ranking, filter_in_thread, note
from ragsieve_core.document import RankedDocument
from ragsieve_core.errors import InputError


def _own_id(node: BaseNode) -> str | None:
    return node.node_id


class RagsievePostprocessor(BaseNodePostprocessor):
    """Hands the retrieved nodes, best first, to a gate and gives back its context.

    Let the retriever fetch more than n nodes (``similarity_top_k``): the gate gives back the k that belong in the
    prompt. What it said stands in ``node.metadata["ragsieve"]``, which the LLM does not see; the nodes of the index are
    not changed.

    Attributes
    ----------
    gate : a :class:`ragsieve_core.gate.Gate` or :class:`ragsieve_core.adapters.http_gate.HttpGate`.
    document_id : the id under which the corpus knows a node; ``node_id`` by default.
    groups : groups of the person who asks; None = not stated.
    index_version : name of your index, logged.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    gate: Any
    document_id: Callable[[BaseNode], str | None] = _own_id
    groups: tuple[str, ...] | None = None
    index_version: str = ""

    @classmethod
    def class_name(cls) -> str:
        """Name under which LlamaIndex lists it."""
        return "RagsievePostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        ranking, held = self._ranking(nodes)
        gate: Filter = self.gate
        answer = gate.filter(_query(query_bundle), ranking, groups=self.groups, index_version=self.index_version)
        return _given(answer, held)

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        ranking, held = self._ranking(nodes)
        answer = await filter_in_thread(self.gate, _query(query_bundle), ranking, self.groups, self.index_version)
        return _given(answer, held)

    def _ranking(self, nodes: list[NodeWithScore]) -> tuple[list[RankedDocument], dict[str, NodeWithScore]]:
        return as_ranking(
            [(n, self.document_id(n.node), n.node.get_content(MetadataMode.NONE), n.score) for n in nodes]
        )


def _query(query_bundle: QueryBundle | None) -> str:
    if query_bundle is None:
        raise InputError(
            "no query came with the nodes", where="postprocess_nodes", expected="query_bundle or query_str"
        )
    return query_bundle.query_str


def _given(answer: GatedContext, held: dict[str, NodeWithScore]) -> list[NodeWithScore]:
    found = []
    for placed in answer.context:
        scored = held[placed.document_id]
        # The node in hand is the index's own object: a note on it would stay there
        node = scored.node.model_copy(
            update={
                "metadata": {**scored.node.metadata, NOTE: note(answer, placed)},
                "excluded_llm_metadata_keys": [*scored.node.excluded_llm_metadata_keys, NOTE],
                "excluded_embed_metadata_keys": [*scored.node.excluded_embed_metadata_keys, NOTE],
            }
        )
        found.append(NodeWithScore(node=node, score=scored.score))
    return found
