"""Draw the pictures of the README from the real app: `make pictures`.

Runs the demo without the dashboard, serves its warehouse on a free port, and photographs the pages in Chromium.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SIZE = {"width": 1280, "height": 1000}


def free_port() -> int:
    """A port nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def chromium() -> str:
    """Path of the browser.

    Raises
    ------
    SystemExit : none installed.
    """
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        raise SystemExit("pictures need Chromium: install the package `chromium`")
    return found


@contextmanager
def served(warehouse: Path) -> Iterator[str]:
    """The dashboard on ``warehouse``; yields its address."""
    port = free_port()
    command = [sys.executable, "-m", "app.cli", "serve", "--warehouse", str(warehouse), "--port", str(port)]
    server = subprocess.Popen([*command, "--no-browser"], stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            if server.poll() is not None:
                raise SystemExit(f"the dashboard stopped with exit code {server.returncode}")
            try:
                with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
                    if answer.read() == b"ok":
                        break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.25)
        else:
            raise SystemExit("the dashboard did not answer within a minute")
        yield address
    finally:
        server.terminate()
        server.wait(timeout=20)


def subjects(warehouse: Path) -> dict[str, str]:
    """An alert of each detector (the strongest candidate, a member of the largest campaign) and a flagged question."""
    from warehouse.alerts import QueueFilter, queue_page
    from warehouse.database import Warehouse
    from warehouse.events import list_events
    from warehouse.principal import local_principal

    with Warehouse.open(warehouse, command="pictures") as wh:
        found = {}
        for detector, sort in (("rsq", "score"), ("rsg", "campaign_size")):
            page = queue_page(
                wh, principal=local_principal(), filters=QueueFilter(detectors=(detector,)), sort=sort, limit=1
            )
            found[detector] = str(page.rows[0]["alert_id"])
        events = list_events(wh, principal=local_principal(), flagged=True, sort="query_id", limit=1)
        return found | {"event": str(events.rows[0]["event_id"])}


_PLOT = ".js-plotly-plot .main-svg"
DRAWN = {
    **dict.fromkeys(("alert-rsq", "alert-rsg", "replay", "what-if", "evaluation", "overview"), _PLOT),
    "neighbourhood": "[data-testid='stMain'] canvas",
}


def draw(address: str, chosen: dict[str, str], folder: Path) -> None:
    """Photograph the pages."""
    from playwright.sync_api import sync_playwright

    shots = {
        "queue": "queue",
        "alert-rsq": f"alert?alert={chosen['rsq']}",
        "alert-rsg": f"alert?alert={chosen['rsg']}",
        "neighbourhood": f"neighbourhood?alert={chosen['rsg']}",
        "replay": f"replay?event={chosen['event']}",
        "what-if": "what_if?eta_Q=0.9",
        "evaluation": "evaluation",
        "overview": "overview",
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport=SIZE)
        for name, path in shots.items():
            page.goto(f"{address}/{path}")
            page.get_by_test_id("stApp").wait_for()
            page.wait_for_function("!document.querySelector('[data-testid=\"stStatusWidget\"]')", timeout=60_000)
            if name in DRAWN:
                # A page that has nothing to draw is no picture of the product: this ends with a timeout then
                page.locator(DRAWN[name]).first.wait_for(timeout=60_000)
            page.wait_for_timeout(2500)
            page.screenshot(path=folder / f"{name}.png")
        browser.close()


def main() -> None:
    """Fill a warehouse, serve it, photograph it."""
    with tempfile.TemporaryDirectory() as folder:
        warehouse = Path(folder) / "ragsieve.duckdb"
        demo = [sys.executable, "-m", "app.cli", "demo", "--warehouse", str(warehouse), "--no-dashboard"]
        subprocess.run(demo, check=True)
        chosen = subjects(warehouse)
        with served(warehouse) as address:
            draw(address, chosen, HERE)


if __name__ == "__main__":
    main()
