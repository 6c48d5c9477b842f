"""The reference is transformers' own loss, one text at a time, and the golden numbers of an independent program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.models.causal_lm import TransformerCausalLM
from ragsieve_core.models.device import Placement
from ragsieve_core.models.loading import LoadedModels
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.surprisal import surprisal

CPU = Placement("cpu", "float32")


def _naive(folder: Path, texts: list[str], limit: int = 512) -> list[np.ndarray[Any, Any]]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    out = []
    for text in texts:
        ids = tokenizer(
            text, add_special_tokens=False, truncation=True, max_length=limit, return_tensors="pt"
        ).input_ids
        if ids.shape[1] < 2:
            out.append(np.empty(0, dtype=np.float32))
            continue
        with torch.no_grad():
            logits = model(ids.long()).logits[0, :-1].float()
            out.append(torch.nn.functional.cross_entropy(logits, ids[0, 1:].long(), reduction="none").numpy())
    return out


@pytest.mark.parametrize("name", ["tiny_qwen3", "tiny_gemma2"])
def test_nll_is_that_of_transformers_one_text_at_a_time(
    name: str, files_of: Any, texts: list[str], request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(name)
    model = TransformerCausalLM(files_of(folder), max_tokens=512, placement=CPU)
    for ours, reference in zip(model.surprisal(texts), _naive(folder, texts), strict=True):
        assert ours.nll.dtype == np.float32
        assert ours.offsets.shape == (len(ours.nll), 2)
        assert ours.offsets.dtype == np.int32
        np.testing.assert_allclose(ours.nll, reference, atol=1e-5)


def test_a_small_head_step_changes_nothing(
    tiny_qwen3: Path, files_of: Any, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = TransformerCausalLM(files_of(tiny_qwen3), max_tokens=512, placement=CPU)
    whole = model.surprisal(texts)
    monkeypatch.setattr("ragsieve_core.models.causal_lm._LOGIT_BYTES", 4 * 400 * 3)
    for a, b in zip(whole, model.surprisal(texts), strict=True):
        np.testing.assert_allclose(a.nll, b.nll, atol=1e-6)


def test_no_special_token_is_added_and_the_first_token_has_no_nll(tiny_qwen3: Path, files_of: Any) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_qwen3)
    text = "Seventeen boats"
    assert tokenizer(text).input_ids[0] == tokenizer.bos_token_id  # the tokenizer would, if it were let
    plain = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    (entry,) = TransformerCausalLM(files_of(tiny_qwen3), max_tokens=512, placement=CPU).surprisal([text])
    assert [tuple(pair) for pair in entry.offsets.tolist()] == plain["offset_mapping"][1:]


def test_at_most_511_values_and_none_for_one_token_or_none(tiny_qwen3: Path, files_of: Any) -> None:
    model = TransformerCausalLM(files_of(tiny_qwen3), max_tokens=512, placement=CPU)
    long, empty, one = model.surprisal(["harbour " * 2000, "", "a"])
    assert len(long.nll) == 511
    assert len(empty.nll) == len(one.nll) == 0
    assert empty.offsets.shape == (0, 2)


def test_batch_and_order_do_not_matter(tiny_qwen3: Path, files_of: Any, texts: list[str]) -> None:
    model = TransformerCausalLM(files_of(tiny_qwen3), max_tokens=512, placement=CPU)
    together = model.surprisal(texts)
    backwards = model.surprisal(texts[::-1])[::-1]
    for text, a, b in zip(texts, together, backwards, strict=True):
        np.testing.assert_allclose(a.nll, model.surprisal([text])[0].nll, atol=2e-6)
        assert np.array_equal(a.nll, b.nll)


def test_the_key_names_length_and_dtype(tiny_qwen3: Path, files_of: Any) -> None:
    files = files_of(tiny_qwen3)
    keys = {
        TransformerCausalLM(files, max_tokens=limit, placement=Placement("cpu", dtype)).key
        for limit in (256, 512)
        for dtype in ("float32", "bfloat16")
    }
    assert len(keys) == 4


def test_bfloat16_stays_near_float32(tiny_qwen3: Path, files_of: Any, texts: list[str]) -> None:
    exact = TransformerCausalLM(files_of(tiny_qwen3), max_tokens=512, placement=CPU).surprisal(texts)
    rough = TransformerCausalLM(files_of(tiny_qwen3), max_tokens=512, placement=Placement("cpu", "bfloat16"))
    for a, b in zip(exact, rough.surprisal(texts), strict=True):
        assert b.nll.dtype == np.float32
        np.testing.assert_allclose(a.nll, b.nll, atol=0.2)


def test_an_encoder_is_refused(tiny_bert: Path, files_of: Any) -> None:
    with pytest.raises(InputError, match="causal language model"):
        TransformerCausalLM(files_of(tiny_bert), max_tokens=512, placement=CPU)


@pytest.mark.models
def test_embedded_nll_is_that_of_transformers(embedded: LoadedModels) -> None:
    from ragsieve_core.models.sources import resolve

    texts = [
        "The capital of France is Paris.",
        "Kaʻiulani was born in 1875; fee fi FO fum \u202e!",
        "port " * 3 + "港は凍り、船は浜に引き上げられた。",
    ]
    folder = resolve(embedded.profile.causal_lm.source).folder
    for ours, reference in zip(embedded.causal_lm.surprisal(texts), _naive(folder, texts), strict=True):
        np.testing.assert_allclose(ours.nll, reference, atol=1e-4)


@pytest.mark.models
@pytest.mark.shared
def test_embedded_reproduces_golden_bursts_and_changes(embedded: LoadedModels, shared_dir: Path) -> None:
    with (shared_dir / "golden" / "rsq_contexts.jsonl").open(encoding="utf-8") as handle:
        contexts = [json.loads(next(handle))]
    with (shared_dir / "golden" / "rsq_expected.jsonl").open(encoding="utf-8") as handle:
        rows = [json.loads(line) for line in handle]
    expected = {(row["query_id"], row["condition"], row["document_id"]): row for row in rows}
    pairs = [
        (document["text"], expected[context["query_id"], context["condition"], document["id"]])
        for context in contexts
        for document in context["documents"]
        if (context["query_id"], context["condition"], document["id"]) in expected
    ]
    assert len(pairs) >= 5
    entries = embedded.causal_lm.surprisal([text for text, _ in pairs])
    for entry, (_, row) in zip(entries, pairs, strict=True):
        evidence = surprisal(entry.nll, RSQConfig())
        for window in evidence.windows:
            assert window.burst == pytest.approx(row[f"burst_{window.window}"], abs=2e-3)
            assert window.change == pytest.approx(row[f"change_{window.window}"], abs=2e-3)
        assert evidence.e_surprisal == pytest.approx(row["e_surprisal"], abs=2e-3)
