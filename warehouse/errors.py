"""Refusals of the warehouse; each is an error of :mod:`ragsieve_core.errors` with its exit code."""

from __future__ import annotations

from ragsieve_core.errors import InputError


class StorageError(InputError):
    """The disk, the folder or the file does not let the warehouse work (exit 2); what was committed is unharmed."""


class SchemaError(InputError):
    """The file is no warehouse, or one that this version may not touch (exit 2)."""


class PermissionRefusedError(InputError):
    """The principal's role or tenants do not allow the call (exit 2)."""


class RefusedError(InputError):
    """A change that the current state does not allow (exit 2).

    ``reason`` is one of the names in :class:`warehouse.refusals.Refusal`; it is stored and shown as it is.
    """

    def __init__(self, reason: str, what: str, *, where: str = "", expected: str = "", do: str = "") -> None:
        self.reason = reason
        super().__init__(what, where=where, expected=expected, do=do)
