from __future__ import annotations

from storage import Storage
from tests.storage.samples import brushed, picture, verdict


def test_references_and_files_are_complete(storage: Storage) -> None:
    for seed in range(3):
        image = storage.images.add(picture(seed), "a", "upload")
        mask = storage.masks.add(image.image_id, brushed(n=seed))
        storage.evidence.add(verdict(image.image_id, mask.mask_id))
        storage.evidence.add(verdict(image.image_id))
    assert storage.check() == []


def test_dangling_references_are_named(storage: Storage) -> None:
    image = storage.images.add(picture(), "a", "upload")
    other = storage.images.add(picture(1), "b", "upload")
    mask = storage.masks.add(image.image_id, brushed())
    evidence = storage.evidence.add(verdict(image.image_id, mask.mask_id))
    database = storage._database

    with database.cursor() as cursor:
        cursor.execute("UPDATE masks SET image_id = ?", [other.image_id])
    assert storage.check() == [
        f"evidence {evidence.evidence_id} was measured in the mask {mask.mask_id}, "
        "which is not stored for that image"
    ]
    with database.cursor() as cursor:
        cursor.execute("DELETE FROM images")
    assert storage.check() == [
        f"mask {mask.mask_id} is of the image {other.image_id}, which is not stored",
        f"evidence {evidence.evidence_id} is about the image {image.image_id}, which is not stored",
        f"evidence {evidence.evidence_id} was measured in the mask {mask.mask_id}, "
        "which is not stored for that image",
    ]


def test_missing_files_are_named(storage: Storage) -> None:
    image = storage.images.add(picture(), "a", "upload")
    mask = storage.masks.add(image.image_id, brushed())
    files = [storage.images.path(image.image_id), storage.masks.path(mask.mask_id)]
    for file in files:
        file.unlink()
    assert storage.check() == [
        f"the file of image {image.image_id} is missing: {files[0]}",
        f"the file of mask {mask.mask_id} is missing: {files[1]}",
    ]
