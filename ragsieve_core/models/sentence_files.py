"""What the sentence-transformers files of a model say about pooling and prompts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragsieve_core.models.sources import ModelFiles
from ragsieve_core.models.specs import RetrieverSpec

_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


# Only their encoder makes a vector, and sentence-transformers knows how to take it alone.
_ENCODER_DECODERS = frozenset({"t5", "mt5", "umt5"})


@dataclass(frozen=True, slots=True)
class SentenceSettings:
    """How token vectors become one vector, and what is put before a text.

    ``other`` pooling means that the model has parts that only sentence-transformers runs.
    """

    pooling: Literal["cls", "mean", "other"]
    query_prefix: str
    passage_prefix: str


def read_sentence_settings(files: ModelFiles, spec: RetrieverSpec) -> SentenceSettings:
    """Settings of the spec, completed from the model's files where the spec leaves them open.

    Parameters
    ----------
    files : located model.
    spec : what it fixes wins over the files.
    """
    prompts = _read(files.root / "config_sentence_transformers.json").get("prompts") or {}
    query = spec.query_prefix if spec.query_prefix is not None else prompts.get("query", "")
    passage = spec.passage_prefix
    if passage is None:
        passage = next((prompts[name] for name in ("document", "passage", "corpus") if name in prompts), "")
    pooling = _pooling(files) if spec.pooling == "auto" else spec.pooling
    return SentenceSettings(pooling, query, passage)


def _pooling(files: ModelFiles) -> Literal["cls", "mean", "other"]:
    if _read(files.folder / "config.json").get("model_type") in _ENCODER_DECODERS:
        return "other"
    modules = _read(files.root / "modules.json", [])
    if not modules:
        return "mean"
    kinds = [str(module.get("type", "")).rsplit(".", 1)[-1] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        return "other"
    if _read(files.folder / "sentence_bert_config.json").get("do_lower_case"):
        return "other"
    settings = _read(files.root / str(modules[1].get("path", "")) / "config.json")
    if settings.get("include_prompt") is False:
        return "other"
    mode = settings.get("pooling_mode")  # the newer way to write it: one name
    modes = [mode] if isinstance(mode, str) else [name for flag, name in _MODES.items() if settings.get(flag)]
    if modes == ["cls"]:
        return "cls"
    return "mean" if modes == ["mean"] else "other"


def _read(path: Path, default: Any = None) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {} if default is None else default
