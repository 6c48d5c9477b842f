"""Mixed scripts that no writing system explains, by the Script and Script_Extensions properties (UTS #39).

Common and Inherited characters have no script: modifier letters (Hawaiʻi, Muʿtasim), the micro sign and IPA stress
marks never count. Scripts that one language writes together (Han, kana, Hangul, Bopomofo) are one family, and Latin
beside any family that does not look like it is ordinary text ("highly restrictive" and "moderately restrictive" of
UTS #39). What stays suspicious is absolute, not a share of the corpus:

* a word that mixes lookalike alphabets (Latin, Cyrillic, Greek, Armenian, Cherokee, Coptic);
* letters of two families side by side where neither is the text's own script nor Latin;
* letters of three or more families besides the text's own script and Latin, as optimised prefixes have.

Three things clean text does are told apart from the first: words run together (``DesertБелое``: the script changes
with a new capital), UTF-8 read in a one-byte code page (``KГјлГјg`` for Külüg), and a typist's slip (``бoльшую`` with a
Latin o: one foreign letter in one word of a whole text that is itself not Latin). Nobody types a Cyrillic letter into
English by slip, so Latin text has no such allowance.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import regex
from fontTools import unicodedata as unicode_data

LOOKALIKE = frozenset({"Latn", "Cyrl", "Grek", "Armn", "Cher", "Copt"})
"""Alphabets with letters that pass for one another."""

_FAMILY = dict.fromkeys(("Hani", "Hira", "Kana", "Hang", "Bopo"), "East_Asian")
_NO_SCRIPT = frozenset({"Zyyy", "Zinh", "Zzzz"})
_WORD = regex.compile(r"[\p{Latn}\p{Cyrl}\p{Grek}\p{Armn}\p{Cher}\p{Copt}\p{M}\p{Cf}\p{Lm}]+")
_LETTERS = regex.compile(r"[\p{L}\p{M}]+")
_STRAY_LETTERS = 2
"""Letters below which a family is a symbol in a formula, not writing."""

# Greek letters a reader cannot tell from Latin ones; a symbol is never one of these
_GREEK_TWINS = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲϳ")
_IPA_GREEK = frozenset("βθχ")
_IPA = regex.compile(r"[\u0250-\u02AF\u02C8\u02CC\u02D0\u02D1]")
_SYMBOL_COMPANY = 3
"""Latin letters beside one Greek symbol in a unit or a quantity (kΩ, µmol, λmax)."""
_SLIP_SHARE = 0.05
"""A slipped word is a smaller part than this of the letters of its text."""


@lru_cache(maxsize=65_536)
def script_family(character: str) -> str | None:
    """Family of a letter by Script_Extensions: ISO 15924 code, or ``East_Asian`` for Han, kana, Hangul, Bopomofo.

    None for what is no letter, for Common and Inherited, for letters several families share, and for the ohm sign,
    a symbol that only its compatibility mapping makes Greek.
    """
    if not character.isalpha() or character == "\u2126":
        return None
    families = {_FAMILY.get(code, code) for code in unicode_data.script_extension(character)} - _NO_SCRIPT
    return families.pop() if len(families) == 1 else None


@dataclass(frozen=True, slots=True)
class ScriptFinding:
    """A stretch of text whose scripts do not belong together.

    Attributes
    ----------
    kind : ``word`` (lookalike alphabets in one word), ``adjacent`` (foreign families side by side), ``stray``
        (a letter run of one of too many foreign families), or ``slip`` (a typist's; not suspicious).
    start, end : character span [start, end).
    families : families involved, sorted.
    """

    kind: str
    start: int
    end: int
    families: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScriptMix:
    """Families of one text and what is wrong with them.

    Attributes
    ----------
    counts : (family, letters) pairs, most frequent first, equal counts by name.
    stray : families besides the most frequent one and Latin with at least two letters, sorted.
    findings : in text order.
    """

    counts: tuple[tuple[str, int], ...]
    stray: tuple[str, ...]
    findings: tuple[ScriptFinding, ...]

    @property
    def suspicious(self) -> bool:
        """Whether anything but a typist's slip was found."""
        return any(found.kind != "slip" for found in self.findings)


def script_mix(text: str, stray_families: int = 3) -> ScriptMix:
    """Scripts of ``text`` that do not belong together.

    Parameters
    ----------
    text : any text.
    stray_families : foreign families from which a text is suspicious by their number alone, >= 1.

    References
    ----------
    UTS #39, "Unicode Security Mechanisms", sections 5.1 and 5.2.
    """
    counts: Counter[str] = Counter()
    if not text.isascii():
        for character, number in Counter(text).items():
            family = script_family(character)
            if family is not None:
                counts[family] += number
    ordered = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    if len(ordered) < 2:
        return ScriptMix(ordered, (), ())
    home = {ordered[0][0], "Latn"}
    stray = tuple(sorted(family for family, number in ordered if family not in home and number >= _STRAY_LETTERS))
    findings = _word_findings(text, ordered) if len(LOOKALIKE & counts.keys()) > 1 else []
    if len(counts.keys() - home) > 1:
        findings += _foreign_findings(text, home, listed=len(stray) >= stray_families)
    return ScriptMix(ordered, stray, tuple(sorted(findings, key=lambda found: (found.start, found.end, found.kind))))


def uts39_suspicious(text: str, stray_families: int = 3) -> bool:
    """Whether :func:`script_mix` finds anything suspicious in ``text``."""
    return not text.isascii() and script_mix(text, stray_families).suspicious


def _word_findings(text: str, counts: tuple[tuple[str, int], ...]) -> list[ScriptFinding]:
    findings, foreign = [], []
    for match in _WORD.finditer(text):
        if match.group().isascii():
            continue
        for start, end in _parts(match.group()):
            word = match.group()[start:end]
            own = Counter(family for family in map(script_family, word) if family is not None and family in LOOKALIKE)
            if len(own) > 1 and not _is_notation(word, own) and not _is_misdecoded(word):
                families = tuple(sorted(own))
                findings.append(ScriptFinding("word", match.start() + start, match.start() + end, families))
                foreign.append(own.total() - own[counts[0][0]])
    letters = sum(number for _, number in counts)
    if foreign == [1] and counts[0][0] != "Latn" and findings[0].end - findings[0].start < _SLIP_SHARE * letters:
        only = findings[0]
        return [ScriptFinding("slip", only.start, only.end, only.families)]
    return findings


def _parts(word: str) -> list[tuple[int, int]]:
    """Spans of words run together: cut where a capital follows a small letter of another script."""
    cuts = [0]
    for position in range(1, len(word)):
        before, after = word[position - 1], word[position]
        if before.islower() and after.isupper() and script_family(before) != script_family(after):
            cuts.append(position)
    return list(pairwise([*cuts, len(word)]))


def _is_notation(word: str, families: Counter[str]) -> bool:
    """Greek in a Latin word as science writes it: kΩ, λmax, TNFα, PPARγ, and θ β χ in IPA."""
    if families.keys() != {"Latn", "Grek"}:
        return False
    letters = [letter for letter in word if script_family(letter) is not None]
    greek = [letter for letter in letters if script_family(letter) == "Grek"]
    if set(greek) <= _IPA_GREEK and _IPA.search(word):
        return True
    latin = [letter for letter in letters if script_family(letter) == "Latn"]
    edge = letters[0] == greek[0] or letters[-1] == greek[0]
    company = len(latin) <= _SYMBOL_COMPANY or all(letter.isupper() for letter in latin)
    return len(greek) == 1 and edge and company and greek[0] not in _GREEK_TWINS


def _is_misdecoded(word: str) -> bool:
    """UTF-8 read as Windows Cyrillic or Greek: reading it back gives Latin text, which no lookalike spelling does."""
    for page in ("cp1251", "cp1253"):
        try:
            meant = word.encode(page).decode("utf-8")
        except UnicodeError:
            continue
        return {script_family(letter) for letter in meant} <= {"Latn", None}
    return False


def _foreign_findings(text: str, home: set[str], *, listed: bool) -> list[ScriptFinding]:
    findings = []
    for match in _LETTERS.finditer(text):
        if match.group().isascii():
            continue
        foreign = [
            (position, family)
            for position, family in enumerate(map(script_family, match.group()), start=match.start())
            if family is not None and family not in home
        ]
        families = tuple(sorted({family for _, family in foreign}))
        if len(families) > 1 and _touching(match.group()):
            findings.append(ScriptFinding("adjacent", match.start(), match.end(), families))
        elif listed and foreign:
            findings.append(ScriptFinding("stray", foreign[0][0], foreign[-1][0] + 1, families))
    return findings


def _touching(run: str) -> bool:
    return len({family for family in map(script_family, run) if family is not None}) > 1
