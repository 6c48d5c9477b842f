"""The four columns of a ranking, by hand."""

from __future__ import annotations

from typing import Any

from app.components.stages import stages


def ranked(rank: int, *, by: str = "", kept: bool = False) -> dict[str, Any]:
    return {"rank": rank, "document_id": f"d{rank}", "title": "", "removed_by": by, "in_context": kept}


def test_quarantine_then_rsq_then_refill() -> None:
    rows = [
        ranked(1, by="quarantine"),
        ranked(2, by="rsq"),
        ranked(3, kept=True),
        ranked(4, by="hold"),
        ranked(5, kept=True),
        ranked(6),
    ]
    retrieved, survived, unflagged, final = stages(rows, 2)
    assert [(place, row["document_id"], gone) for place, row, gone in retrieved.places] == [
        (1, "d1", "quarantine"),
        (2, "d2", ""),
    ]
    assert [(place, row["document_id"], gone) for place, row, gone in survived.places] == [
        (1, "d2", "rsq"),
        (2, "d3", ""),
    ]
    assert [row["document_id"] for _, row, _ in unflagged.places] == ["d3"]
    assert [row["document_id"] for _, row, _ in final.places] == ["d3", "d5"]
