"""One claims, the others wait; a failure frees the key for the next."""

from __future__ import annotations

from ragsieve_core.models.feature_cache.single_flight import SingleFlight


def test_one_claims_and_the_others_get_its_value() -> None:
    flights = SingleFlight()
    assert flights.claim(["a", "b"]) == (["a", "b"], {})
    mine, others = flights.claim(["b", "c"])
    assert mine == ["c"]
    flights.land("b", 5)
    assert others["b"].landed.is_set()
    assert others["b"].value == 5
    assert flights.claim(["b"])[0] == ["b"]


def test_a_failure_frees_the_key() -> None:
    flights = SingleFlight()
    flights.claim(["a"])
    _, others = flights.claim(["a"])
    flights.fail(["a"])
    assert others["a"].landed.is_set()
    assert others["a"].value is None
    assert flights.claim(["a"])[0] == ["a"]
