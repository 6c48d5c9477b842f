from __future__ import annotations

import pytest
import torch

from ragsieve_core.errors import InputError
from ragsieve_core.models.device import Placement, choose_placement


def test_cpu_is_float32_and_both_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_placement() == Placement("cpu", "float32")
    assert choose_placement(dtype="bfloat16") == Placement("cpu", "bfloat16")
    assert choose_placement("cpu").torch_dtype() is torch.float32


def test_cuda_is_bfloat16_unless_float32_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    assert choose_placement() == Placement("cuda", "bfloat16")
    assert choose_placement(dtype="float32") == Placement("cuda", "float32")
    assert choose_placement("cpu") == Placement("cpu", "float32")


def test_what_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for device in ("cuda", "cuda:1"):
        with pytest.raises(InputError, match="no CUDA"):
            choose_placement(device)
    with pytest.raises(InputError, match="unknown device"):
        choose_placement("gpu")
    with pytest.raises(InputError, match="did you mean 'float32'"):
        choose_placement(dtype="float23")
