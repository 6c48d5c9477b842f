from __future__ import annotations

from typing import Any

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.models.specs import CausalLMSpec, ModelProfile, ModelSource, RetrieverSpec, TraceEncoderSpec

SOURCE = ModelSource("hub", "intfloat/e5-large-v2")


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: ModelSource("web", "x"), "kind"),  # type: ignore[arg-type]
        (lambda: ModelSource("folder", " "), "without a name"),
        (lambda: ModelSource("hub", "../etc/passwd"), "neither a folder"),
        (lambda: ModelSource("package", "p", sha256="ABC"), "SHA-256"),
        (lambda: ModelSource("package", "p", path="m.gguf"), "GGUF"),
        (lambda: RetrieverSpec(SOURCE, pooling="max"), "pooling"),  # type: ignore[arg-type]
        (lambda: RetrieverSpec(SOURCE, max_tokens=2), "max_tokens"),
        (lambda: CausalLMSpec(SOURCE, max_tokens=1), "max_tokens"),
        (lambda: TraceEncoderSpec(SOURCE, layer=-1), "layer"),
        (lambda: TraceEncoderSpec(SOURCE, layer=True), "layer"),
        (lambda: ModelProfile("", RetrieverSpec(SOURCE), CausalLMSpec(SOURCE), TraceEncoderSpec(SOURCE, 1)), "name"),
    ],
)
def test_a_value_that_cannot_be_right_is_refused_at_construction(make: Any, word: str) -> None:
    with pytest.raises(InputError, match=word):
        make()


def test_label_names_package_and_path() -> None:
    assert ModelSource("package", "p", path="model").label == "p/model"
    assert SOURCE.label == "intfloat/e5-large-v2"
