from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.models.sentence_files import SentenceSettings, read_sentence_settings
from ragsieve_core.models.sources import ModelFiles
from ragsieve_core.models.specs import ModelSource, RetrieverSpec

PARTS = ["Transformer", "Pooling", "Normalize"]


def _files(folder: Path, parts: list[str], pooling: dict[str, Any], **more: Any) -> ModelFiles:
    modules = [{"path": "" if part == "Transformer" else f"1_{part}", "type": f"st.models.{part}"} for part in parts]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    for name, content in more.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return ModelFiles(folder, folder, ModelSource("folder", str(folder)), "0" * 64)


@pytest.mark.parametrize(
    ("parts", "pooling", "expected"),
    [
        (PARTS, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        (PARTS[:2], {"pooling_mode_mean_tokens": True}, "mean"),
        (PARTS, {"pooling_mode": "cls"}, "cls"),
        (PARTS, {"pooling_mode_lasttoken": True}, "other"),
        (PARTS, {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}, "other"),
        (PARTS, {"pooling_mode_mean_tokens": True, "include_prompt": False}, "other"),
        (["Transformer", "Pooling", "Dense", "Normalize"], {"pooling_mode_mean_tokens": True}, "other"),
    ],
)
def test_pooling_is_read_from_the_model(
    tmp_path: Path, parts: list[str], pooling: dict[str, Any], expected: str
) -> None:
    files = _files(tmp_path, parts, pooling)
    assert read_sentence_settings(files, RetrieverSpec(files.source)).pooling == expected
    assert read_sentence_settings(files, RetrieverSpec(files.source, pooling="mean")).pooling == "mean"


def test_prompts_are_read_and_a_spec_wins(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "q: ", "document": "d: "}}
    files = _files(tmp_path, PARTS, {"pooling_mode": "mean"}, config_sentence_transformers=prompts)
    assert read_sentence_settings(files, RetrieverSpec(files.source)) == SentenceSettings("mean", "q: ", "d: ")
    by_hand = RetrieverSpec(files.source, query_prefix="", passage_prefix="p ")
    assert read_sentence_settings(files, by_hand) == SentenceSettings("mean", "", "p ")


def test_lower_casing_is_left_to_sentence_transformers(tmp_path: Path) -> None:
    files = _files(tmp_path, PARTS, {"pooling_mode": "mean"}, sentence_bert_config={"do_lower_case": True})
    assert read_sentence_settings(files, RetrieverSpec(files.source)).pooling == "other"


def test_a_plain_transformer_gets_the_mean(tmp_path: Path) -> None:
    files = ModelFiles(tmp_path, tmp_path, ModelSource("folder", str(tmp_path)), "0" * 64)
    assert read_sentence_settings(files, RetrieverSpec(files.source)) == SentenceSettings("mean", "", "")


def test_an_encoder_decoder_is_left_to_sentence_transformers(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    files = ModelFiles(tmp_path, tmp_path, ModelSource("folder", str(tmp_path)), "0" * 64)
    assert read_sentence_settings(files, RetrieverSpec(files.source)).pooling == "other"
