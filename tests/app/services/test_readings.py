"""A `calibrated` scan reads only new and changed texts, stores the bits of a full one, and says what it took over."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app.cli.scan_summary import scan_lines
from app.services.owner_access import OwnerAccess
from app.services.scanning import ScanOutcome, scan_corpus
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.rsg.calibrated import reading as module
from warehouse import reading_files
from warehouse.database import Warehouse
from warehouse.erasure import erase_document
from warehouse.ingest import ingest
from warehouse.principal import local_principal
from warehouse.records import EncoderSpec

SPEC = EncoderSpec("mine", "mine", 12, {})
RNG = np.random.default_rng(8)
# Topics of three, so that groups alert; every tenth text is the one before it, so that there are copies
TOPICS = RNG.standard_normal((60, 12))
VECTORS = (TOPICS[np.arange(180) // 3] + 0.05 * RNG.standard_normal((180, 12))).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
TEXTS = [" ".join(f"w{word}" for word in RNG.choice(400, 12)) for _ in range(180)]
for number in range(10, 180, 10):
    TEXTS[number] = TEXTS[number - 1]


def take(access: OwnerAccess, rows: list[int], changed: dict[int, str] | None = None, *, full: bool = False) -> None:
    texts = [(changed or {}).get(row, TEXTS[row]) for row in rows]
    batch = RecordBatchColumns(id=[f"d{row:03d}" for row in rows], text=texts, parent=[f"s{row}" for row in rows])
    matrix = np.stack([VECTORS[row] for row in rows])
    ingest(access.wh, "c", [batch], principal=access.principal, embeddings=matrix, encoder=SPEC, full=full)


def scan(access: OwnerAccess, models: object, said: list[str] | None = None, rule: str = "calibrated") -> ScanOutcome:
    say = said.append if said is not None else lambda _: None
    return scan_corpus(access, "c", models, rule=rule, encoder="mine", say=say)  # type: ignore[arg-type]


def stored(access: OwnerAccess, scan_id: str) -> list[list[tuple]]:
    """Everything a scan says of documents, by their ids."""
    with access.wh.reading() as cursor:
        scores = cursor.execute(
            "SELECT document_id, density, tail_probability, integrity, topology_score, score, flagged, detail "
            "FROM scan_scores WHERE scan_id = ? ORDER BY document_id",
            [scan_id],
        ).fetchall()
        copies = cursor.execute(
            "SELECT kind, documents, exact FROM copy_groups WHERE scan_id = ? ORDER BY ALL", [scan_id]
        ).fetchall()
        named = cursor.execute(
            "SELECT documents, shared_words FROM campaigns WHERE scan_id = ? ORDER BY ALL", [scan_id]
        ).fetchall()
    return [[(*row[:-1], _members_sorted(row[-1])) for row in scores], copies, named]


def _members_sorted(detail: str | None) -> object:
    """The evidence of a document; its groups list their members in the order of ingestion."""
    parts = json.loads(detail or "{}")
    for group in parts.values():
        if isinstance(group, dict):
            group["members"] = sorted(group["members"])
    return parts


def test_only_new_and_changed_texts_are_read(access, models, monkeypatch, tmp_path: Path) -> None:
    take(access, list(range(150)))
    first = scan(access, models)
    # 14 of the texts are said twice
    assert (first.search["texts_read"], first.search["texts_reason"]) == (136, "no earlier reading")
    assert "texts: 136 different ones read for 150 documents (no earlier reading)" in list(scan_lines(first))
    take(access, list(range(5, 156)), {7: "something else", 8: "et autre chose"}, full=True)
    read: list[str] = []
    plain = module.unicode_word_list
    monkeypatch.setattr(module, "unicode_word_list", lambda text: (read.append(text), plain(text))[1])
    done = scan(access, models)
    monkeypatch.undo()
    assert (done.search["texts_read"], len(read)) == (7, 7)
    assert "texts: 7 different ones read for 151 documents, the rest kept from the last scan" in list(scan_lines(done))
    with Warehouse.open(tmp_path / "fresh.duckdb", command="test") as wh:
        whole = OwnerAccess(wh, local_principal())
        take(whole, list(range(5, 156)), {7: "something else", 8: "et autre chose"})
        expected = stored(whole, scan(whole, models).scan)
    found = stored(access, done.scan)
    assert found == expected
    assert found[1]
    assert any(row[6] for row in found[0])


@pytest.mark.parametrize("harm", ["torn", "version", "gone"])
def test_a_reading_of_no_use_costs_reading_and_no_more(access, models, monkeypatch, harm: str) -> None:
    take(access, list(range(60)))
    scan(access, models)
    (file,) = access.side.folder("neighbors").glob("text-*/*.npz")
    if harm == "torn":
        file.write_bytes(file.read_bytes()[:999])
    elif harm == "gone":
        file.unlink()
    else:
        monkeypatch.setattr(reading_files, "READER", "other")
    take(access, [70])
    said: list[str] = []
    done = scan(access, models, said)
    assert done.search["texts_read"] == 56
    assert [line for line in said if "reading every text" in line] != [] if harm == "torn" else not said
    assert {"torn": "broken: ", "version": "another version", "gone": "no earlier"}[harm] in done.search["texts_reason"]
    take(access, [71])
    assert scan(access, models).search["texts_read"] == 1


def test_paper_reads_no_words_of_this_kind(access, models) -> None:
    take(access, list(range(60)))
    done = scan(access, models, rule="paper")
    assert "texts_read" not in done.search
    assert not list(access.side.folder("neighbors").glob("text-*"))


def test_words_that_cannot_be_kept_are_told(access, models, monkeypatch) -> None:
    take(access, list(range(60)))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.services.readings.save_reading", full)
    said: list[str] = []
    assert scan(access, models, said).documents == 60
    assert any("No space left on device" in line for line in said)


def test_erasing_a_document_drops_its_words(access, models) -> None:
    take(access, list(range(60)), {3: "an unrepeatable secret"})
    scan(access, models)
    (file,) = access.side.folder("neighbors").glob("text-*/*.npz")
    assert b"unrepeatable" in file.read_bytes()
    erase_document(access.wh, "c", "d003", principal=access.principal, reason="ticket 1")
    assert not file.exists()
    scan(access, models)
    (file,) = access.side.folder("neighbors").glob("text-*/*.npz")
    assert b"unrepeatable" not in file.read_bytes()
