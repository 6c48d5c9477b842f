"""The memory budget at a small size; the rest of the benchmark needs models and minutes."""

from __future__ import annotations

from benchmarks.rsq import measure_memory, rankings


def test_memory_within_its_limit(capsys) -> None:
    assert measure_memory(5_000, 16 * 2**20, 300) == []
    assert "limit 16 MiB" in capsys.readouterr().out


def test_rankings_hold_twenty_documents() -> None:
    contexts, _ = rankings()
    assert contexts
    assert all(len({d.text for d in context.documents[:20]}) > 10 for context in contexts)
