"""`ragsieve scan`: RSG over a snapshot."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.durations import Duration
from app.cli.options import json_option, profile_option, rule_option, wait_option, warehouse_option
from app.cli.output import progress, remark, result
from ragsieve_core.errors import InputError

if TYPE_CHECKING:
    from app.services.scanning import ScanOutcome


@click.command()
@click.option("--corpus", required=True, help="Corpus to scan.")
@click.option("--snapshot", default=None, help="Snapshot id; default the latest.")
@click.option("--encoder", default=None, help="Key of stored vectors; default the profile's retriever.")
@rule_option("calibrated")
@click.option("--every", "every_s", type=Duration(), default=None, help="Scan again after this time: 90s, 15m, 2h, 1d.")
@click.option("--count", type=click.IntRange(min=1), default=None, help="With --every: so many rounds, then end.")
@profile_option
@warehouse_option
@wait_option
@json_option
def scan(
    corpus: str,
    snapshot: str | None,
    encoder: str | None,
    rule: str,
    every_s: float | None,
    count: int | None,
    warehouse: Path,
    wait_s: float,
    as_json: bool,
    **models: Any,
) -> int:
    """Compare each document's neighbours with its own local floor, and raise alerts.

    Documents without vectors are encoded first. Only what changed since the last scan is searched; an interrupted scan
    goes on from its finished blocks; the same scan run twice is stored once. With --every it is repeated for audits: a
    round without a change is skipped, a failed one is counted, and Ctrl-C ends with a summary.
    """
    from app.cli.scan_summary import scan_lines, scan_values
    from app.services.access import open_access
    from app.services.models import open_models
    from app.services.scan_rounds import scan_rounds
    from app.services.scanning import scan_corpus

    if every_s is None and count is not None:
        raise InputError("--count without --every", where="scan", expected="--every 15m beside it")
    if every_s is not None and snapshot is not None:
        raise InputError("one snapshot does not change", where="--every", expected="no --snapshot beside it")
    loaded = open_models(**models)

    def once() -> ScanOutcome:
        with open_access(warehouse, command="scan", say=remark, wait_s=wait_s) as access:
            return scan_corpus(
                access, corpus, loaded, rule=rule, snapshot=snapshot, encoder=encoder, bar=progress, say=remark
            )

    def tell(done: ScanOutcome) -> None:
        for line in scan_lines(done):
            remark(line)

    if every_s is None:
        done = once()
        tell(done)
        result(scan_values(corpus, rule, done, as_json=as_json), as_json=as_json)
        return 0
    total = scan_rounds(once, every_s=every_s, count=count, say=remark, done=tell)
    values = {"corpus": corpus, "rule": rule, **asdict(total)}
    del values["exit_code"]
    result(values, as_json=as_json)
    return total.exit_code if total.failed == total.rounds else 0
