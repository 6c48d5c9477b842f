"""What commands print: results on stdout, progress and remarks on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from app.services.progress_file import teller
from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress


def remark(text: str) -> None:
    """A line for the person at the terminal; never part of the result."""
    click.echo(text, err=True)


def result(values: Mapping[str, Any], *, as_json: bool) -> None:
    """The outcome of a command: one JSON object, or one ``name value`` line each."""
    if as_json:
        click.echo(json.dumps(values, ensure_ascii=False))
        return
    width = max((len(name) for name in values), default=0)
    for name, value in values.items():
        click.echo(f"{name:<{width}}  {_plain(value)}")


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value) or "-"
    return "-" if value is None or value == "" else str(value)


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, empty: str) -> None:
    """Rows under their column names; ``empty`` says on stderr what to do where there are none.

    Ids and names come from documents: control characters are shown as marks, so that none reaches the terminal.
    """
    from app.components.labels import plain_label

    if not rows:
        remark(empty)
        return
    cells = [[plain_label(_plain(row.get(name)), 60) for name in columns] for row in rows]
    widths = [max(len(name), *(len(row[i]) for row in cells)) for i, name in enumerate(columns)]
    for line in [list(columns), *cells]:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def confirm(question: str, *, yes: bool) -> None:
    """Ask before something that cannot be taken back, or that other people feel; ``yes`` answers in advance.

    Raises
    ------
    InputError
        nobody is at a terminal to answer.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("this needs a confirmation, and nobody is at a terminal", expected="--yes", do=question)
    click.confirm(question, abort=True, err=True)


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """A progress bar on stderr with time left; one plain line at the end where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)

        told = teller(title)

        def step(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            told(done, total)

        yield step
    if not console.is_terminal:
        remark(f"{title}: done")
