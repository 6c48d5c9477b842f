"""The HTTP gate: what it answers, what it refuses and why, and that no call goes unlogged."""

from __future__ import annotations

import json
import threading

import pytest

from app.gate.service import ServiceLimits
from app.services.gate_log import GateLog
from ragsieve_core.publication import PublicationReader
from tests.gate_stand_ins import QUESTION, StandInFeatures, clean_texts, small_corpus
from warehouse.answers import document_reach, gate_events
from warehouse.inbox import take_in
from warehouse.principal import Principal
from warehouse.publish import publish
from warehouse.tokens import issue_token, revoke_token

ADMIN = Principal("ada", "admin")


def documents(corpus) -> list[dict]:
    return [{"id": name, "text": text, "similarity": 0.5} for name, text in zip(corpus.ids, corpus.texts, strict=True)]


def test_filter_retrieve_and_answer(serve, corpus, tokens, wh) -> None:
    client = serve()
    status, filtered = client.post("/v1/filter", {"query": QUESTION, "documents": documents(corpus)}, tokens["all"])
    assert (status, filtered["state"], len(filtered["context"])) == (200, "ok", 5)
    assert [d["document_id"] for d in filtered["context"]] == ["d00", "d01", "d02", "d03", "d04"]
    assert "text" not in filtered["context"][0]
    assert filtered["settings"]["mode"] == "enforce"
    assert filtered["candidates"][0]["e_script"] == pytest.approx(0.2)
    status, retrieved = client.post("/v1/retrieve", {"query": QUESTION, "query_id": "q7"}, tokens["a"])
    assert (status, retrieved["documents"], len(retrieved["context"])) == (200, 30, 5)
    assert retrieved["context"][0]["text"].startswith("note ")
    cited = [retrieved["context"][0]["document_id"]]
    said = {"event": retrieved["event"], "answer": "a1", "cited": cited}
    assert client.post("/v1/answers", said, tokens["a"]) == (200, {**said, "state": "recorded"})
    assert client.post("/v1/answers", said, tokens["a"])[1]["state"] == "known"
    assert client.post("/v1/answers", {**said, "answer": "a2"}, tokens["b"])[0] == 422
    client.stop()
    assert {receipt.state for receipt in take_in(wh)} == {"taken"}
    logged = gate_events(wh, principal=ADMIN)
    assert {row["event_id"] for row in logged} == {filtered["event"], retrieved["event"]}
    mine = gate_events(wh, principal=Principal("t", "viewer", frozenset({"a"})))
    assert [(row["query_id"], row["query_text"], row["answers"]) for row in mine] == [("q7", QUESTION, 1)]
    assert document_reach(wh, "harbour", principal=ADMIN, document_id=cited[0])[0]["cited"] == 1


GOOD = {"query": "q", "documents": []}


@pytest.mark.parametrize(
    ("path", "body", "status", "reason"),
    [
        ("/v1/filter", b"not json", 400, "no JSON"),
        ("/v1/filter", b"[1]", 400, "no JSON object"),
        ("/v1/filter", b"[" * 200_000, 400, "no JSON"),
        ("/v1/filter", {"query": "  ", "documents": []}, 422, "the query is empty"),
        ("/v1/retrieve", {"query": 7}, 422, "not a string: int"),
        ("/v1/retrieve", {"query": "q", "groups": "staff"}, 422, "not a list of strings"),
        ("/v1/retrieve", {"query": "q", "texts": 1}, 422, "not a boolean"),
        ("/v1/retrieve", {"query": "q", "group": ["x"]}, 422, "unknown field 'group'"),
        ("/v1/retrieve", {"query": "q" * 20_001}, 422, "20,001 characters"),
        ("/v1/filter", {"query": "q"}, 422, "no ranking"),
        ("/v1/filter", {"query": "q", "documents": [{"id": "a", "rank": 1}]}, 422, "unknown field 'rank'"),
        ("/v1/filter", {"query": "q", "documents": ["a"]}, 422, "not an object"),
        ("/v1/filter", {"query": "q", "documents": [{"text": "x"}]}, 422, "missing or empty"),
        ("/v1/filter", {"query": "q", "documents": [{"id": "a", "text": None}]}, 422, "not a string"),
        ("/v1/filter", b'{"query": "q", "documents": [{"id": "a", "similarity": NaN}]}', 422, "no finite number"),
        ("/v1/filter", {"query": "q", "documents": [{"id": "a", "text": "x"}] * 2}, 422, "ranked twice"),
        ("/v1/filter", {"query": "q", "documents": [{"id": f"{i}"} for i in range(1001)]}, 422, "at most 1,000"),
        ("/v1/answers", {"event": "e"}, 422, "missing or empty"),
        ("/v1/answers", {"event": "e", "answer": "a", "cited": [1]}, 422, "not a list of strings"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_reason(serve, tokens, path, body, status, reason) -> None:
    found, answer = serve().post(path, body, tokens["all"])
    assert found == status
    assert reason in answer["error"] or reason in answer["expected"]


def test_who_may_not_is_told_why(serve, tokens, wh) -> None:
    client = serve()
    short = issue_token(wh, principal=ADMIN, name="over", scope="gate", days=1e-9).secret
    assert client.post("/v1/filter", GOOD) == (401, {"error": "a token is needed: Authorization: Bearer rgs.…"})
    for wrong in ("rgs.x.y", tokens["all"] + "x", "nonsense", short, tokens["a"].replace("rgs.", "rgx.")):
        assert client.post("/v1/filter", GOOD, wrong) == (401, {"error": "no valid token"})
    status, answer = client.post("/v1/filter", GOOD, tokens["ingest"])
    assert status == 403
    assert "scope 'ingest'" in answer["error"]
    assert client.post("/v1/filter", GOOD, tokens["all"])[0] == 200
    revoke_token(wh, tokens["all"].split(".")[1], principal=ADMIN)
    assert client.post("/v1/filter", GOOD, tokens["all"])[0] == 401


def test_bodies_and_rates_have_limits(serve, tokens) -> None:
    client = serve(ServiceLimits(body=4096, rate=0.5, burst=3))
    huge = json.dumps({"query": "q", "documents": [{"id": "a", "text": "x" * 10_000}]}).encode()
    status, answer, headers = client.send("POST", "/v1/filter", huge, tokens["all"])
    assert (status, answer["error"]) == (413, "at most 4,096 bytes")
    chunked = client.send("POST", "/v1/filter", iter([huge]), tokens["all"])  # type: ignore[arg-type]
    assert chunked[0] == 413
    assert client.post("/v1/filter", GOOD, tokens["all"], Content_Type="text/plain")[0] == 415
    status, answer, headers = client.send("POST", "/v1/filter", GOOD, tokens["all"])
    assert (status, headers["retry-after"]) == (429, "2")
    assert client.post("/v1/filter", GOOD, tokens["b"])[0] == 200
    assert client.send("GET", "/v1/filter")[0] == 405
    assert client.send("GET", "/v1/other")[0] == 404


def test_calls_beyond_the_queue_are_turned_away(serve, tokens, corpus) -> None:
    client = serve(ServiceLimits(rate=0, at_once=1, waiting=1), features=StandInFeatures(slow=0.05), budget_ms=1000)
    asked = {"query": QUESTION, "documents": documents(corpus)}
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(client.post("/v1/filter", asked, tokens["all"])[0]))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {200, 503}
    assert 2 <= found.count(200) < 6


def test_a_model_that_fails_follows_the_policy_and_is_counted(serve, tokens, corpus) -> None:
    asked = {"query": QUESTION, "documents": documents(corpus)}
    client = serve(features=StandInFeatures(broken="note"))
    status, answer = client.post("/v1/filter", asked, tokens["a"])
    assert (status, answer["state"], answer["reason"], answer["context"]) == (200, "unscored", "error", [])
    text = client.send("GET", "/metrics", token=tokens["a"])[1]
    assert 'ragsieve_gate_calls_total{tenant="a",state="unscored"} 1' in text
    errors = next(line for line in text.splitlines() if line.startswith('ragsieve_gate_errors_total{tenant="a"}'))
    assert float(errors.split()[-1]) >= 1
    marked = serve(features=StandInFeatures(broken="note"), unscored="pass").post("/v1/filter", asked, tokens["a"])[1]
    assert {document["status"] for document in marked["context"]} == {"unscored"}


def test_metrics_of_a_tenant_say_nothing_of_others(serve, tokens) -> None:
    client = serve()
    for name in ("a", "b", "all"):
        client.post("/v1/retrieve", {"query": QUESTION}, tokens[name])
    assert client.send("GET", "/metrics")[0] == 401
    assert client.send("GET", "/metrics", token=tokens["ingest"])[0] == 403
    own = client.send("GET", "/metrics", token=tokens["a"])[1]
    whole = client.send("GET", "/metrics", token=tokens["all"])[1]
    assert 'tenant="b"' not in own
    assert 'tenant=""' not in own
    assert "snapshot_documents" not in own
    assert 'ragsieve_gate_latency_seconds_count{tenant="a"} 1' in own
    assert all(f'tenant="{name}"' in whole for name in ("a", "b", ""))
    assert "ragsieve_gate_snapshot_documents 60" in whole
    for line in whole.splitlines():
        assert line.startswith("# ") or float(line.rsplit(" ", 1)[1]) >= 0


def test_a_tenant_gets_the_same_bytes_with_and_without_documents_of_others(serve, tokens) -> None:
    texts = clean_texts(40)
    alone = small_corpus(texts, ["a"] * 40, ids=[f"d{i:02d}" for i in range(40)])
    pairs = [(f"{QUESTION} secret {i}", text) for i, text in enumerate(texts)]
    mixed = small_corpus(
        [text for pair in pairs for text in pair],
        ["b", "a"] * 40,
        ids=[name for i in range(40) for name in (f"b{i:02d}", f"d{i:02d}")],
    )
    guesses = [{"id": f"b{i:02d}", "text": f"{QUESTION} secret {i}"} for i in range(40)]
    calls = [
        ("/v1/retrieve", {"query": QUESTION}),
        ("/v1/filter", {"query": QUESTION, "documents": guesses}),
        ("/v1/filter", {"query": QUESTION, "documents": [{"id": f"b{i:02d}"} for i in range(30)]}),
        ("/v1/answers", {"event": "gate_guessed", "answer": "a", "cited": ["b00"]}),
    ]
    told = []
    for corpus in (alone, mixed):
        client = serve(corpus=corpus, features=lambda tenant: StandInFeatures())
        if corpus is mixed:
            client.post("/v1/retrieve", {"query": QUESTION}, tokens["b"])
        found = []
        for path, body in calls:
            status, answer, headers = client.send("POST", path, body, tokens["a"])
            for name in ("event", "latency_ms"):
                answer.pop(name, None)
            found.append((status, json.dumps(answer), sorted(headers)))
        metrics = client.send("GET", "/metrics", token=tokens["a"])[1].splitlines()
        found.append([line for line in metrics if "latency" not in line])
        told.append(found)
    assert told[0] == told[1]


def test_lost_events_turn_health_red_and_a_missing_publication_too(serve, tokens, wh, corpus) -> None:
    def full_disk(path, data):
        raise OSError(28, "No space left on device")

    log = GateLog(wh.path, capacity=3, batch=1, interval_s=0.01, deliver=full_disk)
    client = serve(log_to=log)
    assert client.send("GET", "/healthz")[:2] == (200, {"status": "ok", "problems": []})
    for _ in range(5):
        assert client.post("/v1/retrieve", {"query": QUESTION}, tokens["all"])[0] == 200
    assert client.send("GET", "/healthz")[:2] == (
        503,
        {"status": "red", "problems": ["events_lost", "events_not_written"]},
    )
    assert "ragsieve_gate_log_lost 2" in client.send("GET", "/metrics", token=tokens["all"])[1]
    (wh.side.folder("published") / "current").unlink()
    assert "publication_missing" in client.send("GET", "/healthz")[1]["problems"]


def test_a_document_quarantined_while_it_runs_is_out_of_the_next_answer(serve, tokens, wh) -> None:
    client = serve()
    before = client.post("/v1/retrieve", {"query": QUESTION}, tokens["all"])[1]
    worst = before["context"][0]["document_id"]
    with wh.transaction() as cursor:
        corpus_id = cursor.execute("SELECT corpus_id FROM corpora").fetchone()[0]
        cursor.execute(
            "INSERT INTO holds VALUES ('h1', ?, ?, 'a', 'alert', 'test', now()::TIMESTAMP, "
            "now()::TIMESTAMP + INTERVAL 1 DAY, 'ada')",
            [corpus_id, worst],
        )
    publish(wh, principal=ADMIN, cause="held")
    after = client.post("/v1/retrieve", {"query": QUESTION}, tokens["all"])[1]
    assert worst not in [document["document_id"] for document in after["context"]]
    assert after["removed"][0]["document_id"] == worst
    assert PublicationReader(wh.side.folder("published")).read().in_force.held


def test_openapi_describes_exactly_what_is_taken(serve) -> None:
    status, found, _ = serve().send("GET", "/openapi.json")
    assert (status, found["openapi"]) == (200, "3.1.0")
    schemas = found["components"]["schemas"]
    assert schemas["FilterRequest"]["required"] == ["query", "documents"]
    assert schemas["RetrieveRequest"]["properties"]["texts"]["default"] is True
    assert schemas["AnswerRequest"]["additionalProperties"] is False
    names = set(json.dumps(found).split('"#/components/schemas/')[1:])
    assert {name.split('"')[0] for name in names} <= set(schemas)
    for kind in ("FilterRequest", "RetrieveRequest", "AnswerRequest"):
        assert all(entry["description"] for entry in schemas[kind]["properties"].values())


def test_hostile_ids_and_texts_come_back_as_they_were(serve, tokens, corpus) -> None:
    hostile = '<script>\u202e\ud800\x00"\\'
    asked = {"query": QUESTION, "documents": [{"id": hostile, "text": hostile}, *documents(corpus)], "texts": True}
    status, answer = serve(unscored="pass").post("/v1/filter", asked, tokens["all"])
    assert status == 200
    assert answer["unknown"] == [hostile]
