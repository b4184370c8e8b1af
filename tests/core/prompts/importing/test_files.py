"""Files of prompts of one's own: what is taken, and what is said of the rest."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from truehue.core import text_tables
from truehue.core.errors import BadInput
from truehue.core.prompts.importing import HEADER_HELP, ImportedPrompts, fields, read_prompts

pytestmark = pytest.mark.slow


def table(*lines: str, name: str = "mine.csv", **options: object) -> ImportedPrompts:
    return read_prompts("\n".join(lines).encode(), name, **options)  # type: ignore[arg-type]


def said(imported: ImportedPrompts) -> dict[int, str]:
    return {problem.line: problem.why for problem in imported.problems}


def test_plain_text_is_one_prompt_a_line() -> None:
    read = read_prompts("A cat\n\n  A dog, red \r\nÉté\rlast".encode(), "list.txt")
    assert read.kind == "text"
    assert [prompt.text for prompt in read.prompts] == ["A cat", "A dog, red", "Été", "last"]
    assert [prompt.id for prompt in read.prompts] == ["list-1", "list-3", "list-4", "list-5"]
    assert {prompt.task for prompt in read.prompts} == {"free"}
    assert {prompt.source for prompt in read.prompts} == {"list"}
    assert (read.blank_lines, read.problems, read.records) == (1, (), 4)


def test_a_table_with_all_columns() -> None:
    read = table(
        "ID,Text,Task,System,Object,Color,Negative Labels,object2,color2,role2,category,template",
        'a,"A red apple, and a table",moc,l3,apple,Vivid red,stem; leaf,table,#804000,,Fruit,D.4.1',
        "b,A cup,,,cup,css:crimson,,,,,,",
    )
    assert (read.kind, read.problems, read.notes) == ("csv", (), ())
    first, second = read.prompts
    assert (first.id, first.task, first.system) == ("a", "moc", "l3")
    assert (first.category, first.template) == ("Fruit", "D.4.1")
    assert first.text == "A red apple, and a table"
    apple, other = first.targets
    assert apple.color is not None
    assert (apple.name, apple.color.value) == ("apple", "l3:Vivid red")
    assert apple.negative_labels == ("stem", "leaf")
    assert other.color is not None
    assert (other.name, other.color.value, other.role) == ("table", "#804000", "main")
    assert second.task == "free"
    assert second.targets[0].color is not None
    assert second.targets[0].color.value == "css:crimson"


@pytest.mark.parametrize(("delimiter", "name"), [(";", "a.csv"), ("\t", "a.tsv"), (",", "a")])
def test_other_separators(delimiter: str, name: str) -> None:
    lines = [["prompt", "object", "color"], ["A red cup", "cup", "crimson"]]
    read = table(*(delimiter.join(line) for line in lines), name=name)
    assert read.kind == "csv"
    assert read.prompts[0].targets[0].name == "cup"


def test_a_spreadsheets_separator_line() -> None:
    read = table("sep=;", "text;object", "A cup, red;cup")
    assert [(prompt.text, prompt.targets[0].name) for prompt in read.prompts] == [
        ("A cup, red", "cup")
    ]


def test_the_second_object_of_a_task_has_its_role() -> None:
    read = table(
        "text,task,object,color,object2,color2",
        "A red cup on a table,coa,cup,crimson,table,",
        "A red cup by a hat of the same color,ica,cup,crimson,hat,",
    )
    bystander, reference = (prompt.targets[1] for prompt in read.prompts)
    assert (bystander.role, bystander.color) == ("bystander", None)
    assert reference.role == "reference"
    assert reference.color == read.prompts[1].targets[0].color


def test_tables_of_objects_are_looked_up() -> None:
    read = table(
        "text,object,negative_labels",
        "An apple,apple,",
        "An apple,apple,core",
        "A sofa,sofa,",
        negative_labels={"apple": ("stem", "leaf")},
        categories={"apple": "Fruit"},
    )
    labels = [prompt.targets[0].negative_labels for prompt in read.prompts]
    assert labels == [("stem", "leaf"), ("core",), ()]
    assert read.prompts[0].targets[0].category == "Fruit"
    assert len(read.notes) == 1
    assert "without negative labels: sofa." in read.notes[0]


def test_jsonl_flat_and_nested() -> None:
    lines = [
        {"text": "A cup", "id": 7, "object": "cup", "color": "#f00", "negative_labels": ["lid"]},
        {"text": "A hat", "targets": [{"object": "hat", "color": "l2:Red"}], "level": "x"},
        {"prompt": "A tie", "mood": "calm", "concept": None},
    ]
    read = table(*(json.dumps(line) for line in lines), "", name="mine.jsonl")
    assert (read.kind, read.problems) == ("jsonl", ())
    assert [prompt.id for prompt in read.prompts] == ["7", "mine-2", "mine-3"]
    assert read.prompts[0].targets[0].negative_labels == ("lid",)
    assert read.prompts[1].targets[0].color is not None
    assert read.prompts[1].targets[0].color.value == "l2:Red"
    assert read.notes == ("Keys that were not used: mood.",)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("7", "not a JSON object"),
        ('{"text": ""}', "empty"),
        ('{"id": "x"}', "empty"),
        ('{"text": 7.5}', "text is text"),
        ('{"text": true}', "text is text"),
        ('{"text": "a", "object": "b", "negative_labels": ["c;d"]}', "without semicolons"),
        ('{"text": "a", "targets": {"a": 1}}', "list of objects"),
        ('{"text": "a", "targets": [{"object": ""}]}', "Object 1 has no name"),
        ('{"text": "a", "targets": [{"object": "x", "color": "redd"}]}', "Names spelled alike"),
        ('{"text": "a", "targets": [], "system": "l9"}', "no color system"),
        ('{"text": "a", "task": "l9"}', "no task"),
        ('{"text": "a\\ud800"}', "half a character"),
        ('{"text": "a\\u0000"}', "control character U+0000"),
        ("[" * 100_000, "nested"),
        ('{"text": "a", "id": ' + "9" * 5_000 + "}", "not JSON"),
    ],
)
def test_a_broken_jsonl_line_costs_only_itself(line: str, why: str) -> None:
    read = table('{"text": "before"}', line, '{"text": "after"}', name="mine.jsonl")
    assert [prompt.text for prompt in read.prompts] == ["before", "after"]
    assert list(said(read)) == [2]
    assert why in said(read)[2]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("x,,free,,,", "The prompt is empty"),
        ("a,A cup,free,,,", "given before, on line 2"),
        ("x,A cup,nca,,,", 'no task "nca"'),
        ("x,A cup,cna,l4,,", 'no color system "l4"'),
        ("x,A cup,cna,,cup,vivd green", "Vivid green"),
        ("x,A cup,cna,,cup,#12345G", "hex digits are"),
        ("x,A cup,cna,l1,cup,crimson", 'write "css:crimson"'),
        ("x,A cup,cna,,,red", "object is empty"),
        ("x,A cup,cna,,cup", "Too few fields: 5"),
        ("x,A cup, red,cna,,cup,red", "Too many fields: 7"),
        ('x,"A cup,cna,,cup,red', "quotation mark"),
        ('x,"A "red" cup",cna,,cup,red', "quotation mark"),
        ("x,A\x00cup,cna,,cup,red", "NUL"),
        ("x,A\x07cup,cna,,cup,red", "U+0007"),
        ("x\ty,A cup,cna,,cup,red", "The id has a line break or a tab"),
        (f"x,{'A' * 20_001},cna,,cup,red", "20,001 characters"),
        (f"x,A cup,cna,,{'c' * 1_001},red", "The object has 1,001"),
        (f"x,{'A' * 300_000},cna,,cup,red", "The line has 300,0"),
        (f"x,A cup,{'🦄' * 70},,,", "no task"),
    ],
)
def test_a_broken_row_costs_only_itself(row: str, why: str) -> None:
    read = table(
        "id,text,task,system,object,color", "a,First,free,,,", row, "", "z,Last,free,,cup,red"
    )
    assert [prompt.text for prompt in read.prompts] == ["First", "Last"]
    assert list(said(read)) == [3]
    assert why in said(read)[3]
    assert (read.records, read.blank_lines) == (3, 1)
    shown = read.problems[0].text_excerpt
    assert len(shown) <= 120
    assert shown.isprintable()


def test_a_quoted_field_may_span_lines_and_hold_quotes() -> None:
    read = table("text,object", '"A ""red""\r\ncup, \nnow", "cup "', 'A 5" disk,disk')
    assert [prompt.text for prompt in read.prompts] == ['A "red"\r\ncup, \nnow', 'A 5" disk']
    assert read.prompts[0].targets[0].name == "cup "


def test_an_open_quote_before_good_quotes_costs_one_line() -> None:
    rows = [f'"A cup, {number}",cup' for number in range(3_000)]
    read = table("text,object", '"A cup,cup', *rows)
    assert len(read.prompts) == 3_000
    assert list(said(read)) == [2]
    read = table("text,object", *(f"A cup {number},cup" for number in range(3_000)), '"x,y', "z,w")
    assert len(read.prompts) == 3_001
    assert list(said(read)) == [3_002]


@pytest.mark.parametrize(
    ("encoding", "notes"),
    [("utf-8", 0), ("utf-8-sig", 0), ("utf-16", 0), ("utf-32", 0), ("cp1252", 1), ("latin-1", 1)],
)
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl", "a"])
def test_encodings(encoding: str, notes: int, name: str) -> None:
    text = '{"text": "Ein grüner Apfel"}' if name == "a.jsonl" else "text\nEin grüner Apfel\n"
    read = read_prompts(text.encode(encoding), name)
    assert read.prompts[-1].text == "Ein grüner Apfel"
    assert len(read.notes) == notes
    if notes:
        assert "Windows-1252" in read.notes[0]
        assert f"line {text[: text.index('ü')].count(chr(10)) + 1}" in read.notes[0]


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (b"", "a.csv", "a.csv is empty"),
        (b"\n\n \n", "a.txt", "only blank lines"),
        (b"\n\n", "a.csv", "no header"),
        (b"text\n\n", "a.csv", "has no prompts"),
        (b"caption,colour\na,b\n", "a.csv", "no column text (or prompt). Found: caption, colour."),
        (b"text,Object,object\na,b,c\n", "a.csv", "column object twice"),
        (b'"text,object\na,b\n', "a.csv", "header of a.csv cannot be read"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "a.csv", "a PNG image"),
        (b"PK\x03\x04" + bytes(64), "a.csv", "Excel workbook"),
        (bytes(range(256)) * 20, "a.txt", "not text"),
        ("text\nA cup".encode("utf-16-le"), "a.csv", "UTF-16 without a byte order mark"),
        (b"\xff\xfea\x00b", "a.txt", "not the UTF-16"),
        (b'[{"text": "a"}]', "a.json", "one JSON list"),
        (b"a", "", "name of the file is needed"),
    ],
)
def test_a_file_that_cannot_be_read(content: bytes, name: str, why: str) -> None:
    with pytest.raises(BadInput, match=re.escape(why)):
        read_prompts(content, name)


def test_wrong_headers_say_what_is_accepted() -> None:
    with pytest.raises(BadInput) as error:
        table("a,b", "1,2")
    assert HEADER_HELP in str(error.value)


def test_folders_missing_files_and_large_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        read_prompts(tmp_path)
    with pytest.raises(BadInput, match="There is no file"):
        read_prompts(tmp_path / "none.txt")
    large = tmp_path / "large.txt"
    with large.open("wb") as stream:
        stream.truncate(256 * 2**20 + 1)  # sparse: it takes no room
    with pytest.raises(BadInput, match="at most 256 MB"):
        read_prompts(large)
    (tmp_path / "few.txt").write_text("A cup\n")
    assert [prompt.id for prompt in read_prompts(tmp_path / "few.txt").prompts] == ["few-1"]


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_a_line_of_ten_megabytes(name: str) -> None:
    first = {"a.txt": "one", "a.csv": "text\none", "a.jsonl": '{"text": "one"}'}[name]
    last = '{"text": "two"}' if name == "a.jsonl" else "two"
    for ending in ("\n", "\r\n", "\r"):
        content = ending.join([first.replace("\n", ending), "x" * 10_000_000, last]).encode()
        read = read_prompts(content, name)
        assert [prompt.text for prompt in read.prompts] == ["one", "two"]
        (problem,) = read.problems
        assert problem.line == first.count("\n") + 2
        assert problem.why.startswith("The line has 10,000,00")
        assert len(problem.text_excerpt) == 120


@pytest.mark.parametrize("over", range(-3, 4))
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_at_the_limit_keep_their_numbers(over: int, ending: str) -> None:
    read = read_prompts(ending.join(["x" * (250_000 + over), "two", ""]).encode(), "a.txt")
    assert [prompt.id for prompt in read.prompts] == ["a-2"]
    assert list(said(read)) == [1]
    assert ("The line has" in said(read)[1]) == (over > 0)


def test_columns_that_are_not_used_are_named() -> None:
    read = table("text,seed,,steps", "A cup,1,2,3")
    assert read.notes == ("Columns that were not used: (no name), seed, steps.",)
    assert len(read.prompts) == 1


def test_a_column_of_no_colors_is_refused_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fields.MAX_UNKNOWN_COLORS == 1_000
    monkeypatch.setattr(fields, "MAX_UNKNOWN_COLORS", 40)
    rows = [f"A cup,cup,zz{number}zz" for number in range(41)]
    with pytest.raises(BadInput, match=r"More than 40 different.*Is it the right column"):
        table("text,object,color", *rows)
    assert len(table("text,object,color", *rows[1:], "A cup,cup,red").prompts) == 1


def test_an_unknown_kind_or_system_is_refused() -> None:
    with pytest.raises(BadInput, match="no kind"):
        table("text", "a", kind="excel")
    with pytest.raises(BadInput, match="no color system"):
        table("text", "a", system="l7")


def test_a_name_with_a_path_of_another_machine() -> None:
    read = read_prompts(b"A cup", "C:\\Users\\me\\list.txt")
    assert read.prompts[0].id == "list-1"


def test_a_table_that_is_called_text() -> None:
    read = table("id,color,object,prompt", "1,Vivid red,kite,A kite", name="cna_l3.txt")
    assert (read.kind, read.prompts[0].id) == ("published", "cna_l3-1")
    assert "read as a table" in read.notes[0]
    read = table("prompt", "A kite", name="list.txt")
    assert [prompt.text for prompt in read.prompts] == ["prompt", "A kite"]


def test_a_file_of_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert text_tables.MAX_LINES == 5_000_000
    monkeypatch.setattr(text_tables, "MAX_LINES", 5_000)
    with pytest.raises(BadInput, match="more than 5,000 lines"):
        read_prompts(b"\n" * 5_001, "a.txt")
    assert read_prompts(b"\n" * 4_999 + b"A cat", "a.txt").blank_lines == 4_999
