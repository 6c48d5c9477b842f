"""Scores kept beside the warehouse: whole files, found by what was scored, and never in the way when damaged."""

from __future__ import annotations

from app.services.replay_scores import ReplayScore, keep_scores, ranking_key, read_scores, stamp


def test_what_is_kept_is_found_by_its_key(wh) -> None:
    assert read_scores(wh.side) == {}
    assert stamp(wh.side) == ""
    keep_scores(wh.side, [])
    assert stamp(wh.side) == ""
    hostile = "=1+1<b>\u202e\ud800"
    one = ReplayScore("k1", "event_1", "ok", {hostile: (0.5, 0.0, 1.25, 0.0)})
    keep_scores(wh.side, [one])
    first = stamp(wh.side)
    keep_scores(wh.side, [ReplayScore("k2", "event_2", "tail_contaminated", {})])
    assert stamp(wh.side) > first
    found = read_scores(wh.side)
    assert set(found) == {"k1", "k2"}
    assert list(found["k1"].terms[hostile]) == [0.5, 0.0, 1.25, 0.0]


def test_a_damaged_file_counts_as_absent(wh) -> None:
    keep_scores(wh.side, [ReplayScore("k", "e", "ok", {})])
    folder = wh.side.folder("replays")
    (folder / "replay_a.jsonl").write_text('{"key": "x"')
    (folder / "replay_b.jsonl").write_text('{"other": 1}\n')
    (folder / "replay_c.jsonl").write_bytes(b"\xff\xfe")
    assert set(read_scores(wh.side)) == {"k"}


def test_a_key_covers_all_that_a_score_rests_on() -> None:
    base = ("event", "rule", "*", [("a", 1), ("b", 2)])
    others = [
        ("event2", *base[1:]),
        ("event", "rule2", *base[2:]),
        ("event", "rule", "tenant", base[3]),
        (*base[:3], [("b", 2), ("a", 1)]),
        (*base[:3], [("a", 1), ("b", 3)]),
        (*base[:3], [("a", 1)]),
        (*base[:3], [("a", 1), ("b", None)]),
    ]
    keys = {ranking_key(*given) for given in (base, *others)}  # type: ignore[arg-type]
    assert len(keys) == 8
