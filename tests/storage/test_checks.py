from __future__ import annotations

from tests.storage.samples import brushed, drawing, picture, prompts, verdict
from truehue.storage import Storage


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


def test_drawings_sets_and_selections_are_looked_after(storage: Storage) -> None:
    stored = storage.prompt_sets.add("mine", prompts(3), "csv")
    image = storage.images.add(picture(), "a", "generated")
    ours = {"prompt_source": stored.set_id, "prompt_id": "cna_l3-1"}
    shown = storage.drawings.add(drawing(image.image_id))
    sample = storage.drawings.add(drawing(**ours))
    storage.selections.save("basket", [(stored.set_id, "cna_l3-1"), ("gencolorbench", "cna-1")])
    # A set that is built, not imported, is not in the database.
    storage.drawings.add(drawing(prompt_source="gencolorbench", prompt_id="any"))
    assert storage.check() == []

    storage.drawings.add(drawing(prompt_source=stored.set_id, prompt_id="cna_l3-9"))
    odd = storage.drawings.recent(1)[0]
    with storage._database.cursor() as cursor:
        cursor.execute("DELETE FROM images")
        cursor.execute("DELETE FROM prompts WHERE prompt_id = 'cna_l3-1'")
    assert storage.check() == [
        f"generation {shown.drawing_id} shows the image {image.image_id}, which is not stored",
        *(
            f"generation {row.drawing_id} is of the prompt {row.prompt_id}, which the imported set "
            f"{stored.set_id} does not hold"
            for row in (sample, odd)
        ),
        f"the prompt set {stored.set_id} has 2 of its 3 prompts",
        f"version 1 of the selection basket holds the prompt cna_l3-1, which the imported set "
        f"{stored.set_id} does not",
    ]
    with storage._database.cursor() as cursor:
        cursor.execute("DELETE FROM prompt_sets")
        cursor.execute("DELETE FROM drawings")
    assert storage.check() == [
        f"the prompt cna_l3-{n} is of the prompt set {stored.set_id}, which is not stored"
        for n in (2, 3)
    ]
