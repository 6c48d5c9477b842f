"""axe-core on a page of the real browser, read from the installed package: nothing is fetched."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Streamlit's own navigation wraps the entries of a group in a div between list and entry; no setting reaches it
STREAMLITS_OWN: Final = {
    "list": '[data-testid="stSidebarNavItems"]',
    "listitem": '[data-testid="stSidebarNavItems"] li',
}
_RUN = """async ([own, rules]) => {
    const found = await axe.run(document, {resultTypes: ['violations'], ...(rules ? {runOnly: rules} : {})});
    const heavy = found.violations.filter(one => ['serious', 'critical'].includes(one.impact));
    return heavy.flatMap(one => one.nodes
        .filter(node => !(own[one.id] && document.querySelector(node.target[0])?.matches(own[one.id])))
        .map(node => `${one.id} (${one.impact}): ${node.html.slice(0, 200)} ${node.failureSummary.slice(0, 300)}`));
}"""


def serious_findings(page: Page, *rules: str) -> list[str]:
    """Violations of impact serious or critical, save those of :data:`STREAMLITS_OWN`; one line each.

    ``rules`` names the only ones that are looked at; all of them where none is given.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found: list[Any] = page.evaluate(_RUN, [STREAMLITS_OWN, list(rules) or None])
    return [str(one) for one in found]
