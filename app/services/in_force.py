"""What applies to one ranking right now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from ragsieve_core.publication import InForce as Published
from ragsieve_core.serial import InForce


def in_force(
    corpus: str,
    versions: Mapping[str, int],
    ranked: Mapping[str, object],
    published: Published,
    alerted: frozenset[str],
    near: Mapping[int, frozenset[str]],
) -> InForce:
    """What applies to a ranking.

    Parameters
    ----------
    versions : document id -> version id of the ranked documents that the warehouse knows.
    ranked : ids of the ranked documents.
    published : quarantine and holds as published, read once for many rankings.
    alerted : ids with an undecided RSG alert, likewise.
    near : version id -> ids of its retained neighbours, likewise.
    """
    now = datetime.now(UTC)
    why = {name: published.excluded_by(corpus, name, now) for name in ranked}
    return InForce(
        quarantined={name: str(published.quarantine_version) for name, by in why.items() if by == "quarantine"},
        held=frozenset(name for name, by in why.items() if by == "hold"),
        alerted=alerted,
        retained_neighbors={name: near[version] for name, version in versions.items() if version in near},
    )
