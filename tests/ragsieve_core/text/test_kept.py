"""Features kept by content: the same as worked out anew, and only new texts are looked at."""

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.text.kept import kept_features
from ragsieve_core.text.unicode_words import unicode_words


def test_only_new_texts_are_looked_at() -> None:
    seen: list[str] = []

    def words(text: str) -> frozenset[str]:
        seen.append(text)
        return unicode_words(text)

    first, kept = kept_features(["a b", "c", "a b"], words)
    assert seen == ["a b", "c"]
    assert first == [{"a", "b"}, {"c"}, {"a", "b"}]
    again, kept = kept_features(["d", "a b"], words, previous=kept)
    assert seen == ["a b", "c", "d"]
    assert again == [{"d"}, {"a", "b"}]
    assert set(kept) == {"d", "a b"}
    assert kept_features(["c", "d"], words, keys=["h1", "h2"])[1].keys() == {"h1", "h2"}
    with pytest.raises(InputError, match="1 keys"):
        kept_features(["a", "b"], words, keys=["x"])
