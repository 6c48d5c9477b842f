"""A self-contained archive: a zip whose manifest names every entry with its SHA-256, and its check.

Equal entries give equal bytes. The check reads, never extracts: an entry's name leads nowhere.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragsieve_core.errors import InputError

MANIFEST = "manifest.json"
FORMAT = 1
_LARGEST = 1 << 30
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """Result of :func:`verify_archive`: ``problems`` in words, empty where ok; ``entries`` checked."""

    ok: bool
    entries: int
    sha256: str
    problems: tuple[str, ...]


def build_archive(entries: Mapping[str, bytes], about: Mapping[str, object]) -> bytes:
    """Bytes of the archive; ``about`` goes into the manifest beside the list of entries."""
    if MANIFEST in entries:
        raise InputError(f"an entry named {MANIFEST}", where="archive")
    listed = [
        {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in sorted(entries.items())
    ]
    manifest = {"format": FORMAT, **dict(about), "entries": listed}
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return _pack({MANIFEST: text, **dict(sorted(entries.items()))})


def _pack(entries: Mapping[str, bytes]) -> bytes:
    """Stored, not compressed: equal entries give equal bytes whatever made them, so that every byte can be checked."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = 0o600 << 16
            archive.writestr(entry, data)
    return stream.getvalue()


def verify_archive(path: Path) -> ArchiveReport:
    """Check every entry against the manifest, and that nothing is missing, doubled or added.

    Raises
    ------
    InputError
        no such file, no such archive, or one over 1 GiB or 10,000 entries unpacked.
    """
    try:
        data = path.read_bytes()
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if len(infos) > _MOST or sum(info.file_size for info in infos) > _LARGEST:
                raise InputError("the archive is larger than an incident can be", where=str(path))
            return _check(archive, [info.filename for info in infos], data)
    except OSError as error:
        raise InputError(f"the archive cannot be read ({error.strerror or error})", where=str(path)) from error
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        # zipfile raises RuntimeError for an encrypted entry and zlib's errors surface as one of these
        raise InputError("no archive of an incident, or a damaged one", where=str(path)) from error


def _check(archive: zipfile.ZipFile, names: list[str], data: bytes) -> ArchiveReport:
    digest = hashlib.sha256(data).hexdigest()
    problems = [f"{name!r} stands twice" for name in sorted({name for name in names if names.count(name) > 1})]
    if MANIFEST not in names:
        return ArchiveReport(False, 0, digest, (*problems, "the manifest is missing"))
    try:
        manifest = json.loads(_read(archive, MANIFEST))
        listed = {str(entry["name"]): (int(entry["bytes"]), str(entry["sha256"])) for entry in manifest["entries"]}
        if manifest["format"] != FORMAT:
            problems.append(f"format {manifest['format']}, this version reads {FORMAT}")
    except (ValueError, KeyError, TypeError):
        return ArchiveReport(False, 0, digest, (*problems, "the manifest cannot be read"))
    there = set(names) - {MANIFEST}
    problems += [f"{name!r} is not in the manifest" for name in sorted(there - listed.keys())]
    problems += [f"{name!r} is missing" for name in sorted(listed.keys() - there)]
    for name in sorted(there & listed.keys()):
        try:
            content = _read(archive, name)
        except zipfile.BadZipFile:
            problems.append(f"{name!r} is damaged")
            continue
        if (len(content), hashlib.sha256(content).hexdigest()) != listed[name]:
            problems.append(f"{name!r} is not what the manifest says")
    if not problems and _pack({name: _read(archive, name) for name in names}) != data:
        problems.append("bytes outside the entries are not what this product writes")
    return ArchiveReport(not problems, len(there), digest, tuple(problems))


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    import zlib

    try:
        return archive.read(name)
    except zlib.error as error:
        raise zipfile.BadZipFile(str(error)) from error
