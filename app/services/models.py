"""Models for a command, from the options a user gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragsieve_core.errors import InputError

if TYPE_CHECKING:
    from ragsieve_core.models.loaded import LoadedModels


def open_models(
    profile: str = "embedded",
    retriever: str | None = None,
    causal_lm: str | None = None,
    trace_encoder: str | None = None,
    layer: int | None = None,
) -> LoadedModels:
    """Models of a profile, each loaded on first use.

    Parameters
    ----------
    profile : ``embedded``, ``paper`` or ``custom``.
    retriever : one of the profile's retrievers; with ``custom``, an id or folder.
    causal_lm, trace_encoder, layer : of the profile ``custom`` only.

    Raises
    ------
    InputError : unknown profile, or an option that this profile does not take.
    ModelUnavailableError : weights not on this machine (raised on first use of that role).
    """
    from ragsieve_core.models.loaded import load
    from ragsieve_core.models.profiles import custom_profile, get_profile

    if profile == "custom":
        return load(custom_profile(retriever=retriever, causal_lm=causal_lm, trace_encoder=trace_encoder, layer=layer))
    given = {"--causal-lm": causal_lm, "--trace-encoder": trace_encoder, "--layer": layer}
    for option, value in given.items():
        if value is not None:
            raise InputError(
                f"the profile {profile!r} fixes its models",
                where=option,
                expected="this option with --profile custom only",
                do="add --profile custom, or leave the option out",
            )
    return load(get_profile(profile), retriever=retriever)
