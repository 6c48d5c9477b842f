"""A question from a screen: the same service as `ragsieve query`, for the person who asks."""

from __future__ import annotations

from dataclasses import dataclass

from app.services.asking import ask
from app.services.background import Tell
from app.services.console_models import console_models
from app.services.owner_access import OwnerAccess
from ragsieve_core.errors import InputError

LONGEST = 4000
"""Characters of a question; the encoders read its first 64 to 512 tokens."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; ``snapshot`` None = the latest, ``tenant`` whose question it is."""

    corpus: str
    text: str
    rule: str = "calibrated"
    profile: str = "embedded"
    snapshot: str | None = None
    tenant: str = "default"

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InputError("the question is empty", where="question", do="type one")
        if len(self.text) > LONGEST:
            raise InputError(
                f"the question has {len(self.text):,} characters", where="question", expected=f"at most {LONGEST:,}"
            )


def answer(access: OwnerAccess, question: Question, tell: Tell) -> str:
    """Ask, and store the event as `ragsieve query` does; returns its id.

    Raises
    ------
    InputError : unknown corpus or snapshot, vectors of another encoder.
    ModelUnavailableError : weights that are not on this machine.
    """
    access.principal.require("reviewer", "ask a question")
    # What cannot work is said before weights are read
    access.snapshot(question.corpus, question.snapshot, None)
    with console_models(access.wh.path, question.profile, tell) as ready:
        tell("retrieving and scoring", 0, 0)
        [(answers, _)] = list(
            ask(
                access,
                question.corpus,
                [("", question.text)],
                ready.models,
                rule=question.rule,
                snapshot=question.snapshot,
                features=ready.features,
                tenant=question.tenant,
            )
        )
    return answers[0].event_id
