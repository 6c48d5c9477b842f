"""The key covers every field; wrong values are refused by name."""

import dataclasses

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.config import RSGConfig, rsg_preset
from ragsieve_core.rsq import RSQConfig, rsq_preset


@pytest.mark.parametrize("config", [RSQConfig(), RSGConfig()], ids=["RSQ", "RSG"])
def test_key_changes_with_every_field(config: RSQConfig | RSGConfig) -> None:
    keys = {config.key}
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        changed = {str: "other", tuple: (4, 8), int: None, float: None}[type(value)]
        if isinstance(value, tuple):
            changed = (4, 8) * (len(value) // 2)
        if changed is None:
            changed = value + 1 if isinstance(value, int) else value * 0.5 or 0.5
        keys.add(dataclasses.replace(config, **{field.name: changed}).key)
    assert len(keys) == 1 + len(dataclasses.fields(config))


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        (RSQConfig, "k", 1),
        (RSQConfig, "n", 5),
        (RSQConfig, "surprisal_windows", ()),
        (RSQConfig, "alignment_stride", 33),
        (RSQConfig, "weights", (1.0, 1.0, 1.0)),
        (RSQConfig, "weights", (0.0, 0.0, 0.0, 0.0)),
        (RSQConfig, "gates", (0.0, -1.0, 0.0, 0.0)),
        (RSQConfig, "script_support", float("nan")),
        (RSGConfig, "density_cut", 1.5),
        (RSGConfig, "k", 0),
        (RSGConfig, "cosine_cut", 1.2),
        (RSGConfig, "budget", 0.0),
    ],
)
def test_wrong_values_are_refused_by_name(kind: type, field: str, value: object) -> None:
    with pytest.raises(InputError, match=field):
        kind(**{field: value})


def test_unknown_rule_names_the_valid_ones() -> None:
    with pytest.raises(InputError, match="did you mean 'paper'"):
        rsq_preset("papier")
    with pytest.raises(InputError, match="unknown RSG rule"):
        rsg_preset("x")
