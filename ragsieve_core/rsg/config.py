"""Parameters of RSG and its named, frozen presets."""

from __future__ import annotations

from dataclasses import dataclass

from ragsieve_core.config import config_key
from ragsieve_core.errors import InputError, nearest
from ragsieve_core.rsg.calibrated.config import CalibratedConfig


@dataclass(frozen=True, slots=True)
class RSGConfig:
    """Every parameter of RSG; the defaults are the `paper` rule.

    Attributes
    ----------
    rule : name of the preset.
    k : neighbours per document (k_G), >= 1.
    cosine_cut : a neighbour is retained at cosine >= this (tau_e), in [-1, 1].
    jaccard_ceiling : and at word Jaccard <= this (tau_l), in [0, 1].
    strongest : retained neighbours averaged (h_G), >= 1.
    enough : retained neighbours for full weight (c_G), >= 1.
    budget : alert budget as a share of the corpus (alpha_G), in (0, 1).
    threshold : a document is flagged at score >= this (eta_G), in (0, 1].
    integrity_scripts : coarse scripts that flag a document by themselves, >= 2.
    density_cut : absolute cut on density instead of the alert budget, in [0, 1]; 0 in `paper`: the budget decides.
    """

    rule: str = "paper"
    k: int = 16
    cosine_cut: float = 0.85
    jaccard_ceiling: float = 0.60
    strongest: int = 4
    enough: int = 2
    budget: float = 0.05
    threshold: float = 0.5
    integrity_scripts: int = 3
    density_cut: float = 0.0

    def __post_init__(self) -> None:
        checks = (
            (self.k >= 1, "k", self.k, "at least 1"),
            (-1 <= self.cosine_cut <= 1, "cosine_cut", self.cosine_cut, "-1 to 1"),
            (0 <= self.jaccard_ceiling <= 1, "jaccard_ceiling", self.jaccard_ceiling, "0 to 1"),
            (self.strongest >= 1, "strongest", self.strongest, "at least 1"),
            (self.enough >= 1, "enough", self.enough, "at least 1"),
            (0 < self.budget < 1, "budget", self.budget, "between 0 and 1"),
            (0 < self.threshold <= 1, "threshold", self.threshold, "above 0, at most 1"),
            (self.integrity_scripts >= 2, "integrity_scripts", self.integrity_scripts, "at least 2"),
            (0 <= self.density_cut <= 1, "density_cut", self.density_cut, "0 to 1"),
        )
        for holds, field, value, expected in checks:
            if not holds:
                raise InputError(f"{value!r} is out of range", where=f"RSG parameter {field}", expected=expected)

    @property
    def key(self) -> str:
        """Hash over every field."""
        return config_key(self)


RSG_PRESETS: dict[str, RSGConfig | CalibratedConfig] = {"paper": RSGConfig(), "calibrated": CalibratedConfig()}


def rsg_preset(name: str) -> RSGConfig | CalibratedConfig:
    """The preset of that name; an unknown one is an :class:`InputError` with the nearest valid name."""
    if name not in RSG_PRESETS:
        raise InputError(f"unknown RSG rule {name!r}", where="--rule", expected=nearest(name, RSG_PRESETS))
    return RSG_PRESETS[name]
