from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tests.storage.samples import brushed, disk, picture
from truehue.core.errors import BadInput, MaskError, NotStored, StorageError
from truehue.core.images.pixels import Mask
from truehue.storage import Storage

pytestmark = pytest.mark.slow


@pytest.fixture
def image_id(storage: Storage) -> str:
    return storage.images.add(picture(), "a", "upload").image_id


def test_a_mask_comes_back_exactly(storage: Storage, image_id: str) -> None:
    mask = brushed(strokes=[[1, 2], [3, 4]], size=3)
    record = storage.masks.add(image_id, mask)
    assert record.image_id == image_id
    assert record.content_sha256 == mask.content_sha256
    assert record.area_px == mask.area_px == np.count_nonzero(disk())
    assert (record.maker, record.parameters) == ("brush", dict(mask.parameters))
    assert storage.masks.get(record.mask_id[:8]) == record
    pixels = storage.masks.pixels(record.mask_id)
    assert pixels.dtype == np.bool_
    np.testing.assert_array_equal(pixels, disk())


def test_the_file_has_one_bit_a_pixel(storage: Storage, image_id: str) -> None:
    record = storage.masks.add(image_id, brushed())
    path = storage.masks.path(record.mask_id)
    name = record.content_sha256
    assert path == storage.data_dir / "masks" / name[:2] / f"{name}.png"
    with Image.open(path) as image:
        assert (image.mode, image.size) == ("1", (7, 5))


@pytest.mark.parametrize("value", [False, True])
def test_empty_and_whole_masks_can_be_stored(storage: Storage, image_id: str, value: bool) -> None:
    record = storage.masks.add(image_id, Mask(np.full((5, 7), value), "whole"))
    assert record.area_px == 35 * value
    np.testing.assert_array_equal(storage.masks.pixels(record.mask_id), np.full((5, 7), value))


def test_the_mask_that_counts_is_the_one_selected_or_stored_last(
    storage: Storage, image_id: str
) -> None:
    masks = storage.masks
    assert masks.current([image_id]) == {}
    proposal = masks.add(image_id, Mask(disk(), "salient", {"marks": [{"type": "salient"}]}))
    boxed, other = (masks.add(image_id, brushed(size=size)) for size in (3, 4))
    assert masks.current([image_id]) == {image_id: other}
    assert not masks.candidates([image_id])[image_id].selected
    for chosen in (boxed, proposal, boxed):  # an undone box stores nothing anew
        masks.select(image_id, chosen.mask_id)
        assert masks.current([image_id]) == {image_id: chosen}
        candidates = masks.candidates([image_id])[image_id]
        rest = tuple(mask for mask in (other, boxed, proposal) if mask != chosen)
        assert (candidates.masks, candidates.selected) == ((chosen, *rest), True)
    masks.select(image_id, None)
    assert masks.current([image_id]) == {image_id: proposal}
    assert masks.candidates([image_id])[image_id].masks == (proposal,)
    exact = masks.add(image_id, Mask(~disk(), "file", {"from": "transparency"}))
    assert masks.current([image_id]) == {image_id: exact}
    masks.select(image_id, None)
    assert masks.current([image_id]) == {image_id: exact}
    elsewhere = storage.images.add(picture(1), "b", "upload").image_id
    with pytest.raises(NotStored, match="another image"):
        masks.select(elsewhere, boxed.mask_id)
    storage.trash.move("mask", [exact.mask_id, proposal.mask_id])
    assert masks.current([image_id]) == {}  # cleared, and nothing is left that nobody selected


def test_every_way_to_a_mask_is_a_row_and_equal_pixels_are_one_file(
    storage: Storage, image_id: str
) -> None:
    first = storage.masks.add(image_id, brushed(size=3))
    same = storage.masks.add(image_id, brushed(size=3.0))
    other_way = storage.masks.add(image_id, brushed(size=4))
    other_maker = storage.masks.add(image_id, Mask(disk(), "grabcut", {"size": 3}))
    other_image = storage.images.add(picture(1), "b", "upload").image_id
    elsewhere = storage.masks.add(other_image, brushed(size=3))

    assert same == first
    assert len({first.mask_id, other_way.mask_id, other_maker.mask_id, elsewhere.mask_id}) == 4
    assert storage.masks.count() == 4
    assert len(list((storage.data_dir / "masks").rglob("*.png"))) == 1
    assert storage.masks.for_image(image_id) == [other_maker, other_way, first]
    assert storage.masks.for_image(other_image[:8]) == [elsewhere]


def test_a_mask_needs_its_image(storage: Storage) -> None:
    with pytest.raises(NotStored, match="image id"):
        storage.masks.add("0" * 64, brushed())
    with pytest.raises(NotStored, match="image id"):
        storage.masks.for_image("0" * 64)
    with pytest.raises(NotStored, match="mask id"):
        storage.masks.get("0" * 64)
    assert storage.masks.count() == 0


@pytest.mark.parametrize("pixels", [disk().astype(np.uint8), disk(7, 5), disk()[..., None]])
def test_a_mask_fits_its_image(storage: Storage, image_id: str, pixels: np.ndarray) -> None:
    with pytest.raises(MaskError, match=r"bool \(5, 7\)"):
        storage.masks.add(image_id, Mask(pixels, "brush"))


def test_bad_parameters_are_named(storage: Storage, image_id: str) -> None:
    with pytest.raises(BadInput, match=r"parameters\.size is inf"):
        storage.masks.add(image_id, brushed(size=float("inf")))
    with pytest.raises(BadInput, match=r"parameters\.box is a numpy\.ndarray"):
        storage.masks.add(image_id, brushed(box=np.zeros(4)))
    assert storage.masks.count() == 0


def test_a_lost_or_exchanged_file_is_noticed(storage: Storage, image_id: str) -> None:
    record = storage.masks.add(image_id, brushed())
    other = storage.masks.add(image_id, brushed(radius=1.0))
    path = storage.masks.path(record.mask_id)
    path.write_bytes(storage.masks.path(other.mask_id).read_bytes())
    with pytest.raises(StorageError, match="another mask"):
        storage.masks.pixels(record.mask_id)
    path.unlink()
    with pytest.raises(StorageError, match="is gone"):
        storage.masks.pixels(record.mask_id)
    assert storage.masks.add(image_id, brushed()) == record
    np.testing.assert_array_equal(storage.masks.pixels(record.mask_id), disk())
