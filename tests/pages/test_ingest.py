"""Ingest & scans: an upload is previewed, mapped, taken in by a real command and listed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.services.console_jobs import jobs
from app.session import desk
from tests.small_warehouse import Small
from warehouse.corpora import ensure_corpus, list_corpora
from warehouse.database import Warehouse
from warehouse.principal import local_principal

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
CSV = b"key,body,url\na,first text,https://x.example\nb,second text,https://y.example\n,no id,\n"
HOSTILE = b'{"id": "<img src=x>", "text": "![x](http://127.0.0.1:9/p.png) \\u202e"}\n'


def uploaded(page: AppTest, name: str, content: bytes) -> AppTest:
    page.file_uploader(key="import_upload").upload(name, content)
    return page.run()


def test_upload_map_take_in(elsewhere: Path, open_page: Open, said: Said) -> None:
    Warehouse.open(elsewhere, command="test").close()
    page = uploaded(open_page("ingest"), "docs.csv", CSV)
    assert not page.exception
    # Without a mapping no record has an id or a text
    assert page.button(key="import_go").disabled
    page.selectbox(key="import_map_id").select("key")
    page.selectbox(key="import_map_text").select("body")
    page.run()
    assert "2 would be taken, 1 rejected" in said(page)
    page.text_input(key="import_new").set_value("fresh")
    page.button(key="import_go").click().run()
    wh = desk().warehouse
    deadline = time.monotonic() + 90
    while any(job.state == "running" for job in jobs(wh)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [error.value for error in page.error] == []
    assert [job.state for job in jobs(wh)] == ["rejects"]
    assert [(c.name, c.documents) for c in list_corpora(wh, principal=local_principal())] == [("fresh", 2)]
    table = open_page("ingest", tab="Jobs").dataframe[0].value
    assert "accepted 2" in table["outcome"][0]


def test_hostile_upload_is_inert(elsewhere: Path, open_page: Open, said: Said) -> None:
    Warehouse.open(elsewhere, command="test").close()
    page = uploaded(open_page("ingest"), "../../x;rm -rf.jsonl", HOSTILE)
    assert not page.exception
    files = list((desk().warehouse.side.folder("console") / "uploads").iterdir())
    assert len(files) == 1
    assert files[0].name.endswith("x_rm_-rf.jsonl")
    assert "\u202e" not in said(page)
    assert "![x]" not in said(page)


def test_a_file_that_is_none_of_the_formats(elsewhere: Path, open_page: Open) -> None:
    Warehouse.open(elsewhere, command="test").close()
    page = uploaded(open_page("ingest"), "x.parquet", b"PAR1 broken")
    assert not page.exception
    assert "cannot be read" in page.error[0].value


def test_no_corpus_named(elsewhere: Path, open_page: Open, said: Said) -> None:
    Warehouse.open(elsewhere, command="test").close()
    page = uploaded(open_page("ingest"), "d.jsonl", b'{"id": "a", "text": "t"}\n')
    page.button(key="import_go").click().run()
    assert "Nothing was started." in page.error[0].value
    assert "Name the corpus" in page.text[0].value
    assert jobs(desk().warehouse) == []


def test_scans_are_those_of_the_warehouse(warehouse: Small, open_page: Open) -> None:
    page = open_page("ingest", tab="Scans so far")
    assert not page.exception
    table = page.dataframe[0].value
    assert list(table["documents"]) == [66]
    assert list(table["rule"]) == ["paper"]


def test_a_corpus_may_be_named_like_the_entry_for_a_new_one(elsewhere: Path, open_page: Open) -> None:
    with Warehouse.open(elsewhere, command="test") as wh:
        ensure_corpus(wh, "(a new corpus)", principal=local_principal())
    page = uploaded(open_page("ingest"), "d.jsonl", b'{"id": "a", "text": "t"}\n')
    assert not page.exception
    assert page.selectbox(key="import_corpus").options == ["(a new corpus)", "(a new corpus) (2)"]
    assert page.selectbox(key="import_corpus").value == "(a new corpus)"
    assert [line.key for line in page.text_input if line.key == "import_new"] == []
    page.selectbox(key="import_corpus").select_index(1).run()
    assert [line.key for line in page.text_input if line.key == "import_new"] == ["import_new"]
