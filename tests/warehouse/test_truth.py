from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import ragsieve_core.review.truth as rules
from ragsieve_core.errors import InputError
from tests.warehouse.desk import ADA, CY, OF_B, fill
from warehouse import audit, remediation, sql, truth
from warehouse.database import Warehouse
from warehouse.errors import PermissionRefusedError
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.remediation import list_remedies, record_remedy
from warehouse.truth import list_claims, record_check, state_claim

SCORING = ("rsq", "rsg", "scans", "events", "alerts", "decisions", "acting", "severity", "quarantine", "labels")


def test_checks_make_the_status(wh: Warehouse) -> None:
    fill(wh)
    name = state_claim(wh, "c", "d0", principal=CY, statement="The festival was in 1987.")
    (claim,) = list_claims(wh, principal=ADA, document_id="d0")
    assert claim["status"] == "unverified"
    record_check(
        wh,
        name,
        principal=CY,
        kind="cross_source_agreement",
        outcome="supported",
        evidence=["https://a.example/1", "archive box 7"],
    )
    record_check(wh, name, principal=ADA, kind="human_review", outcome="contradicted", evidence=["x"], note="no")
    (claim,) = list_claims(wh, principal=ADA)
    assert (claim["status"], [check["checker"] for check in claim["checks"]]) == ("contradicted", ["ada", "cy"])
    assert list_claims(wh, principal=OF_B) == []
    with pytest.raises(InputError, match="no claim"):
        record_check(wh, name, principal=OF_B, kind="human_review", outcome="supported", evidence=["x"])
    assert audit.verify(wh).ok


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "score"},
        {"outcome": "true"},
        {"evidence": []},
        {"evidence": ["javascript:alert(1)"]},
        {"evidence": "https://x"},
        {"expires_at": utc_now()},
        {"note": "x" * 10_001},
    ],
)
def test_what_is_no_check(wh: Warehouse, change: dict) -> None:
    fill(wh)
    name = state_claim(wh, "c", "d0", principal=CY, statement="s")
    before = audit.head(wh)
    given = {"kind": "human_review", "outcome": "supported", "evidence": ["x"]} | change
    with pytest.raises(InputError):
        record_check(wh, name, principal=CY, **given)
    assert audit.head(wh) == before


def test_remedies(wh: Warehouse) -> None:
    fill(wh)
    record_remedy(wh, "c", "d0", "source_notified", principal=CY, evidence=["mail 12"])
    record_remedy(wh, "c", "d0", "corrected", principal=CY)
    assert [row["step"] for row in list_remedies(wh, principal=ADA, document_id="d0")] == [
        "corrected",
        "source_notified",
    ]
    assert list_remedies(wh, principal=OF_B) == []
    with pytest.raises(InputError):
        record_remedy(wh, "c", "d0", "deleted", principal=CY)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        record_remedy(wh, "c", "d0", "corrected", principal=OF_B)
    with pytest.raises(PermissionRefusedError):
        record_remedy(wh, "c", "d0", "corrected", principal=Principal("v", "viewer"))


def test_a_verdict_moves_neither_track(wh: Warehouse) -> None:
    from warehouse.decisions import decide

    names = fill(wh)
    state_claim(wh, "c", "d0", principal=CY, statement="s")
    decide(wh, names["d0"], 1, principal=CY, verdict="quarantine", reason="true_positive", at_once=True)
    assert list_claims(wh, principal=ADA)[0]["status"] == "unverified"
    assert list_remedies(wh, principal=ADA) == []


def test_no_code_path_leads_from_a_score() -> None:
    """Neither the modules, nor their queries, nor their functions know of scores, flags, verdicts or severity."""
    for module in (truth, remediation, rules):
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        imported = {
            part
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in [getattr(node, "module", "") or "", *(alias.name for alias in node.names)]
            for part in name.split(".")
        }
        assert not imported & set(SCORING), module.__name__
        for _, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__:
                names = set(inspect.signature(function).parameters)
                assert not names & {"score", "flagged", "verdict", "severity", "threshold", "alert"}, function
    for query in ("claims", "claim_checks", "remedies", "document"):
        text = sql.load(query)[0].casefold()
        assert not any(word in text for word in ("score", "flagged", "verdict", "severity", "alert")), query


def test_only_these_modules_write_the_tracks() -> None:
    """No other module inserts into the tables of either track."""
    folder = Path(truth.__file__).parent
    for table, owner in (
        ("truth_checks", "truth.py"),
        ("document_claims", "truth.py"),
        ("remediation_steps", "remediation.py"),
    ):
        writers = {p.name for p in folder.glob("*.py") if f"INTO {table}" in p.read_text(encoding="utf-8")}
        assert writers == {owner}
        assert not [p for p in (folder / "queries").glob("*.sql") if f"INTO {table}" in p.read_text(encoding="utf-8")]
