"""The OpenAPI document, made from the request records themselves so that it cannot say anything else."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, Field, fields
from typing import Any

from app.gate.requests import AnswerRequest, FilterRequest, RetrieveRequest
from ragsieve_core import __version__
from ragsieve_core.gate import GateState, Match, Status

_TYPES: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "tuple[str, ...]": {"type": "array", "items": {"type": "string"}},
    "tuple[str, ...] | None": {"type": ["array", "null"], "items": {"type": "string"}},
    "tuple[RankedDocument, ...]": {"type": "array", "items": {"$ref": "#/components/schemas/Document"}},
}
_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}
_REMOVAL = {
    "type": "object",
    "properties": {
        "document_id": _STRING,
        "original_rank": {"type": "integer", "minimum": 1},
        "by": {"enum": ["quarantine", "hold", "unadmitted", "unknown", "changed", "unscored", "rsq"]},
        "detail": _STRING,
    },
}
_REMOVALS = {"type": "array", "items": {"$ref": "#/components/schemas/Removal"}}
_ANSWER: dict[str, Any] = {
    "event": {**_STRING, "description": "name of the call, for /v1/answers"},
    "mode": {"enum": ["enforce", "shadow"]},
    "state": {"enum": [state.value for state in GateState]},
    "reason": {**_STRING, "description": "time_limit, error or empty; the state of the publication if not_in_force"},
    "context": {"type": "array", "items": {"$ref": "#/components/schemas/ContextDocument"}},
    "removed": _REMOVALS,
    "refill_depth": {"type": "integer"},
    "would": {
        "type": ["object", "null"],
        "description": "shadow mode: what enforce would have done",
        "properties": {"context": _STRINGS, "removed": _REMOVALS, "refill_depth": {"type": "integer"}},
    },
    "documents": {"type": "integer", "description": "documents in the ranking"},
    "unknown": _STRINGS,
    "changed": _STRINGS,
    "tail_short": {"type": "boolean", "description": "RSQ was applied to fewer than n documents"},
    "policy": {**_STRING, "description": "version of the thresholds in force that changed the rule; empty if none did"},
    "tail_suspects": {"type": "object", "additionalProperties": _STRING},
    "candidates": {"type": "array", "items": {"type": "object", "description": "numbers of RSQ, one per candidate"}},
    "snapshot": _STRING,
    "in_force": _STRING,
    "publication": {"enum": ["ok", "stale", "missing", "damaged", "lower_number"]},
    "latency_ms": {"type": "number"},
    "settings": {"type": "object", "description": "every setting of the gate"},
}
_ERRORS = {
    "400": "no JSON object",
    "401": "no valid token",
    "403": "a token of another scope",
    "413": "a body that is too large",
    "415": "not application/json",
    "422": "a field that is missing, unknown, or of another type",
    "429": "too many calls: see Retry-After",
    "503": "a model is not available, nothing is in force, or too many calls wait: see Retry-After",
}


def openapi() -> dict[str, Any]:
    """The document (OpenAPI 3.1)."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "RAGSieve gate",
            "version": __version__,
            "description": "A flag is a triage signal: it never means false, malicious or delete.",
        },
        "security": [{"token": []}],
        "paths": {
            "/v1/filter": _call(FilterRequest, "Answer"),
            "/v1/retrieve": _call(RetrieveRequest, "Answer"),
            "/v1/answers": _call(AnswerRequest, "Receipt"),
            "/healthz": {
                "get": _get("Whether it serves and logs; no token needed", "application/json", {"503": "red"})
            },
            "/metrics": {"get": _get("Prometheus text; a tenant's token sees its own counts", "text/plain", {})},
            "/openapi.json": {"get": _get("This document; no token needed", "application/json", {})},
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "scope gate"}},
            "schemas": {
                **{kind.__name__: _schema(kind) for kind in (FilterRequest, RetrieveRequest, AnswerRequest)},
                "Document": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["id"],
                    "properties": {
                        "id": _STRING,
                        "text": {**_STRING, "description": "empty = the snapshot's text of this id"},
                        "title": _STRING,
                        "similarity": {"type": ["number", "null"]},
                    },
                },
                "ContextDocument": {
                    "type": "object",
                    "properties": {
                        "document_id": _STRING,
                        "original_rank": {"type": "integer", "minimum": 1},
                        "text": _STRING,
                        "similarity": {"type": ["number", "null"]},
                        "status": {"enum": [status.value for status in Status]},
                        "match": {"enum": [match.value for match in Match]},
                    },
                },
                "Removal": _REMOVAL,
                "Answer": {"type": "object", "properties": _ANSWER},
                "Receipt": {
                    "type": "object",
                    "properties": {
                        "event": _STRING,
                        "answer": _STRING,
                        "state": {"enum": ["recorded", "known", "unchecked"]},
                        "cited": _STRINGS,
                    },
                },
                "Error": {"type": "object", "properties": {"error": _STRING, "where": _STRING, "expected": _STRING}},
            },
        },
    }


def _get(about: str, media: str, further: dict[str, str]) -> dict[str, Any]:
    answers = {"200": {"description": "done", "content": {media: {}}}}
    return {"summary": about, "responses": answers | {code: {"description": why} for code, why in further.items()}}


def _call(kind: type, answer: str) -> dict[str, Any]:
    def content(name: str) -> dict[str, Any]:
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}

    return {
        "post": {
            "summary": (inspect.getdoc(kind) or "").splitlines()[0].replace("``", ""),
            "requestBody": {"required": True, "content": content(kind.__name__)},
            "responses": {
                "200": {"description": "done", "content": content(answer)},
                **{code: {"description": why, "content": content("Error")} for code, why in _ERRORS.items()},
            },
        }
    }


def _schema(kind: Any) -> dict[str, Any]:
    about = _descriptions(kind)
    described = {field.name: {**_TYPES[str(field.type)], "description": about[field.name]} for field in fields(kind)}
    for field in fields(kind):
        if _optional(field):
            default = field.default
            described[field.name]["default"] = list(default) if isinstance(default, tuple) else default
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [field.name for field in fields(kind) if not _optional(field)],
        "properties": described,
    }


def _optional(field: Field[Any]) -> bool:
    return field.default is not MISSING


def _descriptions(kind: type) -> dict[str, str]:
    """Words of the docstring's attributes, by field."""
    found: dict[str, str] = {}
    _, _, listed = (inspect.getdoc(kind) or "").partition("----------\n")
    for names, words in re.findall(r"^(\w[\w, ]*) : (.*(?:\n    .*)*)", listed, re.MULTILINE):
        for name in names.split(", "):
            found[name] = " ".join(words.replace("``", "").split())
    return found
