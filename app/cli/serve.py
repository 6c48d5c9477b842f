"""`ragsieve serve`: the dashboard on a warehouse."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from app.cli.options import profile_option, wait_option, warehouse_option
from app.cli.output import remark
from app.cli.serve_gate import gate_options, refuse_gate_options, run_gate


@click.command("serve")
@warehouse_option
@click.option("--port", type=click.IntRange(0, 65535), help="0: any free port.  [default: 8501; the gate 8502]")
@click.option(
    "--address",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; the dashboard: loopback, or another one where people sign in (RAGSIEVE_SIGN_IN).",
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Dashboard: host name by which browsers reach it, for instance that of the proxy; repeatable.",
)
@click.option("--ingest", is_flag=True, help="Take segments over HTTP from programs with a token (`ragsieve token`).")
@click.option(
    "--import-root",
    "roots",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    help="Folder from which an admin may take documents in; repeatable, none by default.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser window.")
@click.option("--gate", is_flag=True, help="Serve the request gate instead of the dashboard; it may run beside it.")
@gate_options
@profile_option
@wait_option
def serve(
    warehouse: Path,
    port: int | None,
    address: str,
    hosts: tuple[str, ...],
    ingest: bool,
    roots: tuple[Path, ...],
    no_browser: bool,
    gate: bool,
    wait_s: float,
    **further: Any,
) -> int:
    """Open the dashboard on the warehouse, or with --gate the HTTP gate; Ctrl-C stops it.

    While the dashboard runs, it owns the warehouse. Other commands hand it their results and ask it what they need to
    know; those that decide or administer end with exit code 3. The gate owns nothing: it reads snapshot files and what
    is in force, and leaves its events in the inbox.

    Who signs in, and how, is said by RAGSIEVE_SIGN_IN: single (the user of this computer, the default), proxy or oidc;
    see docs/operations.md.
    """
    if gate:
        if ingest:
            raise click.UsageError("--ingest is a route of the dashboard, not of the gate")
        if roots:
            raise click.UsageError("--import-root is for the dashboard, not for the gate")
        if hosts:
            raise click.UsageError("--host is for the dashboard, not for the gate")
        return run_gate(warehouse, 8502 if port is None else port, address, wait_s, **further)
    refuse_gate_options(further)
    port = 8501 if port is None else port

    from app.server import serve_dashboard
    from app.services.import_roots import VARIABLE

    if roots:
        os.environ[VARIABLE] = os.pathsep.join(str(root.absolute()) for root in roots)
    if not warehouse.exists():
        remark(f"no warehouse at {warehouse} yet: the dashboard will say what to run")

    def ready(url: str) -> None:
        click.echo(f"dashboard open on {url}")
        if ingest:
            from app.http_ingest import PATH

            remark(f"segments are taken at {url}{PATH} from holders of a token")
        remark("Ctrl-C stops it")
        if not no_browser and _has_desktop():
            click.launch(url)

    code = serve_dashboard(warehouse, port=port, address=address, ingest=ingest, hosts=hosts, on_ready=ready)
    remark("dashboard stopped, warehouse closed")
    return code


def _has_desktop() -> bool:
    # Without one a text browser could take over the terminal that Ctrl-C has to reach
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
