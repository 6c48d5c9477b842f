"""What the figures of what-if and evaluation print, and that hostile names stay text."""

from __future__ import annotations

import numpy as np

from app.charts.cell_curves import budget_figure, histogram_figure, roc_figure
from app.charts.evaluation_heatmap import cell_key, evaluation_heatmap
from app.charts.whatif_curves import threshold_curve, volume_per_day
from ragsieve_core.evaluate.curves import roc


def row(attack: str, value: float | None, *, few: bool = False) -> dict[str, object]:
    return {
        "dataset": "d<a href='x'>",
        "retriever": "r",
        "detector": "rsq/paper",
        "attack": attack,
        "n": 200,
        "positives": 50,
        "prevalence": 0.25,
        "few_positives": few,
        "auroc": value,
        "auroc_low": None if value is None else value - 0.1,
        "auroc_high": value,
    }


def test_every_cell_prints_value_interval_n_and_prevalence() -> None:
    rows = [row("salad", 0.9), row("all", 0.3), row("few", 0.8, few=True), row("alone", None, few=True)]
    figure = evaluation_heatmap(rows, "auroc", "AUROC")
    coloured, grey = figure.data[0], figure.data[1]
    assert list(figure.layout.xaxis.ticktext) == ["alone", "few", "salad", "all"]
    assert [value is not None for value in coloured.z[0]] == [False, False, True, True]
    assert [value is not None for value in grey.z[0]] == [True, True, False, False]
    assert coloured.text[0][2] == "<b>0.900</b><br>[0.80, 0.90]<br>50 of 200<br>(25.0 %)"
    assert "<a" not in figure.layout.yaxis.ticktext[0]
    written = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "text"]
    assert sum(len(trace.text) for trace in written) == 4
    clicks = figure.data[-1]
    assert {(round(x), data[0]) for x, data in zip(clicks.x, clicks.customdata, strict=True)} == {
        (column, cell_key(rows[row])) for column, row in enumerate([3, 2, 0, 1])
    }


def test_curves_hold_the_points_they_were_given() -> None:
    score, poison = np.array([0.1, 0.4, 0.6, 0.9]), np.array([False, False, True, True])
    figure = roc_figure(roc(score, poison), 0.5, 0.0)
    assert list(figure.data[1].y) == [0.0, 0.5, 1.0, 1.0, 1.0]
    assert (figure.data[2].x[0], figure.data[2].y[0]) == (0.0, 0.5)
    assert list(budget_figure([0.01, 0.1], np.array([0.2, 0.7])).data[0].x) == [1.0, 10.0]
    bars = histogram_figure(np.array([0.0, 0.5, 1.0]), np.array([0, 2]), np.array([2, 0]))
    assert list(bars.data[0].y) == [1.0, 0.0]


def test_both_settings_are_marked_and_a_cut_that_is_off_is_not() -> None:
    def marks(in_force: float, proposed: float) -> int:
        figure = threshold_curve([0, 1], [1, 0], None, [1, 0], x="eta_Q", in_force=in_force, proposed=proposed)
        return len(figure.layout.shapes)

    assert marks(1.0, 0.8) == 2
    assert marks(1.0, 1.0) == 1
    assert marks(0.0, 0.5) == 1
    assert list(volume_per_day([3, 0], [1, 2]).data[1].y) == [1, 2]


def test_long_names_of_attacks_are_folded_and_none_is_turned() -> None:
    cells = [row(name, 0.9) for name in ("multi_script_prefix", "all", "longwithoutanybreak")]
    figure = evaluation_heatmap(cells, "auroc", "AUROC")
    assert list(figure.layout.xaxis.ticktext) == ["longwithoutanybreak", "multi_script_<br>prefix", "all"]
    assert figure.layout.xaxis.tickangle == 0
