"""`ragsieve token`: credentials for programs; none of them can decide anything."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, warehouse_option, yes_option
from app.cli.output import confirm, remark, result, table
from ragsieve_core.errors import InputError

SCOPES = ("ingest", "gate", "read")


@click.group("token")
def token() -> None:
    """Tokens for scanners and gates on other machines: one scope, at most one tenant, an end, revocable."""


@token.command("create")
@click.option("--name", required=True, help="What it is for; shown in the audit log.")
@click.option(
    "--scope",
    required=True,
    type=click.Choice(SCOPES),
    help="ingest: documents, vectors, scans. gate: events. read: reads.",
)
@click.option("--tenant", default=None, help="The one tenant it may touch; default: all.")
@click.option("--days", type=click.FloatRange(0, min_open=True), default=90.0, show_default=True, help="Until it ends.")
@click.option("--never-expires", is_flag=True, help="No end; revoke it when it is not needed any more.")
@click.option("--secret-file", type=click.Path(path_type=Path), help="Write the secret here (0600), not on the screen.")
@warehouse_option
@json_option
def create(
    name: str,
    scope: Any,
    tenant: str | None,
    days: float,
    never_expires: bool,
    secret_file: Path | None,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Make a token. Its secret is shown this once and stored nowhere, only its hash is."""
    from app.services.owning import owning
    from warehouse.tokens import issue_token

    kept = _reserve(secret_file)
    try:
        with owning(warehouse, command="token create", action="issue a token") as (wh, who):
            made = issue_token(
                wh, principal=who, name=name, scope=scope, tenant=tenant, days=None if never_expires else days
            )
    except BaseException:
        if kept is not None and secret_file is not None:
            os.close(kept)
            secret_file.unlink()
        raise
    if kept is not None:
        with os.fdopen(kept, "w") as stream:
            stream.write(made.secret + "\n")
    else:
        remark("keep the secret now: it is not shown again")
    values = {
        "token": made.token_id,
        "scope": scope,
        "tenant": tenant,
        "expires_at": made.expires_at.isoformat(timespec="seconds") if made.expires_at else None,
        "secret": None if kept is not None else made.secret,
        "secret_file": str(secret_file) if secret_file else None,
    }
    result(values, as_json=as_json)
    return 0


def _reserve(secret_file: Path | None) -> int | None:
    """Open the file before the token is made: a token whose secret cannot be kept would be lost."""
    if secret_file is None:
        return None
    try:
        return os.open(secret_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InputError(
            f"the secret cannot be written ({error.strerror})",
            where=f"--secret-file {secret_file}",
            expected="a new file",
        ) from error


@token.command("list")
@warehouse_option
@json_option
def list_all(warehouse: Path, as_json: bool) -> int:
    """Every token, latest first, without its secret."""
    from app.services.owner_jobs import run_job

    found = run_job(warehouse, "tokens", {}, command="token list", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    columns = ("token_id", "name", "scope", "tenant", "created_at", "expires_at", "revoked_at")
    table(found["tokens"], columns, empty="no token yet: ragsieve token create --name NAME --scope ingest")
    return 0


@token.command("revoke")
@click.argument("token_id")
@yes_option
@warehouse_option
@json_option
def revoke(token_id: str, yes: bool, warehouse: Path, as_json: bool) -> int:
    """Stop accepting TOKEN_ID from the next request on."""
    from app.services.owning import owning
    from warehouse.tokens import revoke_token

    confirm(f"revoke {token_id}? whatever uses it is locked out at once", yes=yes)
    with owning(warehouse, command="token revoke", action="revoke a token") as (wh, who):
        revoke_token(wh, token_id, principal=who)
    result({"revoked": token_id}, as_json=as_json)
    return 0
