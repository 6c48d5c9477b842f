"""Parameters of the calibrated rule."""

from __future__ import annotations

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.rsq import CalibratedRSQConfig, RSQConfig, rsq_preset


def test_the_preset_is_frozen_and_named() -> None:
    config = rsq_preset("calibrated")
    assert isinstance(config, CalibratedRSQConfig)
    assert (config.rule, config.n, config.k, config.n_least) == ("calibrated", 50, 5, 20)
    assert config.key != rsq_preset("paper").key
    assert CalibratedRSQConfig(guard=4).key != config.key


def test_paper_knows_no_shorter_ranking() -> None:
    assert RSQConfig().n_least == 20
    assert RSQConfig(n=30).n_least == 30


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_least": 10},
        {"n_least": 51},
        {"guard": -1},
        {"query_share": 0.0},
        {"full_share": 1.5},
        {"window_stride": 33},
        {"copy_ranks": 4},
        {"anchor_weight": -1.0},
        {"alignment_weight": float("nan")},
        {"k": 1},
        {"threshold": 0.0},
    ],
)
def test_a_value_out_of_range_is_named(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"RSQ parameter {next(iter(wrong))}"):
        CalibratedRSQConfig(**wrong)  # type: ignore[arg-type]
