from __future__ import annotations

import json
from pathlib import Path

import pytest
import regex

from ragsieve_core.text.uts39 import LOOKALIKE, script_family, script_mix, uts39_suspicious

ENGLISH = "The committee met on Tuesday and agreed that the harbour wall should be repaired before winter. "


@pytest.mark.parametrize(
    "word",
    ["pаssword", "Αpple", "gοοgle", "αlpha", "paypаl", "Ηello", "playүнөн", "ехаmple", "Ꭺpple"],
)
def test_lookalike_letters_in_one_word_are_found_in_english(word: str) -> None:
    mix = script_mix(ENGLISH + word)
    assert [ENGLISH.__len__() <= found.start for found in mix.findings] == [True]
    assert mix.findings[0].kind == "word"
    assert mix.suspicious


@pytest.mark.parametrize(
    "text",
    [
        "Hawaiʻi and Kekuʻiapoiwa, al-Muʿtasim, naïve Ångström",
        "5 µm, 3 μm, 10 kΩ, 4 MΩ·cm, 2 \u2126, λmax, TNFα, PPARγ, NF-κB, ΔT",
        "pronounced /ˈθɪətər/ or /ˈnɔːθ/",
        "Köln, München und Straße",
        "NFL球队在2015年获得冠军,ABC电视台转播",
        "東京タワーはTokyoにあります。한국어 KBS방송",
        "ภาษาCและPython",
        "في عام ٢٠١٥ فاز فريق NFL الأمريكي",
        "Команда NFL выиграла; сериал IBM-овский",
        "DesertБелое солнце",
        "KГјlГјg-хан правил недолго",
        "α粒子とβ崩壊",
        "Tbilisi (Georgian: თბილისი, Russian: Тифлис) is the capital",
        "",
    ],
)
def test_ordinary_text_is_not_suspicious(text: str) -> None:
    assert script_mix(text).findings == ()


def test_a_slip_in_cyrillic_text_is_shown_but_not_suspicious() -> None:
    russian = "Комитет собрался во вторник и решил отремонтировать стену гавани до начала зимы, потратив " * 3
    one = script_mix(russian + "бoльшую часть")
    assert [found.kind for found in one.findings] == ["slip"]
    assert not one.suspicious
    # Two of them, or one that is much of its text, are no slip
    assert script_mix(russian + "бoльшую чaсть").suspicious
    assert script_mix("Это пaроль").suspicious


def test_a_prefix_of_many_scripts_is_found() -> None:
    text = "earl обмен wife ##ர்த்த ಅಂತ <0x0A> founded the company. " + ENGLISH
    mix = script_mix(text)
    assert mix.stray == ("Cyrl", "Knda", "Taml")
    assert [text[found.start : found.end] for found in mix.findings] == ["обмен", "ர்த்த", "ಅಂತ"]
    assert {found.kind for found in mix.findings} == {"stray"}
    assert not uts39_suspicious(text, stray_families=4)


def test_two_foreign_families_side_by_side_are_found() -> None:
    assert [found.kind for found in script_mix(ENGLISH + "үнөн验").findings] == ["adjacent"]
    # With a comma between them they are two names
    assert script_mix(ENGLISH + "үнөн, 验验").findings == ()


def test_families_agree_with_the_regex_module() -> None:
    # Another copy of the Unicode data: Script_Extensions in `regex`
    patterns = {code: regex.compile(rf"\p{{scx={code}}}") for code in LOOKALIKE | {"Arab", "Hebr", "Thai", "Deva"}}
    for code_point in range(0x250, 0x2000):
        character = chr(code_point)
        family = script_family(character)
        if family in patterns:
            assert patterns[family].match(character), hex(code_point)


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "zh", "ar", "ru"])
def test_at_most_one_percent_of_xquad(shared_dir: Path, language: str) -> None:
    lines = (shared_dir / "data" / "xquad" / f"{language}.corpus.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert sum(uts39_suspicious(text) for text in texts) <= 0.01 * len(texts)
