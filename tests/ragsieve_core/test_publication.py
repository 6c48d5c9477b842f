"""A gate's view of what is in force, over files written by hand."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.publication import PublicationReader, encode_publication


def _publish(folder: Path, number: int, names: list[str], *, confirmed: datetime | None = None, **changes) -> dict:
    moment = datetime.now(UTC)
    content = {
        "format": 1,
        "number": number,
        "quarantine_version": f"quar_{number}",
        "quarantined": [["c", name] for name in names],
        "held": [["c", "held", (moment + timedelta(hours=1)).isoformat()]],
        "unadmitted": [["c", "new"]],
        "published_at": moment.isoformat(),
    } | changes
    data = encode_publication(content)
    (folder / f"{number}.json").write_bytes(data)
    pointer = {
        "number": number,
        "file": f"{number}.json",
        "sha256": hashlib.sha256(data).hexdigest(),
        "confirmed_at": (confirmed or moment).isoformat(),
    }
    _point(folder, pointer)
    return pointer


def _point(folder: Path, pointer: dict) -> None:
    (folder / "waiting").write_text(json.dumps(pointer))
    os.replace(folder / "waiting", folder / "current")


def test_reads_what_is_in_force_and_follows(tmp_path: Path) -> None:
    reader = PublicationReader(tmp_path)
    _publish(tmp_path, 1, ["bad"])
    reading = reader.read()
    assert (reading.state, reading.serve, reading.in_force.number) == ("ok", True, 1)
    assert 0 <= reading.age_s < 60
    assert [reading.in_force.excluded_by("c", name) for name in ("bad", "held", "new", "fine")] == [
        "quarantine",
        "hold",
        "unadmitted",
        "",
    ]
    assert reading.in_force.excluded_by("other", "bad") == ""
    _publish(tmp_path, 2, [])
    assert reader.read().in_force.excluded_by("c", "bad") == ""


def test_a_lower_number_is_refused_and_the_last_stays(tmp_path: Path) -> None:
    reader = PublicationReader(tmp_path)
    old = _publish(tmp_path, 4, [])
    reader.read()
    _publish(tmp_path, 5, ["bad"])
    reader.read()
    _point(tmp_path, old)
    for _ in range(2):
        reading = reader.read()
        assert (reading.state, reading.in_force.number, reading.serve) == ("lower_number", 5, True)
        assert reading.in_force.excluded_by("c", "bad") == "quarantine"
    _publish(tmp_path, 6, [])
    assert reader.read().state == "ok"
    assert PublicationReader(tmp_path, floor=7).read().state == "lower_number"
    assert reader.highest == 6


@pytest.mark.parametrize(("policy", "serve"), [("refuse", False), ("open", True)])
def test_a_missing_file_follows_the_declared_policy(tmp_path: Path, policy, serve: bool) -> None:
    reader = PublicationReader(tmp_path, missing=policy)
    reading = reader.read()
    assert (reading.state, reading.serve, reading.age_s) == ("missing", serve, None)
    _publish(tmp_path, 1, ["bad"])
    assert reader.read().state == "ok"
    (tmp_path / "current").unlink()
    reading = reader.read()
    assert (reading.state, reading.serve) == ("missing", True)
    assert reading.in_force.excluded_by("c", "bad") == "quarantine", "the last good one stays in force"


def test_damage_is_named_and_the_last_stays(tmp_path: Path) -> None:
    reader = PublicationReader(tmp_path)
    _publish(tmp_path, 1, ["bad"])
    reader.read()
    pointer = _publish(tmp_path, 2, [])
    (tmp_path / "2.json").write_text("{}")
    reading = reader.read()
    assert (reading.state, reading.in_force.number) == ("damaged", 1)
    assert "hash" in reading.problem
    for wrong in ({"file": "../2.json"}, {"sha256": "x"}, {"number": "many"}, {"confirmed_at": "soon"}):
        _point(tmp_path, pointer | wrong)
        assert reader.read().state == "damaged"
    (tmp_path / "current").write_text("not json")
    assert reader.read().state == "damaged"
    for content in ({"format": 2}, {"unadmitted": None}, {"quarantined": "x"}):
        _publish(tmp_path, 3, [], **content)
        assert reader.read().state == "damaged", content
    _publish(tmp_path, 4, [])
    assert reader.read().state == "ok"


def test_age_and_confirmation(tmp_path: Path) -> None:
    pointer = _publish(tmp_path, 1, [], confirmed=datetime.now(UTC) - timedelta(seconds=100))
    lax, strict = (PublicationReader(tmp_path, max_age_s=60, stale=policy) for policy in ("open", "refuse"))
    assert (lax.read().state, lax.read().serve) == ("stale", True)
    assert (strict.read().state, strict.read().serve) == ("stale", False)
    assert 99 < strict.read().confirmed_age_s < 160
    _point(tmp_path, pointer | {"confirmed_at": datetime.now(UTC).isoformat()})
    assert strict.read().state == "ok"


def test_policies_have_names(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        PublicationReader(tmp_path, missing="maybe")  # type: ignore[arg-type]
