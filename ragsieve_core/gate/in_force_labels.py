"""A name of what is in force for one caller, the same as long as nothing that concerns the caller changes."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterable

from ragsieve_core.publication import InForce

_KEPT = 1024


class InForceLabels:
    """Names, each computed once. Safe to share between threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._labels: OrderedDict[tuple[int, str | None], str] = OrderedDict()

    def label(self, in_force: InForce, corpus: str, tenant: str | None) -> str:
        """Name of what is in force for a caller; the publication's number alone moves with what concerns others."""
        if tenant is None:
            return f"{in_force.quarantine_version or 'none'}/{in_force.number}"
        with self._guard:
            known = self._labels.get((in_force.number, tenant))
        if known is not None:
            return known

        def own(names: Iterable[tuple[str, str]]) -> list[str]:
            return sorted(name for c, name in names if c == corpus and in_force.concerns(c, name, tenant))

        held = [[name, in_force.held[corpus, name].isoformat()] for name in own(in_force.held)]
        text = json.dumps([own(in_force.quarantined), held, own(in_force.unadmitted)])
        label = f"view_{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        with self._guard:
            self._labels[in_force.number, tenant] = label
            if len(self._labels) > _KEPT:
                self._labels.popitem(last=False)
        return label
