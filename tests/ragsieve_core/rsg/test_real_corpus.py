"""RSG on real text with the real retriever: the figures of METHOD, measured here again."""

import json
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.document import document_text
from ragsieve_core.evaluate.auroc import auroc
from ragsieve_core.evaluate.tpr_at_fpr import tpr_at_fpr
from ragsieve_core.models.profiles import get_profile, load
from ragsieve_core.rsg import RSGConfig, score_corpus


def encoded(texts: list[str], dtype: str) -> np.ndarray:
    return load(get_profile("embedded"), device="cpu", dtype=dtype).retriever.encode(texts, kind="passage")


def quickest_dtype() -> str:
    """``bfloat16`` on a processor that computes in it, else ``float32``."""
    flags = Path("/proc/cpuinfo")
    known = flags.read_text(encoding="utf-8").split() if flags.exists() else []
    return "bfloat16" if {"avx512_bf16", "amx_bf16"} & set(known) else "float32"


@pytest.mark.shared
@pytest.mark.models
@pytest.mark.slow
def test_nq_poison_in_2wiki(shared_dir: Path) -> None:
    """500 planted documents in 6,119 passages: AUROC 0.994, detection 0.994 at 5 % clean removal, 0.624 as flagged."""
    data = shared_dir / "data"
    ids, texts, poison = [], [], []
    with (data / "2wiki" / "corpus.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            ids.append(row["id"])
            texts.append(document_text(row["text"], row.get("title")))
            poison.append(False)
    with (data / "poisonedrag" / "nq.jsonl").open(encoding="utf-8") as file:
        for attack in map(json.loads, file):
            for number, document in enumerate(attack["documents"]):
                ids.append(f"poison-{len(ids)}-{number}")
                texts.append(document_text(document["text"], document.get("title")))
                poison.append(True)
    labels = np.array(poison)
    assert labels.sum() == 500
    vectors = encoded(texts, quickest_dtype())
    # In bfloat16 a third of the time and the same figures, as long as the vectors are the same to three digits
    some = slice(None, None, 100)
    np.testing.assert_allclose(np.sum(vectors[some] * encoded(texts[some], "float32"), axis=1), 1, atol=1e-3)
    found = score_corpus(ids, texts, vectors, RSGConfig())
    planted, clean = found.score[labels], found.score[~labels]
    assert auroc(planted, clean) == pytest.approx(0.994, abs=0.002)
    assert tpr_at_fpr(planted, clean, 0.05) == pytest.approx(0.994, abs=0.002)
    assert found.flagged[labels].mean() == pytest.approx(0.624, abs=0.005)
    assert found.flagged[~labels].mean() == pytest.approx(0.0029, abs=0.0005)
