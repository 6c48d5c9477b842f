"""Records whose id was there before: the same again, or something else under the same name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragsieve_core.document import content_hash, document_text
from ragsieve_core.formats.records import RecordBatchColumns
from ragsieve_core.formats.rejected import Rejected, safe_raw


@dataclass(frozen=True, slots=True)
class Sorted:
    """What to do with the rows of one batch.

    Attributes
    ----------
    keep : positions of the rows to take, ascending.
    duplicates : positions of rows that repeat an earlier one, id and content.
    conflicts : one rejection for each row whose id stands for other content already.
    """

    keep: list[int]
    duplicates: list[int]
    conflicts: list[Rejected]


class DuplicateFinder:
    """Remembers ids and content hashes over the batches of one input (about 200 bytes a document)."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, str, int]] = {}

    def sort(self, batch: RecordBatchColumns, hashes: Sequence[str] | None = None) -> Sorted:
        """Rows to keep, duplicates and conflicts; the three together are all rows of the batch.

        Parameters
        ----------
        hashes : :func:`~ragsieve_core.document.content_hash` of each row's full text where the caller has them.
        """
        if hashes is None:
            pairs = zip(batch.text, batch.title, strict=True)
            hashes = [content_hash(document_text(text, title)) for text, title in pairs]
        result = Sorted([], [], [])
        for row, (key, digest) in enumerate(zip(batch.id, hashes, strict=True)):
            file, line = batch.file[row], batch.line[row]
            first = self._seen.setdefault(key, (digest, file, line))
            if first == (digest, file, line):
                result.keep.append(row)
            elif first[0] == digest:
                result.duplicates.append(row)
            else:
                place = f"line {first[2]}" if first[1] == file else f"{first[1]}:{first[2]}"
                reason = f"the id is already that of another text, in {place}"
                raw = safe_raw(f"{key}: {batch.text[row]}")
                result.conflicts.append(
                    Rejected(file, line, "id", reason, "each id for one text", raw, batch.ordinal[row])
                )
        return result
