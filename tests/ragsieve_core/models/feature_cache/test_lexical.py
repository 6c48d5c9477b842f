"""Words and scripts of a text, worked out by hand."""

from __future__ import annotations

from ragsieve_core.models.feature_cache.lexical import lexical_features


def test_by_hand() -> None:
    found = lexical_features("Old OLD мост 7")
    assert found.words == {"old", "7"}
    assert found.profile.counts == (("LATIN", 6), ("CYRILLIC", 4))
    assert found.profile.mixed_fraction == 0.4
