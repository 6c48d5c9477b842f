"""Named, frozen presets of RSQ."""

from __future__ import annotations

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.config import RSQConfig

RSQ_PRESETS: dict[str, RSQConfig] = {"paper": RSQConfig(), "calibrated": CalibratedRSQConfig()}


def rsq_preset(name: str) -> RSQConfig:
    """The preset of that name; an unknown one is an :class:`InputError` with the nearest valid name."""
    if name not in RSQ_PRESETS:
        raise InputError(f"unknown RSQ rule {name!r}", where="--rule", expected=nearest(name, RSQ_PRESETS))
    return RSQ_PRESETS[name]
