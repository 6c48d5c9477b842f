"""Claims: who is looking at an alert, until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ragsieve_core.review import workflow
from warehouse.acting import Acting, act
from warehouse.alert_rows import require_version
from warehouse.alert_state import state_of
from warehouse.alerts import alert_row
from warehouse.database import Warehouse
from warehouse.principal import Principal


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as it stands: version of the alert after it, holder, and its end (naive UTC)."""

    alert_id: str
    version: int
    holder: str | None
    expires_at: datetime | None
    taken_from: str | None = None


def claim(
    wh: Warehouse,
    alert: str,
    expected_version: int,
    *,
    principal: Principal,
    minutes: float | None = None,
    takeover: bool = False,
) -> Claim:
    """Hold an undecided alert; the holder extends, another needs ``takeover`` while the claim holds.

    Parameters
    ----------
    minutes : (0, 1440]; None for the policy's.

    Raises
    ------
    RefusedError
        ``held_by_other``, ``already_decided``, ``stale_version``.
    """
    principal.require_person("reviewer", "claim an alert")

    def work(acting: Acting) -> Claim:
        row = alert_row(acting.cursor, alert, principal)
        wanted = acting.policy.claim_minutes if minutes is None else minutes
        state = workflow.claim(state_of(row), principal.identity, acting.now, minutes=wanted, takeover=takeover)
        require_version(row, expected_version)
        held = workflow.status_at(state_of(row), acting.now) == "claimed"
        other = str(row["holder"]) if held and row["holder"] != principal.identity else None
        acting.step(row, "claimed", state, takeover_from=other)
        return Claim(alert, expected_version + 1, state.holder, state.expires_at, other)

    return act(wh, principal, work, cause="claimed", where=alert)[0]


def end_claim(wh: Warehouse, alert: str, expected_version: int, *, principal: Principal) -> Claim:
    """Give one's own claim back.

    Raises
    ------
    RefusedError
        ``not_claimed``, ``held_by_other``, ``stale_version``.
    """
    principal.require_person("reviewer", "end a claim")

    def work(acting: Acting) -> Claim:
        row = alert_row(acting.cursor, alert, principal)
        state = workflow.give_back(state_of(row), principal.identity, acting.now)
        require_version(row, expected_version)
        acting.step(row, "claim_ended", state)
        return Claim(alert, expected_version + 1, None, None)

    return act(wh, principal, work, cause="claim_ended", where=alert)[0]
