"""Evaluation: how well each detector tells planted documents, per dataset, retriever and attack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from app.charts.evaluation_heatmap import evaluation_heatmap
from app.charts.frame import CONFIG
from app.components.evaluation_view import MEASURES, chosen_cell, show_cell, show_controls
from app.components.figure_data import figure_data
from app.components.once import draw_again
from app.components.table import number_column, show_table, text_column
from app.services.evaluating import (
    Wanted,
    cell_row,
    cells,
    collect,
    command_of,
    difference_rows,
    named,
    retriever_names,
)
from app.session import Desk, desk
from ragsieve_core.evaluate.cells import Sample, Slice
from warehouse.audit import head

RESAMPLES = 200


def main() -> None:
    """Read the cells, draw them, open the one that the address names."""
    here = desk()
    st.title("Evaluation")
    state = (str(here.warehouse.path), here.principal.scope_key(), head(here.warehouse).sequence)
    samples = collected(here, *state)
    if not samples:
        empty()
        return
    view = show_controls(sorted({where.dataset for where in samples}))
    rows, differences = measured(here, samples, view.population, *state)
    shown = [row for row in rows if view.dataset in ("", row["dataset"])]
    if not shown:
        st.info("No cell of these documents yet: replay rankings for RSQ, scan a corpus for RSG, and label both.")
        return
    st.caption(
        f"{MEASURES[view.measure]}. Each cell: value, 95 % interval, planted of n, prevalence. Grey: fewer than 20 "
        "planted documents. Intervals are conditional on the corpus; their unit is the question, target or source."
    )
    picked: Any = st.plotly_chart(
        evaluation_heatmap(shown, view.measure, MEASURES[view.measure]),
        config=CONFIG,
        key="heatmap",
        on_select="rerun",
        selection_mode="points",
    )
    points = picked.selection.points if picked else []
    if points and (key := str(points[0].get("customdata", [""])[0])) and key != st.session_state.get("picked_cell"):
        st.session_state["picked_cell"] = key
        st.query_params["cell"] = key
        draw_again()
    command = command_of(
        None,
        warehouse=here.warehouse.path.name,
        resamples=RESAMPLES,
        seed=0,
        more=["--population", view.population, *(["--corpus", view.dataset] if view.dataset else [])],
    )
    figure_data(shown, "evaluation", command, key="cells")
    found = chosen_cell(shown)
    if found is not None:
        where = next(one for one in samples if all(getattr(one, name) == found[name] for name in Slice.__slots__))
        show_cell(where, samples[where], found)
    show_differences([row for row in differences if view.dataset in ("", row["dataset"])])


@st.cache_resource(max_entries=2, show_spinner="reading scores and labels")
def collected(_here: Desk, path: str, scope: str, sequence: int) -> dict[Slice, Sample]:
    """Samples as of one state of the warehouse, for one scope."""
    return collect(_here.warehouse, Wanted(), principal=_here.principal)


@st.cache_resource(max_entries=4, show_spinner="measuring")
def measured(
    _here: Desk, _samples: dict[Slice, Sample], population: str, path: str, scope: str, sequence: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Cells and paired differences of one population."""
    ours = {where: sample for where, sample in _samples.items() if where.population == population}
    file, names = Path(path).name, retriever_names(_here.warehouse, principal=_here.principal)
    rows = [
        named(cell_row(cell, command_of(cell.slice, warehouse=file, resamples=RESAMPLES, seed=0)), names)
        for cell in cells(ours, resamples=RESAMPLES)
    ]
    return rows, [named(row, names) for row in difference_rows(ours)]


def show_differences(rows: list[dict[str, Any]]) -> None:
    """AUROC of one detector less another, over the documents both scored."""
    if not rows:
        return
    st.subheader("Paired differences")
    st.caption("AUROC of the first less the second, same documents and same resamples; Holm over all pairs.")
    columns: dict[str, Any] = {
        name: text_column(name.removesuffix("_name").capitalize())
        for name in ("dataset", "retriever_name", "attack", "first", "second")
    }
    columns |= {"population": None, "retriever": None, "positives": number_column("Planted"), "n": number_column("n")}
    columns |= {name: number_column(name, digits=3) for name in ("difference", "low", "high")}
    columns |= {"p": number_column("p", digits=4), "p_holm": number_column("p, Holm", digits=4)}
    show_table(rows, columns, name="differences", key="differences")


def empty() -> None:
    """Nothing to measure, and what to do about it."""
    st.info("Nothing to measure yet: an evaluation needs scores, and labels that say which documents were planted.")
    st.code(
        "ragsieve label LABELS.jsonl --corpus NAME --rest-clean\nragsieve scan --corpus NAME\n"
        "ragsieve replay CONTEXTS.jsonl --corpus NAME --encoder KEY",
        language=None,
    )


main()
