"""Whose a thing is that several people bring, whoever of them was first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.storage.distributions.test_sets import FILE
from tests.storage.samples import brushed, picture, prompts, verdict
from truehue.storage import Storage
from truehue.storage.makers import CONCEPT_SET, IMAGE, OWNER, PROMPT_SET, SELECTION, VERDICT

pytestmark = pytest.mark.slow

Bring = Callable[[Storage, str], str]


def _image(storage: Storage, maker: str) -> str:
    return storage.images.add(picture(), "a", "upload", maker=maker).image_id


def _prompts(storage: Storage, maker: str) -> str:
    return storage.prompt_sets.add("mine", prompts(2), "csv", maker=maker).set_id


def _distributions(storage: Storage, maker: str) -> str:
    return storage.distributions.add(FILE, "Lab", "lab.csv", "", True, maker)


def _pictures(storage: Storage, maker: str) -> str:
    image_id = storage.images.add(picture(), "a", "upload").image_id
    mask_id = storage.masks.add(image_id, brushed()).mask_id
    return storage.picture_sets.add("Mugs", "mug", [(image_id, mask_id, "")], True, maker)


def _verdict(storage: Storage, maker: str) -> str:
    image_id = storage.images.add(picture(), "a", "upload").image_id
    return storage.evidence.add_many([verdict(image_id)], maker)[0].evidence_id


def _selection(storage: Storage, maker: str) -> str:
    return storage.selections.save("Reds", [("mine", "cna_l3-1")], maker).name


@pytest.mark.parametrize(
    ("kind", "bring"),
    [
        (IMAGE, _image),
        (PROMPT_SET, _prompts),
        (CONCEPT_SET, _distributions),
        (CONCEPT_SET, _pictures),
        (VERDICT, _verdict),
        (SELECTION, _selection),
    ],
)
@pytest.mark.parametrize(
    ("makers", "known"),
    [
        (("",), ()),
        (("ann",), ("ann",)),
        (("ann", "ann"), ("ann",)),
        # What the owner brought, or was stored before there were makers, stays the owner's alone.
        ((OWNER, "ann"), ()),
        (("", "ann", "ben"), ()),
        (("ann", "ben", "ann"), ("ann", "ben")),
        (("ann", OWNER), ("ann", OWNER)),
    ],
)
def test_only_who_brought_it_first_has_it_alone(
    storage: Storage, kind: str, bring: Bring, makers: tuple[str, ...], known: tuple[str, ...]
) -> None:
    (resource,) = {bring(storage, maker) for maker in makers}
    assert storage.makers.of(kind, resource) == set(known)


def test_of_a_batch_only_the_new_rows_are_ones_own(storage: Storage) -> None:
    image_id = storage.images.add(picture(), "a", "upload").image_id
    old = storage.evidence.add(verdict(image_id, version="1"))
    rows = [verdict(image_id, version=version) for version in "132"]
    records = storage.evidence.add_many(rows, "ann")
    assert records[0] == old
    owned = [storage.makers.of(VERDICT, record.evidence_id) for record in records]
    assert owned == [set(), {"ann"}, {"ann"}]
    newest = [record.version for record in storage.evidence.for_image(image_id)]
    assert newest == ["2", "3", "1"]


def test_what_the_owner_stores_anew_is_not_of_who_had_it_before(storage: Storage) -> None:
    image_id = _image(storage, "ann")
    storage.trash.move("image", [image_id])
    _image(storage, OWNER)
    assert storage.makers.of(IMAGE, image_id) == {"ann", OWNER}


def test_a_thing_knows_who_brought_it(storage: Storage) -> None:
    storage.makers.add("image", ["1", "2", "1"], "ann")
    storage.makers.add("image", ["1"], "ann")
    storage.makers.add("image", ["1"], "ben")
    storage.makers.add("selection", [], "ben")
    assert storage.makers.of("image", "1") == {"ann", "ben"}
    assert storage.makers.of("image", "2") == {"ann"}
    assert storage.makers.of("selection", "1") == frozenset()
