"""Misplaced letters: writing systems that do not belong together, counted only beyond an absolute gate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.sides import Sides
from ragsieve_core.rsq.script import ScriptEvidence
from ragsieve_core.rsq.tail import mid_rank
from ragsieve_core.text.scripts import script_profile, script_runs
from ragsieve_core.text.uts39 import ScriptFinding, script_family, script_mix

_LETTERS = regex.compile(r"[\p{L}\p{M}]+")


@dataclass(frozen=True, slots=True)
class MisplacedScript(ScriptEvidence):
    """The script term of one candidate.

    ``v_script`` is the share of misplaced letters, 0 below ``script_least`` of them; ``p_script`` its mid-rank against
    the tail; ``e_script`` = weight * -log10(p_script) / log10(2 (tail + 1)), 0 below ``script_gate``.

    Attributes
    ----------
    misplaced : misplaced letters.
    letters : all letters that have a script.
    findings : where they are and of what kind, as UTS #39 sees it; ``glued`` are foreign letters run on to Latin ones.
    """

    misplaced: int
    letters: int
    findings: tuple[ScriptFinding, ...]


@dataclass(frozen=True, slots=True)
class Misplaced:
    """Misplaced letters of one text: their number, all letters with a script, and where they are."""

    number: int
    letters: int
    findings: tuple[ScriptFinding, ...]

    def share(self, least: int) -> float:
        """Share of misplaced letters in [0, 1], 0 below ``least`` of them."""
        return self.number / self.letters if self.letters and self.number >= least else 0.0


def find_misplaced(text: str, stray_families: int) -> Misplaced:
    """Letters of ``text`` that stand where no writing system puts them.

    The letters of a word that mixes lookalike alphabets, the foreign letters of the other findings of
    :func:`script_mix`, and in a mainly Latin text foreign letters run on to Latin ones.
    """
    mix = script_mix(text, stray_families)
    letters = sum(number for _, number in mix.counts)
    if len(mix.counts) < 2:
        return Misplaced(0, letters, ())
    findings = [found for found in mix.findings if found.kind != "slip"]
    home = {mix.counts[0][0], "Latn"}
    places: set[int] = set()
    for found in findings:
        span = range(found.start, found.end)
        families = {place: script_family(text[place]) for place in span}
        if found.kind == "word":
            places |= {place for place, family in families.items() if family}
        else:
            places |= {place for place, family in families.items() if family and family not in home}
    if mix.counts[0][0] == "Latn":
        for run in _LETTERS.finditer(text):
            if run.group().isascii():
                continue
            foreign = [
                (place, family)
                for place, family in enumerate(map(script_family, run.group()), start=run.start())
                if family and family != "Latn"
            ]
            # Lookalike alphabets were judged above, with what science and typists do taken into account
            strange = [(place, family) for place, family in foreign if family not in ("Grek", "Cyrl")]
            if strange and any(script_family(letter) == "Latn" for letter in run.group()):
                places |= {place for place, _ in strange}
                families_here = tuple(sorted({family for _, family in strange} | {"Latn"}))
                findings.append(ScriptFinding("glued", strange[0][0], strange[-1][0] + 1, families_here))
    return Misplaced(len(places), letters, tuple(sorted(findings, key=lambda f: (f.start, f.end, f.kind))))


@lru_cache(maxsize=4096)
def misplaced_letters(text: str, stray_families: int) -> Misplaced:
    """:func:`find_misplaced`, remembered."""
    return find_misplaced(text, stray_families)


def misplaced_script(
    texts: Sequence[str],
    sides: Sides,
    config: CalibratedRSQConfig,
    known: Sequence[Misplaced] | None = None,
) -> tuple[list[MisplacedScript], list[float]]:
    """The script term of every candidate, and the tail's shares that they were ranked against.

    ``known`` are the misplaced letters of the texts, where they were found before.
    """
    found = [misplaced_letters(text, config.stray_families) for text in texts] if known is None else known
    tail = [found[i].share(config.script_least) for i in sides.tail]
    evidence = []
    for i in sides.candidates:
        share = found[i].share(config.script_least)
        p = mid_rank(share, tail)
        strength = -math.log10(p) / math.log10(2 * (len(tail) + 1)) if tail else 0.0
        evidence.append(
            MisplacedScript(
                share,
                p,
                config.script_weight * strength if share >= config.script_gate and share > 0 else 0.0,
                script_profile(texts[i]),
                script_runs(texts[i]),
                found[i].number,
                found[i].letters,
                found[i].findings,
            )
        )
    return evidence, tail
