"""The tables under assets/prompts: whole, unchanged, and at one with each other."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.prompts import concepts, tables

OURS = {
    **{f"gencolorbench/{name}.csv": value for name, value in tables.FILES.items()},
    concepts.FILE: concepts.SHA256,
}


@pytest.mark.parametrize("name", OURS)
def test_a_table_is_plain_and_its_checksum_stands_in_the_readme(name: str) -> None:
    path = tables.FOLDER / name
    content = path.read_bytes()
    assert hashlib.sha256(content).hexdigest() == OURS[name]
    assert b"\r" not in content
    assert content.endswith(b"\n")
    readme = (path.parent / "README.md").read_text("utf-8")
    assert re.search(rf"`{path.name}`.*`{OURS[name]}`", readme)


def test_every_file_of_the_folders_is_read_or_a_readme() -> None:
    result = {
        path.relative_to(tables.FOLDER).as_posix()
        for folder in ("gencolorbench", "concepts")
        for path in (tables.FOLDER / folder).iterdir()
    }
    assert result == {*OURS, "gencolorbench/README.md", "concepts/README.md"}


def test_a_changed_or_missing_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    with pytest.raises(TrueHueError, match=r"cannot be read.*git checkout"):
        tables.read_rows("words.csv", "0" * 64)
    (tmp_path / "words.csv").write_bytes(b"name\nred\n")
    sha256 = hashlib.sha256(b"name\nred\n").hexdigest()
    assert tables.read_rows("words.csv", sha256) == [{"name": "red"}]
    (tmp_path / "words.csv").write_bytes(b"name\nblue\n")
    with pytest.raises(TrueHueError, match=r"was changed.*git checkout"):
        tables.read_rows("words.csv", sha256)


def test_counts() -> None:
    assert len(tables.objects()) == 108
    assert [len(tables.focused_templates(kind)) for kind in ("name", "hex", "rgb")] == [12, 10, 5]
    assert len(tables.context_templates()) == 63
    assert len(tables.scene_templates()) == 30
    assert len(tables.implicit_templates()) == 100
    items = {template.id.rstrip("ab") for template in tables.implicit_templates()}
    assert items == {f"D.4.{number}" for number in range(1, 94)}


def test_sink_stands_twice_and_both_driers_are_there() -> None:
    rows = tables.objects()
    twice = {name for name, count in Counter(row.name for row in rows).items() if count > 1}
    assert twice == {"sink"}
    first, second = (row for row in rows if row.name == "sink")
    assert (first.category, second.category) == (
        "Furniture and household",
        "Tools and miscellaneous",
    )
    assert "countertop" in first.negative_labels
    assert "basin" in second.negative_labels
    assert {"hair drier", "hair dryer"} <= {row.name for row in rows}
    assert tables.object_called("sink") == first
    assert tables.object_called("plate") is None


def test_what_comes_in_pairs_is_said_so() -> None:
    paired = {row.name: row.phrase for row in tables.objects() if row.phrase != row.name}
    assert paired == {name: f"pair of {name}" for name in ("skis", "jeans", "pants", "shorts")}


def test_the_objects_of_a_sentence_are_in_it_in_their_order() -> None:
    for template in tables.context_templates():
        slot, main, second = (
            template.text.index(part)
            for part in ("{color}", template.object, template.second_object)
        )
        assert slot < main < second, template.id
    for scene in tables.scene_templates():
        positions = [
            scene.text.index(f"{{color{slot}}}") for slot in range(1, len(scene.objects) + 1)
        ]
        parts = re.split(r"\{color\d\} ", scene.text)[1:]
        assert len(parts) == len(scene.objects), scene.id
        for part, name in zip(parts, scene.objects, strict=True):
            assert part.removeprefix("pair of ").startswith(name), scene.id
        assert positions == sorted(positions)
    for implicit in tables.implicit_templates():
        assert implicit.text.index(implicit.object) < implicit.text.index(implicit.reference_object)
        assert implicit.text.count("{color}") == 1


def test_all_colored_objects_are_in_the_object_tables() -> None:
    names = {template.object for template in tables.context_templates()}
    names |= {name for template in tables.scene_templates() for name in template.objects}
    for implicit in tables.implicit_templates():
        names |= {implicit.object, implicit.reference_object}
    assert names <= {row.name for row in tables.objects()}


def test_no_notation_of_that_name() -> None:
    with pytest.raises(BadInput, match=r"hsv.*name, hex, rgb"):
        tables.focused_templates("hsv")
