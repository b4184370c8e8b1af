"""Plans, states, rules, links, and the log of what happened to a study."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.storage.conftest import START
from tests.storage.studies.people import PLAN, link, person, sha256
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import LogKind, State
from truehue.storage import Storage


def test_a_study_is_a_draft_until_its_state_is_set(storage: Storage) -> None:
    study = storage.studies.add(PLAN, "ann")
    assert (study.title, study.state, study.version) == ("Which is redder?", State.DRAFT, 1)
    assert (study.plan, study.author, study.created_at) == (PLAN, "ann", START)
    assert len(study.id) == 32

    opened = storage.studies.set_state(study.id, State.OPEN, "ben", "all set")
    assert (opened.state, opened.created_at) == (State.OPEN, START)
    assert opened.state_at == START + timedelta(seconds=1)
    assert storage.studies.get(study.id) == opened


def test_every_version_of_a_plan_stays(storage: Storage) -> None:
    study_id = storage.studies.add(PLAN, "ann").id
    revised = storage.studies.revise(study_id, {**PLAN, "title": "New", "seed": 8}, "ben")
    assert (revised.title, revised.version, revised.plan["seed"]) == ("New", 2, 8)
    assert storage.studies.plan(study_id, 1) == PLAN
    assert storage.studies.plan(study_id, 2)["title"] == "New"
    assert storage.studies.get(study_id).state is State.DRAFT
    with pytest.raises(NotStored, match="version 3"):
        storage.studies.plan(study_id, 3)


def test_many_studies_come_newest_first_and_more_plans_than_are_kept_can_be_read(
    storage: Storage,
) -> None:
    ids = [storage.studies.add({**PLAN, "seed": seed}, "ann").id for seed in range(40)]
    assert [study.id for study in storage.studies.all()] == ids[::-1]
    assert [storage.studies.plan(item, 1)["seed"] for item in ids] == list(range(40))


def test_the_latest_rule_counts(storage: Storage) -> None:
    study_id = storage.studies.add(PLAN, "ann").id
    assert storage.studies.rule(study_id) is None
    storage.studies.set_rule(study_id, {"fast_ms": 300}, "ann")
    storage.studies.set_rule(study_id, {"fast_ms": 200, "checks": [1, 2]}, "ben")
    assert storage.studies.rule(study_id) == {"fast_ms": 200, "checks": [1, 2]}


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"seed": 1}, "title"),
        ({"title": "  "}, "title"),
        ({"title": "a", "weights": [float("nan")]}, "plan"),
        ({"title": "a", "text": "\ud800"}, "plan"),
        ({"title": "a", "text": {1, 2}}, "plan"),
    ],
)
def test_a_plan_that_cannot_be_stored_is_refused(
    storage: Storage, plan: dict[str, object], field: str
) -> None:
    with pytest.raises(BadInput) as caught:
        storage.studies.add(plan, "ann")
    assert caught.value.field == field
    assert storage.studies.all() == []


def test_a_study_that_is_not_there_is_named(storage: Storage) -> None:
    studies, nowhere = storage.studies, "0" * 32
    for call in (
        lambda: studies.get(nowhere),
        lambda: studies.revise(nowhere, PLAN, "ann"),
        lambda: studies.set_state(nowhere, State.OPEN, "ann"),
        lambda: studies.set_rule(nowhere, {}, "ann"),
        lambda: studies.log(nowhere),
        lambda: storage.invitations.add(nowhere, sha256("a"), "", False, "ann"),
    ):
        with pytest.raises(NotStored, match=nowhere):
            call()
    assert storage.check() == []


def test_a_link_is_found_by_its_token_and_stays_when_it_is_revoked(storage: Storage) -> None:
    study_id = storage.studies.add(PLAN, "ann").id
    made = storage.invitations.add(study_id, sha256("token"), "class 4", True, "ann")
    assert (made.study_id, made.label, made.personal, made.author) == (
        study_id,
        "class 4",
        True,
        "ann",
    )
    assert storage.invitations.by_token(sha256("token")) == made
    assert storage.invitations.by_token(sha256("other")) is None

    revoked = storage.invitations.revoke(made.id, "ben")
    assert revoked.revoked_at is not None
    assert storage.invitations.revoke(made.id, "cleo") == revoked
    assert storage.invitations.by_token(sha256("token")) == revoked
    _, second = link(storage, study_id)
    assert [item.id for item in storage.invitations.of(study_id)] == [made.id, second]
    with pytest.raises(NotStored):
        storage.invitations.revoke("0" * 32, "ben")


def test_a_study_has_one_public_page_and_a_withdrawn_token_never_comes_back(
    storage: Storage,
) -> None:
    study_id, other = (storage.studies.add(PLAN, "ann").id for _ in range(2))
    first = storage.publications.publish(study_id, "one", False, "ann")
    assert (first.token, first.images, first.author) == ("one", False, "ann")
    # Published again it keeps its token, and only the images change.
    changed = storage.publications.publish(study_id, "two", True, "ben")
    assert changed == replace(first, images=True)
    assert storage.publications.of(study_id) == changed
    assert storage.publications.of(other) is None
    storage.publications.revoke(study_id, "ben")
    storage.publications.revoke(study_id, "ben")
    assert storage.publications.all() == []
    later = storage.publications.publish(study_id, "three", False, "ann")
    assert [record.token for record in storage.publications.all()] == ["three"]
    assert storage.publications.of(study_id) == later
    kinds = [(entry.kind, entry.author) for entry in storage.studies.log(study_id)]
    assert kinds[-3:] == [
        (LogKind.PUBLICATION, "ann"),
        (LogKind.PUBLICATION_REVOKED, "ben"),
        (LogKind.PUBLICATION, "ann"),
    ]
    with pytest.raises(NotStored):
        storage.publications.publish("0" * 32, "four", False, "ann")
    assert storage.check() == []


def test_the_log_tells_all_in_its_order(storage: Storage) -> None:
    study_id = storage.studies.add(PLAN, "ann").id
    other = link(storage)
    person(storage, other)
    storage.studies.revise(study_id, {**PLAN, "title": "New"}, "ben")
    index = link(storage, study_id, personal=True)
    storage.studies.set_state(study_id, State.OPEN, "ann", "ready")
    out, gone = person(storage, index), person(storage, link(storage, study_id))
    storage.participants.decide(out.id, True, "asleep", "ben")
    storage.studies.set_rule(study_id, {"fast_ms": 300}, "ann")
    storage.invitations.revoke(index[1], "cleo")
    storage.participants.erase(gone.id, "dan")

    log = storage.studies.log(study_id)
    assert [(entry.kind, entry.author) for entry in log] == [
        (LogKind.PLAN, "ann"),
        (LogKind.STATE, "ann"),
        (LogKind.PLAN, "ben"),
        (LogKind.LINK, "ann"),
        (LogKind.STATE, "ann"),
        (LogKind.LINK, "ann"),
        (LogKind.DECISION, "ben"),
        (LogKind.RULE, "ann"),
        (LogKind.LINK_REVOKED, "cleo"),
        (LogKind.ERASURE, "dan"),
    ]
    assert log[2].body == {"version": 2, "title": "New"}
    assert log[4].body == {"state": "open", "reason": "ready"}
    assert log[6].body == {
        "participant_id": out.id,
        "participant_number": 0,
        "excluded": True,
        "reason": "asleep",
    }
    assert log[7].body == {"rule": {"fast_ms": 300}}
    assert log[8].body == {"invitation_id": index[1], "label": "class 4", "personal": True}
    assert log[9].body == {"participant_number": 1}
    assert all(entry.at.tzinfo is not None for entry in log)
