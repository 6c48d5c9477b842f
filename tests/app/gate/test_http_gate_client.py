"""The client against a real gate: the same answers as in process, and errors by name."""

from __future__ import annotations

import pytest

from ragsieve_core.adapters.http_gate import GateUnavailableError, HttpGate
from ragsieve_core.errors import InputError
from ragsieve_core.publication import PublicationReader
from tests.gate_stand_ins import QUESTION, ranking


def test_equals_the_gate_behind_it(serve, tokens, corpus) -> None:
    client = serve()
    remote = HttpGate(f"http://127.0.0.1:{client.port}", tokens["all"])
    there = remote.filter(QUESTION, ranking(corpus))
    here = client.service.gate.filter(QUESTION, ranking(corpus))
    assert there.context == here.context
    assert (there.state, there.removed) == (here.state, here.removed)
    assert remote.retrieve(QUESTION).context == client.service.gate.retrieve(QUESTION).context
    cited = [there.context[0].document_id]
    assert remote.record_answer(there.event_id, "a", cited)["state"] == "recorded"


def test_errors_are_named(serve, tokens, corpus, tmp_path) -> None:
    client = serve()
    remote = HttpGate(f"http://127.0.0.1:{client.port}", tokens["all"])
    with pytest.raises(InputError, match="the query is empty"):
        remote.filter(" ", ranking(corpus))
    with pytest.raises(InputError, match="no valid token"):
        HttpGate(f"http://127.0.0.1:{client.port}", "rgs.a.b").filter(QUESTION, ranking(corpus))
    client.service.gate._publication = PublicationReader(tmp_path / "nothing published")
    with pytest.raises(GateUnavailableError, match="not_in_force"):
        remote.filter(QUESTION, ranking(corpus))
    client.stop()
    with pytest.raises(GateUnavailableError, match="no answer"):
        remote.filter(QUESTION, ranking(corpus))
    with pytest.raises(InputError, match="no web address"):
        HttpGate("ftp://x")
