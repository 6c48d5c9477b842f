"""Settings of a gate: all checked, all in the key."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.gate import GateConfig, gate_config, read_gate_config

OTHER = {
    "mode": "shadow",
    "budget_ms": 5.0,
    "unscored": "pass",
    "unknown": "withhold",
    "changed": "withhold",
    "too_short": "withhold",
    "longest_text": 7,
    "depth": 7,
    "largest_ranking": 7,
    "log": "off",
    "sample": 0.7,
    "query_log": "hash",
}


@pytest.mark.parametrize("name", [field.name for field in fields(GateConfig)])
def test_the_key_covers_every_field(name: str) -> None:
    assert replace(GateConfig(), **{name: OTHER[name]}).key != GateConfig().key


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mode": "enforced"}, "did you mean 'enforce'"),
        ({"modus": "enforce"}, "no setting 'modus'"),
        ({"budget_ms": 0}, "out of range"),
        ({"budget_ms": True}, "out of range"),
        ({"sample": 1.5}, "0 to 1"),
        ({"depth": 0}, "whole number"),
        ({"depth": 2.5}, "whole number"),
        ({"unscored": 3}, "unknown value 3"),
    ],
)
def test_what_does_not_fit_is_named(given, message) -> None:
    with pytest.raises(InputError, match=message):
        gate_config(given)


@pytest.mark.parametrize("text", ["", "[]", '{"mode": "loud"}', '{"x": 1}'])
def test_a_settings_file_is_checked(tmp_path: Path, text: str) -> None:
    file = tmp_path / "gate.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"gate\.json"):
        read_gate_config(file)
    file.write_text('{"mode": "shadow", "budget_ms": 300}')
    assert gate_config(read_gate_config(file)) == GateConfig(mode="shadow", budget_ms=300)
