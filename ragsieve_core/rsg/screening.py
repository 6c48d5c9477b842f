"""Cheap cosines with a certified error: they propose neighbours, they never decide.

For vectors x, y and their roundings x', y' to bfloat16, x.y - x'.y' = (x - x').y + x'.(y - y'), so by Cauchy-Schwarz
|x.y - x'.y'| <= |x - x'| |y| + |x'| |y - y'|. The rounding residues are measured, not assumed. bfloat16 products are
exact in float32, their sum has the error of any float32 sum, and the rounding of the result is monotone: what was
not below a threshold before it is not below the rounded threshold after it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.products import CPU_UNIT, DEVICE_UNIT
from ragsieve_core.rsg.rescoring import screening_error
from ragsieve_core.workers import run_tasks

if TYPE_CHECKING:
    import torch

_READ = 1024
"""Rows read and rounded at once."""


class Screen(Protocol):
    """Approximate cosines among U rows.

    Attributes
    ----------
    precision : ``bf16`` or ``fp32``.
    of_torch : whether the products are torch's.
    error : float64 (U,); an approximate cosine of row i before its own rounding is within ``error[i]`` of the exact.
    """

    precision: str
    of_torch: bool
    error: NDArray[np.float64]

    def tile(self, rows: Any, columns: Any) -> NDArray[Any]:
        """Approximate cosines of two slices (or index arrays) of rows, as comparable numbers."""

    def threshold(self, lowest: NDArray[np.float64]) -> NDArray[Any]:
        """Comparable numbers that no cosine of at least ``lowest`` lies below (``lowest`` already less the error)."""

    def value(self, numbers: NDArray[Any]) -> NDArray[np.float32]:
        """Approximate cosines of comparable numbers."""

    def below(self, values: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Lower bounds of the exact cosines behind approximate ones of those rows."""


def has_bf16_units() -> bool:
    """Whether the processor multiplies bfloat16 in hardware (AMX or AVX512-BF16)."""
    import torch

    probes = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    return any(bool(getattr(torch.cpu, name, bool)()) for name in probes)


def norm_bounds(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Upper bounds of the lengths of the rows, float64 (N,)."""
    out = np.empty(vectors.shape[0])

    def measure(start: int) -> None:
        block = np.asarray(vectors[start : start + _READ])
        out[start : start + _READ] = np.sqrt(np.einsum("ij,ij->i", block, block))

    deque(run_tasks(measure, range(0, out.size, _READ)), maxlen=0)
    return out * (1 + screening_error(vectors.shape[1]) + 2.0**-23)


def rounding_bounds(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Upper bounds of the distance of each row to its rounding to bfloat16, float64 (N,)."""
    out = np.empty(vectors.shape[0])

    def measure(start: int) -> None:
        block = np.ascontiguousarray(vectors[start : start + _READ])
        bits = block.view(np.uint32)
        # To the nearest number without the lower half of the bits, halfway to the even one
        rounded = bits >> np.uint32(16)
        rounded &= np.uint32(1)
        rounded += np.uint32(0x7FFF)
        rounded += bits
        rounded &= np.uint32(0xFFFF0000)
        residue = np.subtract(block, rounded.view(np.float32), out=rounded.view(np.float32))
        out[start : start + _READ] = np.sqrt(np.einsum("ij,ij->i", residue, residue))

    deque(run_tasks(measure, range(0, out.size, _READ)), maxlen=0)
    return out * (1 + screening_error(vectors.shape[1]) + 2.0**-23) + 1e-30


class Bf16Screen:
    """Screening in bfloat16; holds the rounded rows, 2 U d bytes.

    Parameters
    ----------
    vectors : float32 (N, d), may be memory-mapped.
    rows : int64 (U,), rows to screen, or None for all.
    device : torch device the products run on. Off the processor more is allowed for: sums to :data:`DEVICE_UNIT`, and
        results that are cut off instead of rounded.
    """

    precision = "bf16"
    of_torch = True
    device = "cpu"

    def __init__(self, vectors: NDArray[np.float32], rows: NDArray[np.int64] | None, device: str = "cpu") -> None:
        import torch

        self.device = device
        count = vectors.shape[0] if rows is None else rows.shape[0]
        self.rounded = torch.empty(count, vectors.shape[1], dtype=torch.bfloat16, device=device)
        norm, residue = np.empty(count), np.empty(count)

        def take_in(start: int) -> None:
            part = slice(start, min(start + _READ, count))
            block = torch.from_numpy(np.array(vectors[part] if rows is None else vectors[rows[part]]))
            rounded = block.to(torch.bfloat16)
            self.rounded[part] = rounded.to(device)
            # Norms in float32 are good to d u; their excess is added to the bound below
            norm[part] = torch.linalg.vector_norm(block, dim=1).numpy()
            residue[part] = torch.linalg.vector_norm(block.sub_(rounded), dim=1).numpy()

        deque(run_tasks(take_in, range(0, count, _READ), torch_tasks=True), maxlen=0)
        sums = screening_error(vectors.shape[1])
        norm, residue = norm * (1 + sums), residue * (1 + sums) + 1e-30
        self.error = bf16_error(norm, residue, vectors.shape[1], CPU_UNIT if device == "cpu" else DEVICE_UNIT)

    def tile(self, rows: Any, columns: Any) -> NDArray[np.int16]:
        import torch

        product = torch.mm(self.rounded[rows], self.rounded[columns].T)
        return ordered_bits(product.view(torch.int16).cpu().numpy())

    def threshold(self, lowest: NDArray[np.float64]) -> NDArray[np.int16]:
        import torch

        # To float32 downwards first: the second rounding is then the one the products had
        down = np.nextafter(lowest.astype(np.float32), np.float32(-np.inf))
        bits: torch.Tensor = torch.from_numpy(down).to(torch.bfloat16).view(torch.int16)
        ordered = ordered_bits(bits.numpy())
        if self.device != "cpu":
            # A result cut off towards zero lies at most one number below the rounded one
            ordered = ordered - np.int16(1)
        # Minus zero is the number before zero and equals it
        return np.where(ordered == 0, np.int16(-1), ordered)

    def value(self, numbers: NDArray[np.int16]) -> NDArray[np.float32]:
        bits = ordered_bits(numbers).view(np.uint16).astype(np.uint32) << np.uint32(16)
        return bits.view(np.float32)

    def below(self, values: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        exact = values.astype(np.float64)
        step = 2.0**-8 if self.device == "cpu" else 2.0**-7
        return np.asarray(exact - np.abs(exact) * step - self.error[rows], dtype=np.float64)


class PassingBf16Screen(Bf16Screen):
    """The same for a few rows against all: blocks are rounded as they are read, and not kept.

    Parameters
    ----------
    vectors : float32 (N, d).
    norms, residues : float64 (N,), see :func:`norm_bounds` and :func:`rounding_bounds`.
    """

    def __init__(self, vectors: NDArray[np.float32], norms: NDArray[np.float64], residues: NDArray[np.float64]) -> None:
        self.vectors = vectors
        self.error = bf16_error(norms, residues, vectors.shape[1])
        self._last: tuple[Any, torch.Tensor] | None = None

    def _round(self, rows: Any) -> torch.Tensor:
        import torch

        block = self.vectors[rows]
        return torch.from_numpy(block if block.flags.writeable else np.array(block)).to(torch.bfloat16)

    def tile(self, rows: Any, columns: Any) -> NDArray[np.int16]:
        import torch

        held = self._last
        if held is None or held[0] is not rows:
            # The few rows are the same from tile to tile
            self._last = held = (rows, self._round(rows))
        product = torch.mm(held[1], self._round(columns).T)
        return ordered_bits(product.view(torch.int16).numpy())


def bf16_error(
    norm: NDArray[np.float64], residue: NDArray[np.float64], dimension: int, unit: float = CPU_UNIT
) -> NDArray[np.float64]:
    """|x.y - x'.y'| for each x and any y, plus the error of summing x'.y' with roundings of at most ``unit`` each."""
    longest, worst = float(norm.max(initial=0.0)), float(residue.max(initial=0.0))
    # The sum runs over rounded rows, which may be longer than the rows by the residue; one rounding to spare
    reach = (norm + residue) * (longest + worst)
    sums = dimension * unit / (1 - dimension * unit)
    return residue * longest + (norm + residue) * worst + reach * (sums + 2 * unit)


def holds(screen: Screen, vectors: NDArray[np.float32], rows: NDArray[np.int64] | None) -> bool:
    """Whether the screen keeps its certificate on a sample: no exact cosine is screened out by itself as the floor."""
    count = screen.error.shape[0]
    some = np.linspace(0, count - 1, min(count, 32)).astype(np.int64)
    others = np.linspace(0, count - 1, min(count, 256)).astype(np.int64)
    own = (some, others) if rows is None else (rows[some], rows[others])
    exact = vectors[own[0]].astype(np.float64) @ vectors[own[1]].astype(np.float64).T
    cut = screen.threshold(exact - screen.error[some, None])
    return bool((screen.tile(some, others) >= cut).all())


def ordered_bits(bits: NDArray[np.int16]) -> NDArray[np.int16]:
    """Bits of bfloat16 as integers in the order of the numbers; applied twice, the bits again."""
    if bits.size and bits.min() >= 0:
        return bits
    flipped = bits >> 15
    flipped &= np.int16(0x7FFF)
    flipped ^= bits
    return flipped


class Fp32Screen:
    """Screening in float32, from the vectors where they lie; block reads only."""

    precision = "fp32"
    of_torch = True

    def __init__(self, vectors: NDArray[np.float32], rows: NDArray[np.int64] | None, device: str = "cpu") -> None:
        self.vectors, self.rows, self.device = vectors, rows, device
        count = vectors.shape[0] if rows is None else rows.shape[0]
        norm = np.empty(count)
        for start in range(0, count, _READ):
            part = slice(start, min(start + _READ, count))
            block = np.asarray(vectors[part] if rows is None else vectors[rows[part]])
            norm[part] = np.sqrt(np.einsum("ij,ij->i", block, block))
        sums = screening_error(vectors.shape[1])
        norm *= 1 + sums
        self.error = norm * float(norm.max(initial=0.0)) * (sums + 2.0**-23)

    def _read(self, rows: Any) -> torch.Tensor:
        import torch

        block = self.vectors[rows] if self.rows is None else self.vectors[self.rows[rows]]
        return torch.from_numpy(np.array(block) if not block.flags.writeable else block).to(self.device)

    def tile(self, rows: Any, columns: Any) -> NDArray[np.float32]:
        import torch

        return np.asarray(torch.mm(self._read(rows), self._read(columns).T).cpu().numpy(), dtype=np.float32)

    def threshold(self, lowest: NDArray[np.float64]) -> NDArray[np.float32]:
        return np.nextafter(lowest.astype(np.float32), np.float32(-np.inf))

    def value(self, numbers: NDArray[np.float32]) -> NDArray[np.float32]:
        return numbers

    def below(self, values: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(values.astype(np.float64) - self.error[rows], dtype=np.float64)


class PassingFp32Screen(Fp32Screen):
    """The same for a few rows against all, with numpy's products: for so few, loading torch takes longer than they do.

    Parameters
    ----------
    vectors : float32 (N, d).
    norms : float64 (N,), see :func:`norm_bounds`.
    """

    of_torch = False

    def __init__(self, vectors: NDArray[np.float32], norms: NDArray[np.float64]) -> None:
        self.vectors = vectors
        sums = screening_error(vectors.shape[1])
        self.error = norms * float(norms.max(initial=0.0)) * (sums + 2.0**-23)

    def tile(self, rows: Any, columns: Any) -> NDArray[np.float32]:
        return np.asarray(self.vectors[rows] @ self.vectors[columns].T, dtype=np.float32)
