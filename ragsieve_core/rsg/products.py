"""Matrix products the certificate of a screen can rely on, whatever the process asked torch for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CPU_UNIT = 2.0**-24
"""Largest relative error of one addition in float32, rounded to nearest."""
DEVICE_UNIT = 2.0**-21
"""The same for tensor cores, with two bits to spare.

They align a block of products to its largest and cut off what is below about 2^-23 of it: Fasi, Higham, Mikaitis and
Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 2021.
"""

_lock = threading.Lock()
_depth = 0
_before: list[Any] = []


@contextmanager
def certified_products() -> Iterator[None]:
    """Hold torch to float32 products in float32 and to sums of bfloat16 products in float32.

    ``set_float32_matmul_precision("medium")`` makes float32 products run in bfloat16 on a processor too, and a GPU adds
    the parts of a long bfloat16 sum in bfloat16 unless told not to; neither is within the error a screen states. The
    switches hold for the whole process, so the last of several searches at once puts them back.
    """
    global _depth, _before
    import torch

    # The type stubs of torch know no backends.mkldnn.matmul
    backends: Any = torch.backends
    switches = [
        (backends.mkldnn.matmul, "fp32_precision", "ieee"),
        (backends.cuda.matmul, "fp32_precision", "ieee"),
        (backends.cuda.matmul, "allow_bf16_reduced_precision_reduction", False),
    ]
    with _lock:
        if _depth == 0:
            _before = [getattr(where, name) for where, name, _ in switches]
            for where, name, value in switches:
                setattr(where, name, value)
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                for (where, name, _), value in zip(switches, _before, strict=True):
                    setattr(where, name, value)
