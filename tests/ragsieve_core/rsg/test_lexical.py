"""Word overlap of neighbours against Python's own sets, by hand."""

import numpy as np
import pytest

from ragsieve_core.rsg.lexical import neighbor_jaccard


def test_by_hand() -> None:
    texts = ["Red fox, 2 dogs", "red FOX; 2 cats", "...", "СОБАКА", "Straße"]
    found = neighbor_jaccard(texts, np.array([[1, 2], [0, 4], [3, 0], [2, 4], [0, 1]], dtype=np.int32))
    # {red fox 2 dogs} and {red fox 2 cats}: 3 of 5; texts without [a-z0-9] words: 0
    assert found[0].tolist() == pytest.approx([3 / 5, 0])
    assert found[2].tolist() == [0, 0]
    assert found[4].tolist() == [0, 0]
