"""Ids of groups that outlive a scan: made under the warehouse's own key, so that they tell nobody else the members."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from ragsieve_core.rsg.campaigns import campaign_ids


def lasting_ids(
    key: str,
    corpus_id: str,
    groups: Sequence[Sequence[str]],
    earlier: Sequence[Mapping[str, Any]],
    *,
    name: str,
    member: str,
    prefix: str,
) -> list[str]:
    """Ids of groups, kept from earlier ones with which they share more than half of either set of members.

    Parameters
    ----------
    key : the warehouse's secret (hex).
    groups : what identifies the members of each.
    earlier : rows of earlier groups, last seen first, with columns ``name`` (the id) and ``member``.
    prefix : two characters in front of 16 hex digits.
    """

    def keyed(value: str) -> str:
        message = f"{corpus_id}\x1f{value}".encode("utf-8", "surrogatepass")
        return hmac.new(bytes.fromhex(key), message, hashlib.sha256).hexdigest()

    before: dict[str, set[str]] = {}
    for row in earlier:
        before.setdefault("c-" + str(row[name])[len(prefix) :], set()).add(keyed(str(row[member])))
    known = [(one, frozenset(members)) for one, members in before.items()]
    now = [frozenset(keyed(value) for value in members) for members in groups]
    return [prefix + made.removeprefix("c-") for made in campaign_ids(now, known)]
