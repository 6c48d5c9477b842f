"""RSG presets and CleanBase compared on real text: ``python -m benchmarks.rsg_rules [--data FOLDER] [--encoders …]``.

Prints, as Markdown, detection of planted documents with bootstrap intervals, paired differences and the slices lost to
a rival, what each rule flags in clean corpora beside the number it expected, how many documents per question the rule
needs, which campaigns come out, and the same on targets, questions and encoders that were kept back. Needs the
third-party texts (folder `shared/data` beside the repository); wordllama is left out where its weights are not
installed (RAGSIEVE_WORDLLAMA names the folder of its package).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from benchmarks._rsg_corpora import ROOT, Corpus, attacked, clean_corpora, kept_back, volumes
from benchmarks._rsg_encoders import corpus_vectors
from ragsieve_core.baselines.cleanbase import cleanbase
from ragsieve_core.evaluate.auroc import auroc
from ragsieve_core.evaluate.tpr_at_fpr import tpr_at_fpr
from ragsieve_core.rsg import CalibratedConfig, CalibratedEvidence, RSGConfig, score_corpus
from ragsieve_core.rsg.calibrated.score import score_calibrated
from ragsieve_core.rsg.campaigns import campaigns
from ragsieve_core.rsg.knn import Neighbors, nearest_neighbors

ENCODERS = ("MiniLM", "wordllama", "TF-IDF + SVD")
KEPT_BACK = ("wordllama, 128", "MiniLM, projected", "character SVD", "MiniLM, tokens")
RULES = ("calibrated", "paper", "CleanBase")
BUDGETS = (0.001, 0.005, 0.01, 0.05)
RESAMPLES = 400
COLUMNS = ("AUROC", "0.1 %", "0.5 %", "1 %", "5 %")


@dataclass(frozen=True)
class Outcome:
    """One corpus under one encoder: ranking values and flags of each rule."""

    name: str
    target: NDArray[np.str_]
    value: dict[str, NDArray[np.float64]]
    flagged: dict[str, NDArray[np.bool_]]
    calibrated: CalibratedEvidence
    texts: tuple[str, ...]
    cluster: NDArray[np.int64]

    @property
    def planted(self) -> NDArray[np.bool_]:
        """Whether each document was planted."""
        return np.asarray(self.target != "")


def run(corpus: Corpus, encoder: str) -> Outcome | None:
    """Every rule on one corpus; None where the encoder is not installed."""
    vectors = corpus_vectors(corpus, encoder)
    if vectors is None:
        return None
    part = corpus.joined()
    config = CalibratedConfig()
    neighbors = nearest_neighbors(vectors, part.ids, config.k)
    calibrated = score_calibrated(part.ids, part.texts, neighbors, config, sources=part.source)
    paper = score_corpus(part.ids, part.texts, vectors, RSGConfig())
    rival = cleanbase(neighbors)
    ranked = {
        # Integrity goes before topology in both presets; the paper's own score saturates, its density ranks on
        "calibrated": np.where(calibrated.integrity > 0, np.inf, calibrated.evidence),
        "paper": np.maximum(paper.density.density.astype(np.float64), paper.integrity),
        "CleanBase": rival.triangle,
    }
    flagged = {"calibrated": calibrated.flagged, "paper": paper.flagged, "CleanBase": rival.flagged}
    target = np.array(part.target)
    return Outcome(corpus.name, target, ranked, flagged, calibrated, part.texts, clusters(neighbors, target))


def clusters(neighbors: Neighbors, target: NDArray[np.str_]) -> NDArray[np.int64]:
    """Number of the cluster of each document: what is drawn together when documents are resampled.

    Planted documents of one target are one cluster. Clean ones alert in families of pages, so the connected components
    over mutual two nearest neighbours are theirs: 12 documents at most in these corpora, where three nearest already
    join half of a small corpus.
    """
    count = target.size
    near = neighbors.index[:, :2]
    rows = np.repeat(np.arange(count), near.shape[1])
    edges = coo_array((np.ones(rows.size), (rows, near.ravel())), shape=(count, count)).tocsr()
    mutual = edges.multiply(edges.T).tocoo()
    clean = (target[mutual.row] == "") & (target[mutual.col] == "")
    kept = coo_array((mutual.data[clean], (mutual.row[clean], mutual.col[clean])), shape=(count, count))
    number = connected_components(kept, directed=False)[1].astype(np.int64)
    for place, name in enumerate(sorted(set(target.tolist()) - {""})):
        number[target == name] = count + place
    return np.asarray(number)


def measures(value: NDArray[np.float64], planted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """AUROC and detection at each budget."""
    finite = np.nan_to_num(value, neginf=-1e9, posinf=1e9)
    bad, clean = finite[planted], finite[~planted]
    return np.array([auroc(bad, clean), *(tpr_at_fpr(bad, clean, budget) for budget in BUDGETS)])


def resampled(outcome: Outcome, seed: int = 0) -> dict[str, NDArray[np.float64]]:
    """Measures over resamples of targets and of clean clusters, the same for every rule: (RESAMPLES, measures)."""
    generator = np.random.default_rng(seed)
    bad_rows, clean_rows = (_rows_of_clusters(outcome.cluster, kind) for kind in (outcome.planted, ~outcome.planted))
    out: dict[str, list[NDArray[np.float64]]] = {rule: [] for rule in RULES}
    for _ in range(RESAMPLES):
        bad, clean = (
            np.concatenate([rows[one] for one in generator.integers(0, len(rows), len(rows))])
            for rows in (bad_rows, clean_rows)
        )
        drawn = np.concatenate([bad, clean])
        planted = np.arange(drawn.size) < bad.size
        for rule in RULES:
            out[rule].append(measures(outcome.value[rule][drawn], planted))
    return {rule: np.array(found) for rule, found in out.items()}


def _rows_of_clusters(cluster: NDArray[np.int64], among: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    rows = np.flatnonzero(among)
    order = rows[np.argsort(cluster[rows], kind="stable")]
    return np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1)


def detection_table(outcomes: Sequence[tuple[str, Outcome]]) -> None:
    """One row per corpus, encoder and rule, then the paired differences and the slices lost."""
    print("\n| corpus | encoder | rule | AUROC | 0.1 % | 0.5 % | 1 % | 5 % | at its own cut | clean flagged |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    paired, lost, compared = [], [], 0
    for encoder, outcome in outcomes:
        draws = resampled(outcome)
        here = {rule: measures(outcome.value[rule], outcome.planted) for rule in RULES}
        for rule in RULES:
            low, high = np.quantile(draws[rule], (0.025, 0.975), axis=0)
            cells = [f"{v:.3f} [{a:.2f}, {b:.2f}]" for v, a, b in zip(here[rule], low, high, strict=True)]
            found = outcome.flagged[rule][outcome.planted].mean()
            clean = 100 * outcome.flagged[rule][~outcome.planted].mean()
            print(f"| {outcome.name} | {encoder} | {rule} | {' | '.join(cells)} | {found:.3f} | {clean:.2f} % |")
        for rule in RULES[1:]:
            low, high = np.quantile(draws["calibrated"] - draws[rule], (0.025, 0.975), axis=0)
            change = here["calibrated"] - here[rule]
            cells = []
            for name, d, a, b in zip(COLUMNS, change, low, high, strict=True):
                cells.append(f"{d:+.3f} [{a:+.2f}, {b:+.2f}]{' **worse**' if b < 0 else ''}")
                compared += 1
                if b < 0:
                    lost.append(f"{outcome.name}, {encoder}, {name} against {rule}: {d:+.3f} [{a:+.3f}, {b:+.3f}]")
            paired.append(f"| {outcome.name} | {encoder} | {rule} | {' | '.join(cells)} |")
    print("\nCalibrated less its rival on the same resamples (95 %); **worse** where the interval lies below 0:\n")
    print("| corpus | encoder | rival | AUROC | 0.1 % | 0.5 % | 1 % | 5 % |\n|---|---|---|---|---|---|---|---|")
    print("\n".join(paired))
    print(f"\nSlices lost beyond the interval: {len(lost)} of {compared}.")
    print("\n".join(f"* {line}" for line in lost))


def clean_table(outcomes: Sequence[tuple[str, Outcome]]) -> None:
    """What each rule flags where nothing was planted, and what `calibrated` expected."""
    print(
        "\n| clean corpus | encoder | documents | paper | CleanBase | calibrated | of it integrity | groups: seen |",
        end="",
    )
    print(" expected | ratio | largest campaign | islands |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
    for encoder, outcome in outcomes:
        share = {rule: f"{100 * outcome.flagged[rule].mean():.2f} %" for rule in RULES}
        found = outcome.calibrated
        seen = int((found.evidence >= found.evidence_cut).sum())
        expected = found.expected_at_cut
        # Below one document the two numbers say the same
        ratio = max(seen, 1.0) / max(expected, 1.0)
        largest = max((len(one.members) for one in campaigns(found, outcome.texts)), default=0)
        print(
            f"| {outcome.name} | {encoder} | {outcome.target.size} | {share['paper']} | {share['CleanBase']} "
            f"| {share['calibrated']} | {int(found.integrity.sum())} | {seen} | {expected:.1f} | {ratio:.2f}"
            f"{'' if 1 / 3 <= ratio <= 3 else ' **off**'} | {largest} | {len(found.islands)} |"
        )


def group_table(outcomes: Sequence[tuple[str, Outcome]]) -> None:
    """Detection at the fixed cut and how many targets come out as exactly their documents."""
    print("\n| corpus | encoder | detection at the cut | clean flagged | exact campaigns | largest clean | expected |")
    print("|---|---|---|---|---|---|---|")
    for encoder, outcome in outcomes:
        size = Counter(name for name in outcome.target.tolist() if name)
        made = campaigns(outcome.calibrated, outcome.texts)
        named = [{str(outcome.target[row]) for row in one.members} for one in made]
        exact = sum(
            len(names) == 1 and names != {""} and size[next(iter(names))] == len(one.members)
            for one, names in zip(made, named, strict=True)
        )
        largest = max((len(one.members) for one, names in zip(made, named, strict=True) if names == {""}), default=0)
        flagged = outcome.flagged["calibrated"]
        print(
            f"| {outcome.name} | {encoder} | {flagged[outcome.planted].mean():.3f} "
            f"| {100 * flagged[~outcome.planted].mean():.2f} % | {exact} of {len(size)} | {largest} "
            f"| {outcome.calibrated.expected_at_cut:.1f} |"
        )


def campaign_table(outcomes: Sequence[tuple[str, Outcome]]) -> None:
    """One row per encoder: nq targets that come out as exactly their documents, largest campaign of clean text."""
    print("\n| encoder | nq targets that come out exactly | largest clean campaign: 2wiki | XQuAD | kept |")
    print("|---|---|---|---|---|")
    for encoder in dict.fromkeys(encoder for encoder, _ in outcomes):
        here = {outcome.name: outcome for other, outcome in outcomes if other == encoder}
        made = {name: campaigns(outcome.calibrated, outcome.texts) for name, outcome in here.items()}
        target = here["2wiki + nq"].target
        whole = Counter(target[target != ""].tolist())
        named = [[str(target[row]) for row in one.members] for one in made["2wiki + nq"]]
        exact = sum(bool(names[0]) and names == [names[0]] * whole[names[0]] for names in named) / len(whole)
        wiki, xquad = (
            max((len(one.members) for name, found in made.items() if name.startswith(kind) for one in found), default=0)
            for kind in ("2wiki half", "xquad")
        )
        wiki = max(wiki, max((len(one.members) for one in made["2wiki"]), default=0))
        kept = "yes" if exact >= 0.95 and max(wiki, xquad) <= 5 else "**no**"
        print(f"| {encoder} | {exact:.2f} | {wiki} | {xquad} | {kept} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--encoders", nargs="*", choices=ENCODERS, default=list(ENCODERS))
    parser.add_argument("--kept-back", nargs="*", choices=KEPT_BACK, default=list(KEPT_BACK), dest="others")
    given = parser.parse_args([] if arguments is None else list(arguments))
    if not given.data.is_dir():
        print(f"skipped: the third-party texts are not at {given.data}")
        return
    start = time.perf_counter()

    def every(corpora: Sequence[Corpus], encoders: Sequence[str]) -> list[tuple[str, Outcome]]:
        pairs = ((encoder, run(corpus, encoder)) for corpus in corpora for encoder in encoders)
        return [(encoder, outcome) for encoder, outcome in pairs if outcome is not None]

    poisoned = every(attacked(given.data), given.encoders)
    detection_table(poisoned)
    group_table(poisoned)
    print("\nDocuments per question (nq in 2wiki):")
    group_table(every(volumes(given.data), given.encoders[:1]))
    clean = every(clean_corpora(given.data), given.encoders)
    clean_table(clean)
    campaign_table([pair for pair in poisoned if pair[1].name == "2wiki + nq"] + clean)
    print("\nKept back: second half of the targets and questions, every encoder; further encoders on clean text:")
    other = every(kept_back(given.data), [*given.encoders, *given.others])
    detection_table(other)
    group_table(other)
    clean_table(every(clean_corpora(given.data), given.others))
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
