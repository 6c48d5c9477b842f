"""Why a change was refused. The names are stored, shown and answered over HTTP; they do not change."""

from __future__ import annotations

from enum import StrEnum


class Refusal(StrEnum):
    """Named reasons of :class:`warehouse.errors.RefusedError` and of refused segments."""

    STALE_VERSION = "stale_version"
    """Somebody changed the alert after the caller read it."""
    NOT_A_PERSON = "not_a_person"
    """A token or an inbox segment tried what only a signed-in person may do."""
    SAME_PERSON = "same_person"
    """The proposer may not approve."""
    NOT_PROPOSED = "not_proposed"
    """The version is in force already, or was rejected."""
    PARENT_CHANGED = "parent_changed"
    """Another version came into force after this one was proposed."""
    NOTHING_TO_DO = "nothing_to_do"
    """The change would change nothing."""
    UNKNOWN_KIND = "unknown_kind"
    """A segment of a kind that the inbox does not take: it takes data only."""
    WRONG_HASH = "wrong_hash"
    """The name of a segment is not the hash of its bytes."""
    WRONG_OWNER = "wrong_owner"
    """A file in the inbox belongs to another user, or is no regular file."""
    NOT_YOURS = "not_yours"
    """The same bytes were brought by another token; its receipt is not shown to this one."""
    TOO_LARGE = "too_large"
    """Over the limit of bytes or rows."""
    BAD_SEGMENT = "bad_segment"
    """Bytes that are no segment, or a table that does not fit its kind."""
    BAD_CONTENT = "bad_content"
    """A sound segment whose content the warehouse refuses."""
