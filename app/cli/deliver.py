"""`ragsieve deliver`: the quarantine in force to an index, signed, with a receipt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import result


@click.command("deliver")
@click.argument("url")
@click.option(
    "--secret-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    help="File with the secret shared with the index, at least 16 characters.",
)
@click.option("--allow", multiple=True, help="Network (CIDR) that is not public and yet allowed; repeatable.")
@warehouse_option
@json_option
def deliver(url: str, secret_file: Path, allow: tuple[str, ...], warehouse: Path, as_json: bool) -> int:
    """Send ids and hashes of what is quarantined to URL (https only); exit code 1 if it did not arrive.

    Signed with HMAC-SHA256 over time, nonce and body; tried up to five times. docs/review-desk.md shows how an index
    checks it.
    """
    from app.services.owning import owning
    from app.services.webhook import Webhook, deliver_version, read_secret
    from ragsieve_core.errors import InputError
    from warehouse.quarantine import current_version

    hook = Webhook(url, read_secret(secret_file.read_text(encoding="utf-8", errors="replace")), allow)
    with owning(warehouse, command="deliver", action="deliver a quarantine") as (wh, who):
        version = current_version(wh, principal=who)
        if version is None:
            raise InputError("no quarantine is in force", do="ragsieve quarantine propose ALERT…")
        receipt = deliver_version(wh, version.quarantine_id, hook, principal=who)
    result({"quarantine": version.quarantine_id, **asdict(receipt)}, as_json=as_json)
    return 0 if receipt.state == "delivered" else 1
