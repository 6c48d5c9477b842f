"""Random acts of several people on a real warehouse: no unsound state, no lost or doubled step, undo and redo exact."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ragsieve_core.errors import InputError
from ragsieve_core.review.workflow import sound
from tests.warehouse.desk import ADA, BOB, CY, DEE, alerts, fill, quarantined, reached, version
from warehouse import audit
from warehouse.alert_state import histories
from warehouse.approvals import approve, turn_down
from warehouse.claims import claim, end_claim
from warehouse.consistency import broken_rules
from warehouse.database import Warehouse
from warehouse.decisions import decide
from warehouse.errors import RefusedError
from warehouse.principal import Principal
from warehouse.quarantine import list_versions, propose, propose_rollback, publish_version
from warehouse.quarantine_versions import version_changes
from warehouse.undoing import redo, reopen, undo

PEOPLE = st.sampled_from([ADA, BOB, CY, DEE])
DOCUMENTS = st.sampled_from(["d0", "d1", "d2"])


class Desk(RuleBasedStateMachine):
    """Three documents, of which d0 got into many answers and needs a second person."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.wh = Warehouse.open(Path(self.folder.name) / "w.duckdb", command="pytest")
        self.steps: Counter[str] = Counter()

    @initialize()
    def begin(self) -> None:
        self.names = fill(self.wh, 3)
        reached(self.wh, "d0", 10)
        self.steps.update(dict.fromkeys(self.names.values(), 1))

    def act(self, call, *names: str) -> object:
        """Run an act; a refused one must change nothing, one that is done adds one step to each of these alerts."""
        before = audit.head(self.wh)
        try:
            done = call()
        except RefusedError:
            assert audit.head(self.wh) == before, "a refusal changes nothing"
            return None
        except InputError:
            assert audit.head(self.wh) == before
            return None
        self.steps.update(names)
        return done

    def of(self, document: str) -> tuple[str, int]:
        name = self.names[document]
        return name, version(self.wh, name)

    @rule(document=DOCUMENTS, who=PEOPLE, takeover=st.booleans(), minutes=st.sampled_from([30.0, 1e-6]))
    def claims(self, document: str, who: Principal, takeover: bool, minutes: float) -> None:
        name, seen = self.of(document)
        self.act(lambda: claim(self.wh, name, seen, principal=who, takeover=takeover, minutes=minutes), name)

    @rule(document=DOCUMENTS, who=PEOPLE)
    def gives_back(self, document: str, who: Principal) -> None:
        name, seen = self.of(document)
        self.act(lambda: end_claim(self.wh, name, seen, principal=who), name)

    @rule(
        document=DOCUMENTS,
        who=PEOPLE,
        verdict=st.sampled_from(["quarantine", "quarantine", "keep", "escalate"]),
        at_once=st.booleans(),
        stale=st.sampled_from([0, 0, 0, 1]),
    )
    def decides(self, document: str, who: Principal, verdict, at_once: bool, stale: int) -> None:
        name, seen = self.of(document)
        done = self.act(
            lambda: decide(
                self.wh, name, seen - stale, principal=who, verdict=verdict, reason="other", note="w", at_once=at_once
            ),
            name,
        )
        assert not (done and stale), "what somebody did not see they cannot decide over"

    @rule(document=DOCUMENTS, who=PEOPLE)
    def undoes(self, document: str, who: Principal) -> None:
        name, seen = self.of(document)
        done = self.act(lambda: undo(self.wh, name, seen, principal=who))
        if done and not done.waiting:  # type: ignore[attr-defined]
            self.steps[name] += 1

    @rule(document=DOCUMENTS, who=PEOPLE)
    def redoes(self, document: str, who: Principal) -> None:
        name, seen = self.of(document)
        self.act(lambda: redo(self.wh, name, seen, principal=who), name)

    @rule(document=DOCUMENTS, who=PEOPLE)
    def reopens(self, document: str, who: Principal) -> None:
        name, seen = self.of(document)
        self.act(lambda: reopen(self.wh, name, seen, principal=who), name)

    @rule(document=DOCUMENTS, who=PEOPLE)
    def approves(self, document: str, who: Principal) -> None:
        name, _ = self.of(document)
        self.act(lambda: approve(self.wh, [name], principal=who), name)

    @rule(document=DOCUMENTS, who=PEOPLE)
    def turns_down(self, document: str, who: Principal) -> None:
        name, _ = self.of(document)
        self.act(lambda: turn_down(self.wh, name, principal=who), name)

    @rule(document=DOCUMENTS, who=PEOPLE, release=st.booleans())
    def proposes(self, document: str, who: Principal, release: bool) -> None:
        name, _ = self.of(document)
        given = {"remove": [("c", document)]} if release else {"add": [name]}
        self.act(lambda: propose(self.wh, principal=who, **given))

    @rule(who=PEOPLE, pick=st.integers(0, 5))
    def rolls_back(self, who: Principal, pick: int) -> None:
        found = list_versions(self.wh, principal=ADA)
        if found:
            self.act(lambda: propose_rollback(self.wh, found[pick % len(found)].quarantine_id, principal=who))

    @rule(who=PEOPLE, pick=st.integers(0, 5))
    def publishes(self, who: Principal, pick: int) -> None:
        found = [v for v in list_versions(self.wh, principal=ADA) if v.state == "proposed"]
        if not found:
            return
        chosen = found[pick % len(found)].quarantine_id
        before = {name: version(self.wh, name) for name in self.names.values()}
        done = self.act(lambda: publish_version(self.wh, chosen, principal=who))
        if done:
            concerned = {c["document_id"] for c in version_changes(self.wh, chosen, principal=ADA)}
            for document, name in self.names.items():
                grown = version(self.wh, name) - before[name]
                assert grown <= (document in concerned)
                self.steps[name] += grown

    @invariant()
    def everything_holds(self) -> None:
        if not self.steps:
            return
        with self.wh.reading() as cursor:
            known = histories(cursor, list(self.names.values()))
            rows = cursor.execute(
                "SELECT seq, payload FROM alert_events WHERE status IS NOT NULL AND kind <> 'opened'"
            ).fetchall()
            current = dict(
                cursor.execute("SELECT alert_id, (status, verdict, holder, version) FROM alert_current").fetchall()
            )
        told = {seq: json.loads(payload) for seq, payload in rows}
        in_force = set()
        for document, name in self.names.items():
            history = known[name]
            assert len(history) == self.steps[name], "no step is lost, none is doubled"
            by_seq = {step.seq: place for place, step in enumerate(history)}
            for before, after in pairwise(history):
                assert sound(after.state), (after.kind, after.state)
                old = told[after.seq]["before"]
                assert (old["status"], old["verdict"], old["holder"]) == (
                    before.state.status,
                    before.state.verdict,
                    before.state.holder,
                ), "the history tells old and new"
                if after.kind == "undone":
                    assert after.state == history[by_seq[told[after.seq]["undoes"]] - 1].state
                if after.kind == "redone":
                    first = history[by_seq[told[after.seq]["redoes"]]].state
                    assert (after.state.verdict, after.state.reason, after.state.note) == (
                        first.verdict,
                        first.reason,
                        first.note,
                    )
            last = history[-1].state
            assert current[name] == (last.status, last.verdict, last.holder, len(history))
            if last.status == "in_force":
                in_force.add(document)
        assert quarantined(self.wh) == in_force
        for found in list_versions(self.wh, principal=ADA):
            if found.state in ("in_force", "superseded") and found.approved_by != "policy":
                changes = version_changes(self.wh, found.quarantine_id, principal=ADA)
                assert found.approved_by not in {change["proposer"] for change in changes}

    def teardown(self) -> None:
        assert broken_rules(self.wh) == []
        assert alerts(self.wh).keys() == getattr(self, "names", {}).keys()
        self.wh.close()
        self.folder.cleanup()


TestDesk = Desk.TestCase
TestDesk.settings = settings(
    max_examples=6,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
