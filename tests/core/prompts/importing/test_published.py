"""The published files: every layout, and the real samples where they are at hand."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from tests.core.prompts.importing.prompt_files import write_prompts
from truehue.core.errors import BadInput
from truehue.core.prompts.importing import read_prompts
from truehue.core.prompts.prompt import Prompt

FILES = {
    "cna_l3": "id,color,object,prompt\n1,Vivid green,kite,A kite of Vivid green.\n",
    "ncu_hex_css": (
        "id,css_name,color_name,hex,r,g,b,object,prompt\n"
        "4,DarkSlateGrey,dark slate grey,#2F4F4F,47,79,79,kite,A #2F4F4F kite.\n"
        "5,Cyan,cyan,#00FFFF,0,255,255,kite,A #00FFFF kite.\n"
        "6,Cyan,cyan,#00FFFE,0,255,254,kite,A #00FFFE kite.\n"
        "7,Nope,nope,#00FFFE,0,255,254,kite,A #00FFFE kite.\n"
    ),
    "ncu_rgb_l2": (
        "id,color_name,r,g,b,object,prompt\n"
        '1,Pink,230,134,151,kite,"A kite of rgb(230, 134, 151)."\n'
        '2,Yellowish pink,234,154,144,hat,"A hat of rgb(234, 154, 144)."\n'
    ),
    "coa_l2": (
        "id,color,main_obj,sec_obj,prompt\n"
        "1,Pink,kite,child's bed,A Pink kite on a child's bed.\n"
        "2,Bluish green,mug,shelf,A Bluish green mug on a shelf.\n"
    ),
    "moc_css": (
        "id,color_count,object1,color1,object2,color2,object3,color3,prompt\n"
        "1,2,kite,burly wood,hat,sea shell,,,A burly wood kite and a sea shell hat.\n"
        '2,3,kite,orange,hat,aqua,orange,plum,"An orange kite, an aqua hat, a plum orange."\n'
    ),
    "ica_l1": (
        "id,color,object,ref_object,prompt\n"
        "9,Yellow green,kite,hat,A Yellow green kite beside a hat of equal color.\n"
    ),
}


def read(stem: str, **options: object) -> tuple[Prompt, ...]:
    imported_prompts = read_prompts(FILES[stem].encode(), f"{stem}.csv", **options)  # type: ignore[arg-type]
    assert imported_prompts.kind == "published"
    assert imported_prompts.problems == ()
    return imported_prompts.prompts


def colors(prompt: Prompt) -> list[tuple[str, str | None, str]]:
    return [
        (target.name, target.color.value if target.color else None, target.role)
        for target in prompt.targets
    ]


def test_color_names() -> None:
    (prompt,) = read("cna_l3", negative_labels={"kite": ("string",)})
    assert colors(prompt) == [("kite", "l3:Vivid green", "main")]
    assert prompt.targets[0].negative_labels == ("string",)
    assert (prompt.id, prompt.source, prompt.task) == ("cna_l3-1", "cna_l3", "cna")
    assert (prompt.system, prompt.notation) == ("l3", "name")
    assert prompt.text == "A kite of Vivid green."


def test_numbers_keep_a_name_only_where_it_has_them() -> None:
    prompts = read("ncu_hex_css")
    assert [colors(prompt)[0][1] for prompt in prompts] == [
        "css:darkslategrey",
        "css:cyan",
        "#00FFFE",
        "#00FFFE",
    ]
    assert {prompt.notation for prompt in prompts} == {"hex"}
    note = read_prompts(FILES["ncu_hex_css"].encode(), "ncu_hex_css.csv").notes
    assert len(note) == 1
    assert note[0].startswith("2 rows have r, g, b values without a name")
    prompt, _ = read("ncu_rgb_l2")
    assert colors(prompt) == [("kite", "l2:Pink", "main")]
    assert (prompt.task, prompt.notation) == ("ncu", "rgb")


def test_two_and_three_objects() -> None:
    first, second = read("coa_l2")
    assert colors(first) == [("kite", "l2:Pink", "main"), ("child's bed", None, "bystander")]
    assert colors(second)[0] == ("mug", "l2:Bluish green", "main")
    two, three = read("moc_css")
    assert colors(two) == [("kite", "css:burlywood", "main"), ("hat", "css:seashell", "main")]
    assert colors(three)[2] == ("orange", "css:plum", "main")
    (same,) = read("ica_l1")
    assert colors(same) == [
        ("kite", "l1:Yellow green", "main"),
        ("hat", "l1:Yellow green", "reference"),
    ]


@pytest.mark.parametrize("stem", FILES)
@pytest.mark.parametrize("name", ["{} (1).csv", "copy-of-{}.csv", "{}.CSV", "{}.tsv"])
def test_a_name_that_a_browser_changed(stem: str, name: str) -> None:
    imported_prompts = read_prompts(FILES[stem].encode(), name.format(stem))
    assert imported_prompts.prompts == read(stem)


def test_another_name_is_recognized_by_columns_and_colors() -> None:
    for stem in ("cna_l3", "ncu_rgb_l2", "moc_css", "ica_l1", "coa_l2"):
        imported_prompts = read_prompts(FILES[stem].encode(), "renamed.csv")
        assert imported_prompts.kind == "published"
        assert imported_prompts.prompts == read(stem), stem
        assert "because of its colors" in imported_prompts.notes[0]
    # All of these names are in more than one system: that is said, and can be decided.
    assert "would match too" in read_prompts(FILES["ica_l1"].encode(), "renamed.csv").notes[0]
    decided = read_prompts(FILES["ica_l1"].encode(), "renamed.csv", system="l2")
    assert decided.prompts[0].id == "ica_l2-9"
    assert colors(decided.prompts[0])[0][1] == "l2:Yellow green"


def test_columns_of_a_published_file_with_colors_of_ones_own() -> None:
    own = read_prompts(b"id,color,object,prompt\nx,#FF0000,kite,A kite\n", "renamed.csv")
    assert own.kind == "csv"
    assert (own.prompts[0].id, own.prompts[0].task) == ("x", "free")
    with pytest.raises(BadInput, match="no color system has all"):
        read_prompts(b"id,color,main_obj,sec_obj,prompt\n1,#F00,a,b,c\n", "renamed.csv")


def test_the_columns_must_be_those_of_the_name() -> None:
    with pytest.raises(BadInput, match=r"no column main_obj, sec_obj\. Found: id, color, object"):
        read_prompts(FILES["cna_l3"].encode(), "coa_l2.csv")
    with pytest.raises(BadInput, match="columns of no published file"):
        read_prompts(b"text\nA cup\n", "mine.csv", kind="published")
    more = FILES["cna_l3"].replace("\n", ",x\n")
    assert read_prompts(more.encode(), "cna_l3.csv").notes == ("Columns that were not used: x.",)


@pytest.mark.parametrize(
    ("stem", "row", "why"),
    [
        ("cna_l3", "2,Vivid grene,kite,A kite", "Vivid green"),
        ("cna_l3", "2,,kite,A kite", "color is empty"),
        ("cna_l3", "2,Vivid green,,A kite", "object is empty"),
        ("cna_l3", ",Vivid green,kite,A kite", "id is empty"),
        ("cna_l3", "2,Vivid green,kite,", "prompt is empty"),
        ("cna_l3", "1,Vivid green,kite,Again", "given before, on line 2"),
        ("cna_l3", "2,Vivid green,kite", "Too few fields"),
        ("ncu_hex_css", "8,Cyan,cyan,#00FFFF,0,255,254,kite,A kite", "not the color of r, g, b"),
        ("ncu_hex_css", "8,Cyan,cyan,#00FFF,0,255,255,kite,A kite", "has 5 digits"),
        ("ncu_rgb_l2", "2,Pink,230,134,256,kite,A kite", 'b is "256"'),
        ("ncu_rgb_l2", "2,Pink,230,134,,kite,A kite", 'b is ""'),
        ("moc_css", "3,3,kite,aqua,hat,plum,,,A kite", 'color_count is "3"'),
        ("moc_css", "3,1,kite,aqua,,,,,A kite", "the row has 1 objects"),
        ("moc_css", "3,2,kite,aqua,hat,,,,A kite", "color2 is empty"),
    ],
)
def test_a_broken_row_is_reported(stem: str, row: str, why: str) -> None:
    imported_prompts = read_prompts((FILES[stem] + row + "\n").encode(), f"{stem}.csv")
    assert imported_prompts.prompts == read(stem)
    (problem,) = imported_prompts.problems
    assert problem.line == FILES[stem].count("\n") + 1
    assert why in problem.why


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_what_was_imported_is_written_and_read_back(kind: str) -> None:
    prompts = tuple(prompt for stem in FILES for prompt in read(stem))
    again = read_prompts(write_prompts(prompts, kind).encode(), f"cna_l2.{kind}")
    assert again.kind == kind
    assert again.prompts == prompts


@pytest.mark.skipif(
    "TRUEHUE_SHARED_DATA" not in os.environ, reason="TRUEHUE_SHARED_DATA names no folder"
)
@pytest.mark.parametrize(
    "stem", ["cna_l2", "coa_l2", "ica_l2", "moc_l2", "ncu_hex_css", "ncu_rgb_l2"]
)
def test_the_real_files_import_without_loss(stem: str) -> None:
    path = Path(os.environ["TRUEHUE_SHARED_DATA"]) / "gencolorbench_mini" / f"{stem}.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    imported_prompts = read_prompts(path)
    assert (imported_prompts.kind, imported_prompts.problems, imported_prompts.notes) == (
        "published",
        (),
        (),
    )
    assert [prompt.text for prompt in imported_prompts.prompts] == [row["prompt"] for row in rows]
    assert [prompt.id for prompt in imported_prompts.prompts] == [
        f"{stem}-{row['id']}" for row in rows
    ]
    assert len({prompt.id for prompt in imported_prompts.prompts}) == len(rows)
    system = stem.rpartition("_")[2]
    for row, prompt in zip(rows, imported_prompts.prompts, strict=True):
        assert (prompt.task, prompt.system) == (stem.split("_")[0], system)
        wanted = [row[name] for name in ("color_name", "color", "color1") if row.get(name)]
        names = [row[key] for key in ("object", "main_obj", "object1") if row.get(key)]
        main = prompt.targets[0]
        assert main.color is not None
        assert main.color.name is not None
        assert main.name == names[0]
        folded = wanted[0].replace(" ", "").casefold()
        assert main.color.name.replace(" ", "").casefold() == folded
        assert main.color.system == system
        if "hex" in row:
            assert main.color.hex == row["hex"]
        if "r" in row:
            assert main.color.srgb8 == (int(row["r"]), int(row["g"]), int(row["b"]))
        expected = {"cna": 1, "ncu": 1, "coa": 2, "ica": 2}.get(prompt.task)
        assert len(prompt.targets) == (expected or int(row["color_count"]))
        if prompt.task == "coa":
            assert (prompt.targets[1].name, prompt.targets[1].color) == (row["sec_obj"], None)
        if prompt.task == "ica":
            assert prompt.targets[1].name == row["ref_object"]
            assert prompt.targets[1].color == main.color


NUMERIC = (
    "id,dataset_category,css_name,color_name,hex,r,g,b,object,prompt\n"
    "1,numeric,Crimson,crimson,#DC143C,220,20,60,mug,A mug in the color #DC143C.\n"
    "2,numeric,Teal,teal,#008080,0,128,128,vase,A vase in the color #008080.\n"
)


@pytest.mark.parametrize(
    "name", ["numeric_hex_css.csv", "numeric_hex.csv", "ncu_hex_css.csv", "anything.csv"]
)
def test_an_unknown_column_takes_no_color_away(name: str) -> None:
    imported_prompts = read_prompts(NUMERIC.encode(), name)
    assert (imported_prompts.kind, imported_prompts.problems) == ("published", ())
    assert [prompt.targets[0].color.hex for prompt in imported_prompts.prompts] == [
        "#DC143C",
        "#008080",
    ]
    assert [prompt.id for prompt in imported_prompts.prompts] == ["ncu_hex_css-1", "ncu_hex_css-2"]
    assert "Columns that were not used: dataset_category." in imported_prompts.notes


def test_former_names_are_those_of_today() -> None:
    rows = b"id,color,object,prompt\n1,Red,mug,A Red mug.\n"
    (item,) = read_prompts(rows, "cna_iscc_l2.csv").prompts
    assert (item.id, item.system) == ("cna_l2-1", "l2")


def test_an_own_table_with_more_columns_stays_one() -> None:
    rows = b"id,color,object,prompt,notes\n1,Red,mug,A Red mug.,mine\n"
    imported_prompts = read_prompts(rows, "own.csv")
    assert imported_prompts.kind == "csv"
    assert "Columns that were not used: notes." in imported_prompts.notes


@pytest.mark.parametrize(
    "text",
    [
        '{\n "name": "mini",\n "files": {"cna_l1.csv": 12}\n}\n',
        '{"files": {"cna_l1.csv": 12}}',
    ],
)
def test_a_manifest_is_answered_with_one_sentence(text: str) -> None:
    with pytest.raises(BadInput, match=r"manifest\.json is a JSON file without prompts"):
        read_prompts(text.encode(), "manifest.json")
