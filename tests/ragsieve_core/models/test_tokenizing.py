from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.models.tokenizing import TextTokenizer, padded


@pytest.mark.parametrize("limit", [3, 4, 10, 64, 512])
@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("name", ["tiny_bert", "tiny_xlmr", "tiny_qwen3"])
def test_truncation_is_that_of_transformers(
    name: str, special: bool, limit: int, texts: list[str], request: pytest.FixtureRequest
) -> None:
    from transformers import AutoTokenizer

    folder: Path = request.getfixturevalue(name)
    reference = AutoTokenizer.from_pretrained(folder)
    ours = TextTokenizer(folder).tokenize(texts, max_tokens=limit, special=special)
    for text, tokens in zip(texts, ours, strict=True):
        expected = reference(
            text,
            truncation=True,
            max_length=limit,
            add_special_tokens=special,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
        )
        assert tokens.ids.tolist() == expected["input_ids"]
        assert [tuple(pair) for pair in tokens.offsets.tolist()] == expected["offset_mapping"]
        if special:
            assert tokens.head + tokens.tail == sum(expected["special_tokens_mask"])


def test_half_a_surrogate_pair_is_one_character(tiny_bert: Path) -> None:
    (tokens,) = TextTokenizer(tiny_bert).tokenize(["boats \ud83d boats"], max_tokens=64, special=False)
    assert tokens.offsets[-1].tolist()[1] == len("boats \ud83d boats")


def test_a_special_token_written_in_the_text_is_the_texts_own(tiny_bert: Path) -> None:
    (tokens,) = TextTokenizer(tiny_bert).tokenize(["[SEP] boats [SEP]"], max_tokens=64, special=True)
    assert (tokens.head, tokens.tail) == (1, 1)


def test_threads_with_different_lengths_do_not_disturb_each_other(tiny_bert: Path) -> None:
    tokenizer = TextTokenizer(tiny_bert)
    limits = [8, 64] * 40
    with ThreadPoolExecutor(8) as pool:
        sizes = list(
            pool.map(lambda n: tokenizer.tokenize(["boats " * 200], max_tokens=n, special=True)[0].ids.size, limits)
        )
    assert sizes == limits


def test_padding_is_masked_and_left_out_where_there_is_none(tiny_bert: Path) -> None:
    tokenizer = TextTokenizer(tiny_bert)
    batch = tokenizer.tokenize(["boats", "boats boats"], max_tokens=64, special=True)
    ids, mask = padded(batch, tokenizer.pad_id)
    assert mask is not None
    assert np.array_equal(mask.sum(axis=1), [item.ids.size for item in batch])
    assert (ids[mask == 0] == tokenizer.pad_id).all()
    assert padded(batch[:1], tokenizer.pad_id)[1] is None
