"""`ragsieve blind`: draws for blind review, and what they say."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result


@click.group("blind")
def blind() -> None:
    """Blind review. Without a random sample of what was not flagged, recall cannot be estimated."""


@blind.command("draw")
@click.option("--corpus", required=True)
@click.option(
    "--kind",
    type=click.Choice(("documents", "candidates", "second-looks")),
    default="documents",
    show_default=True,
    help="Unflagged documents, unflagged candidates, or decided alerts.",
)
@click.option("--rate", type=click.FloatRange(0, 1), help="Default: the review policy's.")
@click.option("--seed", type=int, help="Of the draw; default: a fresh one.")
@warehouse_option
@json_option
def draw(corpus: str, kind: str, rate: float | None, seed: int | None, warehouse: Path, as_json: bool) -> int:
    """Draw units at random into the blind queue; their probability is stored."""
    from app.services.owning import owning
    from warehouse.sampling import draw_second_looks, draw_unflagged

    with owning(warehouse, command="blind draw", action="draw a sample") as (wh, who):
        if kind == "second-looks":
            made = draw_second_looks(wh, corpus, principal=who, rate=rate, seed=seed)
        else:
            unit: Any = kind.removesuffix("s")
            made = draw_unflagged(wh, corpus, principal=who, unit=unit, rate=rate, seed=seed)
    values: dict[str, Any] = {"draw": made.draw_id, "kind": made.kind}
    values |= {f"drawn_{name}": count for name, count in made.drawn.items()}
    values |= {f"population_{name}": count for name, count in made.population.items()}
    result(values, as_json=as_json)
    return 0


@blind.command("recall")
@click.option("--corpus", required=True)
@click.option("--detector", type=click.Choice(("rsg", "rsq")), default="rsg", show_default=True)
@warehouse_option
@json_option
def recall(corpus: str, detector: str, warehouse: Path, as_json: bool) -> int:
    """Recall from the latest draw, with its interval; or why there is none."""
    from app.services.owning import owning
    from warehouse.quality import recall_estimate

    with owning(warehouse, command="blind recall", action="estimate recall") as (wh, who):
        found = recall_estimate(wh, corpus, principal=who, detector=detector)
    if found.text:
        remark(found.text)
    result(asdict(found), as_json=as_json)
    return 0


@blind.command("quality")
@click.option("--corpus", default="")
@warehouse_option
@json_option
def quality(corpus: str, warehouse: Path, as_json: bool) -> int:
    """Agreement (Cohen's kappa with its interval), known items, and time to decision."""
    from app.services.owning import owning
    from warehouse.quality import review_quality

    with owning(warehouse, command="blind quality", action="read the quality of review") as (wh, who):
        found = review_quality(wh, principal=who, corpus=corpus)
    values = {f"agreement_{name}": value for name, value in asdict(found.agreement).items()}
    values |= {"decisions": found.decisions, "median_hours": found.median_hours, "p90_hours": found.p90_hours}
    values |= {f"known_{name}": f"{right} of {n}" for name, (n, right) in found.known.items()}
    result(values, as_json=as_json)
    return 0
