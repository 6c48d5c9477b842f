"""Token ids and character spans from a model's fast tokenizer.

The tokenizer's own truncation and padding are switched off at load and done here: they are settings of a shared
object, and two threads that set them differently would corrupt each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import ModelUnavailableError
from ragsieve_core.models.offline import prepare_libraries, silence_transformers

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# JSON may carry half a surrogate pair, which no tokenizer takes; U+FFFD keeps the character count and so the spans.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Tokens:
    """One tokenized text.

    Attributes
    ----------
    ids : int64 (t,), special tokens included where they were asked for.
    offsets : int32 (t, 2), character spans in the text; (0, 0) for an added special token.
    head, tail : number of added special tokens before and after the text's own.
    """

    ids: NDArray[np.int64]
    offsets: NDArray[np.int32]
    head: int
    tail: int


class TextTokenizer:
    """Tokenizer of a model folder, without truncation or padding of its own.

    Parameters
    ----------
    folder : holds the tokenizer files.
    """

    def __init__(self, folder: Path) -> None:
        prepare_libraries()
        from transformers import AutoTokenizer

        silence_transformers()
        loaded: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        if not getattr(loaded, "is_fast", False):
            raise ModelUnavailableError(
                "this model has no fast tokenizer, so character offsets are not known",
                where=str(folder),
                expected="a tokenizer.json beside the weights",
                do="save the tokenizer once with transformers' AutoTokenizer, or choose another model",
            )
        self._backend: Tokenizer = loaded.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        self.pad_id: int = loaded.pad_token_id if loaded.pad_token_id is not None else 0

    def tokenize(self, texts: list[str], *, max_tokens: int, special: bool) -> list[Tokens]:
        """Tokens of each text, cut on the right to ``max_tokens``.

        Parameters
        ----------
        texts : in the order wanted back.
        max_tokens : added special tokens counted; they are kept, the text's own tokens give way.
        special : add the model's special tokens.
        """
        clean = [_LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text) for text in texts]
        encoded = self._backend.encode_batch(clean, add_special_tokens=special)
        return [_cut(encoding, max_tokens) for encoding in encoded]


def _cut(encoding: Any, max_tokens: int) -> Tokens:
    mask = np.asarray(encoding.special_tokens_mask, dtype=bool)
    ids = np.asarray(encoding.ids, dtype=np.int64)
    offsets = np.asarray(encoding.offsets, dtype=np.int32).reshape(-1, 2)
    own = np.flatnonzero(~mask)
    head = int(own[0]) if own.size else int(mask.size)
    tail = int(mask.size - 1 - own[-1]) if own.size else 0
    keep = max(0, max_tokens - head - tail)
    if ids.size - head - tail > keep:
        ids = np.concatenate([ids[: head + keep], ids[ids.size - tail :]])
        offsets = np.concatenate([offsets[: head + keep], offsets[offsets.shape[0] - tail :]])
    return Tokens(ids, offsets, head, tail)


def padded(batch: list[Tokens], pad_id: int) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Ids (b, longest) and the attention mask, or None for the mask where nothing was padded."""
    longest = max(item.ids.size for item in batch)
    if all(item.ids.size == longest for item in batch):
        return np.stack([item.ids for item in batch]), None
    ids = np.full((len(batch), longest), pad_id, dtype=np.int64)
    mask = np.zeros((len(batch), longest), dtype=np.int64)
    for row, item in enumerate(batch):
        ids[row, : item.ids.size] = item.ids
        mask[row, : item.ids.size] = 1
    return ids, mask
