"""The gate in a real LlamaIndex pipeline: index, retriever, query engine."""

import asyncio

import pytest

from ragsieve_core.errors import InputError
from tests.gate_stand_ins import QUESTION, encode

llama_index = pytest.importorskip("llama_index.core", reason="the extra llama-index is not installed")

from llama_index.core import VectorStoreIndex  # noqa: E402
from llama_index.core.embeddings import BaseEmbedding  # noqa: E402
from llama_index.core.llms import MockLLM  # noqa: E402
from llama_index.core.query_engine import RetrieverQueryEngine  # noqa: E402
from llama_index.core.schema import TextNode  # noqa: E402

from ragsieve_core.adapters.llama_index import RagsievePostprocessor  # noqa: E402


class BagEmbedding(BaseEmbedding):
    def _get_query_embedding(self, query: str) -> list[float]:
        return encode(query).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return encode(text).tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


@pytest.fixture
def index(corpus):
    nodes = [TextNode(id_=i, text=t) for i, t in zip(corpus.ids, corpus.texts, strict=True)]
    return VectorStoreIndex(nodes, embed_model=BagEmbedding())


def test_a_query_engine_with_the_gate_in_it(index, make_gate, publisher) -> None:
    retriever = index.as_retriever(similarity_top_k=40)
    plain = [node.node.node_id for node in retriever.retrieve(QUESTION)]
    assert plain[0] == "d00"
    gate = RagsievePostprocessor(gate=make_gate())
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM(), node_postprocessors=[gate])
    answer = engine.query(QUESTION)
    assert [node.node.node_id for node in answer.source_nodes] == plain[1:6]
    assert "vancouver" not in str(answer)
    assert "ragsieve" not in str(answer)
    assert answer.source_nodes[0].node.metadata["ragsieve"]["original_rank"] == 2
    assert answer.source_nodes[0].score == pytest.approx(retriever.retrieve(QUESTION)[1].score)
    assert "ragsieve" not in index.docstore.get_node(plain[1]).metadata
    publisher.publish(quarantined=[("harbour", plain[1])])
    later = asyncio.run(engine.aquery(QUESTION))
    assert [node.node.node_id for node in later.source_nodes] == plain[2:7]


def test_shadow_changes_nothing(index, make_gate) -> None:
    nodes = index.as_retriever(similarity_top_k=40).retrieve(QUESTION)
    shadow = RagsievePostprocessor(gate=make_gate(mode="shadow")).postprocess_nodes(nodes, query_str=QUESTION)
    assert [(n.node.node_id, n.node.text, n.score) for n in shadow] == [
        (n.node.node_id, n.node.text, n.score) for n in nodes[:5]
    ]


def test_nodes_without_a_query_are_refused(index, make_gate) -> None:
    nodes = index.as_retriever(similarity_top_k=5).retrieve(QUESTION)
    with pytest.raises(InputError, match="no query came"):
        RagsievePostprocessor(gate=make_gate()).postprocess_nodes(nodes)
