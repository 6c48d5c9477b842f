"""The disk tier: private, bounded, shared by processes, and whole after kill -9."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache.disk import DiskTier
from ragsieve_core.models.feature_cache.keys import text_key

BLOCK = 4096


def names(count: int) -> list[str]:
    return [text_key(f"text {number}").name for number in range(count)]


def files(folder: Path) -> list[Path]:
    return [p for p in folder.glob("kind-*/*/*") if p.is_file()]


def on_disk(folder: Path) -> int:
    return sum(-(-p.stat().st_size // BLOCK) * BLOCK for p in files(folder))


def test_round_trip_and_private_folders(folder: Path) -> None:
    tier, (name,) = DiskTier(folder), names(1)
    assert tier.read("kind-1", name) is None
    tier.write([("kind-1", name, b"abc")])
    assert tier.read("kind-1", name) == b"abc"
    assert tier.holds("kind-1", name)
    assert DiskTier(folder).read("kind-1", name) == b"abc"
    for place in (folder, tier.path("kind-1", name).parent, folder / "tmp"):
        assert place.stat().st_mode & 0o077 == 0, place
    assert list((folder / "tmp").iterdir()) == []


def test_the_limit_holds_and_the_least_recently_used_leave(folder: Path) -> None:
    tier, made = DiskTier(folder, 20 * BLOCK), names(40)
    for number, name in enumerate(made):
        tier.write([("kind-1", name, b"x" * 4000)])
        os.utime(tier.path("kind-1", name), (number, number))
        assert on_disk(folder) <= 20 * BLOCK
        assert tier.tally().bytes >= on_disk(folder)
    left = {path.name for path in files(folder)}
    assert made[-1] in left
    assert left == set(made[-len(left) :])
    assert tier.tally().evicted == 40 - len(left)


def test_reading_an_old_file_keeps_it(folder: Path) -> None:
    tier, (first, second, third) = DiskTier(folder, 10 * BLOCK), names(3)
    tier.write([("kind-1", first, b"1" * 12_000), ("kind-1", second, b"2" * 12_000)])
    for age, name in ((2, first), (1, second)):
        os.utime(tier.path("kind-1", name), (time.time() - age * 10_000,) * 2)
    assert tier.read("kind-1", first) == b"1" * 12_000
    tier.write([("kind-1", third, b"x" * 20_000)])
    assert tier.holds("kind-1", first)
    assert tier.holds("kind-1", third)
    assert not tier.holds("kind-1", second)


def test_many_at_once_never_exceed_the_limit(folder: Path) -> None:
    tier = DiskTier(folder, 10 * BLOCK)
    tier.write([("kind-1", name, b"x" * 5000) for name in names(30)] + [("kind-1", "f" * 64, b"x" * 20 * BLOCK)])
    assert 0 < on_disk(folder) <= 10 * BLOCK
    assert not tier.holds("kind-1", "f" * 64)


def test_a_damaged_or_lost_ledger_is_counted_again(folder: Path) -> None:
    tier = DiskTier(folder)
    tier.write([("kind-1", name, b"x") for name in names(3)])
    (folder / "ledger.json").write_text("{")
    assert tier.tally().bytes == 3 * BLOCK
    (folder / "ledger.json").unlink()
    assert DiskTier(folder).tally().bytes == 3 * BLOCK


def test_forgetting_reaches_every_kind_and_later_writers(folder: Path) -> None:
    tier, other, (name, kept) = DiskTier(folder), DiskTier(folder), names(2)
    decomposed = f"{name}-{'0' * 32}"
    tier.write([("kind-1", name, b"1"), ("kind-2", name, b"2"), ("kind-1", decomposed, b"3"), ("kind-1", kept, b"4")])
    assert tier.forget([name]) == 3
    assert [path.name for path in files(folder)] == [kept]
    assert other.is_forgotten(name)
    assert other.is_forgotten(decomposed)
    other.write([("kind-1", name, b"again")])
    assert [path.name for path in files(folder)] == [kept]
    assert other.read("kind-1", kept) == b"4"


def test_counts_of_processes_add_up(folder: Path) -> None:
    one, two = DiskTier(folder), DiskTier(folder)
    one.count(asked=3, from_disk=1)
    two.count(asked=2, computed=2)
    one.flush()
    two.flush()
    two.flush()
    assert (one.tally().asked, one.tally().from_disk, one.tally().computed) == (5, 1, 2)


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something else"):
        DiskTier(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(InputError, match="cannot be kept here"):
        DiskTier(tmp_path / "thesis.txt")
    with pytest.raises(InputError, match="0 bytes"):
        DiskTier(tmp_path / "new", 0)


def test_another_format_is_refused(folder: Path) -> None:
    DiskTier(folder)
    (folder / "ragsieve-features").write_text("2\n")
    with pytest.raises(InputError, match="another format"):
        DiskTier(folder)


def test_a_link_in_place_of_an_entry_is_not_followed(folder: Path, tmp_path: Path) -> None:
    tier, (name,) = DiskTier(folder), names(1)
    (tmp_path / "secret").write_bytes(b"secret")
    tier.path("kind-1", name).parent.mkdir(parents=True)
    tier.path("kind-1", name).symlink_to(tmp_path / "secret")
    assert tier.read("kind-1", name) is None


def test_a_disk_that_cannot_be_written_is_said_and_no_error(folder: Path) -> None:
    tier, (name,) = DiskTier(folder), names(1)
    (folder / "kind-1").write_text("in the way")
    tier.write([("kind-1", name, b"1")])
    assert tier.write_error
    (folder / "kind-1").unlink()
    tier.write([("kind-1", name, b"1")])
    assert tier.write_error == ""


WRITER = """
import sys
from pathlib import Path
from ragsieve_core.models.feature_cache.disk import DiskTier
from ragsieve_core.models.feature_cache.keys import text_key
tier, number = DiskTier(Path(sys.argv[1]), 2_000_000), int(sys.argv[2])
print("ready", flush=True)
while True:
    name = text_key(f"text {number}").name
    tier.write([("kind-1", name, name.encode() * 300)])
    number += 1
"""


def test_kill_9_of_two_writers_leaves_whole_files_within_the_limit(folder: Path) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(start)], stdout=subprocess.PIPE)
        for start in (0, 10_000_000)
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    time.sleep(1.5)
    for process in running:
        process.send_signal(signal.SIGKILL)
        process.wait()
    tier = DiskTier(folder, 2_000_000)
    found = files(folder)
    assert len(found) > 10
    assert all(path.read_bytes() == path.name.encode() * 300 for path in found)
    assert on_disk(folder) <= 2_000_000
    assert tier.tally().bytes >= on_disk(folder)
    halves = sum(-(-path.stat().st_size // BLOCK) * BLOCK for path in (folder / "tmp").iterdir())
    assert tier.sweep().bytes == on_disk(folder) + halves


def test_stale_temporaries_are_removed(folder: Path) -> None:
    tier = DiskTier(folder)
    old, young = folder / "tmp" / "1.a", folder / "tmp" / "2.b"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    tier.sweep()
    assert not old.exists()
    assert young.exists()
