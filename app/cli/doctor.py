"""`ragsieve doctor`: is this machine ready?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark
from ragsieve_core.errors import EXIT_MODEL, EXIT_USAGE

ROLES = ("retriever", "causal_lm", "trace_encoder")


@click.command()
@click.option("--profile", default="embedded", show_default=True, help="Model profile to look for.")
@click.option("--corpus", default=None, help="Say instead whether this corpus is suited to RSG, measure by measure.")
@warehouse_option
@json_option
def doctor(profile: str, corpus: str | None, warehouse: Path, as_json: bool) -> int:
    """Check versions, models, device, warehouse, lock and disk: a line each, green or with its fix."""
    from app.services.doctor import check_corpus, examine

    findings = []
    for finding in check_corpus(warehouse, corpus, profile, remark) if corpus else examine(warehouse, profile):
        findings.append(finding)
        if not as_json:
            sign = click.style("ok ", fg="green") if finding.ok else click.style("FIX", fg="red", bold=True)
            click.echo(f"{sign} {finding.name:<18} {finding.detail}")
            if finding.fix:
                click.echo(f"    {'':<18} do: {finding.fix}")
    if as_json:
        click.echo(json.dumps({"ok": all(f.ok for f in findings), "findings": [asdict(f) for f in findings]}))
    wrong = [finding for finding in findings if not finding.ok]
    if not wrong:
        return 0
    return EXIT_MODEL if all(finding.name in ROLES for finding in wrong) else EXIT_USAGE
