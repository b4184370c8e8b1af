from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.core.image_sets.folders import image, prompt, published
from truehue.core.errors import BadInput
from truehue.core.image_sets import plan
from truehue.core.image_sets.files import natural
from truehue.core.image_sets.records import Remark


def _links(folder: Path, prompts, **options) -> dict[str, tuple[str, int]]:
    result = plan(folder, prompts, **options).found
    return {item.name: (item.prompt.id, item.k) for item in result}


def test_the_published_layout_in_both_its_forms(tmp_path: Path) -> None:
    prompts = published("cna_l2", 12) + published("coa_l2", 12)
    for name in (
        "cna_l2/1_1",
        "cna_l2/1_2",
        "cna_l2/12_1",
        "coa_l2/12/image_1",
        "coa_l2/12/image_10",
        "coa_l2/3/image_2",
    ):
        image(tmp_path / f"{name}.png")
    planned = plan(tmp_path, prompts, model="sdxl")
    assert {item.name: (item.prompt.id, item.k) for item in planned.found} == {
        "cna_l2/1_1.png": ("cna_l2-1", 1),
        "cna_l2/1_2.png": ("cna_l2-1", 2),
        "cna_l2/12_1.png": ("cna_l2-12", 1),
        "coa_l2/3/image_2.png": ("coa_l2-3", 2),
        "coa_l2/12/image_1.png": ("coa_l2-12", 1),
        "coa_l2/12/image_10.png": ("coa_l2-12", 10),
    }
    assert (planned.layout, planned.extra, planned.problems) == ("published", (), ())
    assert {item.model for item in planned.found} == {"sdxl"}
    assert len(planned.missing) == 24 - 4
    # The same prompts by the stem of their file, with the ids of the file or with ours.
    by_stem = {"cna_l2": [prompt(str(n)) for n in range(1, 13)], "coa_l2": published("coa_l2", 12)}
    assert _links(tmp_path, by_stem)["cna_l2/12_1.png"] == ("12", 1)
    assert _links(tmp_path, by_stem)["coa_l2/12/image_10.png"] == ("coa_l2-12", 10)


def test_sets_by_name_know_their_ids_too(tmp_path: Path) -> None:
    sets = {"My texts": [prompt("p-1"), prompt("p-2")], "Others": [prompt("p-2"), prompt("q")]}
    for name in ("p-1_3.png", "p-2_1.png", "Others/p-2_1.png", "q/any.png", "p-2/1.png"):
        image(tmp_path / name)
    planned = plan(tmp_path, sets)
    assert {item.name: (item.prompt.id, item.k) for item in planned.found} == {
        "p-1_3.png": ("p-1", 3),
        "Others/p-2_1.png": ("p-2", 1),
        "q/any.png": ("q", 1),
    }
    assert planned.found[0].prompt is sets["Others"][0]
    assert planned.missing == (sets["My texts"][1],)
    why = "Prompts of several sets have this id: choose one set."
    assert set(planned.extra) == {Remark("p-2_1.png", why), Remark("p-2/1.png", why)}


def test_the_folder_of_one_file_may_be_chosen_or_lie_deeper(tmp_path: Path) -> None:
    item, two = published("cna_l2", 12), published("coa_l2", 3)
    image(tmp_path / "run" / "cna_l2" / "12_3.png")
    for chosen in (tmp_path, tmp_path / "run", tmp_path / "run" / "cna_l2"):
        assert list(_links(chosen, item + two).values()) == [("cna_l2-12", 3)]
    # Called anything, it is known as long as all prompts are of one file.
    (tmp_path / "run" / "cna_l2").rename(tmp_path / "7")
    assert list(_links(tmp_path / "7", item).values()) == [("cna_l2-12", 3)]
    assert _links(tmp_path / "7", item + two) == {}


def test_our_own_ids_as_names_and_as_folders(tmp_path: Path) -> None:
    prompts = [prompt("beach"), prompt("cna-l2-00001"), prompt("käse")]
    names = (
        "beach.png",
        "beach_2.JPG",
        "cna-l2-00001_4.webp",
        "cna-l2-00001/seed-7.tiff",
        "cna-l2-00001/a.bmp",
        "cna-l2-00001/b.jpeg",
        "ka\u0308se_1.tif",
    )
    for name in names:
        image(tmp_path / name)
    planned = plan(tmp_path, prompts)
    assert {item.name: (item.prompt.id, item.k) for item in planned.found} == {
        "beach.png": ("beach", 1),
        "beach_2.JPG": ("beach", 2),
        "cna-l2-00001_4.webp": ("cna-l2-00001", 4),
        "cna-l2-00001/seed-7.tiff": ("cna-l2-00001", 7),
        "cna-l2-00001/a.bmp": ("cna-l2-00001", 1),
        "cna-l2-00001/b.jpeg": ("cna-l2-00001", 2),
        "ka\u0308se_1.tif": ("käse", 1),
    }
    assert (planned.layout, planned.missing, planned.extra) == ("ids", (), ())


def test_names_that_could_mean_two_prompts_are_left_out(tmp_path: Path) -> None:
    prompts = [prompt("a"), prompt("a_1"), *published("cna_l2", 3)]
    for name in (
        "a_1.png",
        "a_1_2.png",
        "a.png",
        "cna_l2/2/1_1.png",
        "cna_l2/2/2_1.png",
        "cna_l2/3/1.png",
    ):
        image(tmp_path / name)
    planned = plan(tmp_path, prompts)
    assert {item.name: (item.prompt.id, item.k) for item in planned.found} == {
        "a.png": ("a", 1),
        "a_1_2.png": ("a_1", 2),
        "cna_l2/2/2_1.png": ("cna_l2-2", 1),
        "cna_l2/3/1.png": ("cna_l2-3", 1),
    }
    assert planned.layout == "mixed"
    assert set(planned.extra) == {
        Remark("a_1.png", "It may be of a or of a_1: rename it."),
        Remark("cna_l2/2/1_1.png", "It may be of cna_l2-2 or of cna_l2-1: rename it."),
    }


def test_every_file_is_counted_once(tmp_path: Path) -> None:
    image(tmp_path / "beach_1.png")
    image(tmp_path / "beach_1.jpg")
    image(tmp_path / "forest.png")
    image(tmp_path / ".hidden.png")
    image(tmp_path / "__MACOSX" / "beach_3.png")
    for name in ("Thumbs.db", ".DS_Store", "notes.txt", "run.csv", "beach.gif"):
        (tmp_path / name).write_text("x")
    planned = plan(tmp_path, [prompt("beach"), prompt("lake")])
    assert [item.name for item in planned.found] == ["beach_1.jpg", "beach_1.png"]
    assert planned.extra == (
        Remark("beach.gif", "It is not an image file."),
        Remark("notes.txt", "It is not an image file."),
        Remark("run.csv", "It is not an image file."),
        Remark("forest.png", "No prompt has this name."),
    )
    assert planned.ignored == 4
    assert planned.files == 2 + 4 + 4
    assert planned.problems == (
        Remark("beach_1.png", "beach_1.jpg is also image 1 of beach; both are imported."),
    )
    assert [p.id for p in planned.missing] == ["lake"]


@pytest.mark.skipif(os.name != "posix", reason="links and pipes")
def test_links_and_odd_files_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    image(folder / "beach_1.png")
    image(tmp_path / "outside" / "beach_2.png")
    (folder / "beach_2.png").symlink_to(tmp_path / "outside" / "beach_2.png")
    (folder / "beach").symlink_to(tmp_path / "outside")
    (folder / "beach_3.png").symlink_to(folder / "beach_1.png")
    (folder / "again").symlink_to(folder)
    (folder / "loop.png").symlink_to(folder / "loop.png")
    (folder / "gone.png").symlink_to(folder / "nothing.png")
    os.mkfifo(folder / "beach_4.png")
    (folder / os.fsdecode(b"beach_5\xff.png")).write_bytes(b"")
    planned = plan(folder, [prompt("beach")])
    assert [item.name for item in planned.found] == ["beach_1.png", "beach_3.png"]
    why = {remark.where: remark.why for remark in planned.extra}
    assert why["beach_2.png"] == why["beach"] == "It is a link that leaves the folder."
    assert "links to a folder" in why["again"]
    assert "cannot be read" in why["loop.png"]
    assert "cannot be read" in why["gone.png"]
    assert why["beach_4.png"] == "It is not a regular file."
    assert why["beach_5?.png"] == "Its name is not valid Unicode: rename it."
    assert len(why) == 7
    # The chosen folder itself may be a link.
    (tmp_path / "link").symlink_to(folder)
    assert len(plan(tmp_path / "link", [prompt("beach")]).found) == 2


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="the administrator may read anything"
)
def test_a_folder_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    image(tmp_path / "locked" / "beach_1.png")
    (tmp_path / "locked").chmod(0)
    try:
        planned = plan(tmp_path, [prompt("beach")])
    finally:
        (tmp_path / "locked").chmod(0o755)
    assert planned.problems[0].where == "locked"
    assert planned.found == ()


def test_what_cannot_be_planned_says_why(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_text("x")
    for wrong in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(BadInput, match="is not a folder"):
            plan(wrong, [])
    with pytest.raises(BadInput, match="Two of the prompts have the id 'a'"):
        plan(tmp_path, [prompt("a"), prompt("a", source="other")])
    with pytest.raises(BadInput, match="model is empty"):
        plan(tmp_path, [], model=" ")
    monkeypatch.setattr("truehue.core.image_sets.files.MAX_FILES", 2)
    for number in range(3):
        (tmp_path / str(number)).write_text("x")
    with pytest.raises(BadInput, match="more than 2 files"):
        plan(tmp_path, [])


def test_an_empty_folder_misses_everything(tmp_path: Path) -> None:
    planned = plan(tmp_path, [prompt("a"), prompt("b")])
    assert (planned.found, planned.files, planned.layout) == ((), 0, "none")
    assert [p.id for p in planned.missing] == ["a", "b"]


def test_numbers_in_names_sort_as_numbers() -> None:
    names = ["a10", "a2", "a2b", "b", "10", "9", "a"]
    assert sorted(names, key=natural) == ["9", "10", "a", "a2", "a2b", "a10", "b"]
