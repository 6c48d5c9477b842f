"""Options that several commands share, spelled and explained once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_WAREHOUSE = "ragsieve.duckdb"


def json_option(command: F) -> F:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")(command)


def warehouse_option(command: F) -> F:
    """``--warehouse FILE``."""
    return click.option(
        "--warehouse",
        type=click.Path(path_type=Path, dir_okay=False),
        envvar="RAGSIEVE_WAREHOUSE",
        default=Path(DEFAULT_WAREHOUSE),
        show_default=True,
        help="Warehouse file; also RAGSIEVE_WAREHOUSE.",
    )(command)


def yes_option(command: F) -> F:
    """``--yes``."""
    return click.option("--yes", is_flag=True, help="Do not ask for a confirmation.")(command)


def note_option(command: F) -> F:
    """``--note TEXT``."""
    return click.option("--note", default="", help="Why, in your words; kept with the act.")(command)


def expected_version_option(command: F) -> F:
    """``--expected-version N``."""
    return click.option(
        "--expected-version",
        required=True,
        type=click.IntRange(0),
        help="Version of the alert that you looked at (`ragsieve alerts`): if somebody changed it since, you are told.",
    )(command)


def wait_option(command: F) -> F:
    """``--wait SECONDS``."""
    return click.option(
        "--wait",
        "wait_s",
        type=click.FloatRange(min=0),
        default=600.0,
        show_default=True,
        help="Seconds to wait for the process that owns the warehouse to take in what this command hands over.",
    )(command)


def profile_option(command: F) -> F:
    """``--profile NAME`` and what the profile `custom` is made of."""
    options = (
        click.option(
            "--profile", default="embedded", show_default=True, help="Model profile: see `ragsieve models list`."
        ),
        click.option(
            "--retriever", default=None, help="Retriever: a name in the profile, or an id or folder (custom)."
        ),
        click.option("--causal-lm", default=None, help="Causal LM for surprisal: id or folder (profile custom)."),
        click.option("--trace-encoder", default=None, help="Encoder for alignment: id or folder (profile custom)."),
        click.option("--layer", type=int, default=None, help="Hidden layer of that encoder, 0 = embeddings."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def rule_option(default: str) -> Callable[[F], F]:
    """``--rule NAME``."""
    return click.option("--rule", default=default, show_default=True, help="Named, frozen preset of parameters.")


def out_option(command: F) -> F:
    """``--out FILE``."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path),
        required=True,
        help="JSON Lines file to write; replaced when complete.",
    )(command)


def cache_option(command: F) -> F:
    """``--no-cache``."""
    return click.option(
        "--no-cache",
        is_flag=True,
        help="Keep no features on disk, and read none: everything is computed anew. Scores do not change.",
    )(command)
