"""Groups in the published form: read, written, refused, split."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from truehue.core.errors import BadInput
from truehue.core.fidelity.groups import GUIDANCES, Group, read_groups, split, write_groups


@pytest.fixture
def item(tmp_path: Path) -> dict[str, Any]:
    """A group as the published list has it, with its files."""
    item = {"real.jpg": "a/real.jpg", "txt": "a market in the rain"}
    item |= {f"rank{rank}.jpg": f"a/rank{rank}.jpg" for rank in range(6)}
    (tmp_path / "a").mkdir()
    for name in list(item.values())[:1] + [f"a/rank{rank}.jpg" for rank in range(6)]:
        (tmp_path / name).write_bytes(b"x")
    return item


def test_a_published_list_is_read_and_written_alike(tmp_path: Path, item: dict[str, Any]) -> None:
    path = tmp_path / "cfm_test_rank_dataset.jsonl"
    path.write_text(json.dumps([item, {**item, "category": "Street Scene", "model": "sd3"}]))
    groups = read_groups(path)
    assert groups[0].photograph == tmp_path / "a" / "real.jpg"
    assert [image.name for image in groups[0].images] == [f"rank{n}.jpg" for n in range(6)]
    assert len(groups[0].images) == len(GUIDANCES)
    assert (groups[1].category, groups[1].model) == ("Street Scene", "sd3")
    write_groups(tmp_path / "again.json", groups)
    assert json.loads((tmp_path / "again.json").read_text())[0] == item
    assert read_groups(tmp_path / "again.json") == groups
    path.write_text(json.dumps(item) + "\n\n" + json.dumps(item) + "\n")
    assert read_groups(path) == [groups[0]] * 2
    (tmp_path / "lists").mkdir()
    elsewhere = tmp_path / "lists" / "list.json"
    elsewhere.write_text(json.dumps([item]))
    assert read_groups(elsewhere, tmp_path) == groups[:1]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"txt": " "}, "caption"),
        ({"rank3.jpg": None}, "rank3.jpg is no path"),
        ({"rank7.jpg": "a/rank0.jpg"}, "rank0.jpg, rank1.jpg and so on"),
        ({"real.jpg": "a/none.jpg"}, "real.jpg is not there: a/none.jpg"),
        ({"category": "Cars"}, "none of the categories"),
    ],
)
def test_what_is_no_group_is_refused_with_its_number(
    tmp_path: Path, item: dict[str, Any], change: dict[str, Any], text: str
) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps([item, {**item, **change}]))
    with pytest.raises(BadInput, match=f"group 2: .*{text}"):
        read_groups(path)


@pytest.mark.parametrize("text", ["", "[]", "{", "[1]", "\x00"])
def test_what_is_no_list_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "list.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=r"list\.json"):
        read_groups(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_groups(tmp_path / "none.json")


def test_a_photograph_and_a_caption_are_on_one_side_only() -> None:
    def group(photograph: int, caption: int, model: str) -> Group:
        return Group(Path(f"{photograph}.jpg"), (Path("x.jpg"),), f"caption {caption}", "", model)

    groups = [group(n, n // 2, model) for n in range(400) for model in ("sd3", "sdxl")]
    training, test = split(groups, 0.25)
    assert len(training) + len(test) == 800
    assert 120 < len(test) < 280
    assert not {entry.photograph for entry in training} & {entry.photograph for entry in test}
    assert not {entry.caption for entry in training} & {entry.caption for entry in test}
    assert split(groups, 0.25) == (training, test)
    assert split(groups, 0.25, seed=1) != (training, test)
    assert split(groups, 0)[1] == []
    assert split(groups, 1)[0] == []
    with pytest.raises(BadInput, match="from 0 to 1"):
        split(groups, 1.5)


def test_equal_file_names_are_no_one_photograph_and_a_moved_folder_is_split_alike() -> None:
    def groups(root: str) -> list[Group]:
        files = [Path(root) / f"{n}" / "real.jpg" for n in range(60)]
        return [Group(file, (Path("x.jpg"),), f"caption {n}") for n, file in enumerate(files)]

    training, test = split(groups("/a"), 0.5)
    assert len(training) > 15
    assert len(test) > 15
    moved = split(groups("/b"), 0.5)[1]
    assert [group.caption for group in moved] == [group.caption for group in test]
