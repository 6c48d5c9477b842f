"""Records of :mod:`warehouse.records` to segments and back, one pair per kind, gathered for who sends and takes in."""

from warehouse.segment_documents import documents_segment, embeddings_segment, read_documents, read_embeddings
from warehouse.segment_events import events_segment, read_answers, read_events
from warehouse.segment_requests import scan_request, snapshot_request
from warehouse.segment_scans import read_scan, scan_segment

__all__ = [
    "documents_segment",
    "embeddings_segment",
    "events_segment",
    "read_answers",
    "read_documents",
    "read_embeddings",
    "read_events",
    "read_scan",
    "scan_request",
    "scan_segment",
    "snapshot_request",
]
