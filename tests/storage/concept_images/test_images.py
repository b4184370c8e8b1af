from __future__ import annotations

import hashlib
from datetime import timedelta

import numpy as np
import pytest
from PIL import Image

from tests.storage.conftest import START
from tests.storage.samples import picture
from truehue.core.errors import BadInput, ImageError, NotStored, StorageError
from truehue.storage import Storage

pytestmark = pytest.mark.slow


def test_an_image_comes_back_exactly(storage: Storage) -> None:
    pixels = picture()
    origin = {"model": "reference", "seed": 7, "light": [0.5, None]}
    record = storage.images.add(pixels, "käse ΔE.png", "render", ("gray to RGB",), origin)

    assert record.image_id == hashlib.sha256(b"srgb8 5x7\n" + pixels.tobytes()).hexdigest()
    assert (record.width, record.height) == (7, 5)
    assert (record.name, record.source) == ("käse ΔE.png", "render")
    assert record.notes == ("gray to RGB",)
    assert record.origin == origin
    assert record.created_at == START
    assert storage.images.get(record.image_id) == record
    loaded = storage.images.srgb8(record.image_id)
    assert loaded.dtype == np.uint8
    np.testing.assert_array_equal(loaded, pixels)


def test_the_file_lies_where_its_name_says(storage: Storage) -> None:
    record = storage.images.add(picture(), "a", "upload")
    path = storage.images.path(record.image_id)
    assert path == storage.data_dir / "images" / record.image_id[:2] / f"{record.image_id}.png"
    with Image.open(path) as image:
        np.testing.assert_array_equal(np.asarray(image), picture())
    assert [file for file in path.parent.iterdir() if file != path] == []


def test_equal_pixels_keep_their_first_record_and_file(storage: Storage) -> None:
    first = storage.images.add(picture(), "first", "upload")
    written = storage.images.path(first.image_id).stat()
    again = storage.images.add(np.asfortranarray(picture()), "second", "import", ("other",))
    assert again == first
    now = storage.images.path(first.image_id).stat()
    assert (now.st_mtime_ns, now.st_ino) == (written.st_mtime_ns, written.st_ino)
    assert storage.images.count() == 1


def test_size_is_part_of_the_name(storage: Storage) -> None:
    flat = np.zeros((2, 8, 3), np.uint8)
    ids = {
        storage.images.add(flat.reshape(shape), "", "upload").image_id
        for shape in ((2, 8, 3), (8, 2, 3), (4, 4, 3))
    }
    assert len(ids) == 3


def test_adding_again_brings_a_lost_file_back(storage: Storage) -> None:
    record = storage.images.add(picture(), "a", "upload")
    storage.images.path(record.image_id).unlink()
    with pytest.raises(StorageError, match="is gone"):
        storage.images.srgb8(record.image_id)
    assert storage.images.add(picture(), "a", "upload") == record
    np.testing.assert_array_equal(storage.images.srgb8(record.image_id), picture())


def test_a_broken_or_exchanged_file_is_noticed(storage: Storage) -> None:
    record = storage.images.add(picture(), "a", "upload")
    other = storage.images.add(picture(1), "b", "upload")
    path = storage.images.path(record.image_id)
    whole = path.read_bytes()
    for content in (b"", b"no image", whole[:-40], whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(StorageError, match="is broken"):
            storage.images.srgb8(record.image_id)
    path.write_bytes(storage.images.path(other.image_id).read_bytes())
    with pytest.raises(StorageError, match="other pixels"):
        storage.images.srgb8(record.image_id)
    Image.fromarray(picture()[:, :, 0]).save(path)
    with pytest.raises(StorageError, match="mode L"):
        storage.images.srgb8(record.image_id)


def test_a_prefix_of_eight_characters_is_enough(storage: Storage) -> None:
    record = storage.images.add(picture(), "a", "upload")
    assert storage.images.get(record.image_id[:8]) == record
    assert storage.images.get(f" {record.image_id[:20].upper()} ") == record
    np.testing.assert_array_equal(storage.images.srgb8(record.image_id[:8]), picture())


@pytest.mark.parametrize(
    "values", ["", "abc1234", "not hexadecimal", "0" * 65, "%%%%%%%%", "________"]
)
def test_what_is_no_id_is_not_stored(shared_storage: Storage, values: str) -> None:
    shared_storage.images.add(picture(), "a", "upload")
    with pytest.raises(NotStored, match="is no image id"):
        shared_storage.images.get(values)


def test_unknown_and_ambiguous_ids_have_their_own_messages(storage: Storage) -> None:
    with pytest.raises(NotStored, match="Nothing is stored"):
        storage.images.path("0" * 64)
    for last in "ab":
        storage._database.insert(
            "INSERT INTO images VALUES (?, 1, 1, '', 'upload', '[]', '{}', ?)",
            ["12345678" + last * 56, storage._database.now()],
        )
    with pytest.raises(NotStored, match="More than one image id begins with 12345678"):
        storage.images.get("12345678")
    assert storage.images.get("12345678a").image_id == "12345678" + "a" * 56


def test_recent_is_newest_first_in_a_stable_order(storage: Storage, clock) -> None:
    records = [storage.images.add(picture(seed), str(seed), "upload") for seed in range(4)]
    assert storage.images.recent() == records[::-1]
    assert storage.images.recent(limit=2, offset=1) == [records[2], records[1]]
    assert storage.images.recent(limit=0) == storage.images.recent(limit=-1) == []

    clock.step = timedelta(0)
    same_time = [storage.images.add(picture(seed), "", "upload") for seed in range(10, 16)]
    assert storage.images.recent(limit=6) == sorted(same_time, key=lambda r: r.image_id)
    pages = [storage.images.recent(limit=1, offset=index)[0] for index in range(6)]
    assert pages == storage.images.recent(limit=6)


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((4, 4, 3), np.float64),
        np.zeros((0, 4, 3), np.uint8),
    ],
)
def test_only_srgb8_is_stored(storage: Storage, pixels: np.ndarray) -> None:
    with pytest.raises(ImageError, match="uint8"):
        storage.images.add(pixels, "a", "upload")
    assert storage.images.count() == 0


def test_bad_fields_are_named_and_leave_nothing_behind(storage: Storage) -> None:
    with pytest.raises(BadInput, match=r"origin\.light\[1\] is nan"):
        storage.images.add(picture(), "a", "upload", origin={"light": [0, float("nan")]})
    with pytest.raises(BadInput, match="source is empty"):
        storage.images.add(picture(), "a", " ")
    with pytest.raises(BadInput, match="name holds a character"):
        storage.images.add(picture(), "\udcff.png", "upload")
    assert storage.images.count() == 0
    assert not (storage.data_dir / "images").exists()


def test_the_folder_is_not_tied_to_the_working_directory(tmp_path, monkeypatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with Storage.open("data") as storage:
        record = storage.images.add(picture(), "a", "upload")
        monkeypatch.chdir("elsewhere")
        np.testing.assert_array_equal(storage.images.srgb8(record.image_id), picture())
        assert storage.data_dir == (tmp_path / "data").resolve()


def test_images_are_found_by_their_words(storage: Storage) -> None:
    sample = {"model": "sdxl-base-1.0", "object_name": "mug", "target": "css:tomato", "seed": 3}
    storage.images.add(picture(1), "A mug, tomato", "generated", origin=sample)
    storage.images.add(picture(2), "Ann's mug 100%.png", "upload")
    storage.images.add(picture(3), "holiday.png", "upload")

    def names(source: str | None = None, text: str = "") -> list[str]:
        return [record.name for record in storage.images.recent(source=source, text=text)]

    assert names() == ["holiday.png", "Ann's mug 100%.png", "A mug, tomato"]
    assert names("upload") == ["holiday.png", "Ann's mug 100%.png"]
    assert names(text="MUG") == ["Ann's mug 100%.png", "A mug, tomato"]
    assert names("upload", "mug") == names(text="100% ann's") == ["Ann's mug 100%.png"]
    assert names(text="sdxl tomato") == ["A mug, tomato"]
    assert names(text="nothing") == []
    assert storage.images.counts("mug") == {"generated": 1, "upload": 1}
    assert storage.images.counts() == {"generated": 1, "upload": 2}
