"""``python -m truehue images``."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core.image_sets.folders import image
from tests.salient import needs_weights, network
from truehue.core.cli.images import main
from truehue.core.color.difference import delta_e00
from truehue.core.color.people import naming
from truehue.core.color.systems import parse_target
from truehue.core.library import color_of, render, salient_mask
from truehue.core.prompts.sets import prompt_set

pytestmark = pytest.mark.slow

__all__ = ["network"]

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three images of the published layout, one of them broken, and a file that is no image."""
    folder = tmp_path / "run"
    for name in ("1_1", "1_2"):
        image(folder / "cna_l2" / f"{name}.png", int(name[-1]))
    (folder / "cna_l2" / "2_1.png").write_bytes(b"")
    (folder / "notes.txt").write_text("mine")
    (tmp_path / "cna_l2.csv").write_text(
        "id,color,object,prompt\n1,Pink,mug,A pink mug.\n2,Pink,hat,A pink hat.\n3,Pink,cap,\n"
    )
    return folder


def run(*arguments: object) -> tuple[int, str]:
    out = io.StringIO()
    with redirect_stdout(out):
        status = main([str(argument) for argument in arguments])
    return status, out.getvalue()


def test_a_plan_as_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = run(folder, "--prompts", folder.parent / "cna_l2.csv", "--expected", 2)
    assert status == 0
    assert text.splitlines() == [
        "run: 4 files, prompts by the published folders, model unknown. A preview: nothing is stored.",
        "Images: 3, of which 3 have a prompt and 0 none.",
        "Opened: none; --read opens all, to find broken ones.",
        "Prompts: 1 of 2 have 2 or more images; 0 stand in the folder's table alone.",
        "Other files: 1 that would not be imported, and 0 hidden, system or table files.",
        "",
        "Prompts with fewer than 2 images (1):",
        "  cna_l2-2: 1 of 2 images",
        "",
        "Not imported (1):",
        "  notes.txt: It is not an image file.",
    ]
    assert capsys.readouterr().err == "cna_l2.csv: line 4: The prompt is empty.\n"


def test_the_images_are_read_where_that_is_asked(folder: Path) -> None:
    status, text = run(
        folder, "--prompts", folder.parent / "cna_l2.csv", "--read", "--json", "--model", "sdxl"
    )
    loads = json.loads(text)
    assert status == 0
    assert (loads["taken"], loads["unread"], loads["models"]) == (2, 0, ["sdxl"])
    assert loads["broken"]["first"][0]["where"] == "cna_l2/2_1.png"


def test_a_set_or_a_table_links_the_images(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    name = f"{prompt_set('gencolorbench').prompts()[7].id}_1.png"
    image(folder / name)
    _, text = run(folder, "--set", "gencolorbench", "--json")
    assert json.loads(text)["found"] == 1
    (folder / "table.csv").write_text(f"file,prompt\n{name},A mug.\n")
    _, text = run(folder, "--json")
    assert (json.loads(text)["found"], json.loads(text)["new_prompts"]) == (1, 1)


def test_bad_input_is_told_on_standard_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, text in (
        ((folder / "none", "--set", "mini"), "is not a folder"),
        ((folder, "--set", "maxi"), 'no prompt set "maxi"'),
        ((folder, "--prompts", folder / "none.csv"), "There is no file none.csv"),
    ):
        assert run(*arguments) == (2, "")
        assert text in capsys.readouterr().err
    for wrong in (("--expected", "0"), ("--set", "mini", "--prompts", "a.csv")):
        with pytest.raises(SystemExit) as stopped:
            run(folder, *wrong)
        assert stopped.value.code == 2


@pytest.mark.process
def test_it_runs_as_a_command_and_stores_nothing(folder: Path) -> None:
    before = sorted(path.name for path in folder.parent.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-m", "core.image_sets", str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        timeout=300,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.stdout.startswith("run: 4 files, no prompts, model unknown.")
    assert done.stderr == ""
    assert sorted(path.name for path in folder.parent.rglob("*")) == before


def test_a_row_says_to_which_color_its_difference_is_and_that_people_use_the_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    Image.new("RGB", (64, 64), (139, 90, 43)).save(folder / "cup.png")
    (folder / "table.csv").write_text("file,prompt\ncup.png,a brown cup\n")

    def row(*arguments: str) -> tuple[dict[str, str], str]:
        _, text = run(folder, "--measure", "--masker", "whole", *arguments)
        return next(csv.DictReader(io.StringIO(text))), capsys.readouterr().err

    first, said = row()
    assert (first["status"], first["people_name"]) == ("fail", "brown")
    assert first["delta_e00_to"] == "target under the estimated light"
    assert "The object that fails has a color that people call by the target's name" in said
    by_paper, _ = row("--rule", "paper")
    assert by_paper["delta_e00_to"] == "target"
    lab = np.array([float(by_paper[name]) for name in ("L*", "a*", "b*")])
    difference = float(delta_e00(lab, np.array(parse_target("#A52A2A").lab)))
    assert float(by_paper["delta_e00"]) == pytest.approx(difference, abs=0.01)


@needs_weights
def test_images_are_measured_with_and_without_a_target(
    tmp_path: Path, network: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    for name, color in (("teal", "#008080"), ("other", "#E83B1B")):
        Image.fromarray(render("mug", color, size_px=256).srgb8).save(folder / f"{name}.png")
    Image.new("RGB", (64, 64), (90, 90, 90)).save(folder / "flat.png")
    (folder / "broken.png").write_bytes(b"no image")
    (folder / "table.csv").write_text("file,prompt\nteal.png,a teal mug\nnone.png,a cup\n")
    status, text = run(folder, "--measure")
    rows = {row["file"]: row for row in csv.DictReader(io.StringIO(text))}
    assert status == 0
    assert list(rows) == ["broken.png", "flat.png", "other.png", "teal.png"]
    teal, other = rows["teal.png"], rows["other.png"]
    assert (teal["target"], teal["status"], teal["rule"]) == ("#008080", "pass", "truehue")
    assert (other["prompt"], other["status"], other["target"]) == ("", "no_target", "")
    one = color_of(folder / "other.png", mask=salient_mask(folder / "other.png"))
    assert (other["measured"], other["people_name"]) == (one.hex, one.people[0][0])
    assert float(other["a*"]) == pytest.approx(one.lab[1], abs=0.005)
    assert [rows[name]["status"] for name in ("broken.png", "flat.png")] == ["unscored"] * 2
    assert rows["flat.png"]["reason"].startswith("Nothing stands out")
    share = naming([float(teal[name]) for name in ("L*", "a*", "b*")]).share_of("teal")
    assert (teal["lab_for"], other["lab_for"]) == ("D65, 2°", "D65, 2°")
    assert float(teal["people_target_percent"]) == pytest.approx(100 * (share or 0), abs=0.05)
    assert other["people_target_percent"] == ""
    said = capsys.readouterr().err
    assert "no image file none.png" in said
    assert "4 rows, 2 of them unscored." in said
    _, text = run(folder, "--measure", "--masker", "salient-or-whole")
    either = {row["file"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (either["flat.png"]["masker"], either["flat.png"]["measured"]) == (
        *("Whole image", "#5A5A5A"),
    )
    assert either["teal.png"] == teal
    _, text = run(folder, "--measure", "--masker", "whole")
    whole = {row["file"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (whole["flat.png"]["status"], whole["flat.png"]["measured"]) == ("no_target", "#5A5A5A")
    _, text = run(folder, "--measure", "--masker", "whole", "--json")
    as_json = {row["file"]: row for row in json.loads(text)}
    assert list(as_json) == list(whole)
    assert as_json["flat.png"]["L*"] == float(whole["flat.png"]["L*"])
    assert as_json["broken.png"]["measured"] is None


def test_a_cut_out_is_measured_alike_by_every_masker_without_the_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half = Image.new("RGBA", (64, 64), (0, 128, 128, 255))
    half.paste((0, 128, 128, 0), (0, 0, 64, 32))
    half.save(tmp_path / "cut.png")
    Image.new("RGB", (64, 64), (90, 90, 90)).save(tmp_path / "photo.png")
    for masker in ("salient", "whole"):
        _, text = run(tmp_path, "--measure", "--masker", masker)
        cut, photo = csv.DictReader(io.StringIO(text))
        assert (cut["measured"], cut["masker"]) == ("#008080", "From the file's transparency")
        assert (photo["status"] == "unscored") == (masker == "salient")
        assert ("Only images with transparency" in capsys.readouterr().err) == (masker == "salient")


def test_a_table_has_its_own_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in (("--masker", "whole"), ("--rule", "paper")):
        with pytest.raises(SystemExit, match="2"):
            run(tmp_path, *options)
    assert "--rule belongs to --measure" in capsys.readouterr().err
