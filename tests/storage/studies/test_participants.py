"""Enrolment, trials, decisions, erasure, and what the check of the storage tells."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.storage.conftest import START
from tests.storage.studies.people import answer, enrolment, link, person, sha256, trials
from truehue.core.errors import AlreadyEnrolled, BadInput, NotStored
from truehue.core.studies import Purpose, Trial
from truehue.storage import Storage

pytestmark = pytest.mark.slow


def test_enrolment_stores_the_person_with_their_trials(storage: Storage) -> None:
    index = link(storage)
    target: list[int] = []

    def assign(number: int) -> Sequence[Trial]:
        target.append(number)
        return trials(4)

    record, served = storage.participants.enroll(enrolment(*index, key="one"), assign)
    assert (record.study_id, record.invitation_id, record.number) == (*index, 0)
    assert (record.plan_version, record.language) == (1, "en")
    assert record.external == {"prolific_pid": "p1"}
    assert tuple(trial.trial() for trial in served) == trials(4)
    assert {trial.assigned_at for trial in served} == {record.enrolled_at}
    assert storage.participants.trials(record.id) == served
    assert storage.participants.by_key(sha256("one")) == record
    assert storage.participants.by_key(sha256("two")) is None

    second = person(storage, index, assign)
    assert (second.number, target) == (1, [0, 1])
    assert storage.participants.of(index[0]) == [record, second]
    assert storage.participants.count(index[0]) == 2
    assert storage.participants.trials_of_study(index[0]) == {
        record.id: served,
        second.id: storage.participants.trials(second.id),
    }
    assert storage.check() == []


def test_every_field_of_a_trial_comes_back(storage: Storage) -> None:
    rows = (
        Trial(0, "", (), Purpose.ATTENTION, expected=1),
        Trial(1, "s", ("a", "b", "c", "d"), Purpose.TRAINING, 0.125, expected=3),
        Trial(2, "s", ("a",), Purpose.REPEAT, 1 / 3, original=1),
    )
    record = person(storage, assign=lambda number: rows)
    assert tuple(t.trial() for t in storage.participants.trials(record.id)) == rows


def test_the_time_of_the_choice_can_be_given(storage: Storage) -> None:
    index = START + timedelta(hours=3)
    record, served = storage.participants.enroll(
        enrolment(*link(storage)), lambda number: trials(2), index
    )
    assert record.enrolled_at == served[0].assigned_at == index
    later = index + timedelta(minutes=1)
    more = storage.participants.extend(record.id, trials(2, first=2), later)
    assert [trial.assigned_at for trial in more] == [later, later]


def test_a_failed_assignment_leaves_nothing_behind(storage: Storage) -> None:
    index = link(storage)

    def broken(number: int) -> Sequence[Trial]:
        raise BadInput("No stimuli.")

    with pytest.raises(BadInput, match="No stimuli"):
        person(storage, index, broken)
    with pytest.raises(BadInput, match="number 0"):
        person(storage, index, lambda number: trials(2, first=1))
    assert storage.participants.of(index[0]) == []
    assert person(storage, index).number == 0
    assert storage.check() == []


def test_a_personal_link_takes_one_and_says_who(storage: Storage) -> None:
    index = link(storage, personal=True)
    first = person(storage, index)
    with pytest.raises(AlreadyEnrolled) as caught:
        person(storage, index)
    assert caught.value.participant_id == first.id
    assert storage.participants.of(index[0]) == [first]


def test_links_that_let_nobody_in(storage: Storage) -> None:
    study_id, invitation_id = link(storage)
    other, _ = link(storage)
    with pytest.raises(BadInput, match="another study"):
        person(storage, (other, invitation_id))
    with pytest.raises(NotStored):
        person(storage, (study_id, "0" * 32))
    with pytest.raises(NotStored, match="version 2"):
        storage.participants.enroll(
            enrolment(study_id, invitation_id, plan_version=2), lambda number: ()
        )
    storage.invitations.revoke(invitation_id, "ann")
    with pytest.raises(BadInput, match="closed"):
        person(storage, (study_id, invitation_id))
    assert storage.participants.of(study_id) == []


def test_many_who_come_at_once_have_numbers_without_gaps(storage: Storage) -> None:
    index, personal = link(storage), link(storage, personal=True)
    start = threading.Barrier(16)

    def enter(number: int) -> tuple[int, str]:
        start.wait()
        try:
            alone = person(storage, personal).id
        except AlreadyEnrolled as error:
            alone = error.participant_id
        return person(storage, index).number, alone

    with ThreadPoolExecutor(16) as pool:
        result = list(pool.map(enter, range(16)))
    assert sorted(number for number, _ in result) == list(range(16))
    assert len({alone for _, alone in result}) == 1
    assert storage.check() == []


def test_further_trials_continue_those_before(storage: Storage) -> None:
    record = person(storage, assign=lambda number: trials(3))
    more = storage.participants.extend(record.id, trials(2, first=3))
    assert [trial.position for trial in more] == [3, 4]
    assert storage.participants.trials(record.id)[3:] == more
    with pytest.raises(BadInput, match="number 5"):
        storage.participants.extend(record.id, trials(2, first=3))
    assert storage.participants.extend(record.id, ()) == ()
    with pytest.raises(NotStored):
        storage.participants.extend("0" * 32, trials(2))


def test_a_new_device_has_a_new_key(storage: Storage) -> None:
    record = storage.participants.enroll(enrolment(*link(storage), key="old"), trials)[0]
    storage.participants.rekey(record.id, sha256("new"))
    assert storage.participants.by_key(sha256("old")) is None
    assert storage.participants.by_key(sha256("new")) == record
    with pytest.raises(NotStored):
        storage.participants.rekey("0" * 32, sha256("new"))


def test_the_latest_decision_counts(storage: Storage) -> None:
    index = link(storage)
    first, second, _ = (person(storage, index) for _ in range(3))
    assert storage.participants.decisions(index[0]) == {}
    storage.participants.decide(first.id, True, "asleep", "ann")
    storage.participants.decide(second.id, True, "twice", "ann")
    storage.participants.decide(first.id, False, "awake", "ben")
    decisions = storage.participants.decisions(index[0])
    assert {key: (d.excluded, d.reason, d.author) for key, d in decisions.items()} == {
        first.id: (False, "awake", "ben"),
        second.id: (True, "twice", "ann"),
    }
    with pytest.raises(NotStored):
        storage.participants.decide("0" * 32, True, "", "ann")


def test_erasure_leaves_nothing_but_the_number(storage: Storage) -> None:
    index = link(storage)
    gone, saved = person(storage, index), person(storage, index)
    for item in (gone, saved):
        storage.study_events.append(item.id, [answer(0), answer(1)])
        storage.participants.decide(item.id, True, "asleep", "ann")
    storage.participants.erase(gone.id, "ann")

    assert storage.participants.of(index[0]) == [saved]
    assert storage.participants.erasures(index[0]) == (0,)
    assert set(storage.participants.trials_of_study(index[0])) == {saved.id}
    assert set(storage.study_events.of_study(index[0])) == {saved.id}
    assert set(storage.participants.decisions(index[0])) == {saved.id}
    tables = storage._database.rows(
        "SELECT table_name FROM information_schema.columns WHERE column_name = 'participant_id'"
    )
    assert len(tables) == 6
    for (table,) in tables:
        rows = storage._database.rows(
            f"SELECT count(*) FROM {table} WHERE participant_id = ?", [gone.id]
        )
        assert rows == [(0,)]
    with pytest.raises(NotStored):
        storage.participants.erase(gone.id, "ann")
    with pytest.raises(NotStored):
        storage.study_events.append(gone.id, [answer()])
    # A number is never given again, so that what the log says stays true.
    assert person(storage, index).number == 2
    storage.participants.erase(person(storage, index).id, "ann")
    assert person(storage, index).number == 4
    assert storage.check() == []


def test_a_personal_link_of_somebody_erased_is_closed_and_has_no_name(storage: Storage) -> None:
    index = link(storage, personal=True)
    storage.participants.erase(person(storage, index).id, "ann")
    invitation = storage.invitations.get(index[1])
    assert invitation.label == ""
    assert invitation.revoked_at is not None
    with pytest.raises(BadInput, match="closed"):
        person(storage, index)
    common = link(storage)
    storage.participants.erase(person(storage, common).id, "ann")
    assert storage.invitations.get(common[1]).revoked_at is None


def test_what_an_erased_person_did_is_not_in_the_files_log(storage: Storage) -> None:
    record = person(storage)
    storage.study_events.append(record.id, [answer(words="a very personal comment")])
    storage.participants.erase(record.id, "ann")
    wal = storage.data_dir / "truehue.duckdb.wal"
    assert not wal.is_file() or b"very personal" not in wal.read_bytes()


def test_dangling_rows_of_studies_are_named(storage: Storage) -> None:
    index = link(storage)
    record = person(storage, index, lambda number: trials(3))
    storage.study_events.append(record.id, [answer(n) for n in range(3)])
    storage.participants.decide(record.id, True, "", "ann")
    database = storage._database
    assert storage.check() == []

    database.rows("DELETE FROM study_events WHERE number = 1")
    database.rows("DELETE FROM study_trials WHERE position = 0")
    assert storage.check() == [
        f"the participant {record.id} has 2 events, and the last has the number 2",
        f"the trial 2 of the participant {record.id} repeats the trial 0, which is not stored",
    ]
    database.rows("DELETE FROM study_participants")
    assert storage.check()[:3] == [
        f"1 decisions are of the participant {record.id}, who is not stored",
        f"2 events are of the participant {record.id}, who is not stored",
        f"2 trials are of the participant {record.id}, who is not stored",
    ]
    for table in ("study_events", "study_trials", "study_decisions"):
        database.rows(f"DELETE FROM {table}")
    again = person(storage, index)
    database.rows("DELETE FROM study_plans")
    database.rows("DELETE FROM study_invitations")
    assert storage.check() == [
        f"the study {index[0]} has no plan",
        f"the participant {again.id} came in by the link {index[1]}, which is not stored for that "
        "study",
        f"the participant {again.id} was served version 1 of the plan, which is not stored",
    ]
    database.rows("DELETE FROM studies")
    assert storage.check()[:2] == [
        f"a participant is of the study {index[0]}, which is not stored",
        f"a state is of the study {index[0]}, which is not stored",
    ]


def test_a_trial_is_equal_to_what_was_assigned_without_its_time(storage: Storage) -> None:
    _, served = storage.participants.enroll(enrolment(*link(storage)), lambda number: trials(2))
    assert served[0] != trials(2)[0]
    assert served[0].trial() == trials(2)[0]
    assert replace(served[0], position=5).assigned_at == served[0].assigned_at
