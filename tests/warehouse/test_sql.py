from __future__ import annotations

import re
from pathlib import Path

import pytest

import warehouse
from warehouse import sql

QUERIES = sorted((Path(warehouse.__file__).parent / "queries").glob("*.sql"))
CODE = "\n".join(path.read_text(encoding="utf-8") for path in Path(warehouse.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_every_query_says_what_it_gives_and_is_used(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    header = "".join(re.findall(r"^--.*\n", text, re.MULTILINE))
    assert text.startswith("-- ")
    if "INSERT INTO" not in text and "CREATE OR REPLACE" not in text and "DELETE" not in text and "UPDATE " not in text:
        assert "Grain:" in header
        assert "Order:" in header or "one row" in header or "or none" in header
    for name in sql.load(path.stem)[1]:
        assert name in header, f"parameter {name} is not in the header"
    assert f'"{path.stem}"' in CODE, "no caller"
