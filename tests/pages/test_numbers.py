"""Every page says the same numbers as its command and as SQL written here by hand over the same file.

Three legs per page: what the screen holds, what ``ragsieve … --json`` prints, and a query that knows nothing of
warehouse/queries.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.pages_map import page_file
from app.session import VARIABLE, close_warehouses
from tests.pages.conftest import MAIN, texts
from tests.pages.counted import Counted, build, command, sql
from tests.small_warehouse import CORPUS, Small


@pytest.fixture(scope="module")
def counted(small: Small, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counted]:
    """The warehouse, held by this process as the dashboard holds it: commands are answered by its threads."""
    found = build(small, tmp_path_factory.mktemp("counted") / "w.duckdb")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(found.path))
        patch.setenv("RAGSIEVE_CANARY_PROFILE", "none")
        yield found
        close_warehouses()


@pytest.fixture(scope="module")
def look() -> Callable[..., AppTest]:
    """Open a page by its address."""

    def run(name: str, **query: str) -> AppTest:
        page = AppTest.from_file(str(MAIN), default_timeout=60)
        page.switch_page(str(page_file(name)))
        for field, value in query.items():
            page.query_params[field] = value
        page.run()
        assert not page.exception
        return page

    return run


Look = Callable[..., AppTest]


def metrics(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def frame(page: AppTest, *columns: str) -> Any:
    """The one table that has these columns."""
    (found,) = [table.value for table in page.dataframe if set(columns) <= set(table.value.columns)]
    return found


def one(query: str, *parameters: object) -> Any:
    [(value,)] = sql(query, *parameters)
    return value


def exported(counted: Counted, tmp_path: Path, *arguments: str) -> list[dict[str, Any]]:
    """Rows of `ragsieve export`."""
    target = tmp_path / "out.jsonl"
    command(counted.path, "export", *arguments, "--out", str(target))
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def test_overview(counted: Counted, look: Look) -> None:
    page, told = look("overview"), command(counted.path, "overview")
    shown = metrics(page)
    rows = {
        "Open alerts": ("open_alerts", "SELECT count(*) FROM alert_current WHERE status IN ('open', 'claimed')"),
        "Documents": ("documents", "SELECT count(DISTINCT document_id) FROM document_versions WHERE origin = 'ingest'"),
        "Scans": ("scans", "SELECT count(*) FROM scans WHERE status = 'finished'"),
        "Retrieval events": ("events", "SELECT count(*) FROM retrieval_events"),
        "Candidates": ("candidates", "SELECT count(*) FROM candidate_evidence"),
    }
    for label, (field, query) in rows.items():
        assert int(shown[label]) == told["counts"][field] == one(query), label
    flagged = one("SELECT count(*) FROM candidate_evidence WHERE flagged")
    assert flagged == told["counts"]["flagged_candidates"]
    assert f"RSQ flagged {flagged} of n = {shown['Candidates']} candidates" in texts(page)
    per_query = 1000 * one("SELECT count(*) FROM alerts WHERE detector = 'rsq'") / told["counts"]["events"]
    assert float(shown["RSQ alerts per 1,000 queries"].replace(",", "")) == pytest.approx(per_query, abs=0.005)
    assert told["rates"]["alerts_per_1000_queries"] == pytest.approx(per_query)
    per_scan = one("SELECT count(*) FROM alerts WHERE detector = 'rsg'") / told["counts"]["scans"]
    assert float(shown["RSG alerts per scan"]) == told["rates"]["alerts_per_scan"] == per_scan
    waiting = one("SELECT count(DISTINCT document_id) FROM alert_current WHERE status IN ('open', 'claimed')")
    assert told["reach"]["documents"] == waiting
    assert f"n = {waiting} waiting documents" in texts(page)
    drift = frame(page, "term", "mean_now").set_index("term")
    for term, column in (("answer anchors", "e_anchor"), ("surprisal", "e_surprisal")):
        assert drift.loc[term, "mean_now"] == pytest.approx(one(f"SELECT avg({column}) FROM candidate_evidence"))
    assert list(drift["mean_now"]) == pytest.approx([row["mean_now"] for row in told["drift"]])
    by_state = frame(page, "detector", "status", "alerts")
    assert by_state["alerts"].sum() == one("SELECT count(*) FROM alerts")


def test_queue(counted: Counted, look: Look) -> None:
    page = look("queue", tab="all")
    table, told = frame(page, "alert_id", "severity"), command(counted.path, "alerts", "--all")
    # The highest score of any evidence: of all events that flagged this text, or of the scan
    held = dict(
        sql(
            "SELECT alerts.alert_id, CASE alerts.detector WHEN 'rsg' THEN max(scans.score) "
            "ELSE max(evidence.score) FILTER (WHERE evidence.flagged) END "
            "FROM alert_current AS alerts LEFT JOIN scan_scores AS scans USING (version_id) "
            "LEFT JOIN candidate_evidence AS evidence USING (version_id) GROUP BY alerts.alert_id, alerts.detector"
        )
    )
    assert len(table) == told["total"] == len(held)
    assert f"n = {len(held)} alerts" in texts(page)
    by_id = {row["alert_id"]: row for row in told["alerts"]}
    assert list(table["alert_id"]) == [row["alert_id"] for row in told["alerts"]]
    for row in table.to_dict("records"):
        assert row["score"] == by_id[row["alert_id"]]["score"] == held[row["alert_id"]]
        assert row["severity"] == by_id[row["alert_id"]]["severity"]
        retrieved, inside = sql(
            "SELECT count(DISTINCT event_id), count(DISTINCT event_id) FILTER (WHERE in_context) FROM event_ranking "
            "WHERE version_id = (SELECT version_id FROM alert_current WHERE alert_id = ?)",
            row["alert_id"],
        )[0]
        assert row["reach"] == f"{inside} / {retrieved}"
    assert len(frame(look("queue"), "alert_id", "severity")) == command(counted.path, "alerts")["total"]


def test_alert_of_a_query(counted: Counted, look: Look, tmp_path: Path) -> None:
    alert = counted.small.rsq_alert
    page = look("alert", alert=alert)
    shown = metrics(page)
    told = next(row for row in command(counted.path, "alerts", "--all")["alerts"] if row["alert_id"] == alert)
    event = one("SELECT event_id FROM candidate_evidence WHERE document_id = 'plant-5' AND flagged")
    terms = sql(
        "SELECT e_anchor, e_script, e_surprisal, e_alignment, score, anchors FROM candidate_evidence "
        "WHERE event_id = ? AND document_id = 'plant-5'",
        event,
    )[0]
    assert sum(terms[:4]) == pytest.approx(terms[4])
    assert shown["Score"] == f"{told['score']:.2f}" == f"{terms[4]:.2f}"
    assert shown["Threshold"] == f"{told['threshold']:.2f}" == "1.00"
    assert shown["Severity"] == f"{told['severity']:.0f} / 100"
    rows = [row for row in exported(counted, tmp_path, "candidates") if row["event_id"] == event]
    ours = next(row for row in rows if row["document_id"] == "plant-5")
    assert [ours[f"e_{term}"] for term in ("anchor", "script", "surprisal", "alignment")] == pytest.approx(
        list(terms[:4])
    )
    words = [part.value for part in page.markdown]
    for name, value in zip(("Answer anchors", "Script", "Surprisal", "Alignment"), terms, strict=False):
        assert f"**{name}** {value:.2f}" in words
    tokens = frame(page, "token", "K", "p")
    by_token = {row["token"]: (row["K"], row["x"]) for row in json.loads(terms[5])}
    assert {row["token"]: (row["K"], row["x"]) for row in tokens.to_dict("records")} == by_token
    reach = command(counted.path, "gate-log", "reach", "--corpus", CORPUS, "--document", "plant-5")["documents"][0]
    ranked = one("SELECT count(*) FROM event_ranking WHERE document_id = 'plant-5'")
    best = one("SELECT min(\"rank\") FROM event_ranking WHERE document_id = 'plant-5'")
    assert int(shown["Retrieved"]) == reach["retrieved"] == ranked
    assert int(shown["In context"]) == reach["in_context"] == 0
    assert int(shown["Best rank"]) == best


def test_alert_of_the_corpus_and_its_neighbourhood(counted: Counted, look: Look, tmp_path: Path) -> None:
    alert = counted.small.rsg_alert
    page = look("alert", alert=alert)
    version = one("SELECT version_id FROM alert_current WHERE alert_id = ?", alert)
    told = next(row for row in exported(counted, tmp_path, "scores") if row["document_id"] == "plant-5")
    density, floor, eligible, tail = sql(
        "SELECT density, floor, eligible_neighbors, tail_probability FROM scan_scores WHERE version_id = ?", version
    )[0]
    # METHOD: the share of documents at least as dense, over N + 1
    dense = one("SELECT count(*) FROM scan_scores WHERE density >= ?", density)
    assert tail == pytest.approx(dense / (one("SELECT count(*) FROM scan_scores") + 1))
    shown = metrics(page)
    assert (shown["Density"], shown["Floor"]) == (f"{density:.3f}", f"{floor:.3f}")
    assert (told["density"], told["floor"], told["tail_probability"]) == pytest.approx((density, floor, tail))
    assert int(shown["Retained"]) == told["eligible_neighbors"] == eligible
    neighbors = dict(
        sql(
            "SELECT versions.document_id, near.cosine FROM scan_neighbors AS near "
            "JOIN document_versions AS versions ON versions.version_id = near.neighbor_id WHERE near.version_id = ?",
            version,
        )
    )
    table = frame(page, "document_id", "cosine", "jaccard", "fate")
    assert dict(zip(table["document_id"], table["cosine"], strict=True)) == pytest.approx(neighbors)
    assert min(neighbors.values()) == pytest.approx(floor, abs=1e-6)
    around = look("neighbourhood", alert=alert, view="document")
    near = frame(around, "document_id", "cosine", "role")
    assert {row["document_id"]: row["cosine"] for row in near.to_dict("records") if row["cosine"] > 0} == pytest.approx(
        neighbors
    )
    kept = one("SELECT count(*) FROM scan_neighbors WHERE version_id = ? AND retained", version)
    assert kept == eligible
    assert f"n = {len(neighbors) + 1} documents" in texts(around)
    assert metrics(around)["Severity"] == metrics(page)["Severity"]


def test_replay(counted: Counted, look: Look, tmp_path: Path) -> None:
    page = look("replay")
    table = frame(page, "event_id", "flagged", "top").set_index("event_id")
    rows = exported(counted, tmp_path, "candidates")
    held = sql(
        "SELECT event_id, count(*) FILTER (WHERE flagged), count(*), max(score) FROM candidate_evidence GROUP BY 1"
    )
    assert len(table) == len(held) == 3
    for event, flagged, candidates, top in held:
        ours = [row for row in rows if row["event_id"] == event]
        assert table.loc[event, "flagged"] == sum(row["flagged"] for row in ours) == flagged
        assert table.loc[event, "candidates"] == len(ours) == candidates
        assert table.loc[event, "top"] == max(row["score"] for row in ours) == top


def test_replay_of_two_versions(counted: Counted, look: Look) -> None:
    """A threshold of 1.6 against 1.0: who scores between them comes back, and the refill moves up."""
    page = look("replay", view="compare", corpus=CORPUS, a="none", b="none", pb=counted.policy)
    told = command(counted.path, "compare", "none", "none", "--corpus", CORPUS, "--policy-b", counted.policy)
    held = sql(
        "WITH context AS (SELECT ranking.event_id, ranking.document_id, limits.t, row_number() OVER "
        '(PARTITION BY ranking.event_id, limits.t ORDER BY ranking."rank") AS place '
        "FROM event_ranking AS ranking CROSS JOIN (VALUES (1.0), (1.6)) AS limits(t) "
        "LEFT JOIN candidate_evidence AS evidence USING (event_id, document_id) "
        "WHERE coalesce(evidence.score, 0) < limits.t), "
        "first AS (SELECT event_id, document_id FROM context WHERE place <= 5 AND t = 1.0), "
        "second AS (SELECT event_id, document_id FROM context WHERE place <= 5 AND t = 1.6) "
        "SELECT (SELECT count(*) FROM (SELECT * FROM second EXCEPT SELECT * FROM first)), "
        "(SELECT count(*) FROM (SELECT * FROM first EXCEPT SELECT * FROM second)), "
        "(SELECT count(DISTINCT event_id) FROM (SELECT * FROM second EXCEPT SELECT * FROM first))"
    )
    entries, exits, changed = held[0]
    assert (told["entries"], told["exits"], told["changed"], told["compared"]) == (entries, exits, changed, 3)
    shown = metrics(page)
    assert shown["Final context differs"] == f"{changed} of 3 ({changed / 3:.1%})"
    assert shown["Not compared"] == "0 of 3"
    assert (shown["Documents that enter"], shown["Documents that leave"]) == (
        str(told["entering"]),
        str(told["leaving"]),
    )
    states = frame(page, "state", "a", "b")
    assert list(states["a"]) == [row["a"] for row in told["states"]]
    assert states["a"].sum() == states["b"].sum() == one("SELECT count(*) FROM retrieval_events")


def test_quarantine(counted: Counted, look: Look) -> None:
    page, told = look("quarantine"), command(counted.path, "quarantine", "list")
    table = frame(page, "quarantine_id", "members", "number")
    held = sql(
        "SELECT versions.quarantine_id, versions.sequence, count(members.document_id) "
        "FROM quarantine_versions AS versions LEFT JOIN "
        "quarantine_members AS members USING (quarantine_id) GROUP BY ALL ORDER BY versions.sequence DESC"
    )
    assert [tuple(row) for row in table[["quarantine_id", "number", "members"]].itertuples(index=False)] == held
    assert [(row["quarantine_id"], row["sequence"], row["members"]) for row in told["versions"]] == held
    members = sql("SELECT document_id FROM quarantine_members WHERE quarantine_id = ?", held[0][0])
    assert list(frame(page, "document", "hash")["document"]) == [name for (name,) in members]
    words = texts(page)
    added = one(
        "SELECT count(*) FROM quarantine_members WHERE quarantine_id = ? AND document_id NOT IN "
        "(SELECT document_id FROM quarantine_members WHERE quarantine_id = ?)",
        held[0][0],
        held[1][0],
    )
    assert f"n = {added} documents in, 0 out" in words
    alive = one("SELECT count(*) FROM holds WHERE hold_id NOT IN (SELECT hold_id FROM hold_ends)")
    assert len(told["holds"]) == alive == 1
    assert f"n = {alive} documents are out of retrieval until" in words
    told_diff = command(counted.path, "quarantine", "diff", held[1][0], held[0][0])
    assert (len(told_diff["added"]), len(told_diff["removed"])) == (added, 0)


def test_blind(counted: Counted, look: Look) -> None:
    page = look("blind", tab="How good is the review")
    shown, recall, quality = metrics(page), counted.told["recall"], counted.told["quality"]
    row = frame(page, "recall", "sampled", "answered").iloc[0]
    strata = sql(
        "SELECT strata.stratum, any_value(strata.population), count(DISTINCT samples.sample_id), "
        "count(DISTINCT samples.sample_id) FILTER (WHERE first.promoted), "
        "count(DISTINCT samples.sample_id) FILTER (WHERE first.promoted IS NOT NULL) "
        "FROM sample_strata AS strata JOIN sample_draws AS draws USING (draw_id) "
        "LEFT JOIN review_samples AS samples USING (draw_id, stratum) "
        "LEFT JOIN (SELECT sample_id, arg_min(promoted, acted_at) AS promoted FROM review_answers "
        "WHERE promoted IS NOT NULL GROUP BY sample_id) AS first USING (sample_id) "
        "WHERE draws.kind = 'audit' GROUP BY strata.stratum"
    )
    sampled, answered = sum(line[2] for line in strata), sum(line[4] for line in strata)
    missed = sum(population * yes / n for _, population, _, yes, n in strata if n)
    assert (row["sampled"], row["answered"]) == (recall["sampled"], recall["answered"]) == (sampled, answered)
    assert (row["found"], row["undecided"]) == (recall["found"], recall["undecided"])
    assert recall["found"] == 1
    assert recall["missed"] == pytest.approx(missed)
    assert recall["recall"] == pytest.approx(recall["found"] / (recall["found"] + missed))
    assert row["recall"] == f"{recall['recall']:.0%}"
    assert row["interval"] == f"{recall['low']:.0%} to {recall['high']:.0%}"
    decisions = one("SELECT count(DISTINCT alert_id) FROM alert_events WHERE kind = 'decided'")
    assert quality["decisions"] == decisions
    assert f"Time to verdict, n = {decisions}" in shown
    assert shown[f"Cohen's kappa, n = {quality['agreement_n']}"] == f"{quality['agreement_kappa']:.2f}"


def test_ingest_and_scans(counted: Counted, look: Look, tmp_path: Path) -> None:
    page = look("ingest", tab="Scans so far")
    table = frame(page, "scan", "documents", "flagged")
    held = sql("SELECT scan_id, count(*), count(*) FILTER (WHERE flagged) FROM scan_scores GROUP BY 1")
    assert [tuple(row) for row in table[["scan", "documents", "flagged"]].itertuples(index=False)] == held
    rows = exported(counted, tmp_path, "scores", "--scan", held[0][0])
    assert (len(rows), sum(row["flagged"] for row in rows)) == held[0][1:]
    assert table["share"][0] == held[0][2] / held[0][1]
    assert f"n = {len(held)} scans" in texts(page)


def test_audit(counted: Counted, look: Look) -> None:
    look("audit")
    # The owner's idle work may append a row meanwhile: read until nothing did
    for _ in range(20):
        before = command(counted.path, "audit", "head")
        page = look("audit", rows="25")
        told, last = command(counted.path, "audit", "verify"), one("SELECT max(sequence) FROM audit_log")
        if before["sequence"] == told["head_sequence"] == last:
            break
    assert told["ok"]
    assert int(metrics(page)["Rows"]) == told["rows"] == one("SELECT count(*) FROM audit_log") == last
    assert before["hash"] in texts(page)
    table = frame(page, "sequence", "action", "hash")
    held = sql("SELECT sequence, left(hash, 12) FROM audit_log ORDER BY sequence DESC LIMIT 25")
    assert list(zip(table["sequence"], table["hash"], strict=True)) == held
    chosen = look("audit", action="role_set")
    number = one("SELECT count(*) FROM audit_log WHERE action = 'role_set'")
    assert len(frame(chosen, "sequence", "action", "hash")) == number > 0
    assert f"n = {number} rows" in texts(chosen)


def test_what_if(counted: Counted, look: Look) -> None:
    page = look("what_if", corpus=CORPUS, eta_Q="3.0")
    told = command(counted.path, "whatif", "--corpus", CORPUS, "--set", "eta_Q=3.0")
    table = frame(page, "measure", "in_force", "proposed").set_index("measure")
    for end, threshold in (("in_force", 1.6), ("proposed", 3.0)):
        flagged = one("SELECT count(*) FROM candidate_evidence WHERE score >= ?", threshold)
        touched = one("SELECT count(DISTINCT event_id) FROM candidate_evidence WHERE score >= ?", threshold)
        assert table.loc["Candidates flagged", end] == str(told[end]["flagged"]) == str(flagged)
        assert table.loc["Queries touched", end] == str(told[end]["touched"]) == str(touched)
        assert told[end]["per_thousand"] == pytest.approx(1000 * flagged / 3)
    released = one("SELECT count(*) FROM candidate_evidence WHERE score >= 1.6 AND score < 3.0")
    shown = metrics(page)
    assert int(shown["No longer flagged"]) == told["released"] == released > 0
    assert int(shown["Newly flagged"]) == told["raised"] == 0
    assert int(shown["Against a decision"]) == told["contradicting"]


def test_evaluation(counted: Counted, look: Look) -> None:
    cell = f"{CORPUS}~fixture-64~rsq/paper~unnamed attack"
    page = look("evaluation", population="retrieved", cell=cell)
    told = command(
        counted.path, "evaluate", "--population", "retrieved", "--detector", "rsq/paper", "--resamples", "200"
    )
    # AUROC: the share of pairs in which the planted one scores higher, ties one half
    pairs = (
        "WITH labelled AS (SELECT evidence.score, labels.poison FROM candidate_evidence AS evidence "
        "JOIN (SELECT DISTINCT document_id, poison FROM labels WHERE provenance = 'fixture') AS labels "
        "USING (document_id)) SELECT avg(CASE WHEN bad.score > good.score THEN 1.0 "
        "WHEN bad.score = good.score THEN 0.5 ELSE 0.0 END) FROM labelled AS bad, labelled AS good "
        "WHERE bad.poison AND NOT good.poison"
    )
    auroc = one(pairs)
    row = next(row for row in told["cells"] if row["detector"] == "rsq/paper")
    assert row["auroc"] == pytest.approx(auroc)
    assert row["positives"] == one("SELECT count(*) FROM candidate_evidence WHERE document_id LIKE 'plant-%'")
    assert row["n"] == one("SELECT count(*) FROM candidate_evidence")
    assert f"n = {row['n']} with {row['positives']} planted" in texts(page)
    ablation = frame(page, "score", "auroc")
    assert ablation["auroc"][0] == pytest.approx(auroc)


def test_settings(counted: Counted, look: Look) -> None:
    roles, told = frame(look("settings", tab="Roles"), "identity", "role"), counted.told["roles"]["roles"]
    held = sql(
        "SELECT identity, arg_max(role, seq) AS role FROM user_roles GROUP BY identity "
        "HAVING arg_max(role, seq) <> 'none' ORDER BY identity"
    )
    assert list(zip(roles["identity"], roles["role"], strict=True)) == held
    assert sorted((row["identity"], row["role"]) for row in told) == held
    tokens = frame(look("settings", tab="Tokens"), "token", "state")
    named = command(counted.path, "token", "list")["tokens"]
    assert sorted(tokens["token"]) == sorted(row["token_id"] for row in named)
    assert sorted(tokens["token"]) == [name for (name,) in sql("SELECT token_id FROM tokens ORDER BY 1")]
    page = look("settings")
    corpora = command(counted.path, "corpus", "list")["corpora"]
    documents = one("SELECT count(DISTINCT document_id) FROM document_versions WHERE origin = 'ingest'")
    assert list(frame(page, "corpus", "documents")["documents"]) == [row["documents"] for row in corpora] == [documents]
    versions = command(counted.path, "policy", "list")["policies"]
    table = frame(page, "number", "slices", "looser")
    assert list(table["number"]) == [row["sequence"] for row in versions]
    assert list(table["slices"]) == [len(row["rules"]) for row in versions]
    held = sql("SELECT sequence, json_array_length(rules) FROM policy_versions ORDER BY sequence DESC")
    assert list(zip(table["number"], table["slices"], strict=True)) == held
