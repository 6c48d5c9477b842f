"""The audit chain as a file to verify elsewhere."""

from __future__ import annotations

import json

from warehouse import audit
from warehouse.database import Warehouse
from warehouse.principal import Principal


def audit_lines(wh: Warehouse, principal: Principal) -> bytes:
    """The whole chain as JSON lines, oldest first, as `ragsieve audit export` writes it."""
    rows = audit.export(wh, principal=principal)
    return "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows).encode()
