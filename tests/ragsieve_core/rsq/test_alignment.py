"""Window BERTScore against bert-score's own greedy matching on the same vectors."""

import numpy as np
import pytest

from ragsieve_core.rsq.alignment import alignment_trace, window_spans
from ragsieve_core.rsq.config import RSQConfig

PAPER = RSQConfig()


def unit(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    x = rng.standard_normal((n, d))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("tokens", [5, 32, 33, 48, 49, 200])
def test_windows_equal_bert_score(tokens: int) -> None:
    torch = pytest.importorskip("torch")
    from bert_score.utils import greedy_cos_idf

    rng = np.random.default_rng(tokens)
    document, query = unit(rng, tokens, 24), unit(rng, 7, 24)
    trace = alignment_trace(document, query, PAPER)
    for (start, end), f1 in zip(trace.windows, trace.f1, strict=True):
        hypothesis, reference = (torch.tensor(document[start:end])[None], torch.tensor(query)[None])
        masks = [torch.ones(1, x.shape[1], dtype=torch.long) for x in (reference, hypothesis)]
        weights = [m.float() / m.sum() for m in masks]
        _, _, expected = greedy_cos_idf(reference, masks[0], weights[0], hypothesis, masks[1], weights[1])
        assert f1 == pytest.approx(float(expected[0]), abs=1e-6)


def test_spans_by_hand() -> None:
    assert window_spans(0, 32, 16).tolist() == []
    assert window_spans(32, 32, 16).tolist() == [[0, 32]]
    assert window_spans(33, 32, 16).tolist() == [[0, 32], [1, 33]]
    assert window_spans(48, 32, 16).tolist() == [[0, 32], [16, 48]]
    assert window_spans(70, 32, 16).tolist() == [[0, 32], [16, 48], [32, 64], [38, 70]]


def test_jump_is_where_the_query_starts() -> None:
    """48 tokens orthogonal to the query, then 32 that equal it: F1 goes 0, 0, ..., 1."""
    document = np.zeros((80, 2), dtype=np.float32)
    document[:48, 0] = 1
    document[48:, 1] = 1
    trace = alignment_trace(document, np.array([[0, 1]], dtype=np.float32), PAPER)
    # windows 0-32, 16-48, 32-64 (P = 0.5, R = 1, F1 = 2/3), 48-80 (F1 = 1)
    assert trace.f1.tolist() == pytest.approx([0, 0, 2 / 3, 1])
    assert trace.jump == pytest.approx(2 / 3)
    assert trace.jump_at == 2


def test_no_tokens() -> None:
    empty = np.zeros((0, 4), dtype=np.float32)
    some = np.eye(4, dtype=np.float32)
    assert alignment_trace(empty, some, PAPER).jump == 0.0
    assert alignment_trace(some, empty, PAPER).jump_at is None
