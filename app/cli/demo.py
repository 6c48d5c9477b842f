"""`ragsieve demo`: from nothing to a dashboard with alerts in the queue."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.output import progress, remark

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@click.command()
@click.option(
    "--warehouse",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("demo/ragsieve.duckdb"),
    show_default=True,
    help="Warehouse of the demo; made on first use, kept for the next.",
)
@click.option("--examples", type=click.Path(path_type=Path), default=EXAMPLES, help="Folder of the example corpus.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option("--no-dashboard", is_flag=True, help="Fill the warehouse and stop.")
def demo(warehouse: Path, examples: Path, port: int, no_dashboard: bool) -> int:
    """Take in the example corpus, scan it with real models, answer its questions, open the dashboard.

    The first run computes everything (minutes on two cores); later runs find it stored.
    """
    from app.server import serve_dashboard
    from app.services.demo import prepare_demo
    from app.services.owner_access import OwnerAccess
    from warehouse.alerts import QueueFilter, queue_page
    from warehouse.database import Warehouse
    from warehouse.principal import local_principal

    warehouse.parent.mkdir(parents=True, exist_ok=True)
    principal = local_principal()
    with Warehouse.open(warehouse, command="demo") as wh:
        prepare_demo(OwnerAccess(wh, principal), examples, warehouse=warehouse, say=remark, bar=progress)
        alerts = queue_page(wh, principal=principal, filters=QueueFilter(statuses=("open",)), limit=1).total
    remark(f"{alerts} alerts in the queue")
    if no_dashboard:
        return 0
    return serve_dashboard(
        warehouse,
        port=port,
        on_ready=lambda url: remark(f"dashboard open on {url} with {alerts} alerts in the queue; Ctrl-C stops it"),
    )
