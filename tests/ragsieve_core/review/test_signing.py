from __future__ import annotations

import hashlib
import hmac

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.review.signing import check, parse_target, public_addresses, sign

SECRET = b"0123456789abcdef"


def test_signature_by_hand_and_its_check() -> None:
    good = "v1=" + hmac.new(SECRET, b"v1.1000.abc.body", hashlib.sha256).hexdigest()
    assert sign(SECRET, 1000, "abc", b"body") == good
    assert check(SECRET, "1000", "abc", good, b"body", 1200) == ""
    for arguments in (
        ("1000", "abc", good, b"bodi", 1200),
        ("1001", "abc", good, b"body", 1200),
        ("1000", "abd", good, b"body", 1200),
        ("1000", "abc", good, b"body", 1301),
        ("1000", "abc", good, b"body", 699),
        ("x", "abc", good, b"body", 1200),
        ("1000", "", good, b"body", 1200),
        ("1000", "abc", "v1=é", b"body", 1200),
    ):
        assert check(SECRET, *arguments), arguments
    with pytest.raises(InputError):
        sign(b"short", 1, "a", b"")


def test_targets() -> None:
    target = parse_target("https://index.example/hook?key=secret")
    assert (target.host, target.port, target.path) == ("index.example", 443, "/hook?key=secret")
    assert target.shown == "https://index.example/hook"
    assert parse_target("https://[2001:db8::1]:8443").shown == "https://[2001:db8::1]:8443/"
    for wrong in (
        "http://index.example/",
        "https://",
        "https://user:pw@index.example/",
        "https://index.example/#x",
        "https://index.example:x/",
        "https://index.example/ x",
        "https://index.example/\r\nHost: y",
        "https://indéx.example/",
        "file:///etc/passwd",
    ):
        with pytest.raises(InputError):
            parse_target(wrong)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "0.0.0.0", "::1", "fe80::1", "fd00::1",
     "::ffff:10.0.0.1", "224.0.0.1", "100.64.0.1"],
)  # fmt: skip
def test_no_way_inside(address: str) -> None:
    with pytest.raises(InputError):
        public_addresses([address])
    with pytest.raises(InputError):
        public_addresses(["93.184.215.14", address])


def test_what_is_allowed() -> None:
    assert public_addresses(["93.184.215.14"]) == ["93.184.215.14"]
    assert public_addresses(["10.1.2.3"], allowed=["10.1.0.0/16"]) == ["10.1.2.3"]
    with pytest.raises(InputError):
        public_addresses([])
