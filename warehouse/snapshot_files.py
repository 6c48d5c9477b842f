"""A snapshot as immutable files, for processes that may not open the warehouse while an owner lives.

``snapshots/<snapshot>-<encoder>/`` holds ``documents.arrow`` (uncompressed, memory-mapped by the reader), a vector
file unless one embedding file holds exactly these rows, and ``manifest.json``, written last: without it there is no
export.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse import embeddings
from warehouse.database import Warehouse
from warehouse.errors import StorageError
from warehouse.principal import Principal
from warehouse.snapshots import SnapshotDocuments, load_snapshot

_COLUMNS = ("ids", "texts", "titles", "sources", "tenants", "content_hashes")
FORMAT = 2
"""2: with access lists, and with which members have a vector."""


def write_snapshot_files(wh: Warehouse, snapshot: str, *, principal: Principal, encoder: str | None = None) -> Path:
    """Write the files of a snapshot unless they are there already; returns the folder.

    Only for callers of all tenants: whoever can read the folder reads all of it.
    """
    principal.require("viewer", "read a snapshot")
    if principal.tenants is not None:
        principal.require_tenant("*", "export a snapshot, which spans all tenants,")
    suffix = hashlib.sha256((encoder or "").encode()).hexdigest()[:12]
    folder = wh.side.folder("snapshots") / f"{snapshot}-{suffix}"
    manifest_path = folder / "manifest.json"
    standing = _standing(manifest_path)
    if standing == 0:
        # Members never change and every vector is there: nothing to compare with
        os.utime(manifest_path)
        return folder
    loaded = load_snapshot(wh, snapshot, principal=principal, encoder=encoder)
    if standing == len(loaded.missing):
        os.utime(manifest_path)
        return folder
    has_vector = np.full(len(loaded), encoder is not None)
    has_vector[loaded.missing] = False
    table = pa.table(
        {"version_ids": pa.array(loaded.version_ids)}
        | {name: pa.array(getattr(loaded, name), pa.large_string()) for name in _COLUMNS}
        | {"acls": pa.array(loaded.acls, pa.list_(pa.string())), "has_vector": pa.array(has_vector)}
    )
    with wh.side.writing(folder / "documents.arrow") as stream, pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)
    vectors = None
    if loaded.embeddings is not None and encoder is not None:
        if isinstance(loaded.embeddings, np.memmap):
            vectors = wh.side.relative(Path(str(loaded.embeddings.filename)))
        else:
            _, path, _ = embeddings.write_segment(wh.side, f"{snapshot} {encoder}", loaded.embeddings, folder)
            vectors = wh.side.relative(path)
    manifest = {
        "format": FORMAT,
        "snapshot": snapshot,
        "corpus": loaded.corpus,
        "corpus_id": loaded.corpus_id,
        "encoder": encoder,
        "documents": len(loaded),
        "vectors": vectors,
        "missing": len(loaded.missing),
    }
    with wh.side.writing(manifest_path) as stream:
        stream.write(json.dumps(manifest, indent=1).encode())
    return folder


def _standing(manifest: Path) -> int | None:
    """Vectors missing from the export that is there; None where there is no whole one of this format."""
    try:
        found = json.loads(manifest.read_text())
    except (OSError, ValueError):
        return None
    whole = found.get("format") == FORMAT and (manifest.parent / "documents.arrow").exists()
    if found.get("vectors") and not (manifest.parent.parent.parent / found["vectors"]).exists():
        whole = False
    return int(found["missing"]) if whole else None


def read_snapshot_files(folder: Path) -> SnapshotDocuments:
    """What :func:`warehouse.snapshots.load_snapshot` gives, from files; needs neither lock nor database.

    Raises
    ------
    StorageError
        no complete export in the folder.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_text())
        if manifest.get("format") != FORMAT:
            raise ValueError("written by another version")
        with pa.memory_map(str(folder / "documents.arrow")) as source:
            table = pa.ipc.open_file(source).read_all()
        has_vector: NDArray[np.bool_] = table["has_vector"].to_numpy()
        vectors: NDArray[np.float32] | None = None
        if manifest["vectors"]:
            vectors = np.load(folder.parent.parent / manifest["vectors"], mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise StorageError(
            f"no complete snapshot export ({error})", where=str(folder), do="ask for it again"
        ) from error
    return SnapshotDocuments(
        snapshot=manifest["snapshot"],
        corpus=manifest["corpus"],
        corpus_id=manifest["corpus_id"],
        version_ids=table["version_ids"].to_numpy(),
        embeddings=vectors,
        missing=np.flatnonzero(~has_vector) if manifest["encoder"] else np.empty(0, dtype=np.int64),
        acls=table["acls"].to_pylist(),
        **{name: table[name].to_pylist() for name in _COLUMNS},
    )
