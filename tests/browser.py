"""The real server and a real browser, for tests and for pictures of the documentation.

``with dashboard(warehouse) as url, chromium() as browser: screenshot(browser, url + "/queue", file)``
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--font-render-hinting=none",
]
_READY = re.compile(r"dashboard open on (http://\S+)")


def browser_path() -> str | None:
    """The browser of this machine, or ``None``."""
    return CHROMIUM if Path(CHROMIUM).exists() else shutil.which("chromium")


def need_chromium() -> None:
    """Skip the test where there is no browser; fail it where CI=true."""
    import pytest

    if browser_path() is None:
        message = "no Chromium on this machine"
        if os.environ.get("CI") == "true":
            pytest.fail(message + "; CI must have it")
        pytest.skip(message)


@contextmanager
def dashboard(
    warehouse: Path,
    *options: str,
    cwd: Path | None = None,
    timeout_s: float = 60.0,
    output: list[str] | None = None,
    before: str = "",
) -> Iterator[str]:
    """Run ``ragsieve serve`` on a free port; yields its URL and stops it as Ctrl-C would.

    ``options`` are further arguments; ``output`` receives the lines that it printed; ``before`` is code that the
    server's process runs first.
    """
    code = f"{before}\nfrom app.cli.main import main; main()"
    command = [sys.executable, "-c", code, "serve", "--no-browser", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--warehouse", str(warehouse.absolute()), *options],
        cwd=cwd or warehouse.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    lines: list[str] = [] if output is None else output
    ready = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if _READY.search(line):
                ready.set()
        ready.set()

    threading.Thread(target=read, daemon=True).start()
    try:
        ready.wait(timeout_s)
        found = _READY.search("".join(lines))
        if found is None:
            raise RuntimeError("the dashboard did not start:\n" + "".join(lines))
        yield found.group(1)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise RuntimeError("the dashboard did not stop on SIGINT:\n" + "".join(lines)) from None


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser that contacts nothing by itself."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), headless=True, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def one_person(folder: Path) -> Iterator[BrowserContext]:
    """The same with its files in ``folder``: scripts are compiled once, so that a page opens in two thirds of the time.

    Its pages share cookies, as those of one person do.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(folder),
            executable_path=browser_path(),
            headless=True,
            args=list(ARGUMENTS),
            viewport={"width": 1280, "height": 900},
        )
        try:
            yield context
        finally:
            context.close()


@dataclass
class Watch:
    """What a page did: requests to elsewhere, console errors, exceptions."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def foreign(self, url: str) -> list[str]:
        """Requests that left the server at ``url``; data and blob addresses stay inside the browser."""
        own = (url + "/", url.replace("http", "ws", 1) + "/", "data:", "blob:", "about:")
        return [request for request in self.requests if not request.startswith(own)]


def watch(page: Page) -> Watch:
    """Record what ``page`` does from now on."""
    seen = Watch()
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("websocket", lambda socket: seen.requests.append(socket.url))
    page.on("response", lambda answer: seen.failed.append(answer.url) if answer.status >= 400 else None)
    page.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    return seen


def settled(page: Page, timeout_ms: int = 30_000, still_ms: int = 700) -> None:
    """Wait until the script has run and every chart is drawn; ``still_ms`` is the time for charts to stand still."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=timeout_ms)
    page.wait_for_selector('[data-testid="stMainBlockContainer"] h1', timeout=timeout_ms)
    # Tables and charts are loaded on first use; until then a skeleton stands in their place
    page.wait_for_selector('[data-testid="stSkeleton"]', state="detached", timeout=timeout_ms)
    page.wait_for_timeout(still_ms)


def screenshot(
    browser: Browser,
    url: str,
    file: Path,
    *,
    dark: bool = False,
    width: int = 1280,
    height: int = 800,
    full: bool = False,
    scroll: int = 0,
) -> Watch:
    """A picture of one address; ``full`` shows everything that scrolls."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
    page = context.new_page()
    seen = watch(page)
    page.goto(url)
    settled(page)
    if full:
        inner = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        page.set_viewport_size({"width": width, "height": max(height, int(inner) + 8)})
        page.wait_for_timeout(700)
    if scroll:
        page.evaluate(f"document.querySelector('[data-testid=stMain]').scrollTo(0, {scroll})")
        page.wait_for_timeout(300)
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(file))
    context.close()
    return seen
