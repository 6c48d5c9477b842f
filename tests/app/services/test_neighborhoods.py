"""A scan after a small change stores the bits of a full one, and says so when it cannot be a small one."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from app.services import neighborhoods
from app.services.owner_access import OwnerAccess
from app.services.scanning import ScanOutcome, scan_corpus
from ragsieve_core.formats.records import RecordBatchColumns
from warehouse.backup import gc
from warehouse.database import Warehouse
from warehouse.ingest import ingest
from warehouse.principal import local_principal
from warehouse.records import EncoderSpec
from warehouse.scan_scratch import scan_scratch

SPEC = EncoderSpec("mine", "mine", 12, {})
RNG = np.random.default_rng(7)
WORDS = [" ".join(f"w{w}" for w in RNG.choice(400, 12)) for _ in range(200)]
VECTORS = RNG.standard_normal((200, 12)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)


def take(access: OwnerAccess, rows: list[int], texts: dict[int, str] | None = None, *, full: bool = False) -> None:
    """Documents of these numbers; another text has another vector."""
    changed = texts or {}
    batch = RecordBatchColumns(id=[f"d{n:03d}" for n in rows], text=[changed.get(n, WORDS[n]) for n in rows])
    matrix = np.stack([VECTORS[(n + 100) % 200] if n in changed else VECTORS[n] for n in rows])
    ingest(access.wh, "c", [batch], principal=access.principal, embeddings=matrix, encoder=SPEC, full=full)


def scan(access: OwnerAccess, models: object, rule: str = "paper", said: list[str] | None = None) -> ScanOutcome:
    say = said.append if said is not None else lambda _: None
    return scan_corpus(access, "c", models, rule=rule, encoder="mine", say=say)  # type: ignore[arg-type]


def stored(access: OwnerAccess, scan_id: str) -> tuple[list[tuple], list[tuple]]:
    """Scores by document and neighbours by document, to the last bit."""
    with access.wh.reading() as cursor:
        scores = cursor.execute(
            "SELECT document_id, floor, eligible_neighbors, density, tail_probability, integrity, topology_score, "
            "score, flagged FROM scan_scores WHERE scan_id = ? ORDER BY document_id",
            [scan_id],
        ).fetchall()
        near = cursor.execute(
            "SELECT own.document_id, position, other.document_id, cosine, jaccard, retained, reason "
            "FROM scan_neighbors JOIN document_versions AS own USING (version_id) "
            "JOIN document_versions AS other ON other.version_id = neighbor_id WHERE scan_id = ? ORDER BY 1, 2",
            [scan_id],
        ).fetchall()
    return scores, near


@pytest.mark.parametrize("rule", ["paper", "calibrated"])
def test_a_scan_after_a_change_equals_a_full_one(access, models, tmp_path: Path, rule: str) -> None:
    take(access, list(range(150)))
    assert scan(access, models, rule).search["mode"] == "full"
    take(access, [*range(5, 160)], {20: "a text that changed", 21: "and another"}, full=True)
    done = scan(access, models, rule)
    assert (done.search["mode"], done.search["gone"]) == ("incremental", 7)
    assert 12 <= done.search["searched"] < 60
    with Warehouse.open(tmp_path / "fresh.duckdb", command="test") as wh:
        plain = OwnerAccess(wh, local_principal())
        take(plain, [*range(5, 160)], {20: "a text that changed", 21: "and another"})
        whole = scan(plain, models, rule)
        assert whole.search["mode"] == "full"
        expected = stored(plain, whole.scan)
    found = stored(access, done.scan)
    assert found == expected
    k = 16 if rule == "paper" else 32
    assert len(found[1]) == 155 * k


def test_the_same_documents_again_search_nothing(access, models, monkeypatch) -> None:
    take(access, list(range(60)))
    scan(access, models)
    for module in ("scanning", "scan_record"):
        monkeypatch.setattr(f"app.services.{module}.__version__", "0.0.0+other")
    again = scan(access, models)
    assert (again.already, again.search["mode"], again.search["searched"]) == (False, "unchanged", 0)
    assert again.changes["moved"] == 0


def test_too_much_change_is_a_full_search(access, models) -> None:
    take(access, list(range(60)))
    scan(access, models)
    take(access, list(range(60, 140)))
    done = scan(access, models)
    assert (done.search["mode"], done.search["reason"]) == ("full", "80 of 140 documents are new or changed")


@pytest.mark.parametrize("harm", ["changed", "torn", "gone", "renamed"])
def test_lists_that_are_broken_cost_a_full_search_and_no_more(access, models, harm: str) -> None:
    take(access, list(range(60)))
    scan(access, models)
    (file,) = access.side.folder("neighbors").glob("*/*.npz")
    data = file.read_bytes()
    if harm == "changed":
        file.write_bytes(data[:-400] + bytes([data[-400] ^ 1]) + data[-399:])
    elif harm == "torn":
        file.write_bytes(data[: len(data) // 2])
    elif harm == "gone":
        file.unlink()
    else:
        file.rename(file.with_name("0" * 64 + ".npz"))
    take(access, [70])
    said: list[str] = []
    done = scan(access, models, said=said)
    assert (done.search["mode"], done.documents) == ("full", 61)
    assert any("bytes have changed" in line for line in said) == (harm != "gone")
    take(access, [71])
    assert scan(access, models).search["mode"] == "incremental"


def test_lists_of_other_vectors_are_not_taken_over(access, models, tmp_path: Path) -> None:
    """A warehouse made anew beside the lists of another one counts its versions from 1 again."""
    take(access, list(range(60)))
    scan(access, models)
    with Warehouse.open(tmp_path / "other.duckdb", command="test") as wh:
        other = OwnerAccess(wh, local_principal())
        take(other, list(range(60)), {n: "else" + str(n) for n in range(0, 60, 3)})
        (file,) = access.side.folder("neighbors").glob("*/*.npz")
        goal = other.side.folder("neighbors") / file.parent.name
        goal.mkdir()
        os.link(file, goal / file.name)
        done = scan(other, models)
        # 20 changed documents, and those whose lists they left too short
        assert done.search["mode"] == "incremental"
        assert done.search["searched"] >= 20
        found = stored(other, done.scan)
    with Warehouse.open(tmp_path / "plain.duckdb", command="test") as wh:
        plain = OwnerAccess(wh, local_principal())
        take(plain, list(range(60)), {n: "else" + str(n) for n in range(0, 60, 3)})
        assert found == stored(plain, scan(plain, models).scan)


def test_only_one_file_is_kept_and_no_vectors_are_in_it(access, models) -> None:
    for last in (60, 62, 64):
        take(access, list(range(last)))
        scan(access, models)
    (file,) = access.side.folder("neighbors").glob("*/*.npz")
    with np.load(file) as arrays:
        assert "vectors" not in arrays.files
    assert list(access.side.folder("scratch").iterdir()) == [access.side.folder("scratch") / "lock"]


def test_an_interrupted_search_goes_on_and_the_blocks_go(access, models, monkeypatch) -> None:
    monkeypatch.setattr(neighborhoods, "BLOCK", 40)
    take(access, list(range(200)))

    class Stop:
        def __init__(self, title: str) -> None:
            self.searching = "searching" in title

        def __enter__(self):
            return self.step

        def __exit__(self, *_: object) -> None:
            return None

        def step(self, done: int, total: int) -> None:
            if self.searching and done > total / 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan_corpus(access, "c", models, rule="paper", encoder="mine", bar=Stop)
    with access.wh.reading() as cursor:
        assert cursor.execute("SELECT count(*) FROM scans").fetchall() == [(0,)]
    assert list(access.side.folder("scratch").glob("*/block-*.npz"))
    said: list[str] = []
    done = scan(access, models, said=said)
    assert (done.search["blocks"], done.search["blocks_reused"] >= 1) == (5, True)
    assert f"resumed: {done.search['blocks_reused']} of 5 blocks reused" in said
    assert not list(access.side.folder("scratch").glob("*/*"))


def test_two_scans_do_not_share_blocks(access, models) -> None:
    take(access, list(range(60)))
    said: list[str] = []
    with scan_scratch(access.side) as held:
        assert held is not None
        done = scan(access, models, said=said)
    assert (done.search["blocks_reused"], len(said)) == (0, 1)
    assert "another scan" in said[0]


def test_gc_takes_old_blocks_and_leaves_those_in_use(access, principal) -> None:
    search = access.side.folder("scratch") / "search-x"
    search.mkdir()
    (search / "block-00000.npz").write_bytes(b"1234")
    assert gc(access.wh, principal=principal).blocks == 0
    with scan_scratch(access.side):
        assert gc(access.wh, principal=principal, older_s=-1).blocks == 0
    done = gc(access.wh, principal=principal, older_s=-1)
    assert (done.blocks, done.bytes, search.exists()) == (1, 4, False)
