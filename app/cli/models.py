"""`ragsieve models`: which models there are, get and convert them, check them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from app.cli.options import json_option, profile_option
from app.cli.output import remark, result
from ragsieve_core.errors import EXIT_DONE, EXIT_MODEL

if TYPE_CHECKING:
    from ragsieve_core.models.inventory import ModelStatus
    from ragsieve_core.models.specs import ModelProfile


@click.group("models")
def models() -> None:
    """List, prepare and verify model profiles.

    Nothing is downloaded unless `prepare --download` asks for it. Only safetensors weights and the one known GGUF
    file are read; code shipped with a model is never run.
    """


@models.command("list")
@json_option
def list_models(as_json: bool) -> int:
    """Every profile and role: the model, where it is, its size, and whether its hash was verified."""
    from ragsieve_core.models.inventory import survey
    from ragsieve_core.models.profiles import PROFILES

    # `paper-bge-m3` is another name of `paper`.
    rows = survey(profile for name, profile in PROFILES.items() if name != "paper-bge-m3")
    _show(rows, as_json=as_json)
    return EXIT_DONE


@models.command("prepare")
@profile_option
@click.option("--download", is_flag=True, help="Contact the model hub for what is missing.")
@json_option
def prepare_models(download: bool, as_json: bool, **options: Any) -> int:
    """Fetch (with --download), convert and check the models of a profile, so that the first scan starts at once."""
    from ragsieve_core.models.inventory import prepare

    profile = _profile(options)
    seconds = prepare(profile, allow_download=download, step=remark)
    values = {"profile": profile.name} | {f"{role}_seconds": round(value, 3) for role, value in seconds.items()}
    result(values | {"seconds": round(sum(seconds.values()), 3)}, as_json=as_json)
    return EXIT_DONE


@models.command("verify")
@profile_option
@json_option
def verify_models(as_json: bool, **options: Any) -> int:
    """Hash the models of a profile again. Exit code 4 if one is missing or not the expected one."""
    from ragsieve_core.models.inventory import survey

    rows = survey([_profile(options)])
    _show(rows, as_json=as_json)
    return EXIT_DONE if all(row.usable for row in rows) else EXIT_MODEL


def _profile(options: dict[str, Any]) -> ModelProfile:
    from app.services.models import open_models

    return open_models(**options).profile


def _show(rows: list[ModelStatus], *, as_json: bool) -> None:
    if as_json:
        fields = ("profile", "role", "model", "found", "bytes", "state", "problem")
        listed = [
            {field: getattr(row, field) for field in fields} | {"verified": row.state == "verified"} for row in rows
        ]
        result({"models": listed, "usable": all(row.usable for row in rows)}, as_json=True)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for title in ("profile", "role", "size", "verified", "model"):
        table.add_column(
            title, justify="right" if title == "size" else "left", overflow="fold", no_wrap=title != "model"
        )
    for row in rows:
        size = f"{row.bytes / 1e6:,.0f} MB" if row.bytes else "-"
        state = "yes" if row.state == "verified" else f"no: {row.state}"
        # Text, not markup: a folder may be called [red].
        table.add_row(*(Text(cell) for cell in (row.profile, row.role, size, state, row.model)))
    console = Console()
    console.print(table)
    for place in dict.fromkeys(f"{row.model}: {row.found}" for row in rows if row.found):
        console.print(Text(place), soft_wrap=True)
    for problem in dict.fromkeys(f"{row.model}: {row.problem}" for row in rows if row.problem):
        remark(problem)
