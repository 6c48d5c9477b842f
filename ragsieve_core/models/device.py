"""Where models run and in which precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragsieve_core.errors import InputError, nearest

if TYPE_CHECKING:
    import torch

DTYPES = ("float32", "bfloat16")


@dataclass(frozen=True, slots=True)
class Placement:
    """Device and precision of one load.

    Attributes
    ----------
    device : torch device string, such as ``cpu`` or ``cuda:0``.
    dtype : ``float32`` or ``bfloat16``; part of every model key, because vectors and likelihoods change with it.
    """

    device: str
    dtype: str

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise InputError(f"unknown dtype {self.dtype!r}", expected=nearest(self.dtype, DTYPES))

    @property
    def tokens_per_batch(self) -> int:
        """Padded tokens in one forward pass.

        Enough to keep a GPU busy; on a CPU few, so that activations stay in its caches: 320 tokens a second and core
        for SmolLM2-135M in batches of 512, 185 in batches of 4,096.
        """
        return 512 if self.device == "cpu" else 65_536

    @property
    def texts_per_batch(self) -> int:
        """Texts in one forward pass of the two models whose features are cached.

        One on a CPU: sums there come out in another order in another batch, so that features would depend on what else
        was asked, and a score computed cold would differ in its last digits from the cached one. It costs little,
        because nothing is padded and several texts are computed side by side, each on a core of its own.
        A GPU would stand idle: there batches stay, and equal features are those of one computation.
        """
        return 1 if self.device == "cpu" else 256

    def torch_dtype(self) -> torch.dtype:
        """The torch dtype of the weights."""
        import torch

        return torch.float32 if self.dtype == "float32" else torch.bfloat16


def choose_placement(device: str | None = None, dtype: str | None = None) -> Placement:
    """CUDA in bfloat16 where there is a GPU that has it, else the CPU in float32; each can be overridden.

    Parameters
    ----------
    device : torch device string; None = the first GPU, else the CPU.
    dtype : ``float32`` or ``bfloat16``; None = by device.

    Raises
    ------
    InputError : a device that is not there, or an unknown dtype.
    """
    if device == "cpu":  # known without loading torch
        return Placement(device, dtype or "float32")
    import torch

    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    kind = chosen.split(":")[0]
    if kind not in ("cpu", "cuda", "mps", "xpu"):
        raise InputError(f"unknown device {chosen!r}", where="device", expected="cpu, cuda, cuda:1, mps or xpu")
    if kind == "cuda" and not torch.cuda.is_available():
        raise InputError(
            "no CUDA device on this machine", where="device", expected="a device that torch can see", do="use cpu"
        )
    if dtype is None:
        dtype = "bfloat16" if kind == "cuda" and torch.cuda.is_bf16_supported() else "float32"
    return Placement(chosen, dtype)
