"""A ranking against the snapshot and what is in force: what each document is, and what leaves before RSQ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from ragsieve_core.document import RankedDocument, content_hash
from ragsieve_core.errors import InputError
from ragsieve_core.gate.answer import GateRemoval, Match
from ragsieve_core.gate.config import GateConfig
from ragsieve_core.gate.corpus import Barred, GateCorpus, View
from ragsieve_core.publication import InForce
from ragsieve_core.retrieve import Hits

_TITLE_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Entry:
    """One ranked document.

    Attributes
    ----------
    document : as given, ``rank`` counting from 1.
    match : what the snapshot knows of it.
    scored_text : what RSQ sees: the text given, or the snapshot's where that is the same document.
    row : its row in the snapshot, None where the caller's snapshot does not hold it.
    """

    document: RankedDocument
    match: Match
    scored_text: str
    row: int | None

    @property
    def id(self) -> str:
        """Document id."""
        return self.document.id


def check_ranking(ranking: Sequence[RankedDocument], largest: int) -> None:
    """Raise :class:`InputError` for a ranking that is too long, or a document without an id or ranked twice."""
    if len(ranking) > largest:
        raise InputError(
            f"{len(ranking):,} documents in a ranking", where="ranking", expected=f"at most {largest:,}", do="cut it"
        )
    seen: set[str] = set()
    for place, document in enumerate(ranking, start=1):
        if not isinstance(document.id, str) or not document.id or not isinstance(document.text, str):
            raise InputError(
                "a document without id or text", where=f"ranking, document {place}", expected="id and text as strings"
            )
        if document.id in seen:
            raise InputError(
                f"document {document.id!r} is ranked twice", where="ranking", expected="each document once"
            )
        seen.add(document.id)


def mark(ranking: Sequence[RankedDocument], corpus: GateCorpus, view: View) -> list[Entry]:
    """Each document as known, changed or unknown to the caller's part of the snapshot.

    A text equal to the snapshot's, or to it without a title line, is the same document and is scored on the whole of
    it. A document given without text takes the snapshot's.
    """
    entries = []
    for place, given in enumerate(ranking, start=1):
        document = RankedDocument(given.id, place, given.text, None, given.similarity)
        row = view.row(given.id)
        if row is None:
            entries.append(Entry(document, Match.UNKNOWN, given.text, None))
            continue
        stored = corpus.texts[row]
        if not given.text:
            document = RankedDocument(given.id, place, stored, None, given.similarity)
        same = not given.text or _same(given.text, stored, corpus.content_hashes[row])
        match = Match.KNOWN if same and not corpus.superseded[row] else Match.CHANGED
        entries.append(Entry(document, match, stored if same else given.text, row))
    return entries


def _same(given: str, stored: str, stored_hash: str) -> bool:
    if given == stored:
        return True
    title, blank, body = stored.partition("\n\n")
    if blank and given == body and len(title) <= _TITLE_LONGEST and "\n" not in title:
        return True
    return content_hash(given) == stored_hash


def leave(
    entries: Sequence[Entry],
    corpus: GateCorpus,
    view: View,
    in_force: InForce,
    barred: Barred,
    config: GateConfig,
    now: datetime,
) -> tuple[list[Entry], list[GateRemoval]]:
    """Survivors in rank order, and what leaves: quarantine, holds, what is not admitted, and strangers by policy.

    An unknown document whose text is that of a quarantined one leaves with it: a new id does not free a text.
    """
    left: list[Entry] = []
    removed: list[GateRemoval] = []
    copies = _quarantined_texts(corpus, view, barred) if any(e.match is Match.UNKNOWN for e in entries) else {}
    for entry in entries:
        # What the caller sees is the caller's, whatever tenant it had when it was quarantined
        tenant = view.caller.tenant if entry.row is None else None
        by = in_force.excluded_by(corpus.corpus, entry.id, now, tenant)
        detail = {
            "quarantine": "in the quarantine in force",
            "hold": "held until somebody decides",
            "unadmitted": "not admitted to retrieval yet",
        }.get(by, "")
        if not by and copies and entry.match is Match.UNKNOWN:
            twin = copies.get(content_hash(entry.document.text))
            if twin is not None:
                by, detail = "quarantine", f"the same text as {twin}"
        if not by and entry.match is Match.UNKNOWN and config.unknown == "withhold":
            by, detail = "unknown", "the snapshot does not hold it"
        if not by and entry.match is Match.CHANGED and config.changed == "withhold":
            by, detail = "changed", "the snapshot holds another text"
        if by:
            removed.append(GateRemoval(entry.id, entry.document.rank, by, detail))
        else:
            left.append(entry)
    return left, removed


def _quarantined_texts(corpus: GateCorpus, view: View, barred: Barred) -> dict[str, str]:
    rows = np.flatnonzero(view.visible & barred.quarantined_or_held).tolist()
    return {corpus.content_hashes[row]: corpus.ids[row] for row in rows}


def found(hits: Hits, corpus: GateCorpus) -> list[Entry]:
    """The entries of a search in the snapshot itself, ranked from 1."""
    pairs = zip(hits.rows.tolist(), hits.similarity, strict=True)
    return [
        Entry(
            RankedDocument(corpus.ids[row], rank, corpus.texts[row], None, float(similarity)),
            Match.KNOWN,
            corpus.texts[row],
            int(row),
        )
        for rank, (row, similarity) in enumerate(pairs, start=1)
    ]


def versions(entries: Sequence[Entry], corpus: GateCorpus) -> tuple[int | None, ...]:
    """Stored version of each entry; None where its text is not the stored one."""
    held = corpus.version_ids
    return tuple(
        int(held[entry.row]) if held is not None and entry.row is not None and entry.match is Match.KNOWN else None
        for entry in entries
    )
