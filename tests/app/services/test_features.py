"""Where features are kept, what a user's mistake gives, and that queries and replays use and fill the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.services.asking import ask
from app.services.events import Origin, run_rankings
from app.services.features import CacheOptions, disk_limit, features_folder, forget_features, open_features
from ragsieve_core.document import RankedContext, RankedDocument, content_hash
from ragsieve_core.errors import InputError
from ragsieve_core.rsq import RSQConfig
from warehouse.ingest import ingest

ROWS = [{"id": f"d{i:02d}", "text": f"the keeper of island{i} lived on note{i} zz{i}"} for i in range(30)]


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGSIEVE_FEATURES", "RAGSIEVE_FEATURES_LIMIT"):
        monkeypatch.delenv(name, raising=False)


def counting(models, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    plain: Callable = models.trace_encoder.token_vectors

    def token_vectors(texts, *, max_tokens, progress=None):
        seen.extend(texts)
        return plain(texts, max_tokens=max_tokens)

    monkeypatch.setattr(models.trace_encoder, "token_vectors", token_vectors)
    return seen


def test_beside_the_warehouse_unless_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "w.duckdb"
    assert features_folder(file) == tmp_path / "w.duckdb.d" / "features"
    monkeypatch.setenv("RAGSIEVE_FEATURES", str(tmp_path / "elsewhere"))
    assert features_folder(file) == tmp_path / "elsewhere"
    assert features_folder(file, tmp_path / "given") == tmp_path / "given"


@pytest.mark.parametrize("value", ["-1", "0", "ten", "1.5"])
def test_a_limit_that_is_no_number(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("RAGSIEVE_FEATURES_LIMIT", value)
    with pytest.raises(InputError, match="not a number of bytes"):
        disk_limit()


def test_a_folder_beside_the_warehouse_that_cannot_be_used_is_said_and_a_named_one_refused(
    wh, models, tmp_path: Path
) -> None:
    (wh.side.root / "features").mkdir()
    (wh.side.root / "features" / "other.txt").write_text("x")
    said: list[str] = []
    assert open_features(models, wh.path, say=said.append).disk is None
    assert "not kept on disk" in said[0]
    with pytest.raises(InputError, match="holds something else"):
        open_features(models, wh.path, options=CacheOptions(folder=wh.side.root / "features"), say=said.append)
    assert open_features(models, wh.path, options=CacheOptions(enabled=False)).disk is None


def test_a_query_fills_the_cache_and_the_next_reads_it(wh, access, models, principal, batches, monkeypatch) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    seen = counting(models, monkeypatch)
    question = [("q", "where the keeper lived")]
    answers = []
    for _ in range(2):
        features = open_features(models, wh.path)
        [(found, _)] = list(ask(access, "c", question, models, features=features))
        answers.append(found[0].result)
    assert [c.score for c in answers[0].evidence.candidates] == [c.score for c in answers[1].evidence.candidates]
    assert len(seen) == len(ROWS) + 2  # each document once, the question each time
    tally = open_features(models, wh.path).disk.tally()
    # 30 vectors, 5 NLL and the words of 30, twice
    assert (tally.asked, tally.from_disk, tally.computed) == (130, 65, 65)
    [(found, _)] = list(ask(access, "c", question, models))
    uncached = found[0].result.evidence.candidates
    assert [c.score for c in uncached] == [c.score for c in answers[0].evidence.candidates]


def test_a_replay_without_a_disk_gives_the_same(wh, access, models, monkeypatch) -> None:
    contexts = [
        RankedContext(
            f"q{n}", "which keeper", "", tuple(RankedDocument(f"d{i}", i + 1, f"{n % 2} text {i}") for i in range(20))
        )
        for n in range(20)
    ]
    seen = counting(models, monkeypatch)

    def scores(features) -> list[float]:
        done = run_rankings(access, contexts, Origin("c", "replay"), models, RSQConfig(), features=features)
        return [c.score for answers, _ in done for a in answers for c in a.result.evidence.candidates]

    kept = scores(open_features(models, wh.path))
    assert seen.count("0 text 3") == 1
    assert scores(open_features(models, wh.path)) == kept
    assert seen.count("0 text 3") == 1
    assert scores(open_features(models, wh.path, options=CacheOptions(enabled=False))) == kept == scores(None)


def test_forgetting(wh, models) -> None:
    assert forget_features(wh.path, [content_hash("a")]) == 0
    assert not features_folder(wh.path).exists()
    open_features(models, wh.path).get(["a", "b"])
    assert forget_features(wh.path, [content_hash("a")]) == 2
    assert open_features(models, wh.path).peek(["a", "b"]).vectors == {"b"}
