"""Terms against an independent implementation's numbers (tests/golden/components.json)."""

import json
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.evaluate.auroc import auroc
from ragsieve_core.evaluate.tpr_at_fpr import tpr_at_fpr
from ragsieve_core.rsq.alignment import alignment_strength, alignment_trace
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.script import script_strength
from ragsieve_core.rsq.surprisal import surprisal
from ragsieve_core.rsq.tail import mid_rank
from ragsieve_core.text.scripts import script_profile

PAPER = RSQConfig()
COMPONENTS = json.loads((Path(__file__).parents[2] / "golden" / "components.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", COMPONENTS["script"], ids=range(len(COMPONENTS["script"])))
def test_script(case: dict) -> None:
    profile = script_profile(case["text"])
    assert profile.mixed_fraction == pytest.approx(case["mixed_fraction"], abs=1e-6)
    assert profile.script_count == case["script_count"]
    assert profile.transitions == case["transitions"]


@pytest.mark.parametrize("case", COMPONENTS["surprisal"], ids=range(len(COMPONENTS["surprisal"])))
def test_surprisal(case: dict) -> None:
    evidence = surprisal(np.array(case["nll"], dtype=np.float32), PAPER)
    for part in evidence.windows:
        assert part.burst == pytest.approx(case[f"burst_{part.window}"], abs=1e-5)
        assert part.change == pytest.approx(case[f"change_{part.window}"], abs=1e-5)
    assert evidence.e_surprisal == pytest.approx(case["e_surprisal"], abs=1e-5)


@pytest.mark.parametrize("case", COMPONENTS["alignment"], ids=range(len(COMPONENTS["alignment"])))
def test_alignment(case: dict) -> None:
    width = len((case["document"] or case["query"] or [[0.0]])[0])
    document = np.array(case["document"], dtype=np.float32).reshape(-1, width)
    query = np.array(case["query"], dtype=np.float32).reshape(-1, width)
    assert alignment_trace(document, query, PAPER).jump == pytest.approx(case["jump"], abs=1e-6)


@pytest.mark.parametrize("case", COMPONENTS["tail"], ids=range(len(COMPONENTS["tail"])))
def test_tail(case: dict) -> None:
    p = mid_rank(case["value"], case["tail"])
    assert p == pytest.approx(case["probability"], abs=1e-6)
    assert script_strength(p, PAPER) == pytest.approx(case["e_script"], abs=1e-6)
    assert alignment_strength(p, PAPER) == pytest.approx(case["e_alignment"], abs=1e-6)


@pytest.mark.parametrize("case", COMPONENTS["metrics"], ids=range(len(COMPONENTS["metrics"])))
def test_metrics(case: dict) -> None:
    assert auroc(case["positive"], case["negative"]) == pytest.approx(case["auroc"], abs=1e-6)
    assert tpr_at_fpr(case["positive"], case["negative"], 0.05) == pytest.approx(case["tpr_at_5pct_fpr"], abs=1e-6)
