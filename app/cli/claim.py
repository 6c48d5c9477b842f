"""`ragsieve claim`: say that you are looking at an alert, or that you no longer are."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import expected_version_option, json_option, warehouse_option
from app.cli.output import result


@click.command("claim")
@click.argument("alert")
@expected_version_option
@click.option("--minutes", type=click.FloatRange(0, 1440, min_open=True), help="Default: the review policy's.")
@click.option("--takeover", is_flag=True, help="Also while somebody else holds it.")
@click.option("--give-back", is_flag=True, help="End your own claim.")
@warehouse_option
@json_option
def claim(
    alert: str,
    expected_version: int,
    minutes: float | None,
    takeover: bool,
    give_back: bool,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Hold ALERT for some minutes, visibly for everybody; the claim ends by itself."""
    from app.services.owning import owning
    from warehouse import claims

    with owning(warehouse, command="claim", action="claim an alert") as (wh, who):
        if give_back:
            made = claims.end_claim(wh, alert, expected_version, principal=who)
        else:
            made = claims.claim(wh, alert, expected_version, principal=who, minutes=minutes, takeover=takeover)
    values = {
        "alert": made.alert_id,
        "version": made.version,
        "holder": made.holder,
        "expires_at": f"{made.expires_at:%Y-%m-%dT%H:%M:%SZ}" if made.expires_at else None,
        "taken_from": made.taken_from,
    }
    result(values, as_json=as_json)
    return 0
