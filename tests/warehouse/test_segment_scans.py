"""A scan comes back from a segment, column by column."""

from __future__ import annotations

import dataclasses

import numpy as np

from tests.warehouse.builders import scan_of
from warehouse.segment_scans import read_scan, scan_segment
from warehouse.segments import decode


def test_scans_come_back() -> None:
    scan = dataclasses.replace(
        scan_of("snap", np.array([3, 5, 9]), {1}), campaign=np.array([0, -1, 0]), detail=["{}", None, '{"a":1}']
    )
    found = read_scan(decode(scan_segment(scan)))
    for field in dataclasses.fields(scan):
        one, other = getattr(scan, field.name), getattr(found, field.name)
        if field.name == "neighbors":
            for part in dataclasses.fields(one):
                assert np.array_equal(getattr(one, part.name), getattr(other, part.name)), part.name
        elif isinstance(one, np.ndarray):
            assert np.array_equal(one, other), field.name
        else:
            assert one == other, field.name
