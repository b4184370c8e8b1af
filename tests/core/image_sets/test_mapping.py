from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.image_sets.folders import image, prompt
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.image_sets import plan
from truehue.core.image_sets.records import NO_PROMPT, FolderPlan, Tally, generation_of, read


def _planned(tmp_path: Path, table: str | bytes, prompts=(), images="abc") -> FolderPlan:
    for seed, name in enumerate(images):
        image(tmp_path / f"{name}.png", seed)
    content = table.encode() if isinstance(table, str) else table
    (tmp_path / "table.csv").write_bytes(content)
    return plan(tmp_path, prompts, model="sdxl")


def test_ids_texts_and_new_prompts(tmp_path: Path) -> None:
    table = (
        "file,prompt_id,text,object,color,seed,model,guidance\n"
        "a.png,beach,,,,7,flux,3.5\n"
        'b.png,,"A lake, blue.",,,,,\n'
        "c.png,,A red hat on a suitcase.,hat | suitcase,l3:Vivid red|,,,\n"
        "d.png,own-1,Something else.,,,,,\n"
        "e.png,,A red hat on a suitcase.,hat | suitcase,l3:Vivid red|,,,\n"
    )
    values = [prompt("beach"), prompt("lake", "A lake, blue.")]
    planned = _planned(tmp_path, table, values, "abcdef")
    a, b, c, d, e, f = planned.found
    assert (a.prompt, a.model, a.seed, a.guidance) == (values[0], "flux", 7, 3.5)
    assert (b.prompt, b.model, b.seed, b.guidance) == (values[1], "sdxl", None, None)
    hat, suitcase = c.prompt.targets
    assert (hat.name, suitcase.name, suitcase.color) == ("hat", "suitcase", None)
    assert hat.color is not None
    assert hat.color.value == "l3:Vivid red"
    assert (c.prompt.task, c.prompt.source, c.prompt.id[:5]) == ("free", "", "text-")
    assert (d.prompt.id, d.prompt.text) == ("own-1", "Something else.")
    assert e.prompt is c.prompt
    assert (c.k, e.k) == (1, 2)
    assert planned.new_prompts == (c.prompt, d.prompt)
    # Of what the table does not name, nobody says the prompt.
    assert (f.prompt, f.model, f.layout, planned.linked) == (NO_PROMPT, "sdxl", "none", 5)
    assert (planned.extra, planned.problems, planned.missing) == ((), (), ())
    assert (planned.layout, planned.ignored, planned.files) == ("mixed", 1, 7)


def test_the_names_are_of_the_system_that_is_chosen(tmp_path: Path) -> None:
    table = (
        "file,prompt,object,color\na.png,a brown chair,,\nb.png,b,cup,brown\nc.png,c,cup,#123456\n"
    )
    _planned(tmp_path, table)
    by_people = plan(tmp_path, (), system="people").found
    chair, cup, code = (item.prompt.targets[0].color for item in by_people)
    assert chair is not None
    assert cup is not None
    assert code is not None
    assert {chair.system, cup.system} == {"people"}
    assert chair.hex == cup.hex == parse_target("brown", "people").hex != parse_target("brown").hex
    assert code.hex == "#123456"


def test_another_system_is_another_prompt_and_missing_names_are_said(tmp_path: Path) -> None:
    table = "file,prompt,object,color\na.png,a brown chair,,\nb.png,b,cup,turquoise\n"
    by_css = _planned(tmp_path, table)
    by_level = plan(tmp_path, (), model="sdxl", system="l1")
    assert by_css.problems == ()
    (remark,) = by_level.problems
    assert "has no name turquoise: taken from another" in remark.why
    pairs = zip(by_css.found[:2], by_level.found[:2], strict=True)
    assert all(ours.file_key != theirs.file_key for ours, theirs in pairs)


def test_a_text_without_object_and_color_is_read_by_its_words(tmp_path: Path) -> None:
    table = "file,prompt\na.png,an orange cat\nb.png,a cat\nc.png,a lonely cabin\n"
    cat, plain, cabin = (result.prompt for result in _planned(tmp_path, table).found)
    (target,) = cat.targets
    assert (target.name, target.color and target.color.value) == ("cat", "css:orange")
    # Its fur is what is orange; the benchmark's own prompts leave it out.
    assert "eyes" in target.negative_labels
    assert "fur" not in target.negative_labels
    assert cat.system == "css"
    assert [(object_target.name, object_target.color) for object_target in plain.targets] == [
        ("cat", None)
    ]
    assert [object_target.color for object_target in cabin.targets] == [None]


def test_bad_lines_are_reported_and_the_rest_is_taken(tmp_path: Path) -> None:
    lines = [
        "file,prompt_id,prompt,object,color,seed,guidance",
        "a.png,beach,,,,,",
        "a.png,lake,,,,,",
        "../a.png,beach,,,,,",
        "/etc/passwd,beach,,,,,",
        ",beach,,,,,",
        "none.png,beach,,,,,",
        "b.png,sea,,,,,",
        "b.png,,,mug,red,,",
        "b.png,beach,Another text,,,,",
        "b.png,,Twice.,,,,",
        "b.png,,New.,mug,no such color,,",
        "b.png,,New.,,red,,",
        "b.png,,New.,mug|hat,red,,",
        "b.png,beach,,,,-1,",
        "b.png,beach,,,,,nan",
        "b.png,,one, two, three, 4, 5, six",
        f"b.png,,{'x' * 20_001},,,,",
        f"b.png,,{'x' * 200_000},,,,",
        "b.png,own,First.,,,,",
        "c.png,own,Second.,,,,",
        "",
        "x\\..\\c.png,,First.,,,,",
    ]
    values = [prompt("beach"), prompt("lake"), prompt("e", "Twice."), prompt("f", "Twice.")]
    planned = _planned(tmp_path, "\r\n".join(lines), values)
    assert {item.name: item.prompt.text for item in planned.found} == {
        "a.png": "A photo of beach.",
        "b.png": "First.",
        "c.png": "First.",
    }
    result = [(remark.where, remark.why) for remark in planned.problems]
    expected = [
        ("line 3", "a.png is already on line 2."),
        ("line 4", "../a.png is not below the folder."),
        ("line 5", "/etc/passwd is not below the folder."),
        ("line 6", "The column file is empty."),
        ("line 8", "There is no prompt 'sea'"),
        ("line 9", "No prompt is given"),
        ("line 10", "The prompt beach has another text"),
        ("line 11", "Several prompts have this text (e, f)"),
        ("line 12", 'No color is called "no such color"'),
        ("line 13", "A color has no object"),
        ("line 14", "There are 2 objects and 1 colors"),
        ("line 15", "The seed '-1' is not a whole number"),
        ("line 16", "The guidance 'nan' is not a number"),
        ("line 17", "It has 8 cells and the header 7"),
        ("line 18", "The prompt has 20,001 characters"),
        ("line 19", "The prompt has 200,000 characters"),
        ("line 21", "The prompt own was given before with another text"),
        ("line 7", "There is no image file none.png in the folder."),
    ]
    assert [location for location, _ in result] == [location for location, _ in expected]
    for (_, why), (_, start) in zip(result, expected, strict=True):
        assert why.startswith(start)


@pytest.mark.parametrize(
    "content",
    [
        "\ufefffile;prompt\na.png;Käse, rot\n".encode(),
        "FILE\tText\r\na.png\tKäse, rot\r\n".encode("utf-16"),
        '"file",prompt\r"a.png","Käse, rot"\r'.encode(),
        '\n file , prompt\na.png, "Käse, rot"\n'.encode("utf-32"),
    ],
)
def test_other_spellings_of_a_table(tmp_path: Path, content: bytes) -> None:
    planned = _planned(tmp_path, content, images="a")
    assert [item.prompt.text for item in planned.found] == ["Käse, rot"]


def test_a_cell_with_line_breaks_does_not_shift_the_lines(tmp_path: Path) -> None:
    planned = _planned(tmp_path, 'file,prompt,object\na.png,"one\ntwo",\n\nb.png,,mug\n')
    assert planned.found[0].prompt.text == "one\ntwo"
    assert planned.problems[0].where == "line 5"


def test_without_a_prompt_an_image_is_imported_without_one(tmp_path: Path) -> None:
    planned = _planned(tmp_path, "file,prompt,seed\na.png,a red mug,1\nb.png,,7\n")
    assert [(item.name, item.prompt is NO_PROMPT, item.seed) for item in planned.found] == [
        ("a.png", False, 1),
        ("b.png", True, 7),
        ("c.png", True, None),
    ]
    assert len(planned.new_prompts) == 1
    steps = list(read(planned))
    report = Tally(planned)
    for step in steps:
        report.add(step)
    numbers = report.report()
    assert (numbers.found, numbers.linked, numbers.taken, numbers.prompts) == (3, 1, 3, 1)
    row = generation_of(steps[2], "job", "set")
    assert (row.text, row.prompt_id, row.prompt_source, row.targets) == ("", "", "", ())
    # A copy under another name is the same image; what a broken line is of stays out.
    (tmp_path / "d.png").write_bytes((tmp_path / "c.png").read_bytes())
    copy = [step for step in read(plan(tmp_path, ())) if step.found.name == "d.png"]
    assert (copy[0].known, copy[0].same_as) == (True, "c.png")
    (tmp_path / "table.csv").write_text("file,prompt,object,color\na.png,a mug,mug,no color\n")
    (remark,) = plan(tmp_path, ()).extra
    assert (remark.where, remark.why[:29]) == ("a.png", "Line 2 of the table is of it.")


def test_a_stray_quotation_mark_costs_its_line_alone(tmp_path: Path) -> None:
    table = 'file,prompt\na.png,"A lake\nb.png,A sea\nc.png,"A "red" hat"\nd.png,A mug\n'
    planned = _planned(tmp_path, table, images="abcd")
    assert {item.name: item.prompt.text for item in planned.found} == {
        "b.png": "A sea",
        "d.png": "A mug",
    }
    assert [remark.where for remark in planned.problems] == ["line 2", "line 4"]
    assert all(
        remark.why.startswith("A quotation mark is not closed") for remark in planned.problems
    )
    assert len(planned.new_prompts) == 2


def test_a_table_of_an_older_encoding_is_read_and_says_so(tmp_path: Path) -> None:
    planned = _planned(tmp_path, "file,prompt\na.png,Käse\n".encode("cp1252"), images="a")
    assert [item.prompt.text for item in planned.found] == ["Käse"]
    (remark,) = planned.problems
    assert remark.where == "table.csv"
    assert remark.why.startswith(
        "The file is not UTF-8 (line 2 is the first that is not) and was read as Windows-1252"
    )


def test_what_is_not_fit_for_a_prompt_is_refused_by_line(tmp_path: Path) -> None:
    lines = [
        "file,prompt_id,prompt,object,model",
        "a.png,,A red\x07 hat,,",
        f"a.png,{'i' * 1_001},A hat,,",
        'a.png,"one\ntwo",A hat,,',
        "a.png,,A hat,h\x1bat,",
        f"a.png,,A hat,,{'m' * 1_001}",
        'a.png,,A hat,,"sd\nxl"',
        f'a.png,,"{"x" * 140_000}",,',
        "a.png,,A hat\0,,",
        f'a.png,,"{"x" * 250_000}",,',
    ]
    planned = _planned(tmp_path, "\n".join(lines), images="a")
    assert (planned.found, planned.new_prompts) == ((), ())
    expected = [
        ("line 2", "The prompt has the control character U+0007 at place 6."),
        ("line 3", "The id has 1,001 characters; it may have at most 1,000."),
        ("line 4", "The id has a line break or a tab in it."),
        ("line 6", "The object has the control character U+001B at place 2."),
        (
            "line 7",
            f"The model {'m' * 40} is not a valid name: give at most 1,000 characters without line "
            "breaks or control characters.",
        ),
        (
            "line 8",
            "The model sd\\nxl is not a valid name: give at most 1,000 characters without line "
            "breaks or control characters.",
        ),
        ("line 10", "A field has more than 131,072 characters."),
        ("line 11", "The line has a NUL byte in it."),
        ("line 12", "The line has 250,011 characters; it may have at most 250,000."),
    ]
    assert [(remark.where, remark.why) for remark in planned.problems] == expected


def test_a_table_is_named_found_or_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    image(folder / "a.png")
    image(folder / "beach_1.png")
    (folder / "scores.csv").write_text("image,score\na.png,1\n")
    assert [item.name for item in plan(folder, [prompt("beach")]).found] == ["beach_1.png"]
    outside = tmp_path / "outside.csv"
    outside.write_text("file,prompt_id\na.png,beach\n")
    planned = plan(folder, [prompt("beach")], outside)
    assert [item.name for item in planned.found if item.prompt.id] == ["a.png"]
    for name in ("one.csv", "two.csv"):
        (folder / name).write_bytes(outside.read_bytes())
    with pytest.raises(BadInput, match=r"several tables.*\(one\.csv, two\.csv\)"):
        plan(folder, [prompt("beach")])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"t\.csv is empty"),
        (b"\n \n", r"no header, only blank lines\. .*file and prompt_id or prompt"),
        (b'file,"prompt\na.png,x\n', r"header of t\.csv cannot be read\. A quotation mark"),
        (b"image,prompt\na.png,x\n", r"no such header \(image, prompt\)"),
        (b"file,seed\na.png,1\n", "no such header"),
        (b"file,prompt,text\n", "two columns prompt"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is a PNG image, not text"),
        (b"\xff\xfef\0i\0l\0e\0,\0p\0r\0o\0m\0p\0t\0\n\0\0", "not the UTF-16 that"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(BadInput, match=message):
        plan(tmp_path, [], tmp_path / "t.csv")
    with pytest.raises(BadInput, match=r"There is no file none\.csv"):
        plan(tmp_path, [], tmp_path / "none.csv")
