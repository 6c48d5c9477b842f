"""The gate as a LangChain document compressor: behind any retriever, before the prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import ConfigDict

from ragsieve_core.adapters.ranking import NOTE, Filter, GatedContext, as_ranking, filter_in_thread, note
from ragsieve_core.document import RankedDocument


def _own_id(document: Document) -> str | None:
    return document.id


class RagsieveCompressor(BaseDocumentCompressor):
    """Hands the retrieved documents, best first, to a gate and gives back its context.

    Let the retriever fetch more than n documents (20 for the rule ``paper``; twice as many leave room for a refill):
    the gate gives back the k that belong in the prompt. What it said stands in ``metadata["ragsieve"]``; the documents
    that were given are not changed.

    Attributes
    ----------
    gate : a :class:`ragsieve_core.gate.Gate` or :class:`ragsieve_core.adapters.http_gate.HttpGate`.
    document_id : the id under which the corpus knows a document; ``Document.id`` by default.
    groups : groups of the person who asks; None = not stated.
    index_version : name of your index, logged.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    gate: Any
    document_id: Callable[[Document], str | None] = _own_id
    groups: tuple[str, ...] | None = None
    index_version: str = ""

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """The context, best first.

        Raises
        ------
        InputError : an empty query, or a ranking that is too long.
        """
        ranking, held = self._ranking(documents)
        gate: Filter = self.gate
        return _given(gate.filter(query, ranking, groups=self.groups, index_version=self.index_version), held)

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> Sequence[Document]:
        """:meth:`compress_documents` without holding up the event loop."""
        ranking, held = self._ranking(documents)
        return _given(await filter_in_thread(self.gate, query, ranking, self.groups, self.index_version), held)

    def _ranking(self, documents: Sequence[Document]) -> tuple[list[RankedDocument], dict[str, Document]]:
        return as_ranking([(d, self.document_id(d), d.page_content, None) for d in documents])


def _given(answer: GatedContext, held: dict[str, Document]) -> list[Document]:
    found = []
    for placed in answer.context:
        document = held[placed.document_id]
        metadata = {**document.metadata, NOTE: note(answer, placed)}
        found.append(document.model_copy(update={"metadata": metadata}))
    return found


def gated(retriever: Runnable[str, list[Document]], compressor: RagsieveCompressor) -> Runnable[str, list[Document]]:
    """A retriever with the gate behind it, as a runnable from a query to the context."""

    def run(query: str) -> list[Document]:
        return list(compressor.compress_documents(retriever.invoke(query), query))

    async def arun(query: str) -> list[Document]:
        return list(await compressor.acompress_documents(await retriever.ainvoke(query), query))

    return RunnableLambda(run, arun)
