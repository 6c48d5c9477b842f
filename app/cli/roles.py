"""`ragsieve roles`: who may do what once people sign in."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from app.cli.options import json_option, note_option, warehouse_option
from app.cli.output import result, table

ROLES = ("viewer", "reviewer", "approver", "admin", "none")


@click.group("roles")
def roles() -> None:
    """Roles of people who sign in. At this command line you are the user of this computer, and admin."""


@roles.command("set")
@click.argument("identity")
@click.argument("role", type=click.Choice(ROLES))
@click.option("--tenant", "tenants", multiple=True, help="Only this tenant's rows; repeatable. Default: all.")
@note_option
@warehouse_option
@json_option
def set_one(identity: str, role: str, tenants: tuple[str, ...], note: str, warehouse: Path, as_json: bool) -> int:
    """Give IDENTITY (as the identity provider names it) a role, or take it away with `none`."""
    from app.services.owning import owning
    from warehouse.roles import set_role

    with owning(warehouse, command="roles set", action="change a role") as (wh, who):
        done = set_role(wh, identity, role, principal=who, tenants=tenants or None, note=note)
    result({"identity": identity, "role": role, **asdict(done)}, as_json=as_json)
    return 0


@roles.command("list")
@warehouse_option
@json_option
def list_all(warehouse: Path, as_json: bool) -> int:
    """Roles in force, and changes that wait for a second admin."""
    from app.services.owning import owning
    from warehouse.roles import list_requests, list_roles

    with owning(warehouse, command="roles list", action="list roles") as (wh, who):
        found = list_roles(wh, principal=who)
        waiting = [row for row in list_requests(wh, principal=who) if row["outcome"] is None]
    if as_json:
        values = {"roles": found, "waiting": waiting}
        result(json.loads(json.dumps(values, default=lambda value: value.isoformat())), as_json=True)
        return 0
    table(found, ("identity", "role", "tenants", "approved_by", "actor"), empty="no role yet: ragsieve roles set")
    if waiting:
        click.echo("\nwaiting")
        table(waiting, ("request_id", "kind", "payload", "actor"), empty="")
    return 0
