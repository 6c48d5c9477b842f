"""A shared desk for page tests: people of two tenants, and who looks at the page set by the test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.warehouse.desk import LOCAL, fill, reached
from warehouse.database import Warehouse
from warehouse.roles import set_role

SECRET = "0123456789abcdef0123"
ROLES = {
    "ada": ("admin", None),
    "eve": ("admin", None),
    "bob": ("approver", None),
    "cy": ("reviewer", None),
    "val": ("viewer", ["a"]),
    "rea": ("reviewer", ["a"]),
}


@dataclass(frozen=True, slots=True)
class Shared:
    """The file, and alert ids by document: d0 and d1 of tenant a, d2 and d3 of tenant b."""

    path: Path
    alerts: dict[str, str]


def shared(path: Path) -> Shared:
    """Make the warehouse: four flagged documents, d0 in three answers, roles of six people."""
    with Warehouse.open(path, command="test") as wh:
        alerts = fill(wh)
        reached(wh, "d0", 3)
        for name, (role, tenants) in ROLES.items():
            set_role(wh, name, role, principal=LOCAL, tenants=tenants)
    return Shared(path, alerts)
