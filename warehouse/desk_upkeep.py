"""What the desk does by itself: expiries, holds by policy, re-alerts that a crash left undone. Run by the owner."""

from __future__ import annotations

from warehouse.database import Warehouse
from warehouse.holds import hold_by_policy
from warehouse.principal import Principal
from warehouse.quarantine import expire_members
from warehouse.realerting import reopen_changed


def keep_up(wh: Warehouse, *, principal: Principal) -> dict[str, int]:
    """Do what is due; returns counts ``expired``, ``held`` and ``realerted``. Safe to repeat, cheap when nothing is."""
    return {
        "expired": expire_members(wh, principal=principal),
        "realerted": reopen_changed(wh, principal=principal),
        "held": hold_by_policy(wh, principal=principal),
    }
