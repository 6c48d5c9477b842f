"""Who acts, with which role, on whose data.

Made by an authentication adapter only; the warehouse applies it inside SQL, so that a hidden button is never the guard.
"""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ragsieve_core.errors import InputError, nearest
from warehouse.errors import PermissionRefusedError, RefusedError
from warehouse.refusals import Refusal

Role = Literal["viewer", "reviewer", "approver", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
DEFAULT_TENANT = "default"
PROGRAM_MODES = ("token", "inbox")


@dataclass(frozen=True, slots=True)
class Principal:
    """Identity, role and tenant set of one caller.

    Attributes
    ----------
    identity : non-empty name that is written to the audit log.
    role : viewer < reviewer < approver < admin.
    tenants : tenants whose rows exist for this caller; ``None`` means all, an empty set is refused.
    mode : how the identity was proved, recorded with approvals: ``single_user_mode`` for the local user, ``token`` or
        ``inbox`` for programs.
    """

    identity: str
    role: Role
    tenants: frozenset[str] | None = None
    mode: str = "authenticated"

    def __post_init__(self) -> None:
        if not self.identity.strip():
            raise InputError("a principal without a name", expected="a non-empty identity")
        if self.role not in ROLES:
            raise InputError(f"unknown role {self.role!r}", expected=nearest(self.role, ROLES))
        if self.tenants is not None and not self.tenants:
            raise InputError(
                "a principal without tenants sees nothing", expected="at least one tenant, or None for all"
            )

    def at_least(self, role: Role) -> bool:
        """True where this role is ``role`` or higher."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def require(self, role: Role, action: str) -> None:
        """Raise :class:`PermissionRefusedError` where the role is below ``role``."""
        if not self.at_least(role):
            raise PermissionRefusedError(
                f"{self.identity} ({self.role}) may not {action}",
                expected=f"role {role} or higher",
                do="ask an admin for the role, or someone who has it",
            )

    @property
    def is_person(self) -> bool:
        """False for tokens and inbox segments: they bring data and never decide."""
        return self.mode not in PROGRAM_MODES

    def require_person(self, role: Role, action: str) -> None:
        """Raise unless a person of at least this role acts.

        Raises
        ------
        RefusedError
            a token or an inbox segment (``not_a_person``).
        PermissionRefusedError
            a role below ``role``.
        """
        if not self.is_person:
            raise RefusedError(
                Refusal.NOT_A_PERSON,
                f"{self.identity} may not {action}: it is no person",
                expected="a signed-in person, or the user at the command line",
                do="decide on the owner's screens",
            )
        self.require(role, action)

    def may_see(self, tenant: str) -> bool:
        """True where rows of ``tenant`` exist for this caller."""
        return self.tenants is None or tenant in self.tenants

    def require_tenant(self, tenant: str, action: str) -> None:
        """Raise :class:`PermissionRefusedError` where ``tenant`` is outside the caller's set."""
        if not self.may_see(tenant):
            raise PermissionRefusedError(
                f"{self.identity} may not {action} for this tenant", expected="one of the caller's own tenants"
            )

    def scope(self) -> dict[str, Any]:
        """Parameters ``all_tenants`` and ``tenants`` of every query that reads tenant rows."""
        return {"all_tenants": self.tenants is None, "tenants": sorted(self.tenants or {""})}

    def scope_key(self) -> str:
        """Text that belongs in every cache key of what this caller was shown."""
        return "*" if self.tenants is None else "\x1f".join(sorted(self.tenants))


def local_principal() -> Principal:
    """The OS user as admin of every tenant: single-user mode, and a command that holds the owner lock itself."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = f"uid {os.getuid()}"
    return Principal(identity=name, role="admin", tenants=None, mode="single_user_mode")
