"""Which two versions to compare over which stored queries, all of it in the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from app.components import url_state
from app.components.labels import apart, plain_label, spaced
from app.services.comparing import AS_ASKED, IN_FORCE, NONE, SOURCES, Version, Wanted
from app.session import Desk
from ragsieve_core.rsq.presets import RSQ_PRESETS
from warehouse.policies import list_policies
from warehouse.quarantine_versions import timeline

_FIXED_QUARANTINE: Final = {
    AS_ASKED: "as asked: what each query met",
    NONE: "none: nothing quarantined",
    IN_FORCE: "what is in force now",
}
_FIXED_POLICY: Final = {
    AS_ASKED: "as asked",
    NONE: "none: presets as published",
    IN_FORCE: "what is in force now",
}
_RULES: Final = {"": "as asked", **{name: name for name in sorted(RSQ_PRESETS)}}
# What B begins with: the question a reviewer has is what the version in force did
_FIRST: Final = {"a": AS_ASKED, "b": IN_FORCE}
CHOICE: Final = ("a", "b", "pa", "pb", "ra", "rb")
_bound = url_state.bound


def show_filters(here: Desk, corpora: Sequence[str]) -> Wanted:
    """Draw corpus and filters, then the two versions; returns what to compare."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        corpus = url_state.one_of("corpus", list(corpora), corpora[0]) or corpora[0]
        st.selectbox(
            "Corpus", list(corpora), format_func=apart(corpora), width=200, **_bound("corpus", corpora[0], ("page",))
        )
        source = url_state.one_of("source", SOURCES)
        st.selectbox("Source", SOURCES, None, placeholder="Any", width=120, **_bound("source", None, ("page",)))
        rules = sorted(RSQ_PRESETS)
        scored_by = url_state.one_of("scored_by", rules)
        st.selectbox(
            "Scored by rule", rules, None, placeholder="Any", width=150, **_bound("scored_by", None, ("page",))
        )
        condition = url_state.line("condition")
        st.text_input("Condition, whole", placeholder="Any", width=180, **_bound("condition", None, ("page",)))
    a, b = show_versions(here)
    return Wanted(
        corpus, a, b, source=source or "", rule=scored_by or "", condition=condition, warehouse=here.warehouse.path.name
    )


def show_versions(here: Desk) -> tuple[Version, Version]:
    """Draw the two versions side by side; returns them."""
    quarantines = quarantine_words(here)
    policies = policy_words(here)
    sides = []
    for column, end in zip(st.columns(2, gap="medium"), ("a", "b"), strict=True):
        with column, st.container(border=True, key=f"version_{end}"):
            st.markdown(f"**Version {end.upper()}**")
            quarantine = url_state.one_of(end, list(quarantines), _FIRST[end]) or _FIRST[end]
            st.selectbox(
                "Quarantine", list(quarantines), format_func=quarantines.__getitem__,
                **_bound(end, _FIRST[end], ("page",)),
            )  # fmt: skip
            left, right = st.columns(2)
            with left:
                policy = url_state.one_of(f"p{end}", list(policies), AS_ASKED) or AS_ASKED
                st.selectbox(
                    "Policy", list(policies), format_func=policies.__getitem__,
                    help="Thresholds, weights and gates of RSQ: they apply to stored terms at once.",
                    **_bound(f"p{end}", AS_ASKED, ("page",)),
                )  # fmt: skip
            with right:
                rule = url_state.one_of(f"r{end}", list(_RULES), "") or ""
                st.selectbox(
                    "Rule of RSQ", list(_RULES), format_func=_RULES.__getitem__,
                    help="A query scored by another rule must be scored by the models before it can be compared.",
                    **_bound(f"r{end}", "", ("page",)),
                )  # fmt: skip
            sides.append(Version(quarantine, policy, rule))
    return sides[0], sides[1]


def quarantine_words(here: Desk) -> dict[str, str]:
    """Choices of a quarantine in words; names of people go through the plain surface of a select box."""
    rows = timeline(here.warehouse, principal=here.principal)
    return _FIXED_QUARANTINE | {row["quarantine_id"]: _quarantine(row) for row in rows}


def policy_words(here: Desk) -> dict[str, str]:
    """Choices of a policy in words."""
    held = list_policies(here.warehouse, principal=here.principal)
    return _FIXED_POLICY | {
        one.policy_id: f"#{one.sequence} {spaced(one.state)}, {_counted(len(one.rules), 'slice')}, "
        f"{plain_label(one.author, 20)}"
        for one in held
    }


def version_words(version: Version, quarantines: Mapping[str, str], policies: Mapping[str, str]) -> str:
    """A version in one line."""
    parts = [f"quarantine {quarantines.get(version.quarantine, version.quarantine)}"]
    if version.policy != AS_ASKED:
        parts.append(f"policy {policies.get(version.policy, version.policy)}")
    if version.rule:
        parts.append(f"rule {version.rule}")
    return " · ".join(parts)


def _quarantine(row: Mapping[str, Any]) -> str:
    note = f" · {plain_label(row['note'], 40)}" if row["note"] else ""
    return f"#{row['sequence']} {spaced(row['state'])}, {_counted(row['members'], 'document')}{note}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
