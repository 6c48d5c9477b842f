"""Models for a command, from the options a user gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragsieve_core.errors import InputError

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels


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
    profile : name of a profile, or ``custom``.
    retriever : one of the retrievers of ``paper``; with ``custom``, an id or folder.
    causal_lm, trace_encoder, layer : with ``custom`` only.

    Raises
    ------
    InputError : unknown profile, or an option that this profile does not take.
    ModelUnavailableError : weights not on this machine (raised on first use of that role).
    """
    from ragsieve_core.models.profiles import custom_profile, get_profile, load

    parts = {"--causal-lm": causal_lm, "--trace-encoder": trace_encoder, "--layer": layer}
    if profile == "custom":
        if retriever is None and all(value is None for value in parts.values()):
            return load(get_profile("custom"))
        return load(custom_profile(retriever, causal_lm, trace_encoder, layer))
    chosen = get_profile(profile, retriever=retriever)
    for option, value in parts.items():
        if value is not None:
            raise InputError(
                f"the profile {profile!r} fixes its models",
                where=option,
                expected="this option with --profile custom only",
                do="add --profile custom, or leave the option out",
            )
    return load(chosen)
