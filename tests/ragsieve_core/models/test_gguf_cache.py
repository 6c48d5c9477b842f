"""A tiny Llama in GGUF stands in for SmolLM2; the reference is transformers reading the same file by itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragsieve_core.errors import EXIT_MODEL, ModelUnavailableError
from ragsieve_core.models import gguf_cache
from ragsieve_core.models.gguf_cache import MANIFEST, converted, entry_path, is_intact
from ragsieve_core.models.weights import sha256_file


@pytest.fixture(scope="module")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Llama of two layers, matrices in Q4_1, byte-level BPE."""
    import gguf
    from tokenizers import pre_tokenizers

    path = tmp_path_factory.mktemp("gguf") / "tiny.Q4_1.gguf"
    width, inner, heads, kv_heads = 64, 96, 4, 2
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = ["<|endoftext|>", *letters, "Ġb", "oa", "Ġboa", "ts"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(1024)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner)
    writer.add_block_count(2)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_dimension_count(width // heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_merges(["Ġ b", "o a", "Ġb oa", "t s"])
    writer.add_token_types([3] + [1] * (len(tokens) - 1))
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    random = np.random.default_rng(6)

    def matrix(name: str, rows: int, columns: int) -> None:
        values = random.normal(0, 0.3, (rows, columns)).astype(np.float32)
        packed = gguf.quants.quantize(values, gguf.GGMLQuantizationType.Q4_1)
        writer.add_tensor(name, packed, raw_dtype=gguf.GGMLQuantizationType.Q4_1)

    matrix("token_embd.weight", len(tokens), width)
    writer.add_tensor("output_norm.weight", np.ones(width, dtype=np.float32))
    for block in range(2):
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{block}.{name}.weight", np.ones(width, dtype=np.float32))
        kv = width * kv_heads // heads
        for name, rows, columns in (
            ("attn_q", width, width),
            ("attn_k", kv, width),
            ("attn_v", kv, width),
            ("attn_output", width, width),
            ("ffn_gate", inner, width),
            ("ffn_up", inner, width),
            ("ffn_down", width, inner),
        ):
            matrix(f"blk.{block}.{name}.weight", rows, columns)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSIEVE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def entry_template(tiny_gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One conversion, copied by the tests that only damage it."""
    root = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGSIEVE_CACHE", str(root))
        return converted(tiny_gguf, sha256_file(tiny_gguf))


def _count_conversions(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    calls: list[Path] = []
    real = gguf_cache._convert

    def counted(gguf: Path, into: Path) -> None:
        calls.append(into)
        real(gguf, into)

    monkeypatch.setattr(gguf_cache, "_convert", counted)
    return calls


def test_the_converted_model_is_the_one_transformers_reads(tiny_gguf: Path, entry_template: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    reference: Any = AutoModelForCausalLM.from_pretrained(
        tiny_gguf.parent, gguf_file=tiny_gguf.name, dtype=torch.float32
    )
    ours: Any = AutoModelForCausalLM.from_pretrained(entry_template, dtype=torch.float32)
    expected = reference.state_dict()
    assert ours.state_dict().keys() == expected.keys()
    for name, value in ours.state_dict().items():
        assert torch.equal(value, expected[name]), name
    text = "boats, 1709 boats"
    tokenizer = AutoTokenizer.from_pretrained(tiny_gguf.parent, gguf_file=tiny_gguf.name)
    assert AutoTokenizer.from_pretrained(entry_template)(text).input_ids == tokenizer(text).input_ids


def test_the_patched_functions_are_put_back(entry_template: Path) -> None:
    import gguf
    from gguf.gguf_reader import GGUFReader
    from gguf.tensor_mapping import get_tensor_name_map

    assert entry_template.is_dir()
    assert gguf.GGUFReader is GGUFReader
    assert gguf.get_tensor_name_map is get_tensor_name_map


def test_a_conversion_is_done_once_and_leaves_nothing_else(
    tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    calls = _count_conversions(monkeypatch)
    sha = sha256_file(tiny_gguf)
    entry = converted(tiny_gguf, sha)
    assert converted(tiny_gguf, sha) == entry
    assert len(calls) == 1
    assert [path.name for path in entry.parent.iterdir() if path.is_dir()] == [entry.name]
    assert json.loads((entry / MANIFEST).read_text())["source_sha256"] == sha
    assert capfd.readouterr() == ("", "")  # no progress bars of other libraries


def test_an_intact_entry_is_used_without_the_gguf_file(tiny_gguf: Path, entry_template: Path) -> None:
    sha = sha256_file(tiny_gguf)
    gone = tiny_gguf.with_name("gone") / tiny_gguf.name
    shutil.copytree(entry_template, entry_path(gone, sha))
    assert converted(gone, sha) == entry_path(gone, sha)


@pytest.mark.parametrize("damage", ["flip", "truncate", "remove", "manifest", "garbage"])
def test_a_damaged_entry_is_noticed(tiny_gguf: Path, entry_template: Path, damage: str) -> None:
    sha = sha256_file(tiny_gguf)
    entry = Path(shutil.copytree(entry_template, entry_path(tiny_gguf, sha)))
    assert is_intact(entry, sha)
    weights = entry / "model.safetensors"
    if damage == "flip":
        content = bytearray(weights.read_bytes())
        content[-5] ^= 1
        weights.write_bytes(content)
    elif damage == "truncate":
        os.truncate(weights, weights.stat().st_size - 1)
    elif damage == "remove":
        (entry / "tokenizer.json").unlink()
    elif damage == "manifest":
        (entry / MANIFEST).unlink()
    else:
        (entry / MANIFEST).write_text('["not", "a manifest"]')
    assert not is_intact(entry, sha)
    assert not is_intact(entry_template, "0" * 64)


def test_a_damaged_entry_is_rebuilt(tiny_gguf: Path, entry_template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sha = sha256_file(tiny_gguf)
    entry = Path(shutil.copytree(entry_template, entry_path(tiny_gguf, sha)))
    (entry / "config.json").write_text("{}")
    calls = _count_conversions(monkeypatch)
    assert converted(tiny_gguf, sha) == entry
    assert len(calls) == 1
    assert is_intact(entry, sha)
    assert not (entry / "damaged").exists()


def test_what_a_killed_process_left_is_removed(tiny_gguf: Path) -> None:
    sha = sha256_file(tiny_gguf)
    entry = entry_path(tiny_gguf, sha)
    leftover = entry.with_name(f".{entry.name}.tmp-abc")
    leftover.mkdir(parents=True)
    converted(tiny_gguf, sha)
    assert not leftover.exists()


def test_a_conversion_that_fails_leaves_no_entry(tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(gguf: Path, into: Path) -> None:
        (into / "model.safetensors").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gguf_cache, "_convert", full)
    sha = sha256_file(tiny_gguf)
    with pytest.raises(ModelUnavailableError, match="No space left on device") as caught:
        converted(tiny_gguf, sha)
    assert "RAGSIEVE_CACHE" in str(caught.value)
    assert [path for path in entry_path(tiny_gguf, sha).parent.iterdir() if path.is_dir()] == []


def test_another_gguf_file_is_refused(tiny_gguf: Path, tmp_path: Path) -> None:
    content = bytearray(tiny_gguf.read_bytes())
    content[-1] ^= 1
    other = tmp_path / tiny_gguf.name
    other.write_bytes(content)
    with pytest.raises(ModelUnavailableError, match="not the expected one") as caught:
        converted(other, sha256_file(tiny_gguf))
    assert caught.value.exit_code == EXIT_MODEL
    with pytest.raises(ModelUnavailableError, match="no such GGUF"):
        converted(tmp_path / "none.gguf", "0" * 64)


def test_two_processes_at_once_make_one_intact_entry(tiny_gguf: Path) -> None:
    sha = sha256_file(tiny_gguf)
    code = (
        "import sys; from pathlib import Path; from ragsieve_core.models.gguf_cache import converted; "
        "print(converted(Path(sys.argv[1]), sys.argv[2]))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tiny_gguf), sha], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    printed = {process.communicate(timeout=300)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0]
    entry = entry_path(tiny_gguf, sha)
    assert printed == {str(entry)}
    assert is_intact(entry, sha)
    assert [path.name for path in entry.parent.iterdir() if path.is_dir()] == [entry.name]
