"""Stored evidence in the shape that the screens draw: whatever has another one is left out.

A gate or another machine hands evidence in as JSON. Its numbers go into sentences and figures as they are, so that a
text in the place of a number must not get there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

# Larger ones are exact in no float, and some are in none at all
_LIMIT: Final = 2**53


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -_LIMIT < value < _LIMIT


def _number(value: Any) -> bool:
    return _whole(value) or (isinstance(value, float) and -_LIMIT < value < _LIMIT)


_KINDS: Final[dict[str, Callable[[Any], bool]]] = {
    "text": lambda value: isinstance(value, str),
    "texts": lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    "whole": _whole,
    "number": _number,
    "count": lambda value: _whole(value) and value > 0,
    "positive": lambda value: _number(value) and value > 0,
}


def mapping(value: Any) -> Mapping[str, Any]:
    """``value`` where it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def entries(value: Any, **fields: str) -> list[dict[str, Any]]:
    """The objects of a list that hold what is asked for.

    Parameters
    ----------
    fields : name -> kind: ``text``, ``texts``, ``whole``, ``count`` (whole, above 0), ``number`` or ``positive`` (above
        0); with ``?`` behind it null and absence will do.
    """
    return [one for one in value if _fits(one, fields)] if isinstance(value, list) else []


def _fits(entry: Any, fields: Mapping[str, str]) -> bool:
    if not isinstance(entry, dict):
        return False
    for name, kind in fields.items():
        found = entry.get(name)
        if not (found is None and kind.endswith("?")) and not _KINDS[kind.removesuffix("?")](found):
            return False
    return True


def numbers(value: Any) -> list[float]:
    """A list of numbers; empty where one of it is none, because their places matter."""
    return value if isinstance(value, list) and all(map(_number, value)) else []


def texts(value: Any) -> list[str]:
    """A list of texts; empty where one of it is none."""
    return value if _KINDS["texts"](value) else []


def pairs(value: Any) -> list[list[int]]:
    """A list of spans [start, end) with 0 <= start <= end; empty where one of it is none."""
    held = value if isinstance(value, list) else []
    fit = all(
        isinstance(one, list) and len(one) == 2 and all(map(_whole, one)) and 0 <= one[0] <= one[1] for one in held
    )
    return held if fit else []


def anchors(value: Any, *, weighed: bool) -> list[dict[str, Any]]:
    """Tested tokens; under `calibrated`, ``weighed``, each with its weight and the size of its test, else without."""
    found = entries(value, token="text", x="whole", K="whole", p="number")
    if weighed:
        return entries(found, weight="number", head="whole", compared="whole")
    return [one for one in found if "weight" not in one]


def whole(value: Any, other: Any = None) -> Any:
    """``value`` where it is a whole number, else ``other``."""
    return value if _whole(value) else other


def own(value: Any) -> dict[str, Any]:
    """What `calibrated` says of the candidate itself."""
    held = dict(mapping(value))
    if not held:
        return {}
    shaped: dict[str, Any] = {"repeats_question": held.get("repeats_question") is True}
    shaped["coverage"] = held["coverage"] if _number(held.get("coverage")) else None
    shaped["copy_of"] = held["copy_of"] if isinstance(held.get("copy_of"), str) else None
    shaped["windows"] = pairs(held.get("windows"))
    shaped |= {name: whole(held.get(name), 0) for name in ("misplaced", "letters")}
    shaped["findings"] = entries(held.get("findings"), start="whole", end="whole", kind="text", families="texts")
    return shaped
