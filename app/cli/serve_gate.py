"""The options of `ragsieve serve --gate`, and what it does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from app.cli.options import F
from app.cli.output import progress, remark

_SETTINGS = ("mode", "budget_ms", "unscored", "unknown", "changed", "log", "sample", "query_log")
_OWN = ("corpus", "rule", "snapshot", "settings", "no_token", "filter_only", "refresh_s", "rate", "max_body", "missing")


def gate_options(command: F) -> F:
    """Options of the gate; each setting given here goes before the one of ``--settings``."""
    options = (
        click.option("--corpus", help="Gate: corpus to guard."),
        click.option("--rule", help="Gate: preset of RSQ.  [default: calibrated where it exists, else paper]"),
        click.option("--snapshot", help="Gate: stay on this snapshot.  [default: the latest, renewed]"),
        click.option(
            "--settings",
            type=click.Path(path_type=Path, exists=True, dir_okay=False),
            help="Gate: JSON file of settings, see docs/gate.md.",
        ),
        click.option("--mode", type=click.Choice(("enforce", "shadow")), help="Gate: act, or only say what it would."),
        click.option("--budget-ms", type=float, help="Gate: milliseconds a call may take for scoring."),
        click.option("--unscored", type=click.Choice(("withhold", "pass")), help="Gate: what RSQ could not score."),
        click.option("--unknown", type=click.Choice(("score", "withhold")), help="Gate: documents of no snapshot."),
        click.option("--changed", type=click.Choice(("score", "withhold")), help="Gate: documents with another text."),
        click.option("--log", type=click.Choice(("full", "sampled", "off")), help="Gate: which events are written."),
        click.option("--sample", type=float, help="Gate: share of uneventful calls that --log sampled keeps."),
        click.option("--query-log", type=click.Choice(("text", "hash")), help="Gate: keep queries, or a keyed hash."),
        click.option(
            "--missing",
            type=click.Choice(("refuse", "open")),
            help="Gate: without a readable publication, answer nothing or without exclusions.  [default: refuse]",
        ),
        click.option("--no-token", is_flag=True, help="Gate: let everybody on this machine in."),
        click.option("--filter-only", is_flag=True, help="Gate: no retriever of our own; only /v1/filter."),
        click.option(
            "--refresh",
            "refresh_s",
            type=click.FloatRange(min=1),
            help="Gate: seconds between looks for a later snapshot.  [default: 60]",
        ),
        click.option("--rate", type=click.FloatRange(min=0), help="Gate: calls a second per token.  [default: 100]"),
        click.option("--max-body", type=click.IntRange(min=1024), help="Gate: bytes of a request.  [default: 8388608]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


def refuse_gate_options(given: Mapping[str, Any]) -> None:
    """Raise a usage error where an option of the gate was given without ``--gate``."""
    for name in (*_SETTINGS, *_OWN):
        if given.get(name) not in (None, False):
            option = {"refresh_s": "refresh"}.get(name, name).replace("_", "-")
            raise click.UsageError(f"--{option} is an option of the gate: add --gate, or leave it out")


def run_gate(warehouse: Path, port: int, address: str, wait_s: float, **given: Any) -> int:
    """Serve the gate; returns the exit code: 1 where events were lost."""
    from app.gate.server import GateOptions, serve_gate
    from app.gate.service import ServiceLimits
    from app.services.models import open_models
    from ragsieve_core.errors import InputError
    from ragsieve_core.gate import gate_config, read_gate_config
    from ragsieve_core.rsq import RSQ_PRESETS, rsq_preset

    if not given["corpus"]:
        raise InputError("no corpus to guard", where="--corpus", expected="the name of one", do="ragsieve corpus list")
    settings: dict[str, object] = read_gate_config(given["settings"]) if given["settings"] else {}
    settings |= {name: given[name] for name in _SETTINGS if given[name] is not None}
    config = gate_config(settings)
    rsq = rsq_preset(given["rule"] or ("calibrated" if "calibrated" in RSQ_PRESETS else "paper"))
    limits = ServiceLimits(
        **{name: value for name, value in (("body", given["max_body"]), ("rate", given["rate"])) if value is not None},
        **({"burst": max(1.0, 2 * given["rate"])} if given["rate"] is not None else {}),
    )
    options = GateOptions(
        port=port,
        address=address,
        tokens=not given["no_token"],
        snapshot=given["snapshot"],
        refresh_s=given["refresh_s"] or 60.0,
        missing=given["missing"] or "refuse",
        filter_only=given["filter_only"],
        limits=limits,
        wait_s=wait_s,
    )
    models = open_models(
        given["profile"], given["retriever"], given["causal_lm"], given["trace_encoder"], given["layer"]
    )

    def ready(url: str) -> None:
        click.echo(f"gate open on {url}")
        remark(f"mode {config.mode}, rule {rsq.rule} (n = {rsq.n}, k = {rsq.k}), corpus {given['corpus']}")
        if not options.tokens:
            remark("no token is asked for: everybody on this machine may use it")
        remark("no TLS here: put a proxy in front of it where others reach it; Ctrl-C stops it")

    with progress("encoding documents without vectors") as step:
        health = serve_gate(
            warehouse, given["corpus"], models, config, rsq, options, say=remark, on_ready=ready, progress=step
        )
    remark(f"gate stopped: {health.written:,} events and answers written, {health.lost:,} lost")
    return 1 if health.lost else 0
