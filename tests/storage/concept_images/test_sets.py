from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.storage.conftest import START
from tests.storage.samples import brushed, disk, picture
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.uw71 import nearest
from truehue.core.concepts.records import PROFILE_VERSION, ImageProfile
from truehue.core.errors import BadInput, MaskError, NoPixels, NotStored, StorageError
from truehue.core.images.pixels import Mask
from truehue.storage import Storage

pytestmark = pytest.mark.slow


def stored(storage: Storage, count: int, first: int = 0) -> list[tuple[str, str, str]]:
    """Image, mask and contributor of so many pictures."""
    out = []
    for seed in range(first, first + count):
        image = storage.images.add(picture(seed), f"{seed}", "upload")
        mask = storage.masks.add(image.image_id, brushed())
        out.append((image.image_id, mask.mask_id, f"p{seed % 3}"))
    return out


def test_a_set_comes_back_as_it_was(storage: Storage, data_dir: Path) -> None:
    members = stored(storage, 4)
    short = [(image[:12], mask[:12], who) for image, mask, who in members]
    set_id = storage.picture_sets.add(" My mangos ", "Rotten_Mango", short, True)
    record = storage.picture_sets.get(set_id[:8])
    assert (record.set_id, record.name, record.words) == (set_id, "My mangos", "rotten mango")
    assert (record.of_people, record.images, record.contributors) == (True, 4, 3)
    assert record.hidden is False
    assert record.created_at > START
    assert storage.picture_sets.images(set_id) == members
    storage.close()
    with Storage.open(data_dir) as reopened:
        assert reopened.picture_sets.all() == [record]
        assert reopened.check() == []


def test_the_same_pictures_are_one_set(storage: Storage) -> None:
    members = stored(storage, 3)
    add = storage.picture_sets.add
    first = add("one", "mango", members, True)
    assert add("two", " MANGO", members[::-1], True) == first
    assert storage.picture_sets.images(first) == members
    unnamed = [(image, mask, "") for image, mask, _ in members]
    others = {
        add("one", "mango", members, False),
        add("one", "apple", members, True),
        add("one", "mango", members[:2], True),
        add("one", "mango", unnamed, True),
    }
    assert len(others - {first}) == 4
    storage.picture_sets.rename(first, "other")
    storage.picture_sets.hide(first)
    assert first not in [picture_set.set_id for picture_set in storage.picture_sets.all()]
    assert add("two", "mango", members, True) == first
    assert (storage.picture_sets.get(first).name, storage.picture_sets.get(first).hidden) == (
        "other",
        False,
    )


def test_what_cannot_be_a_set(storage: Storage) -> None:
    members = stored(storage, 2)
    (image, mask, who), (_, other_mask, _) = members
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"name": " "}, BadInput, "name is empty"),
        ({"text": "-"}, BadInput, "1 to 200 characters"),
        ({"text": ""}, BadInput, "words is empty"),
        ({"images": []}, BadInput, "has no image"),
        ({"images": [*members, members[0]]}, BadInput, "Image 3 is the same as image 1"),
        ({"images": [(image, other_mask, who)]}, BadInput, "mask of image 1 is of another"),
        ({"images": [("ab" * 32, mask, who)]}, NotStored, "under the image id"),
        ({"images": [(image, "ab" * 32, who)]}, NotStored, "under the mask id"),
        ({"images": [(image, mask, "\ud800")]}, BadInput, "contributor of image 1 holds"),
    ]
    for change, error, message in cases:
        values = {"name": "a", "text": "mango", "images": members, "of_people": True, **change}
        with pytest.raises(error, match=message):
            storage.picture_sets.add(**values)
    assert storage.picture_sets.all(hidden=True) == []
    assert storage._database.count("picture_set_images") == 0
    # Two people may have colored alike.
    assert storage.picture_sets.add("a", "mango", [(image, mask, "x"), (image, mask, "y")], True)
    for call in (storage.picture_sets.get, storage.picture_sets.images, storage.picture_sets.hide):
        with pytest.raises(NotStored, match="Nothing is stored under the set id"):
            call("ab" * 32)


def test_a_profile_is_measured_once_and_kept(
    storage: Storage, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((image_id, mask_id, _),) = stored(storage, 1)
    profile = storage.image_profiles.of(image_id, mask_id)
    pixels = picture(0)[disk()]
    # Small pictures are not made smaller: every pixel of the mask is in the sample.
    assert profile.mask_px == profile.sampled_px == len(pixels)
    cells = (pixels // 32).astype(int) @ np.array([64, 8, 1])
    result, counts = np.unique(cells, return_counts=True)
    assert (profile.cells, profile.counts) == (tuple(result), tuple(counts))
    sums = [pixels[cells == cell].sum(axis=0) for cell in result]
    assert profile.sums == tuple(int(value) for value in np.concatenate(sums))
    bins, per_bin = np.unique(nearest(srgb8_to_lab(pixels)), return_counts=True)
    assert (profile.bins, profile.bin_counts) == (tuple(bins), tuple(per_bin))

    storage.close()
    for path in data_dir.rglob("*.png"):
        path.unlink()
    with Storage.open(data_dir) as reopened:
        # Without the files it can only come from the database.
        assert reopened.image_profiles.of(image_id, mask_id) == profile
        assert reopened.image_profiles.stored([(image_id, mask_id), ("x", "y")]) == {
            (image_id, mask_id): profile
        }
        monkeypatch.setattr(
            "truehue.storage.concept_images.sets.PROFILE_VERSION", PROFILE_VERSION + "x"
        )
        with pytest.raises(StorageError, match="is gone"):
            reopened.image_profiles.of(image_id, mask_id)


def test_what_cannot_be_measured(storage: Storage) -> None:
    (image_id, mask_id, _), (other_id, _, _) = stored(storage, 2)
    with pytest.raises(MaskError, match=f"is of the image {image_id[:12]}, not of {other_id[:12]}"):
        storage.image_profiles.of(other_id, mask_id)
    empty = storage.masks.add(image_id, Mask(np.zeros((5, 7), dtype=bool), "brush"))
    with pytest.raises(NoPixels):
        storage.image_profiles.of(image_id, empty.mask_id)
    with pytest.raises(NotStored):
        storage.image_profiles.of(image_id, "ab" * 32)
    assert storage._database.count("picture_profiles") == 0


def test_pictures_of_a_set_with_those_that_cannot_be_measured(storage: Storage) -> None:
    members = stored(storage, 3)
    empty = storage.masks.add(members[1][0], Mask(np.zeros((5, 7), dtype=bool), "brush"))
    members[1] = (members[1][0], empty.mask_id, "p1")
    set_id = storage.picture_sets.add("a", "mango", members, True)
    storage.image_profiles.of(*members[0][:2])
    result, unscored = storage.picture_sets.image_profiles(set_id)
    assert result == [
        ImageProfile(image, mask, storage.image_profiles.of(image, mask), contributor=who)
        for image, mask, who in (members[0], members[2])
    ]
    ((index, why),) = unscored
    assert index == 1
    assert "pixel" in why
    storage.images.path(members[2][0]).unlink()
    assert storage.picture_sets.image_profiles(set_id) == (result, unscored)


def test_threads_measure_and_add(storage: Storage) -> None:
    members = stored(storage, 6)

    def work(number: int) -> tuple[str, int]:
        image, mask, _ = members[number % 6]
        px = storage.image_profiles.of(image, mask).mask_px
        return storage.picture_sets.add(f"{number}", "mango", members[: 1 + number % 3], True), px

    with ThreadPoolExecutor(8) as pool:
        result = list(pool.map(work, range(48)))
    assert len({set_id for set_id, _ in result}) == 3
    assert {px for _, px in result} == {int(disk().sum())}
    assert storage._database.count("picture_profiles") == 6
    assert storage._database.count("set_views") == 3
    assert storage.check() == []


def test_lost_rows_are_noticed(storage: Storage) -> None:
    members = stored(storage, 2)
    first = storage.picture_sets.add("a", "mango", members[:1], True)
    second = storage.picture_sets.add("b", "mango", members[1:], True)
    storage.image_profiles.of(*members[0][:2])
    (image, mask, _) = members[0]
    with storage._database.cursor() as cursor:
        cursor.execute("DELETE FROM masks WHERE mask_id = ?", [mask])
        cursor.execute("DELETE FROM images WHERE image_id = ?", [image])
        cursor.execute("DELETE FROM picture_sets WHERE set_id = ?", [second])
    assert storage.check() == [
        f"the image 0 is of the set of images {second}, which is not stored",
        f"the set of images {first} has the image {image}, which is not stored",
        f"the set of images {first} has the mask {mask}, which is not stored for that image",
        f"colors were measured in the mask {mask} of the image {image}, which is not stored for "
        "that image",
        f"version 1 of a name is of the set {second}, which is not stored",
    ]
