"""A gate over a small corpus in memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.gate import Gate, GateConfig, GateCorpus
from ragsieve_core.publication import PublicationReader
from ragsieve_core.rsq import rsq_preset
from tests.gate_stand_ins import BagRetriever, Publisher, Sink, StandInFeatures, clean_texts, small_corpus


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    made = Publisher(tmp_path / "published")
    made.publish()
    return made


@pytest.fixture
def features() -> StandInFeatures:
    return StandInFeatures()


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def corpus() -> GateCorpus:
    return small_corpus(clean_texts(60))


@pytest.fixture
def make_gate(publisher: Publisher, features: StandInFeatures, sink: Sink, corpus: GateCorpus) -> Callable[..., Gate]:
    def make(**settings: Any) -> Gate:
        held = settings.pop("corpus", corpus)
        source = settings.pop("features", features)
        settings_rule = rsq_preset(settings.pop("rule", "paper"))
        return Gate(
            held,
            PublicationReader(publisher.folder, missing=settings.pop("missing", "refuse")),
            source,
            GateConfig(**settings),
            settings_rule,
            retriever=BagRetriever(),
            sink=sink,
        )

    return make
