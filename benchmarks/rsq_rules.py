"""RSQ presets compared on real rankings: ``python -m benchmarks rsq_rules`` or ``python -m benchmarks.rsq_rules``.

Prints, as Markdown, detection of planted candidates, clean candidates removed and queries touched by `paper` and
`calibrated`, each with 95 % intervals over queries, the half of the questions that constants were chosen on and the
half kept back apart. Needs the third-party texts (folder `shared/data` beside the repository).

Surprisal depends on a document alone and costs a language model a third of a second on one core; it is kept in the
cache folder. ``--surprisal`` computes what is missing (an hour on two cores), otherwise a document without it counts
0 there under both rules, and the table says for how many.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._rsg_corpora import ROOT
from benchmarks._rsq_rankings import GROUPS, Setting, kept_back
from ragsieve_core.document import RankedContext
from ragsieve_core.evaluate.auroc import auroc
from ragsieve_core.evaluate.removal import Share, removal
from ragsieve_core.models.cache_dir import cache_dir
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.models.loading import LoadedModels, load
from ragsieve_core.rsq import CalibratedRSQConfig, DocumentFrequencies, RSQConfig
from ragsieve_core.rsq.alignment import alignment_strength, alignment_trace
from ragsieve_core.rsq.anchor import anchor_concentration
from ragsieve_core.rsq.calibrated.anchor import nearby_anchors
from ragsieve_core.rsq.calibrated.copies import representatives
from ragsieve_core.rsq.calibrated.frequencies import ranking_frequencies
from ragsieve_core.rsq.calibrated.script import misplaced_script
from ragsieve_core.rsq.calibrated.sides import Sides
from ragsieve_core.rsq.script import script_integrity
from ragsieve_core.rsq.surprisal import surprisal
from ragsieve_core.rsq.tail import mid_rank

RULES = ("paper", "calibrated", "calibrated, ranking weights")


class Numbers:
    """Jumps of (question, text) pairs and surprisal of texts, kept on disk by hash."""

    def __init__(self, models: LoadedModels) -> None:
        self._models = models
        self._encoder = Features(models.causal_lm, models.trace_encoder, memory=1 << 30).trace_encoder
        self._folder = cache_dir() / "benchmarks"
        self._jumps = self._read("rsq-jumps.json")
        self._strange = self._read("rsq-surprisal.json")
        self.asked: set[str] = set()

    def _read(self, name: str) -> dict[str, float]:
        path = self._folder / name
        return dict(json.loads(path.read_text())) if path.is_file() else {}

    def save(self) -> None:
        """Write what was computed."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for name, values in (("rsq-jumps.json", self._jumps), ("rsq-surprisal.json", self._strange)):
            (self._folder / name).write_text(json.dumps(values))

    @staticmethod
    def key(*parts: str) -> str:
        """Hash of texts."""
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

    def jumps(self, query: str, texts: Sequence[str]) -> list[float]:
        """Alignment jumps of ranked texts."""
        keys = [self.key(query, text) for text in texts]
        missing = [text for key, text in zip(keys, texts, strict=True) if key not in self._jumps]
        if missing:
            config = RSQConfig()
            asked = self._encoder.token_vectors([query], max_tokens=config.query_max_tokens)[0]
            found = self._encoder.token_vectors(missing, max_tokens=config.document_max_tokens)
            for text, one in zip(missing, found, strict=True):
                self._jumps[self.key(query, text)] = alignment_trace(one.vectors, asked.vectors, config).jump
        return [self._jumps[key] for key in keys]

    def surprisals(self, texts: Sequence[str]) -> list[float]:
        """e_surprisal of `paper`, 0 where it is not known."""
        self.asked.update(texts)
        return [self._strange.get(self.key(text), 0.0) for text in texts]

    def known(self, texts: set[str]) -> int:
        """Texts among them whose surprisal is known."""
        return sum(self.key(text) in self._strange for text in texts)

    def compute(self, texts: Sequence[str]) -> None:
        """Surprisal of the texts that have none yet."""
        missing = [text for text in dict.fromkeys(texts) if self.key(text) not in self._strange]
        for start in range(0, len(missing), 64):
            part = missing[start : start + 64]
            for text, found in zip(part, self._models.causal_lm.surprisal(part), strict=True):
                self._strange[self.key(text)] = surprisal(found.nll, RSQConfig()).e_surprisal
            self.save()
            print(f"surprisal {start + len(part)} of {len(missing)}", flush=True)


@dataclass(frozen=True)
class Scored:
    """One ranking under every rule: score per candidate, and the parts of `calibrated`."""

    query_id: str
    planted: list[bool]
    score: dict[str, list[float]]
    parts: list[tuple[float, float, float, float]]


def paper_scores(context: RankedContext, numbers: Numbers) -> list[float]:
    """Scores of the `paper` rule, from its own term functions; a ranking shorter than n is not scored."""
    config = RSQConfig()
    texts = [document.text for document in context.documents[: config.n]]
    anchors = anchor_concentration(context.query, texts, config)
    scripts, _ = script_integrity(texts, config)
    jumps = numbers.jumps(context.query, texts)
    strange = numbers.surprisals(texts[: config.k])
    return [
        anchors[i].e_anchor
        + scripts[i].e_script
        + strange[i]
        + alignment_strength(mid_rank(jumps[i], jumps[config.k :]), config)
        for i in range(config.k)
    ]


def calibrated_parts(
    context: RankedContext, numbers: Numbers, frequencies: DocumentFrequencies | None, config: CalibratedRSQConfig
) -> list[tuple[float, float, float, float]]:
    """The four terms of `calibrated` per candidate."""
    texts = [document.text for document in context.documents[: config.n]]
    sides = Sides.of(len(texts), config)
    counts = frequencies if frequencies is not None else ranking_frequencies(texts)
    anchors = nearby_anchors(context.query, texts, representatives(texts, config), sides, counts, config)
    scripts, _ = misplaced_script(texts, sides, config)
    jumps = numbers.jumps(context.query, texts)
    tail = [jumps[i] for i in sides.tail]
    strange = numbers.surprisals([texts[i] for i in sides.candidates])
    return [
        (
            anchors[i].e_anchor,
            scripts[i].e_script,
            config.surprisal_weight * max(0.0, strange[i] - config.surprisal_offset),
            config.alignment_weight * alignment_strength(mid_rank(jumps[i], tail), config),
        )
        for i in sides.candidates
    ]


def run(setting: Setting, numbers: Numbers) -> list[Scored]:
    """Every rule on one setting."""
    config = CalibratedRSQConfig()
    frequencies = DocumentFrequencies.of(setting.snapshot)
    out = []
    for context in setting.contexts:
        own = calibrated_parts(context, numbers, frequencies, config)
        alone = calibrated_parts(context, numbers, None, config)
        score = {
            "paper": paper_scores(context, numbers),
            "calibrated": [sum(part) for part in own],
            "calibrated, ranking weights": [sum(part) for part in alone],
        }
        out.append(Scored(context.query_id, [bool(d.poison) for d in context.documents[: config.k]], score, own))
    return out


def _cell(share: Share, percent: bool) -> str:
    if share.value != share.value:
        return "–"
    if percent:
        return f"{100 * share.value:.2f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"
    return f"{share.value:.3f} [{share.low:.2f}, {share.high:.2f}]"


def table(results: Sequence[tuple[Setting, list[Scored]]], half: bool | None, rules: Sequence[str]) -> None:
    """One row per setting and rule."""
    print("\n| rankings | attack | queries | rule | AUROC | detection | clean candidates removed | queries touched |")
    print("|---|---|---|---|---|---|---|---|")
    for setting, scored in results:
        kept = [one for one in scored if half is None or kept_back(one.query_id) == half]
        if not kept:
            continue
        for rule in rules:
            flags = [[score >= 1.0 for score in one.score[rule]] for one in kept]
            found = removal(flags, [one.planted for one in kept])
            bad = [s for one in kept for s, p in zip(one.score[rule], one.planted, strict=True) if p]
            clean = [s for one in kept for s, p in zip(one.score[rule], one.planted, strict=True) if not p]
            area = f"{auroc(bad, clean):.3f}" if bad and clean else "–"
            print(
                f"| {setting.name} | {setting.attack} | {len(kept)} | {rule} | {area} "
                f"| {_cell(found.detection, False)} | {_cell(found.clean_removed, True)} "
                f"| {_cell(found.queries_touched, True)} |"
            )


def ablation(results: Sequence[tuple[Setting, list[Scored]]]) -> None:
    """`calibrated` without each of its terms, over all questions."""
    names = ("anchors", "script", "surprisal", "alignment")
    print("\n| rankings | attack | whole |", " | ".join(f"without {name}" for name in names), "|")
    print("|---|---|---|---|---|---|---|")
    for setting, scored in results:
        cells = []
        for left_out in (None, 0, 1, 2, 3):
            flags = [
                [sum(v for i, v in enumerate(part) if i != left_out) >= 1.0 for part in one.parts] for one in scored
            ]
            found = removal(flags, [one.planted for one in scored], resamples=1)
            shown = found.clean_removed.value if setting.attack == "clean" else found.detection.value
            cells.append(f"{100 * shown:.1f} %")
        print(f"| {setting.name} | {setting.attack} | {' | '.join(cells)} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print every table."""
    from ragsieve_core.models.profiles import get_profile

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="*", choices=sorted(GROUPS), default=list(GROUPS))
    parser.add_argument("--surprisal", action="store_true", help="compute the surprisal that is missing")
    given = parser.parse_args([] if arguments is None else list(arguments))
    if not given.data.is_dir():
        print(f"skipped: the third-party texts are not at {given.data}")
        return
    start = time.perf_counter()
    settings = [setting for name in given.only for setting in GROUPS[name](given.data)]
    numbers = Numbers(load(get_profile("embedded")))
    if given.surprisal:
        numbers.compute([d.text for s in settings for c in s.contexts for d in c.documents[:5]])
    results = []
    for setting in settings:
        results.append((setting, run(setting, numbers)))
        numbers.save()
    print(f"\nSurprisal is known for {numbers.known(numbers.asked)} of {len(numbers.asked)} candidate texts.")
    print("\nQuestions kept back:")
    table(results, True, RULES[:2])
    print("\nQuestions that constants were chosen on:")
    table(results, False, RULES[:2])
    print("\nAll questions, word weights counted in the ranking alone:")
    table(results, None, RULES[2:])
    print("\nDetection (share removed where clean) without each term, all questions:")
    ablation(results)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
