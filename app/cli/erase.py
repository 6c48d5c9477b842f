"""`ragsieve erase`: the right to be forgotten, for one document."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option, yes_option
from app.cli.output import confirm, remark, result


@click.command("erase")
@click.argument("document")
@click.option("--corpus", required=True, help="Corpus that holds it.")
@click.option("--reason", required=True, help="Code or ticket, no personal data: it goes into the audit log.")
@yes_option
@warehouse_option
@json_option
def erase(document: str, corpus: str, reason: str, yes: bool, warehouse: Path, as_json: bool) -> int:
    """Erase the text, provenance, word evidence and vectors of every version of DOCUMENT. This cannot be undone.

    Ids, scores and decisions stay, and so does the audit chain, which never held the text.
    """
    from app.services.features import forget_features
    from app.services.owning import owning
    from warehouse.erasure import erasable_hashes, erase_document

    confirm(f"erase document {document!r} of corpus {corpus!r} for ever?", yes=yes)
    with owning(warehouse, command="erase", action="erase a document") as (wh, who):
        # First what is derived from the texts: once they are erased, nothing says any more which entries were theirs
        features = forget_features(warehouse, erasable_hashes(wh, corpus, document, principal=who))
        done = erase_document(wh, corpus, document, principal=who, reason=reason)
    for place in done.remaining:
        remark(f"not reached: {place}")
    values = {
        "erasure": done.erasure_id,
        "versions": done.versions,
        "vectors": done.vectors,
        "features": features,
        "exports": done.exports,
        "snapshot": done.snapshot,
        "remaining": list(done.remaining),
    }
    result(values, as_json=as_json)
    return 0
