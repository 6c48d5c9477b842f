"""One small warehouse for all page tests, and a page run in-process as `ragsieve serve` would run it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from app.pages_map import page_file
from app.session import VARIABLE, Desk, close_warehouses
from tests.browser import chromium, need_chromium
from tests.pages.people import Shared, shared
from tests.reviewed_warehouse import Reviewed, copied
from tests.reviewed_warehouse import build as build_reviewed
from tests.small_warehouse import Small, build
from tests.warehouses import copy_warehouse
from warehouse.principal import Principal
from warehouse.roles import principal_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"
Open = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def components_scanned_once() -> Iterator[None]:
    """Every AppTest looks through all installed packages for components: what it finds is the same each time."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        yield


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """Warehouse with alerts of both detectors and hostile strings."""
    return build(tmp_path_factory.mktemp("small") / "small.duckdb")


@pytest.fixture
def warehouse(small: Small, monkeypatch: pytest.MonkeyPatch) -> Iterator[Small]:
    """The small warehouse as that of this process."""
    monkeypatch.setenv(VARIABLE, str(small.path))
    yield small
    close_warehouses()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A warehouse path of its own, with nothing at it yet."""
    path = tmp_path / "w.duckdb"
    monkeypatch.setenv(VARIABLE, str(path))
    yield path
    close_warehouses()
    shutil.rmtree(f"{path}.d", ignore_errors=True)


@pytest.fixture
def open_page() -> Open:
    """Run a page by name with a query string, as a deep link does."""

    def run(name: str, **query: str) -> AppTest:
        page = AppTest.from_file(str(MAIN), default_timeout=60).run()
        page.switch_page(str(page_file(name)))
        page.query_params.clear()
        for field, value in query.items():
            page.query_params[field] = value
        return page.run()

    return run


def texts(page: AppTest) -> str:
    """Everything a page says outside tables and charts, HTML included."""
    kinds = (page.title, page.subheader, page.markdown, page.caption, page.info, page.warning, page.error, page.code)
    kinds = (*kinds, page.success)
    parts = [part for kind in kinds for part in kind]
    return "\n".join([*(str(part.value) for part in parts), *(node.proto.body for node in page.get("html"))])


@pytest.fixture
def said() -> Callable[[AppTest], str]:
    """See :func:`texts`."""
    return texts


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    """A desk at the start of a morning, never acted on."""
    return build_reviewed(tmp_path_factory.mktemp("reviewed") / "w.duckdb")


@pytest.fixture
def reviewed(made: Reviewed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reviewed]:
    """A copy of it as the warehouse of this process."""
    found = copied(made, tmp_path)
    monkeypatch.setenv(VARIABLE, str(found.path))
    yield found
    close_warehouses()


@pytest.fixture
def become(monkeypatch: pytest.MonkeyPatch) -> Callable[[Principal], None]:
    """Look at the pages as somebody from here on, whatever signs people in."""

    def sign_in(person: Principal) -> None:
        # The setter swallows what the dataclass would store
        monkeypatch.setattr(Desk, "principal", property(lambda _: person, lambda _, __: None))

    return sign_in


@pytest.fixture(scope="session")
def shared_once(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """A warehouse of several people, never acted on."""
    return shared(tmp_path_factory.mktemp("people") / "w.duckdb")


@pytest.fixture
def desk_of_two(shared_once: Shared, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> Shared:
    """A copy of it as the warehouse of this process; no model is loaded for replays."""
    monkeypatch.setenv("RAGSIEVE_CANARY_PROFILE", "none")
    return Shared(copy_warehouse(shared_once.path, elsewhere), shared_once.alerts)


@pytest.fixture
def as_person(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let somebody be signed in on every page from here on: their role is read from the warehouse as ever."""

    def become(identity: str) -> None:
        monkeypatch.setattr("app.identity.prove", lambda wh, given: principal_for(wh, identity))

    return become


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for one module."""
    need_chromium()
    with chromium() as found:
        yield found
