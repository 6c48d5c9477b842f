from __future__ import annotations

from dataclasses import fields, replace

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.rsg import CalibratedConfig, rsg_preset


def test_preset() -> None:
    assert rsg_preset("calibrated") == CalibratedConfig()


def test_key_covers_every_field() -> None:
    base = CalibratedConfig()
    keys = {base.key}
    for field in fields(base):
        value = getattr(base, field.name)
        if isinstance(value, str):
            other: object = value + "x"
        elif isinstance(value, tuple):
            other = value[:-1]
        elif isinstance(value, int):
            other = value + 1 if field.name != "keep" else value - 1
        else:
            other = value * 0.97
        keys.add(replace(base, **{field.name: other}).key)
    assert len(keys) == len(fields(base)) + 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("k", 3),
        ("keep", 1),
        ("copy_jaccard", 0.0),
        ("group_sizes", (2, 3)),
        ("group_sizes", (4, 3)),
        ("group_sizes", ()),
        ("distance_floor", -0.1),
        ("island_share", 1.1),
        ("tail_start", 1.05),
        ("evidence_cut", 0.6),
        ("reference_evidence", 0.6),
        ("tail_scale", 0.0),
        ("tail_documents", -1.0),
        ("reference_share", 1.0),
        ("threshold", 0.0),
        ("full_size", 2),
    ],
)
def test_out_of_range_is_named(field: str, value: object) -> None:
    with pytest.raises(InputError, match=field):
        replace(CalibratedConfig(), **{field: value})
