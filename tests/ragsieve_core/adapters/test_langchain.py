"""The gate in a real LangChain pipeline: vector store, retriever, prompt, model."""

import asyncio

import pytest

from tests.gate_stand_ins import QUESTION, encode

langchain = pytest.importorskip("langchain_core", reason="the extra langchain is not installed")

from langchain_core.documents import Document  # noqa: E402
from langchain_core.embeddings import Embeddings  # noqa: E402
from langchain_core.language_models import FakeListChatModel  # noqa: E402
from langchain_core.output_parsers import StrOutputParser  # noqa: E402
from langchain_core.prompts import ChatPromptTemplate  # noqa: E402
from langchain_core.runnables import RunnablePassthrough  # noqa: E402
from langchain_core.vectorstores import InMemoryVectorStore  # noqa: E402

from ragsieve_core.adapters.langchain import RagsieveCompressor, gated  # noqa: E402


class BagEmbeddings(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [encode(text).tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return encode(text).tolist()


@pytest.fixture
def store(corpus):
    made = InMemoryVectorStore(BagEmbeddings())
    made.add_documents([Document(id=i, page_content=t) for i, t in zip(corpus.ids, corpus.texts, strict=True)])
    return made


def test_a_pipeline_with_the_gate_in_it(store, make_gate, publisher) -> None:
    retriever = store.as_retriever(search_kwargs={"k": 40})
    plain = [document.id for document in retriever.invoke(QUESTION)]
    assert plain[0] == "d00"
    seen: list[str] = []

    def joined(documents: list[Document]) -> str:
        seen.append("\n".join(document.page_content for document in documents))
        return seen[-1]

    context = gated(retriever, RagsieveCompressor(gate=make_gate()))
    chain = (
        {"context": context | joined, "question": RunnablePassthrough()}
        | ChatPromptTemplate.from_template("{context}\n\n{question}")
        | FakeListChatModel(responses=["an answer"])
        | StrOutputParser()
    )
    assert chain.invoke(QUESTION) == "an answer"
    assert "vancouver" not in seen[-1]
    found = context.invoke(QUESTION)
    assert [document.id for document in found] == plain[1:6]
    assert found[0].metadata["ragsieve"]["status"] == "passed"
    assert found[0].metadata["ragsieve"]["original_rank"] == 2
    assert "ragsieve" not in store.get_by_ids([plain[1]])[0].metadata
    publisher.publish(quarantined=[("harbour", plain[1])])
    assert [document.id for document in asyncio.run(context.ainvoke(QUESTION))] == plain[2:7]
    assert chain.invoke(QUESTION) == "an answer"


def test_shadow_changes_nothing(store, make_gate) -> None:
    retriever = store.as_retriever(search_kwargs={"k": 40})
    shadow = gated(retriever, RagsieveCompressor(gate=make_gate(mode="shadow"))).invoke(QUESTION)
    plain = retriever.invoke(QUESTION)[:5]
    assert [(d.id, d.page_content) for d in shadow] == [(d.id, d.page_content) for d in plain]


def test_documents_without_ids_or_twice(make_gate, corpus, publisher) -> None:
    compressor = RagsieveCompressor(gate=make_gate(), document_id=lambda document: document.metadata.get("key"))
    documents = [Document(page_content=text, metadata={"n": n}) for n, text in enumerate(corpus.texts)]
    publisher.publish(quarantined=[("harbour", "d01")])
    found = compressor.compress_documents([*documents, documents[2]], QUESTION)
    # d00 is planted; the text of d01 is quarantined under whatever name it comes
    assert [document.metadata["n"] for document in found] == [2, 3, 4, 5, 6]
    assert {document.metadata["ragsieve"]["match"] for document in found} == {"unknown"}
    assert compressor.compress_documents([], QUESTION) == []
