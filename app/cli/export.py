"""`ragsieve export`: stored rows as a file for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result
from ragsieve_core.errors import InputError, nearest

KINDS = ("scores", "decisions", "quarantine", "events", "candidates", "labels", "incident")
FORMATS = ("parquet", "csv", "jsonl")


@click.command("export")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("alert", required=False)
@click.option("--out", type=click.Path(path_type=Path), help="File to write; replaced when complete.")
@click.option("--verify", type=click.Path(path_type=Path), help="Check an archive of `export incident` instead.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="Default: the ending of --out.")
@click.option("--corpus", default="", help="Only this corpus.")
@click.option("--scan", default="", help="Scan of the scores; default: the latest finished one.")
@click.option("--version", "version", default="", help="Quarantine version; default: the one in force.")
@warehouse_option
@json_option
def export(
    kind: str,
    alert: str | None,
    out: Path | None,
    verify: Path | None,
    form: str | None,
    corpus: str,
    scan: str,
    version: str,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Write stored rows to a file.

    scores: one row per document of a scan. decisions: one per verdict. quarantine: one per member of a version.
    events: one per ranked document of a query. candidates: one per candidate with the four terms. labels: one per
    label. Times are UTC. In CSV, text that a spreadsheet would run as a formula gets an apostrophe in front; Parquet
    and JSON Lines hold every value as it is.

    incident ALERT: a zip with everything that is stored of one alert, each entry with its SHA-256 in the manifest;
    `--verify FILE` checks one, with no warehouse.
    """
    from app.services.export_files import hand_over
    from app.services.own_files import refuse_own_file
    from app.services.owner_jobs import run_job
    from app.services.owning import existing

    if kind == "incident":
        return _incident(alert, out, verify, warehouse, as_json)
    if alert is not None or verify is not None:
        raise InputError("an alert and --verify belong to `export incident`", where="export", do="leave it out")
    if out is None:
        raise InputError("no file to write", where="--out", expected="a file name")
    kind_of_file = form or out.suffix.removeprefix(".").lower()
    if kind_of_file not in FORMATS:
        raise InputError(
            f"no format {kind_of_file!r}", where=f"--out {out}", expected=nearest(kind_of_file, FORMATS), do="--format"
        )
    for name, value, owner in (("--scan", scan, "scores"), ("--version", version, "quarantine")):
        if value and kind != owner:
            raise InputError(f"{name} belongs to `export {owner}`", where=name, do="leave it out")
    target = refuse_own_file(out, existing(warehouse), where="--out")
    given = {"kind": kind, "format": kind_of_file, "corpus": corpus, "scan": scan, "version": version}
    found = run_job(warehouse, "export", given, command=f"export {kind}", say=remark)
    hand_over(Path(found["file"]), target)
    if not found["rows"]:
        remark("nothing stored of this kind yet: the file holds the column names alone")
    values = {
        "export": kind,
        "rows": found["rows"],
        "columns": found["columns"],
        "format": kind_of_file,
        "out": str(out),
    }
    result(values | ({"scan": found["scan"]} if found["scan"] else {}), as_json=as_json)
    return 0


def _incident(alert: str | None, out: Path | None, verify: Path | None, warehouse: Path, as_json: bool) -> int:
    from app.services.export_files import hand_over
    from app.services.own_files import refuse_own_file
    from app.services.owner_jobs import run_job
    from app.services.owning import existing
    from ragsieve_core.review.archive import verify_archive

    if verify is not None:
        report = verify_archive(verify)
        for problem in report.problems:
            remark(f"broken: {problem}")
        values = {
            "ok": report.ok,
            "entries": report.entries,
            "sha256": report.sha256,
            "problems": list(report.problems),
        }
        result(values, as_json=as_json)
        return 0 if report.ok else 1
    if alert is None or out is None:
        raise InputError("which alert, and where to?", where="export incident", expected="an alert id and --out FILE")
    target = refuse_own_file(out, existing(warehouse), where="--out")
    found = run_job(warehouse, "incident", {"alert": alert}, command="export incident", say=remark)
    hand_over(Path(found.pop("file")), target)
    result(found | {"out": str(out)}, as_json=as_json)
    return 0
