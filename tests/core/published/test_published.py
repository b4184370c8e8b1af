"""Published tables as data: what they say of themselves, how they are asked, what is refused."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from truehue.core import published
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.registry import MODELS
from truehue.core.prompts import tables as prompt_tables
from truehue.core.prompts.prompt import TASKS

FOLDER = published.FOLDER


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the folder that the module reads, with nothing remembered before and after."""
    remembered = (published._index, published.tables, published.papers)
    folder = tmp_path / "published"
    shutil.copytree(FOLDER, folder)
    monkeypatch.setattr(published, "FOLDER", folder)
    for item in remembered:
        item.cache_clear()
    yield folder
    for item in remembered:
        item.cache_clear()


def test_every_table_says_where_it_is_from_and_what_it_is() -> None:
    ids = [table.id for table in published.tables()]
    assert len(ids) == len(set(ids))
    for item in published.tables():
        assert item.protocol == "paper"
        assert item.source.startswith(f"{item.number} of ")
        assert item.paper.authors[0].partition(",")[0] in item.source
        assert item.paper in published.papers()
        assert item.title
        assert item.how.endswith(".")
        assert item.comparable_with
        assert set(item.comparable_with) <= published.USES.keys()
        assert all(note.endswith(".") for note in item.notes)
        assert len({tuple(row.keys.values()) for row in item.rows}) == len(item.rows)
        for column in item.columns:
            assert column.meaning
            assert column.unit
            assert column.better in {"higher", "lower", "nearest to 1", "none"}


def test_every_doubt_names_one_cell_that_there_is() -> None:
    count = 0
    for item in published.tables():
        for doubt in item.doubts:
            row = item.row(**doubt.where)
            assert doubt.told in item.doubt(row, doubt.column)
            assert row.printed[item.column(doubt.column).name]
            count += 1
    assert count > 40
    table = published.table("gencolorbench-table4")
    assert table.doubt(table.row(model="Sana"), "Avg.") == ""


def test_the_files_are_those_of_the_readme_and_no_others() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    message = dict(re.findall(r"^\| `(\w+\.csv)` \|.*`([0-9a-f]{64})` \|$", readme, re.MULTILINE))
    lying = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in FOLDER.glob("*.csv")
        if path.name != "models.csv"
    }
    assert message == lying
    assert set(message.values()) == {table.sha256 for table in published.tables()}


def test_a_changed_file_is_refused_with_the_way_back(copied: Path) -> None:
    name = "gencolorbench_table4.csv"
    file = copied / name
    file.write_bytes(file.read_bytes().replace(b"18.96", b"19.96"))
    with pytest.raises(TrueHueError, match=f"git checkout -- assets/published/{name}"):
        published.tables()


def test_a_missing_file_is_told_with_the_way_back(copied: Path) -> None:
    (copied / "cfd_table5.csv").unlink()
    with pytest.raises(TrueHueError, match=r"git checkout -- assets/published/cfd_table5\.csv"):
        published.tables()


def test_an_index_of_other_columns_than_the_file_is_found(copied: Path) -> None:
    index = json.loads((copied / "index.json").read_text(encoding="utf-8"))
    index["tables"][0]["columns"][0]["name"] = "Open-Ended"
    (copied / "index.json").write_text(json.dumps(index), encoding="utf-8")
    with pytest.raises(TrueHueError, match=r"other columns than gencolorbench_table2\.csv"):
        published.tables()


def test_a_number_is_found_by_table_row_and_column() -> None:
    assert published.value("gencolorbench-table4", model="SD 3.5", column="Avg.") == 21.80
    assert published.value("colorbench-table1", "Overall", model="Human Evaluation") is None
    flux = published.table("gencolorbench-table11").find(model="Flux")
    assert [row.keys["color_type"] for row in flux] == ["css", "l2", "l3", "overall"]
    assert flux[0].printed["Animals"] == "30.5794"


@pytest.mark.parametrize(
    ("table_id", "column", "keys", "message"),
    [
        ("gencolorbench-table3", "Avg.", {}, "Known are: gencolorbench-table2, "),
        ("gencolorbench-table4", "Average", {"model": "Sana"}, "It has: Color Name Accuracy, "),
        ("gencolorbench-table4", "Avg.", {"model": "SDXL"}, "Its model is one of: Flux, Sana, "),
        ("gencolorbench-table4", "Avg.", {"name": "Sana"}, "Its rows have: model, resolution"),
        ("gencolorbench-table11", "Animals", {"model": "Flux"}, "Say also: color_type"),
        ("gencolorbench-table4", "Avg.", {}, "9 rows of gencolorbench-table4 have no key"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(
    table_id: str, column: str, keys: dict[str, str], message: str
) -> None:
    with pytest.raises(BadInput, match=re.escape(message)):
        published.value(table_id, column, **keys)


def test_tables_stand_beside_what_they_can_be_compared_with() -> None:
    assert [item.id for item in published.tables_for("board")] == ["gencolorbench-table4"]
    assert [item.id for item in published.tables_for("categories")] == ["gencolorbench-table11"]
    assert "gencolorbench-table2-method" in {item.id for item in published.tables_for("trust")}
    assert all(published.tables_for(use) for use in published.USES)
    with pytest.raises(BadInput, match="Choose one of: board"):
        published.tables_for("everything")


def test_columns_name_the_same_things_as_ours() -> None:
    (board,) = published.tables_for("board")
    ours = [column.ours for column in board.columns]
    assert ours == ["cna", "coa", "moc", "ica", "ncu", "average"]
    assert all(task in TASKS for task in ours[:-1])
    (categories,) = published.tables_for("categories")
    assert {column.ours for column in categories.columns} == {
        row.category for row in prompt_tables.objects()
    }
    concepts = published.table("colorconceptbench-table1")
    column = concepts.column("Visual state Clipart EMD")
    assert dict(column.parts) == {"concept": "visual state", "style": "clipart", "metric": "EMD"}
    assert column.better == "lower"


def test_every_counterpart_is_a_published_name_and_a_generator_of_ours() -> None:
    generators = {entry.id for entry in MODELS}
    for (paper_id, name), ours in published.counterparts().items():
        assert published.counterpart(paper_id, name) == ours
        assert ours.ids
        assert set(ours.ids) <= generators
        assert len(ours.ids) == 1 or not ours.exact
        assert ours.exact or ours.note.endswith(".")


def test_every_generator_of_a_paper_has_a_counterpart_or_none_knowingly() -> None:
    sample = (
        "gencolorbench-table4",
        "gencolorbench-table11",
        "colorconceptbench-table1",
        "colorconceptbench-table6",
        "colorconceptbench-table7",
        "cfd-table3",
    )
    for table_id in sample:
        table = published.table(table_id)
        for row in table.rows:
            assert published.counterpart(table.paper.id, row.keys["model"]).ids
    assert published.counterpart("colorbench", "GPT-4o").ids == ()
    with pytest.raises(BadInput, match="Choose one of: BLIP3o"):
        published.counterpart("gencolorbench", "GPT-4o")
    with pytest.raises(BadInput, match="There is no paper"):
        published.counterpart("colorbenches", "GPT-4o")


def test_the_registry_names_the_same_rows_of_table_4() -> None:
    table = published.table("gencolorbench-table4")
    named = {entry.paper: entry.id for entry in MODELS if entry.paper}
    assert named.keys() == {row.keys["model"] for row in table.rows}
    for name, model_id in named.items():
        assert published.counterpart("gencolorbench", name).ids[0] == model_id


def test_bibtex_has_each_paper_once_with_what_is_known_of_it() -> None:
    text = published.bibtex(["gencolorbench-table4", "cfd", "gencolorbench", "cfd-table1"])
    assert re.findall(r"^@misc\{(\w+),$", text, re.MULTILINE) == ["gencolorbench", "cfd"]
    assert "eprint = {2510.20586}," in text
    assert "Butt, Muhammad Atif and Gomez-Villa, Alexandra" in text
    cfd = text[text.index("@misc{cfd") :]
    assert "eprint = {2603.10990}," in cfd
    assert "year = {2026}," in cfd
    assert "Fang, Zhengyao" in cfd
    everything = published.bibtex(paper.id for paper in published.papers())
    assert everything.count("@misc{") == 4
    assert everything.count("{") == everything.count("}")
    assert everything.isascii()
    with pytest.raises(BadInput, match="There is no paper 'gencolorbench-table9'"):
        published.bibtex(["gencolorbench-table9"])
