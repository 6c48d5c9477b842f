"""What a profile is made of: where weights come from and every parameter of the three roles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ragsieve_core.errors import InputError

SourceKind = Literal["package", "hub", "folder"]
Pooling = Literal["cls", "mean", "auto"]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where the files of one model are.

    Attributes
    ----------
    kind : ``package`` (data of an installed Python package), ``hub`` (model hub id, read from its local cache) or
        ``folder`` (a path).
    name : import name of the package, hub id, or path.
    path : file or folder inside the package; a ``.gguf`` file is converted once before use. Empty otherwise.
    sha256 : of the weights file, lower-case hex; empty where it is not known beforehand.
    obtain : the command that puts the model on this machine, as shown in errors.
    revision : hub revision; ``main`` or a commit.

    Raises
    ------
    InputError : a name, path or hash that cannot be right.
    """

    kind: SourceKind
    name: str
    path: str = ""
    sha256: str = ""
    obtain: str = ""
    revision: str = "main"

    def __post_init__(self) -> None:
        if self.kind not in ("package", "hub", "folder"):
            raise InputError(f"unknown kind of model source {self.kind!r}", expected="package, hub or folder")
        if not self.name.strip():
            raise InputError("a model source without a name", expected="a package, a hub id or a folder")
        if self.kind == "hub" and not _HUB_ID.fullmatch(self.name):
            raise InputError(
                f"{self.name!r} is neither a folder on this machine nor a hub id",
                expected="an existing folder, or an id such as intfloat/e5-large-v2",
            )
        if self.sha256 and not _SHA256.fullmatch(self.sha256):
            raise InputError(f"not a SHA-256: {self.sha256!r}", expected="64 lower-case hexadecimal digits")
        if self.path.endswith(".gguf") and not self.sha256:
            raise InputError(f"a GGUF file without its SHA-256: {self.path}", expected="the hash of the known file")

    @property
    def label(self) -> str:
        """Short name for tables and messages."""
        return f"{self.name}/{self.path}" if self.path else self.name


@dataclass(frozen=True, slots=True)
class RetrieverSpec:
    """Dual encoder that ranks the corpus.

    Attributes
    ----------
    source : where the weights are.
    pooling : ``cls``, ``mean``, or ``auto`` = as the sentence-transformers files of the model say (mean if silent).
    query_prefix, passage_prefix : put before each text; None = as the model's own prompts say (nothing if silent).
    max_tokens : truncation, special tokens counted; lowered to what the model can take.
    """

    source: ModelSource
    pooling: Pooling = "auto"
    query_prefix: str | None = None
    passage_prefix: str | None = None
    max_tokens: int = 512

    def __post_init__(self) -> None:
        if self.pooling not in ("cls", "mean", "auto"):
            raise InputError(f"unknown pooling {self.pooling!r}", where="retriever", expected="cls, mean or auto")
        _at_least(self.max_tokens, 3, "retriever max_tokens")


@dataclass(frozen=True, slots=True)
class CausalLMSpec:
    """Language model for surprisal.

    Attributes
    ----------
    source : where the weights are.
    max_tokens : tokens read of each text, no special token added; at least 2, since the first has no likelihood.
    """

    source: ModelSource
    max_tokens: int = 512

    def __post_init__(self) -> None:
        _at_least(self.max_tokens, 2, "causal_lm max_tokens")


@dataclass(frozen=True, slots=True)
class TraceEncoderSpec:
    """Bidirectional encoder for query alignment.

    Attributes
    ----------
    source : where the weights are.
    layer : index into ``hidden_states``; 0 = embeddings, up to the number of layers.
    """

    source: ModelSource
    layer: int

    def __post_init__(self) -> None:
        _at_least(self.layer, 0, "trace_encoder layer")


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """The three models that score together, under one name."""

    name: str
    retriever: RetrieverSpec
    causal_lm: CausalLMSpec
    trace_encoder: TraceEncoderSpec

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InputError("a model profile without a name", expected="a name such as embedded")


def _at_least(value: int, least: int, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{value!r} does not fit", where=where, expected=f"a whole number of at least {least}")
