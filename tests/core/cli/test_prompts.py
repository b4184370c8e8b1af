"""The sets by their ids, and ``python -m truehue prompts``."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from truehue.core.cli.prompts import main
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import prompt_from_json
from truehue.core.prompts.sets import PROMPT_SETS, prompt_set

ROOT = Path(__file__).resolve().parents[3]


def run(*arguments: str) -> tuple[int, list[str]]:
    out = io.StringIO()
    with redirect_stdout(out):
        status = main(list(arguments))
    return status, out.getvalue().splitlines()


def test_the_sets() -> None:
    assert [entry.id for entry in PROMPT_SETS] == ["gencolorbench", "mini", "concepts"]
    for item in PROMPT_SETS:
        assert item.title
        assert item.description.endswith(".")
        assert item.citation
        assert item.prompts() is item.prompts()
        assert {prompt.source for prompt in item.prompts()} == {item.id}
        assert prompt_set(item.id) is item
    with pytest.raises(BadInput, match=r"no prompt set \"maxi\".*gencolorbench, mini, concepts"):
        prompt_set("maxi")


def test_counts_as_json() -> None:
    status, (line,) = run("counts", "--json")
    loads = json.loads(line)
    assert status == 0
    full = loads["gencolorbench"]
    assert full["total"] == full["paper_total"] == 44_464
    assert {row["task"]: (row["count"], row["paper"]) for row in full["tasks"]} == {
        "cna": (17_580, "18K"),
        "ncu": (11_500, "11.5K"),
        "coa": (8_694, "8.7K"),
        "moc": (2_190, "2.2K"),
        "ica": (4_500, "4.5K"),
    }
    assert full["tasks"][0]["systems"] == {"l1": 1404, "l2": 3132, "l3": 8313, "css": 4731}
    assert all(sum(row["systems"].values()) == row["count"] for row in full["tasks"])
    assert full["tasks"][1]["hex"] + full["tasks"][1]["rgb"] == 11_500
    assert loads["mini"]["total"] == sum(row["count"] for row in loads["mini"]["tasks"]) < 10_000
    assert loads["concepts"]["concepts"] == sum(loads["concepts"]["kinds"].values()) == 1_279
    assert loads["concepts"]["total"] == 2_558


def test_counts_as_a_table() -> None:
    status, lines = run("counts")
    assert status == 0
    rows = {line.split()[0]: line.split() for line in lines if line}
    assert rows["CNA"][-7:] == ["17,580", "18K", "1,404", "3,132", "8,313", "4,731", "3,867"]
    assert rows["sum"][1:3] == ["44,464", "44,464"]
    head = next(line for line in lines if line.startswith("task"))
    assert all(
        len(line) == len(head)
        for key, line in ((line[:3], line) for line in lines)
        if key in ("CNA", "MOC", "sum")
    )


@pytest.mark.parametrize("set_id", [item.id for item in PROMPT_SETS])
def test_a_listed_line_is_a_prompt(set_id: str) -> None:
    status, lines = run("list", "--set", set_id, "--jsonl", "--limit", "50")
    assert (status, len(lines)) == (0, 50)
    first = prompt_set(set_id).prompts()[:50]
    assert [prompt_from_json(json.loads(line)).as_json() for line in lines] == [
        prompt.as_json() for prompt in first
    ]


def test_filters_and_plain_text() -> None:
    status, lines = run("list", "--set", "gencolorbench", "--task", "moc", "--system", "l1")
    assert (status, len(lines)) == (0, 210)
    assert lines[0].startswith("A")
    assert len(run("list", "--set", "mini")[1]) == 9_854


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "maxi"], 'no prompt set "maxi"'),
        (["--set", "mini", "--task", "xyz"], 'no task "xyz"'),
        (["--set", "mini", "--system", "l4"], 'no system "l4"'),
        (["--set", "mini", "--limit", "0"], "--limit is 1 or more"),
        (
            ["--set", "concepts", "--task", "moc", "--system", "l2"],
            "no prompt of task moc and system l2",
        ),
    ],
)
def test_a_wrong_name_is_refused_in_words(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("list", *arguments) == (2, [])
    assert said in capsys.readouterr().err


@pytest.mark.process
def test_the_command_ends_quietly_when_its_reader_has_enough() -> None:
    done = subprocess.run(
        f'"{sys.executable}" -m core.prompts list --set gencolorbench --jsonl | head -n 2',
        shell=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""


def test_color_words_are_counted_in_captions_of_any_file(tmp_path: Path) -> None:
    captions = (
        "A Vivid-Red car, red as can be",
        "a grey cat",
        "infrared",
        "two dark green jars",
        "",
    )
    lines, table = tmp_path / "captions.txt", tmp_path / "captions.parquet"
    lines.write_text("\n".join(captions))
    pq.write_table(pa.table({"TEXT": captions}), table)
    status, out = run("colors", str(lines), "--system", "l3", "--json")
    found = json.loads(out[0])
    counts = {row["color"]: row["captions"] for row in found["colors"] if row["captions"]}
    assert (status, found["captions"], found["naming"]) == (0, 4, 2)
    assert counts == {"Vivid red": 1, "Dark green": 1}
    assert json.loads(run("colors", str(table), "--system", "l3", "--json")[1][0]) == found
    # Level 1 has no "vivid red", and the car is red twice; gray is grey.
    found = json.loads(run("colors", str(lines), "--system", "l1", "--json")[1][0])
    assert {row["color"]: row["captions"] for row in found["colors"] if row["captions"]} == {
        "Gray": 1,
        "Green": 1,
        "Red": 1,
    }
    assert run("colors", str(table), "--column", "words")[0] == 2


def test_numbers_and_modifiers_are_kinds_of_color_words(tmp_path: Path) -> None:
    lines = tmp_path / "captions.txt"
    captions = ("a #DC143C mug", "our #facade", "rgb(12, 34, 56) or #00ff00", "#ffffff")
    captions += ("Nice &#128512;", "see a.org/#123456", "a.org/page#123456", "rgb 999,999,256")
    lines.write_text(
        "\n".join((*captions, "a light blue and moderate greenish blue cup", "strong red"))
    )
    for system, wanted in (
        ("numeric", {"hex": 3, "rgb": 1}),
        ("modifiers", {"light": 1, "-ish": 1, "none": 1}),
    ):
        found = json.loads(run("colors", str(lines), "--system", system, "--json")[1][0])
        assert {
            row["color"]: row["captions"] for row in found["colors"] if row["captions"]
        } == wanted
