from __future__ import annotations

import os
import shutil
import tracemalloc
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PIL import Image

from tests.core.image_sets.folders import huge_header, image, pixels, prompt, published
from truehue.core.errors import BadInput
from truehue.core.image_sets import plan
from truehue.core.image_sets.records import (
    FolderPlan,
    FolderReport,
    ImportStep,
    Tally,
    generation_of,
    lossy_kind,
    read,
)
from truehue.core.images import load as images


def report(
    plan: FolderPlan, steps: Iterable[ImportStep], expected_per_prompt: int = 1
) -> FolderReport:
    tally = Tally(plan, expected_per_prompt)
    for step in steps:
        tally.add(step)
    return tally.report()


def _adds_up(folder_report: FolderReport) -> None:
    assert (
        folder_report.files
        == folder_report.found + folder_report.extra.total + folder_report.ignored
    )
    assert (
        folder_report.found
        == folder_report.taken
        + folder_report.known
        + folder_report.broken.total
        + folder_report.unread
    )


def test_steps_come_in_order_with_pixels_and_id(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        image(tmp_path / f"beach_{number}.png", number)
    steps = list(read(plan(tmp_path, [prompt("beach")])))
    assert [(step.position, step.total, step.found.k) for step in steps] == [
        (1, 3, 1),
        (2, 3, 2),
        (3, 3, 10),
    ]
    for step in steps:
        assert step.loaded is not None
        np.testing.assert_array_equal(step.loaded.srgb8, pixels(step.found.k))
        assert step.image_id == images.image_id(pixels(step.found.k))
        assert (step.problem, step.same_as, step.known, step.lossy) == (None, None, False, False)
        assert step.loaded.notes == ()


def test_broken_files_say_why_and_the_rest_goes_on(tmp_path: Path) -> None:
    whole = image(tmp_path / "b_1.png").read_bytes()
    for k, content in enumerate(
        (b"", b"some text", whole[:-30], whole[:20], huge_header(), bytes(5000)), start=2
    ):
        (tmp_path / f"b_{k}.png").write_bytes(content)
    image(tmp_path / "b_8.png", 8)
    image(tmp_path / "b_9.png", 9)
    planned = plan(tmp_path, [prompt("b")])
    (tmp_path / "b_8.png").unlink()
    steps = list(read(planned))
    problems = [step.problem or "" for step in steps]
    assert problems[0] == problems[8] == ""
    expected = (
        "is empty",
        "not an image",
        "cut short",
        "damaged",
        "megapixels",
        "not an image",
        "cannot be opened",
    )
    for said, text in zip(problems[1:8], expected, strict=True):
        assert text in said
        assert "b_" in said
    assert all(step.loaded is None and step.image_id is None for step in steps[1:8])
    result = report(planned, steps)
    _adds_up(result)
    assert (result.taken, result.broken.total) == (2, 7)
    assert result.broken.first[1].where == "b_3.png"


def test_a_file_larger_than_the_limit_is_not_read_whole(tmp_path: Path, monkeypatch) -> None:
    image(tmp_path / "b_1.png")
    monkeypatch.setattr("truehue.core.image_sets.records.MAX_FILE_BYTES", 50)
    (step,) = read(plan(tmp_path, [prompt("b")]))
    assert step.problem is not None
    assert "is larger than" in step.problem


def test_equal_pixels_are_noted_and_kept(tmp_path: Path) -> None:
    image(tmp_path / "b_1.png", 1)
    image(tmp_path / "b_2.bmp", 1)
    image(tmp_path / "c_1.png", 1)
    planned = plan(tmp_path, [prompt("b"), prompt("c")])
    steps = list(read(planned))
    assert [step.same_as for step in steps] == [None, "b_1.png", "b_1.png"]
    assert len({step.image_id for step in steps}) == 1
    assert len({generation_of(step).prompt_id for step in steps}) == 2
    result = report(planned, steps)
    assert (result.taken, result.same.total, result.prompts) == (3, 2, 2)
    _adds_up(result)


def test_loss_is_told_by_the_bytes(tmp_path: Path) -> None:
    image(tmp_path / "b_1.jpg", 1, quality=90)
    shutil.copy(tmp_path / "b_1.jpg", tmp_path / "b_2.png")
    image(tmp_path / "b_3.webp", 1, quality=90)
    image(tmp_path / "b_4.webp", 1, lossless=True)
    Image.fromarray(np.dstack([pixels(1), np.full((4, 6), 99, np.uint8)])).save(
        tmp_path / "b_5.webp", quality=50
    )
    planned = plan(tmp_path, [prompt("b")])
    steps = list(read(planned))
    assert [step.lossy for step in steps] == [True, True, True, False, True]
    for step in steps:
        assert step.loaded is not None
        said = [note for note in step.loaded.notes if "lossy compression" in note]
        assert len(said) == step.lossy
    assert report(planned, steps).lossy == 4
    assert lossy_kind(b"RIFF\x10\0\0\0WEBPVP8") == lossy_kind(b"") == ""


def test_what_was_imported_is_skipped(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for k in range(1, 5):
        image(folder / f"b_{k}.png", k)
    planned = plan(folder, [prompt("b")])
    steps = list(read(planned))
    origins = [generation_of(step).origin for step in steps]
    files = {origin["file_key"] for origin in origins}
    contents = {origin["content_key"] for origin in origins}
    assert len(files | contents) == 8

    again = list(read(planned, files))
    assert all(step.known and step.loaded is None for step in again)
    # Moved, the bytes are known; changed, neither.
    shutil.copytree(folder, tmp_path / "moved")
    image(tmp_path / "moved" / "b_2.png", 99)
    moved = plan(tmp_path / "moved", [prompt("b")])
    assert [step.known for step in read(moved, files)] == [False] * 4
    steps = list(read(moved, files | contents))
    assert [step.known for step in steps] == [True, False, True, True]
    result = report(moved, steps, expected_per_prompt=5)
    assert (result.known, result.taken, result.prompts) == (3, 1, 1)
    assert result.missing.first[0].why == "4 of 5 images"
    _adds_up(result)
    # The same file for another prompt or model is another link.
    for other in (plan(folder, [prompt("b")], model="flux"), plan(folder, [prompt("b", "other")])):
        assert not any(step.known for step in read(other, files | contents))
    # A file that was touched is looked at, and known by its bytes.
    os.utime(folder / "b_1.png", ns=(1, 1))
    touched = plan(folder, [prompt("b")])
    assert [step.known for step in read(touched, files)] == [False, True, True, True]
    assert all(step.known for step in read(touched, files | contents))


def test_stop_ends_before_the_next_file(tmp_path: Path) -> None:
    for k in range(1, 6):
        image(tmp_path / f"b_{k}.png", k)
    planned = plan(tmp_path, [prompt("b"), prompt("c")])
    stop = Event()
    tally = Tally(planned)
    before = tally.report()
    assert (before.unread, before.prompts, before.missing.total, before.asked) == (5, 0, 1, 2)
    for step in read(planned, stop=stop):
        tally.add(step)
        if step.position == 2:
            stop.set()
    result = tally.report()
    assert (result.taken, result.unread) == (2, 3)
    _adds_up(result)
    assert "Opened: 2, of which 2 can be imported" in result.as_text()
    assert list(read(planned, stop=stop)) == []


def test_the_drawing_of_a_step(tmp_path: Path) -> None:
    image(tmp_path / "a.png", 3)
    (tmp_path / "t.csv").write_text(
        "file,prompt,object,color,seed,model,guidance\na.png,A pink mug.,mug,l2:Pink,7,flux,3.5\n"
    )
    (step,) = read(plan(tmp_path, []))
    record = generation_of(step, "job 1", "my-table-12345678")
    assert (record.source, record.status, record.image_id) == ("imported", "drawn", step.image_id)
    assert (record.text, record.model, record.seed, record.guidance) == (
        "A pink mug.",
        "flux",
        7,
        3.5,
    )
    assert (record.prompt_source, record.prompt_id) == ("my-table-12345678", step.found.prompt.id)
    assert (record.width, record.height, record.job_id, record.options) == (6, 4, "job 1", {"k": 1})
    assert record.targets == step.found.prompt.targets
    assert (record.origin["file"], record.origin["sha256"]) == ("a.png", step.sha256)
    (tmp_path / "a.png").write_bytes(b"")
    (broken,) = read(plan(tmp_path, []))
    with pytest.raises(BadInput, match=r"a\.png was not read"):
        generation_of(broken)


def test_the_report_is_bounded_and_says_how_many(tmp_path: Path) -> None:
    for number in range(250):
        (tmp_path / f"x{number}.png").write_bytes(b"x")
        (tmp_path / f"p-{number}_1.png").write_bytes(b"")
    planned = plan(tmp_path, [prompt(f"p-{number}") for number in range(300)])
    result = report(planned, read(planned), expected_per_prompt=4)
    _adds_up(result)
    for listed, total in ((result.extra, 250), (result.broken, 250), (result.missing, 300)):
        assert (listed.total, len(listed.first)) == (total, 200)
    assert result.missing.first[0].why == "0 of 4 images"
    as_json = result.as_json()
    assert as_json["broken"]["total"] == 250
    assert len(as_json["broken"]["first"]) == 200
    assert as_json["broken"]["first"][0]["where"] == "p-0_1.png"
    assert as_json["models"] == ["unknown"]
    text = result.as_text()
    assert "Prompts with fewer than 4 images (300):" in text
    assert "… and 100 more" in text
    assert "p-0_1.png: p-0_1.png is empty" in text


def _big_folder(folder: Path, count: int) -> Counter[str]:
    """Images of the published layout, four for each prompt; one in ten is broken in some way."""
    kinds: Counter[str] = Counter()
    whole = image(folder / "whole.png").read_bytes()
    (folder / "whole.png").unlink()
    wrong = [b"", b"text", whole[:-30], huge_header(), whole[:40]]
    (folder / "cna_l2").mkdir()
    for number in range(count):
        path = folder / "cna_l2" / f"{number // 4 + 1}_{number % 4 + 1}.png"
        if number % 10 == 9:
            path.write_bytes(wrong[number // 10 % len(wrong)])
            kinds["broken"] += 1
        else:
            image(path, number)
            kinds["whole"] += 1
    return kinds


@pytest.mark.parametrize("count", [400, pytest.param(4_000, marks=pytest.mark.nightly)])
def test_a_large_folder_with_broken_files(tmp_path: Path, count: int) -> None:
    kinds = _big_folder(tmp_path, count)
    prompts = published("cna_l2", count // 4 + 5)
    planned = plan(tmp_path, prompts, model="sdxl")
    tally = Tally(planned, expected_per_prompt=4)
    tracemalloc.start()
    try:
        for step in read(planned):
            tally.add(step)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    result = tally.report()
    _adds_up(result)
    assert (result.taken, result.broken.total) == (kinds["whole"], kinds["broken"])
    assert (result.unread, result.known, result.extra.total) == (0, 0, 0)
    assert len(planned.missing) == 5
    # Names and counts only: no pixels of images that were read before.
    assert peak < 20_000_000 + 1_000 * count
