"""Layering as failing tests: what the method may not load, what nobody but the owner may import."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"torch", "duckdb", "streamlit", "transformers", "sentence_transformers", "pandas", "plotly", "faiss", "scipy"}


def run(code: str) -> dict:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)


def test_import_is_light_and_fast() -> None:
    code = (
        "import sys, time, json; s = time.perf_counter(); import ragsieve_core; t = time.perf_counter() - s;"
        "print(json.dumps({'seconds': t, 'modules': [m.split('.')[0] for m in sys.modules]}))"
    )
    runs = [run(code) for _ in range(3)]
    assert not HEAVY & set(runs[0]["modules"])
    assert min(r["seconds"] for r in runs) < 0.3


def test_no_module_of_the_method_loads_a_database_a_screen_or_torch() -> None:
    """Every module of ragsieve_core is imported, not the package alone."""
    code = (
        "import sys, json, pkgutil, importlib, ragsieve_core as c;"
        "names = [m.name for m in pkgutil.walk_packages(c.__path__, 'ragsieve_core.')];"
        "[importlib.import_module(n) for n in names];"
        "print(json.dumps({'names': names, 'modules': list(sys.modules)}))"
    )
    found = run(code)
    assert "ragsieve_core.rsq.score" in found["names"]
    loaded = {m.split(".")[0] for m in found["modules"]}
    assert not {"duckdb", "streamlit", "torch", "transformers", "plotly"} & loaded


def imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0}
    return {name.split(".")[0] for name in names}


def sources(*folders: str) -> list[Path]:
    found = [p for folder in folders for p in (ROOT / folder).rglob("*.py")]
    assert found
    return found


@pytest.mark.parametrize(
    ("library", "folders"),
    [("duckdb", ("ragsieve_core", "app", "pages")), ("streamlit", ("ragsieve_core", "warehouse"))],
)
def test_only_the_owner_imports(library: str, folders: tuple[str, ...]) -> None:
    assert [str(p.relative_to(ROOT)) for p in sources(*folders) if library in imports(p)] == []


def test_no_pages_folder_beside_the_entry_file() -> None:
    """Streamlit would serve app/pages/ without the entry file, and with it the login gate."""
    assert not (ROOT / "app" / "pages").exists()
