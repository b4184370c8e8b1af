"""Kept colorings, marks on those of studies, and the layers that are drawn of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.storage.sketches_made import sketch
from tests.storage.studies.people import answer, link, new_id, person
from truehue.core.errors import BadInput, NotStored, StorageError
from truehue.core.studies import MarkKind
from truehue.storage import Storage

pytestmark = pytest.mark.slow

FILL = {"do": "fill", "x": 10, "y": 10, "closing": 1, "color": "#aa5500"}


def layer(red: int = 200) -> np.ndarray:
    made = np.zeros((8, 6, 4), np.uint8)
    made[:4] = (red, 20, 20, 255)
    return made


def test_a_coloring_is_kept_and_deleted(storage: Storage) -> None:
    item = sketch()
    with pytest.raises(NotStored):
        storage.colorings.add(item.id, "boxes", [FILL], "ann")
    storage.sketches.add(item, "boxes", "starter")
    saved = storage.colorings.add(item.id, "boxes", [FILL, {"do": "undo"}], "ann")
    storage.colorings.add(item.id, "${7*7} <img onerror=alert(1)>", [], "ben")
    assert storage.colorings.get(saved.id).actions == (FILL, {"do": "undo"})
    assert [coloring.id for coloring in storage.colorings.all("ann")] == [saved.id]
    assert [head.length for head in storage.colorings.all()] == [0, 2]
    assert storage.colorings.head(saved.id) == storage.colorings.all("ann")[0]
    counted = dict(storage.colorings._lengths)
    storage.colorings._lengths.clear()  # as after a start
    storage.colorings.all()
    assert storage.colorings._lengths == counted
    assert storage.colorings.all(limit=1) == storage.colorings.all()[:1]
    storage.colorings.delete(saved.id)
    with pytest.raises(NotStored):
        storage.colorings.delete(saved.id)
    assert storage.check() == []


def test_marks_are_added_and_never_changed(storage: Storage) -> None:
    study_id, invitation_id = link(storage)
    someone = person(storage, (study_id, invitation_id))
    marks = storage.coloring_marks
    first = marks.add(study_id, someone.id, 0, MarkKind.PRACTICE, "again", "Only the drink.", "ann")
    second = marks.add(study_id, someone.id, 0, "practice", "accepted", author="ann")
    assert marks.of_study(study_id) == [first, second]
    assert (second.number, marks.changes) == (1, 2)
    for kind, value in (("practice", "fine"), ("vote", "accepted"), ("review", "accepted")):
        with pytest.raises(BadInput):
            marks.add(study_id, someone.id, 0, kind, value)
    elsewhere, _ = link(storage)
    for study, participant, position in (
        (study_id, someone.id, 99),
        (elsewhere, someone.id, 0),
        (study_id, new_id(), 0),
    ):
        with pytest.raises(NotStored):
            marks.add(study, participant, position, "keep", "discarded")
    assert storage.check() == []


def test_a_layer_is_stored_and_made_again(storage: Storage) -> None:
    someone = person(storage)
    (event,) = storage.study_events.append(someone.id, [answer(2)])
    record = storage.coloring_layers.add(event.id, layer(), "0badc0de", False)
    assert (record.position, record.colored, record.matches) == (2, 0.5, False)
    assert np.array_equal(storage.coloring_layers.layer(event.id), layer())
    storage.coloring_layers.path(event.id).unlink()
    with pytest.raises(StorageError, match="gone"):
        storage.coloring_layers.layer(event.id)
    storage.coloring_layers.add(event.id, layer(100), "feedbeef", True)
    assert np.array_equal(storage.coloring_layers.layer(event.id), layer(100))
    assert storage.coloring_layers.of_study(someone.study_id)[event.id].checksum == "feedbeef"
    with pytest.raises(BadInput):
        storage.coloring_layers.add(event.id, layer()[..., :3], "", True)
    assert storage.check() == []


def test_who_is_erased_leaves_no_mark_and_no_picture(storage: Storage) -> None:
    index = link(storage)
    gone, stays = person(storage, index), person(storage, index)
    ids = {}
    for item in (gone, stays):
        (event,) = storage.study_events.append(item.id, [answer(1)])
        storage.coloring_layers.add(event.id, layer(), "", True)
        storage.coloring_marks.add(index[0], item.id, 1, "keep", "kept", "", "ann")
        ids[item.id] = event.id
    storage.participants.erase(gone.id, "ann")
    assert not storage.coloring_layers.path(ids[gone.id]).exists()
    assert storage.coloring_layers.path(ids[stays.id]).exists()
    assert set(storage.coloring_layers.of_study(index[0])) == {ids[stays.id]}
    assert [mark.participant_id for mark in storage.coloring_marks.of_study(index[0])] == [stays.id]
    # A drawing that was under way then leaves nothing behind.
    with pytest.raises(NotStored):
        storage.coloring_layers.add(ids[gone.id], layer(), "", True)
    assert not storage.coloring_layers.path(ids[gone.id]).exists()
    assert storage.check() == []


def test_what_was_measured_of_a_layer_is_kept_and_erased_with_its_author(storage: Storage) -> None:
    from truehue.core.concepts.profile import profile_of

    record = person(storage)
    (event,) = storage.study_events.append(record.id, [answer(0)])
    layer = np.zeros((8, 8, 4), np.uint8)
    layer[:4] = (10, 20, 30, 255)
    profile = profile_of(layer[..., :3], layer[..., 3] == 255)
    layers = storage.coloring_layers
    assert layers.profile(event.id) is None
    layers.save_profile(event.id, profile, 0.25)
    assert layers.profile(event.id) is None  # of what is not stored nothing is kept
    layers.add(event.id, layer, "0" * 8, True)
    layers.save_profile(event.id, profile, 0.25)
    assert layers.profile(event.id) == profile
    assert layers.background(event.id) == 0.25
    storage.participants.erase(record.id, "owner")
    assert layers.profile(event.id) is None
    assert not layers.path(event.id).parent.exists() or not any(
        layers.path(event.id).parent.iterdir()
    )
