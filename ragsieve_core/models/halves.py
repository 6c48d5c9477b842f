"""Widening of float16 to float32, exact and several times as fast as NumPy's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SCALE = np.float32(2.0**112)
_SIGN_AND_VALUE = np.int32(-1879048193)
"""Bits of a float16 shifted into a float32, without the copies of the sign between them."""


def widened(values: NDArray[Any]) -> NDArray[np.float32]:
    """``values`` as float32; finite float16 is widened exactly, float32 is given back as it is.

    The bits of a float16, shifted by 13, are the float32 of 2 ** -112 times its value, subnormal numbers included.
    """
    if values.dtype != np.float16:
        return values.astype(np.float32, copy=False)
    bits = np.ascontiguousarray(values).view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _SIGN_AND_VALUE
    wide = bits.view(np.float32)
    wide *= _SCALE
    return wide
