"""Tiny checkpoints with random weights, of the architectures that the profiles use, made on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.models.loading import LoadedModels, load
from ragsieve_core.models.profiles import get_profile
from ragsieve_core.models.sources import ModelFiles, locate
from ragsieve_core.models.specs import ModelSource
from ragsieve_core.models.weights import weights_sha256

SENTENCES = [
    "The harbour at Nidaros froze over in the winter of 1709.",
    "Seventeen boats were hauled up the beach before Lent.",
    "query: which harbour froze over?",
    "passage: A naïve reader of Ḥawaiʻi's tide tables may err by 3 hours.",
    "Зимой 1709 года гавань замёрзла, и лодки вытащили на берег.",
    "港は凍り、船は浜に引き上げられた。",
]

TEXTS = [
    "The harbour froze.",
    "",
    "Seventeen boats were hauled up the beach before Lent. " * 3,
    "港は凍り、船は浜に引き上げられた。",
    "The harbour froze.",
    "word " * 900,
    "a",
    "Ḥawaiʻi's tide tables,\u200b 1709 \U0001f6a3",
]
"""Empty, short, long, repeated, over 512 tokens, several scripts."""


def checked_files(folder: Path) -> ModelFiles:
    """A folder as the loader would hand it on."""
    return ModelFiles(folder, folder, ModelSource("folder", str(folder)), weights_sha256(folder))


@pytest.fixture(scope="session")
def files_of() -> Any:
    """Turns a folder into checked model files."""
    return checked_files


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Texts that differ in length, script and repetition."""
    return TEXTS


def _save_tokenizer(tokenizer: Any, folder: Path, kind: str, **special: str) -> None:
    from transformers import PreTrainedTokenizerFast

    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **special).save_pretrained(folder)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["tokenizer_class"] = kind
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """BERT: 5 layers, 512 positions, WordPiece, [CLS] and [SEP]."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("tiny-bert")
    tokenizer = BertWordPieceTokenizer(lowercase=True)
    tokenizer.train_from_iterator(SENTENCES, vocab_size=300, min_frequency=1, show_progress=False)
    ids = {token: tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]")}
    tokenizer._tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=list(ids.items()))
    _save_tokenizer(
        tokenizer._tokenizer,
        folder,
        "PreTrainedTokenizerFast",
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=5,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        initializer_range=0.2,
        pad_token_id=tokenizer.token_to_id("[PAD]"),
    )
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_xlmr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """XLM-R: 3 layers, 514 positions (512 tokens), Unigram, <s> and </s>."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import XLMRobertaConfig, XLMRobertaModel

    folder = tmp_path_factory.mktemp("tiny-xlmr")
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=200,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        unk_token="<unk>",
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    _save_tokenizer(
        tokenizer,
        folder,
        "PreTrainedTokenizerFast",
        bos_token="<s>",
        cls_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        sep_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
    )
    torch.manual_seed(2)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=514,
        type_vocab_size=1,
        initializer_range=0.2,
        pad_token_id=1,
    )
    XLMRobertaModel(config).save_pretrained(folder)
    return folder


def _byte_tokenizer(folder: Path, *, bos: str | None) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(single=f"{bos} $A", special_tokens=[(bos, 0)])
    _save_tokenizer(
        tokenizer,
        folder,
        "PreTrainedTokenizerFast",
        bos_token="<|endoftext|>",
        eos_token="<|endoftext|>",
        pad_token="<|endoftext|>",
    )
    return tokenizer


@pytest.fixture(scope="session")
def tiny_qwen3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Qwen3: 3 layers, tied output embedding, byte-level BPE whose template adds a BOS when it is let."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    folder = tmp_path_factory.mktemp("tiny-qwen3")
    tokenizer = _byte_tokenizer(folder, bos="<|endoftext|>")
    torch.manual_seed(3)
    config = Qwen3Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        intermediate_size=64,
        max_position_embeddings=1024,
        initializer_range=0.2,
        tie_word_embeddings=True,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_gemma2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gemma 2: caps its logits, so its head alone does not give them."""
    import torch
    from transformers import Gemma2Config, Gemma2ForCausalLM

    folder = tmp_path_factory.mktemp("tiny-gemma2")
    tokenizer = _byte_tokenizer(folder, bos=None)
    torch.manual_seed(4)
    config = Gemma2Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        intermediate_size=64,
        max_position_embeddings=1024,
        initializer_range=0.5,
        final_logit_softcapping=2.0,
    )
    Gemma2ForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def embedded() -> LoadedModels:
    """The default profile on the CPU in float32."""
    profile = get_profile("embedded")
    for source in (profile.retriever.source, profile.causal_lm.source):
        if locate(source) is None:
            pytest.fail(f"{source.label} is not installed; it is part of the development setup: {source.obtain}")
    return load(profile, device="cpu", dtype="float32")
