"""What a command may ask of whoever owns the warehouse: reads, exports and backups, by name.

Each takes JSON values and gives JSON values, so that it can be asked of another process. None changes a row save for
the audit entry of a backup.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from app.services.export_files import write_table
from app.services.own_files import refuse_own_file
from ragsieve_core.errors import InputError
from warehouse import answers, audit, exports, policies, provenance
from warehouse.alerts import QueueFilter, queue_page
from warehouse.backup import backup
from warehouse.campaigns import campaign_detail
from warehouse.corpora import get_corpus, list_corpora
from warehouse.database import Warehouse
from warehouse.events import candidate_rows, exposure
from warehouse.freshness import corpus_freshness
from warehouse.holds import list_holds
from warehouse.ids import new_id, utc_now
from warehouse.incident import incident_archive
from warehouse.labels import list_labels
from warehouse.overview import overview
from warehouse.overview_figures import overview_figures
from warehouse.principal import Principal
from warehouse.quarantine import diff_versions, get_version, list_versions
from warehouse.scans import get_scan, list_scans, scan_scores
from warehouse.tokens import list_tokens

Arguments = Mapping[str, Any]
Job = Callable[[Warehouse, Principal, Arguments], dict[str, Any]]


def _backup(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    folder = Path(given["folder"])
    if folder.resolve().is_relative_to(wh.side.root):
        raise InputError("a backup inside the warehouse's own folder", where=str(folder), expected="a folder elsewhere")
    done = backup(wh, folder, principal=who)
    return {
        "folder": str(done.folder),
        "files": len(done.files),
        "bytes": done.bytes,
        "audit_sequence": done.audit_sequence,
        "audit_hash": done.audit_hash,
    }


def _audit_verify(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    heads = [audit.AuditHead(int(sequence), str(digest)) for sequence, digest in given["against"]]
    report = asdict(audit.verify(wh, against=heads))
    return report | {"heads": len(heads)}


def _audit_head(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    if not given["sink"]:
        return asdict(audit.head(wh))
    return asdict(audit.append_head(wh, refuse_own_file(Path(given["sink"]), wh.path, where="--sink")))


def _audit_export(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    rows = audit.export(wh, principal=who, first=int(given["first"]))
    made = wh.side.folder("tmp") / f"{new_id('export')}.jsonl"
    with wh.side.writing(made) as stream:
        for row in rows:
            stream.write(
                json.dumps(row, ensure_ascii=False, sort_keys=True).encode("utf-8", "backslashreplace") + b"\n"
            )
    return {"file": str(made), "rows": len(rows)}


def _export(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    kind, corpus = str(given["kind"]), str(given["corpus"])
    if corpus:
        get_corpus(wh, corpus, principal=who)
    origin = {"export": kind, "corpus": corpus, "warehouse": wh.path.name, "made_at": utc_now().isoformat()}
    if kind == "scores":
        origin["scan"] = _scan_id(wh, who, str(given["scan"]), corpus)
        table = scan_scores(wh, origin["scan"], principal=who)
    elif kind == "quarantine":
        version = str(given["version"])
        if version:
            get_version(wh, version, principal=who)
        table = exports.quarantine(wh, principal=who, corpus=corpus, version=version)
    elif kind == "decisions":
        table = exports.decisions(wh, principal=who, corpus=corpus)
    elif kind == "events":
        table = exports.events(wh, principal=who, corpus=corpus)
    elif kind == "candidates":
        table = candidate_rows(wh, principal=who, corpus=corpus)
    else:
        table = list_labels(wh, principal=who, corpus=corpus)
    made = wh.side.folder("tmp") / f"{new_id('export')}.{given['format']}"
    with wh.side.writing(made) as stream:
        write_table(table, stream, given["format"], origin)
    return {"file": str(made), "rows": table.num_rows, "columns": table.num_columns, "scan": origin.get("scan", "")}


def _incident(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    data, told = incident_archive(wh, str(given["alert"]), principal=who)
    made = wh.side.folder("tmp") / f"{new_id('export')}.zip"
    with wh.side.writing(made) as stream:
        stream.write(data)
    return {"file": str(made), **told}


def _scan_id(wh: Warehouse, who: Principal, scan: str, corpus: str) -> str:
    if scan:
        return str(get_scan(wh, scan, principal=who)["scan_id"])
    done = [row for row in list_scans(wh, principal=who, corpus=corpus) if row["status"] == "finished"]
    found = sorted({str(row["corpus"]) for row in done})
    if not found:
        raise InputError("no finished scan to export", do="ragsieve scan --corpus NAME")
    if len(found) > 1:
        raise InputError(
            "scans of several corpora",
            where="export scores",
            expected=f"--corpus, one of {', '.join(found)}, or --scan",
        )
    return str(done[0]["scan_id"])


def _quarantine(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    return {
        "versions": [asdict(version) for version in list_versions(wh, principal=who)],
        "holds": _plain(list_holds(wh, principal=who)),
    }


def _quarantine_diff(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    first, second = given["first"], str(given["second"])
    current = next((v.quarantine_id for v in list_versions(wh, principal=who) if v.state == "in_force"), None)
    start = current if first is None else str(first)
    for name in filter(None, (start, second)):
        get_version(wh, name, principal=who)
    found = diff_versions(wh, start, second, principal=who)
    return {"first": start, "second": second, "added": found.added, "removed": found.removed}


def _alerts(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    if given["corpus"]:
        get_corpus(wh, given["corpus"], principal=who)
    campaign = str(given.get("campaign", ""))
    # A group of copies has an id of its own kind and no detail: its alerts are all there is to it
    detail = campaign_detail(wh, campaign, principal=who) if campaign and not campaign.startswith("g-") else None
    wanted = QueueFilter(
        statuses=given["statuses"],
        verdicts=given["verdicts"],
        corpus=given["corpus"],
        campaign=campaign,
        kinds=given.get("kinds", []),
    )
    page = queue_page(wh, principal=who, filters=wanted, limit=int(given["limit"]))
    names = (
        "alert_id", "version", "detector", "corpus", "document_id", "score", "threshold", "severity", "status",
        "verdict", "reason", "kind", "campaign", "campaign_size",
    )  # fmt: skip
    found: dict[str, Any] = {
        "alerts": _plain([{name: row.get(name) for name in names} for row in page.rows]),
        "total": page.total,
    }
    if detail is not None:
        found["campaign"] = _plain([asdict(detail)])[0]
    return found


def _tokens(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    return {"tokens": _plain(list_tokens(wh, principal=who))}


def _corpora(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    found = []
    fresh = {entry.corpus_id: entry for entry in corpus_freshness(wh, principal=who)}
    for corpus in list_corpora(wh, principal=who):
        trust = [row for row in provenance.trust_history(wh, corpus.name, principal=who) if row["in_force"]]
        risk = [row for row in provenance.risk_history(wh, corpus.name, principal=who) if row["in_force"]]
        entry = fresh.get(corpus.corpus_id)
        freshness = {
            "unscanned": entry.unscanned if entry else 0,
            "oldest_unscanned_hours": entry.oldest_hours if entry else None,
            "last_scan_at": entry.last_scan_at.isoformat() if entry and entry.last_scan_at else None,
        }
        found.append(asdict(corpus) | freshness | {"trust": _plain(trust), "risk": _plain(risk)})
    return {"corpora": found}


def _exposure(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    return {"versions": exposure(wh, str(given["corpus"]), principal=who)}


def _gate_events(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    if given["corpus"]:
        get_corpus(wh, given["corpus"], principal=who)
    since = datetime.fromisoformat(given["since"]) if given["since"] else None
    found = answers.gate_events(
        wh,
        principal=who,
        corpus=given["corpus"],
        state=given["state"],
        mode=given["mode"],
        since=since,
        limit=int(given["limit"]),
    )
    return {"events": _plain(found)}


def _document_reach(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    found = answers.document_reach(
        wh, given["corpus"], principal=who, document_id=given["document"], limit=int(given["limit"])
    )
    return {"documents": _plain(found)}


def _evaluate(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    if given["corpus"]:
        get_corpus(wh, given["corpus"], principal=who)
    # Imported here, as in _whatif: with SciPy it takes longer than most commands take to answer
    from app.services import evaluating

    names = ("corpus", "retriever", "attack", "detector", "population")
    wanted = evaluating.Wanted(**{name: str(given[name]) for name in names})
    return {
        "rows": evaluating.rows(
            wh,
            wanted,
            view=str(given["view"]),
            resamples=int(given["resamples"]),
            seed=int(given["seed"]),
            warehouse=str(given["warehouse"]),
            principal=who,
        )
    }


def _whatif(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    from app.services import weighing, whatif_setting

    return weighing.report(wh, whatif_setting.Setting.from_json(given), principal=who)


def _compare(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    from app.services import comparing, comparison_report

    done = comparing.compared(wh, comparing.Wanted.from_json(given), principal=who)
    return comparison_report.report(done, listed=int(given["listed"]))


def _policies(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    return {"policies": [policies.version_row(one) for one in policies.list_policies(wh, principal=who)]}


def _policy_diff(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    current = policies.current_policy(wh, principal=who)
    first, second = given["first"], str(given["second"])
    start = (current.policy_id if current else None) if first is None else None if first == "none" else str(first)
    found = policies.diff_policies(wh, start, second, principal=who)
    return {"first": start, "second": second, "changes": [asdict(change) for change in found]}


def _overview(wh: Warehouse, who: Principal, given: Arguments) -> dict[str, Any]:
    found = overview_figures(wh, principal=who)
    fresh = [asdict(entry) for entry in corpus_freshness(wh, principal=who)]
    return _plain([found | {"counts": overview(wh, principal=who), "freshness": fresh}])[0]


def _plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows as JSON values: times as ISO text."""
    plain: list[dict[str, Any]] = json.loads(json.dumps(rows, default=lambda value: value.isoformat()))
    return plain


JOBS: Mapping[str, Job] = {
    "backup": _backup,
    "audit_verify": _audit_verify,
    "audit_head": _audit_head,
    "audit_export": _audit_export,
    "export": _export,
    "incident": _incident,
    "quarantine": _quarantine,
    "quarantine_diff": _quarantine_diff,
    "alerts": _alerts,
    "tokens": _tokens,
    "corpora": _corpora,
    "exposure": _exposure,
    "gate_events": _gate_events,
    "document_reach": _document_reach,
    "evaluate": _evaluate,
    "whatif": _whatif,
    "compare": _compare,
    "policies": _policies,
    "policy_diff": _policy_diff,
    "overview": _overview,
}
