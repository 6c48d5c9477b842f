"""Corpora of the RSG comparison: real text with planted documents, and clean text of every kind."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Part:
    """Documents that are encoded together; ``target`` names the attacked question, "" for clean ones."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    target: tuple[str, ...]
    source: tuple[str | None, ...]

    def take(self, rows: Sequence[int]) -> Part:
        """Those rows."""
        return Part(
            *(tuple(column[row] for row in rows) for column in (self.ids, self.texts, self.target, self.source))
        )


@dataclass(frozen=True)
class Corpus:
    """A named corpus as parts with the rows taken of each."""

    name: str
    parts: tuple[Part, ...]
    rows: tuple[tuple[int, ...] | None, ...] = field(default=())

    def joined(self) -> Part:
        """All documents in one."""
        taken = [part if rows is None else part.take(rows) for part, rows in zip(self.parts, self.chosen, strict=True)]
        columns = [[getattr(part, name) for part in taken] for name in ("ids", "texts", "target", "source")]
        return Part(*(tuple(value for one in column for value in one) for column in columns))

    @property
    def chosen(self) -> tuple[tuple[int, ...] | None, ...]:
        """Rows of each part, None for all."""
        return self.rows or (None,) * len(self.parts)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _text(row: dict[str, Any]) -> str:
    title = str(row.get("title") or "").strip()
    return row["text"] if not title or row["text"].startswith(title) else f"{title}\n\n{row['text']}"


def _clean(ids: Sequence[str], texts: Sequence[str], sources: Sequence[str | None] | None = None) -> Part:
    return Part(tuple(ids), tuple(texts), ("",) * len(ids), tuple(sources or (None,) * len(ids)))


def planted(data: Path, name: str) -> Part:
    """Five documents for each of 100 questions."""
    rows = [
        (d["id"], _text(d), q["query_id"]) for q in _lines(data / f"poisonedrag/{name}.jsonl") for d in q["documents"]
    ]
    ids, texts, targets = zip(*rows, strict=True)
    return Part(ids, texts, targets, (None,) * len(ids))


def ten_each(data: Path, name: str) -> Part:
    """Ten documents for each question: every planted passage cut in two, the question before both halves."""
    rows = []
    for query in _lines(data / f"poisonedrag/{name}.jsonl"):
        for document in query["documents"]:
            words = document["text"][len(query["query"]) :].lstrip(". ").split()
            half = len(words) // 2
            for place, piece in enumerate((words[:half], words[half:])):
                text = query["query"] + ". " + " ".join(piece)
                rows.append((f"{document['id']}.{place}", text, query["query_id"]))
    ids, texts, targets = zip(*rows, strict=True)
    return Part(ids, texts, targets, (None,) * len(ids))


def wiki(data: Path) -> Part:
    """6,119 Wikipedia passages."""
    rows = _lines(data / "2wiki/corpus.jsonl")
    return _clean([row["id"] for row in rows], [_text(row) for row in rows])


def xquad(data: Path, language: str) -> Part:
    """240 paragraphs."""
    rows = _lines(data / f"xquad/{language}.corpus.jsonl")
    return _clean([row["id"] for row in rows], [_text(row) for row in rows])


def chunks(data: Path, language: str) -> Part:
    """The paragraphs in chunks of 120 words (characters in Chinese) with 60 of overlap, their paragraph as source."""
    whole = xquad(data, language)
    ids, texts, sources = [], [], []
    for name, text in zip(whole.ids, whole.texts, strict=True):
        words, joint = (list(text), "") if language == "zh" else (text.split(), " ")
        for start in range(0, max(1, len(words) - 60), 60):
            ids.append(f"{name}#{start}")
            texts.append(joint.join(words[start : start + 120]))
            sources.append(name)
    return _clean(ids, texts, sources)


def snippets(data: Path) -> tuple[Part, Part]:
    """Web search results for 40 questions, and five planted documents for each."""
    rows = _lines(data / "realtimeqa/questions.jsonl")
    found = [(f"{q['query_id']}-c{i:02d}", text) for q in rows for i, text in enumerate(q["contexts"])]
    bad = [(f"{q['query_id']}-p{i}", text, q["query_id"]) for q in rows for i, text in enumerate(q["poison"])]
    ids, texts, targets = zip(*bad, strict=True)
    return _clean(*zip(*found, strict=True)), Part(ids, texts, targets, (None,) * len(ids))


def examples() -> tuple[Part, Part, dict[str, str]]:
    """The example corpus: clean part, planted part, style of each target."""
    labels = {row["document_id"]: row for row in _lines(ROOT / "examples/labels.jsonl")}
    rows = _lines(ROOT / "examples/corpus.jsonl")
    clean = [row for row in rows if not labels[row["id"]]["poison"]]
    bad = [row for row in rows if labels[row["id"]]["poison"]]
    targets = tuple(labels[row["id"]]["query_id"] for row in bad)
    styles = {labels[row["id"]]["query_id"]: labels[row["id"]]["style"] for row in bad}
    return (
        _clean([r["id"] for r in clean], [_text(r) for r in clean], [r["source"] for r in clean]),
        Part(tuple(r["id"] for r in bad), tuple(_text(r) for r in bad), targets, tuple(r["source"] for r in bad)),
        styles,
    )


_NAMES = "Alder Brant Corvin Dellow Ferris Gannet Harrow Iveson Jarrold Kestrel Lomax Marwood Norcott Oakes"
_PLACES = "Leeds Tampere Porto Utrecht Brno Lyon Graz Split Malaga Turin Bergen Aarhus Tartu Kaunas"
_THINGS = "copper timber linen ceramic solar marine textile dairy optical granite paper glass rubber"
_TEMPLATES = (
    "{n} Railway Station is a station in {p}, opened in {y}. It has {k} platforms and served {m} passengers in {z}.",
    "{n} County lies in the state of {p}. As of the {y} census the population was {m}. Its county seat is {o}.",
    "Product {n}-{k}: {w} pump with {m} W nominal power. Order number {z}{k}. Delivered from {p} in {k} working days.",
    "Dear {n}, your invoice number {m} of {y} for the delivery of {w} to {p} is due within {k} days. Reference {z}.",
    "{n} {o} (born {y} in {p}) is a footballer for {w} United who made {k} appearances and scored {m} goals since {z}.",
    "Privacy notice of {n} {w} GmbH, {p}. We store data for {k} months. The protection officer is {o}. As of {y}.",
    "Weather station {n} in {p}: mean temperature {k} degrees, precipitation {m} millimetres in {y}, run by {o}.",
    "Minutes of the {w} committee in {p}, {y}. Present: {n}, {o} and {k} members. A budget of {m} euros was approved.",
    "Recipe: {n} soup with {w} garnish. Serves {k}. Cook {m} grams of lentils. Written down by {o} in {p} in {y}.",
    "Apartment in {p}, {k} rooms, {m} square metres, {w} floor, built in {y}. The rent is {z} euros. Contact {n} {o}.",
    "{n}ia {o}i is a beetle of the family Cerambycidae, described in {y}, known from {p}, {k} millimetres long.",
    "Release notes {k}.{m}: fixed a crash when {w} files of {n} are opened; {o} contributed the translation for {p}.",
    "{n} is a village in the district of {p} with {m} inhabitants in {y}. The {w} mill of {o} dates from {z}.",
    "Flight {n}{k} from {p} to {o} departs at gate {k}. Boarding closes {k} minutes before. Desk {m}, timetable {y}.",
    "The {y} {n} Open was a tennis tournament played on {w} courts in {p}. {o} won the singles title and {m} points.",
    "Decision {m}/{y}: the court of {p} dismissed the appeal of {n} {w} AG against {o}. Costs of {z} euros are borne.",
    "Job offer: the {w} department in {p} seeks a clerk, {k} hours a week. Apply to {n} {o} by {y}, number {m}.",
    "Museum object {m}: {w} vessel, found near {p} in {y} by {n} {o}. Height {k} centimetres. Acquired in {z}.",
    "Bus line {k} {n} connects {p} with {o} every {m} minutes. The {w} stop is not served on Sundays since {y}.",
    "The {n} {w} Company was founded in {y} in {p} by {o}. It employs {m} people, turnover {z} million, {k} sites.",
)


def templated() -> Part:
    """500 pages from 20 templates, 25 each."""
    draw = random.Random(0)
    texts = [
        template.format(
            n=draw.choice(_NAMES.split()),
            o=draw.choice(_NAMES.split()),
            p=draw.choice(_PLACES.split()),
            w=draw.choice(_THINGS.split()),
            y=draw.randint(1850, 2024),
            z=draw.randint(1850, 2024),
            k=draw.randint(2, 40),
            m=draw.randint(100, 9999),
        )
        for template in _TEMPLATES
        for _ in range(25)
    ]
    return _clean([f"page-{row:03d}" for row in range(500)], texts)


def attacked(data: Path) -> list[Corpus]:
    """Corpora with planted documents."""
    base, clean_web = wiki(data), snippets(data)
    clean, bad, styles = examples()
    named = {style: tuple(r for r, t in enumerate(bad.target) if styles[t] == style) for style in set(styles.values())}
    return [
        Corpus("2wiki + nq", (base, planted(data, "nq"))),
        Corpus("2wiki + hotpotqa", (base, planted(data, "hotpotqa"))),
        Corpus("realtimeqa", clean_web),
        Corpus("examples", (clean, bad)),
        *(Corpus(f"examples: {style}", (clean, bad), (None, rows)) for style, rows in sorted(named.items())),
    ]


def volumes(data: Path) -> list[Corpus]:
    """The nq targets with two, three, four and ten documents each."""
    base, bad = wiki(data), planted(data, "nq")
    made = [Corpus(f"{n} documents", (base, bad), (None, tuple(r for r in range(500) if r % 5 < n))) for n in (2, 3, 4)]
    return [*made, Corpus("10 documents", (base, ten_each(data, "nq")))]


def second_half(name: str) -> bool:
    """Whether a target or question belongs to the half that is kept back, by a hash of its id."""
    return hashlib.sha256(name.encode()).digest()[-1] % 2 == 1


def kept_back(data: Path) -> list[Corpus]:
    """Targets and questions of the second half, in the base text they are attacked in and in other base text."""
    base, paragraphs = wiki(data), xquad(data, "en")
    web, bad = snippets(data)
    made = []
    for name in ("nq", "hotpotqa"):
        part = planted(data, name)
        rows = tuple(row for row, target in enumerate(part.target) if second_half(target))
        made.append(Corpus(f"2wiki + {name}, second half", (base, part), (None, rows)))
        made.append(Corpus(f"xquad-en + 20 of {name}, second half", (paragraphs, part), (None, rows[:100])))
    shown = tuple(row for row, target in enumerate(bad.target) if second_half(target))
    return [*made, Corpus("realtimeqa, second half", (web, bad), (_web_rows(web), shown))]


def _web_rows(web: Part) -> tuple[int, ...]:
    return tuple(row for row, name in enumerate(web.ids) if second_half(name.rsplit("-c", 1)[0]))


def clean_corpora(data: Path) -> list[Corpus]:
    """Corpora without a planted document."""
    base, web = wiki(data), snippets(data)[0]
    halves = [Corpus(f"2wiki half {h + 1}", (base,), (tuple(range(h, len(base.ids), 2)),)) for h in (0, 1)]
    languages = ("en", "zh", "ar", "ru")
    return [
        Corpus("2wiki", (base,)),
        *halves,
        *(Corpus(f"xquad {one}", (xquad(data, one),)) for one in languages),
        *(Corpus(f"xquad {one}, chunks", (chunks(data, one),)) for one in languages),
        Corpus("500 templated pages", (templated(),)),
        Corpus("realtimeqa, clean", (web,)),
        Corpus("realtimeqa, clean, second half", (web,), (_web_rows(web),)),
        Corpus("examples, clean", (replace(examples()[0]),)),
    ]
