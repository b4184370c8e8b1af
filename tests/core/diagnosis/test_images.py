"""Renders of somebody else, by a manifest."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.commands import called
from tests.workers_here import workers_here
from truehue.core.cli.diagnose import main
from truehue.core.diagnosis.colors import make_query, render_image
from truehue.core.diagnosis.plan import manifest_tasks, read_manifest, rules_used
from truehue.core.diagnosis.records import DiagnosisReport
from truehue.core.diagnosis.scoring import judge_image
from truehue.core.errors import BadInput

__all__ = ["workers_here"]


@pytest.fixture
def renders(tmp_path: Path) -> Path:
    """A folder with three renders, their masks and a manifest of five lines, two of them bad."""
    for name, hex_, light in (
        ("a", "#B92842", "even"),
        ("b", "#B92842", "hard"),
        ("c", "#0000FF", "even"),
    ):
        srgb8, mask = render_image("car", light, 0, hex_, 64)
        Image.fromarray(srgb8).save(tmp_path / f"{name}.png")
        Image.fromarray(mask.astype(np.uint8) * 255).save(tmp_path / f"{name}-mask.png")
    (tmp_path / "renders.csv").write_text(
        "file,mask,system,color,object,light\n"
        "a.png,a-mask.png,l2,Red,car,even\n"
        "b.png,b-mask.png,L2,#B92842,car,hard\n"
        "c.png,c-mask.png,css,blue,,\n"
        "gone.png,a-mask.png,l2,Blue,car,even\n"
        "a.png,a-mask.png,l2,no such color,car,even\n"
    )
    return tmp_path


@pytest.mark.process
def test_renders_of_others_are_measured_alike(renders: Path, workers_here: None) -> None:
    out = renders / "out"
    arguments = (
        "--out",
        str(out),
        "--images",
        str(renders / "renders.csv"),
        "--rules",
        "paper,released",
        "--workers",
        "1",
    )
    done = called(main, *arguments, "--json")
    assert done.returncode == 2, "two lines were bad"
    report = DiagnosisReport.from_json(json.loads(done.stdout))
    assert (report.source, report.renderer_version, report.images) == ("renders.csv", "", 5)
    assert report.split == {}
    assert report.lights == ("even", "hard")
    assert [problem.split(":")[0] for problem in report.problems] == [
        "renders.csv, line 5",
        "renders.csv, line 6",
    ]
    rule = report.rule("paper")
    assert rule is not None
    l2, css = rule.figure("pooled", "l2"), rule.figure("pooled", "css")
    assert l2 is not None
    assert css is not None
    # Even light shows the exact color; the hard light fails; the missing file is unscored.
    assert (l2.hits, l2.asked, l2.tried, l2.unscored) == (1, 3, 15, 6)
    assert (css.hits, css.asked, css.false_accepts, css.tried) == (1, 1, 0, 5)
    even = rule.figure("pooled", "l2", "light", "even")
    assert even is not None
    assert (even.hits, even.asked) == (1, 2)
    assert {figure.set for figure in rule.figures} == {"pooled"}
    with gzip.open(out / "verdicts.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 2 * 6
    assert {r["color"] for r in rows} == {"Red", "#B92842", "blue", "Blue"}
    again = called(main, *arguments)
    assert "5 images of renders.csv" in again.stdout
    assert "2 line(s) of the manifest could not be used" in again.stdout
    assert "5 images reused" in again.stdout


@pytest.mark.process
def test_any_name_of_an_object_comes_back_from_what_is_kept(
    renders: Path, workers_here: None
) -> None:
    names = ["#1 car", 'a "car"', "a,b", "[1]", "car\r\nof two lines"]
    with (renders / "names.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [["file", "mask", "system", "color", "object"]]
            + [["a.png", "a-mask.png", "l2", "Red", name] for name in names]
        )
    done = called(
        main,
        "--out",
        str(renders / "out"),
        "--images",
        str(renders / "names.csv"),
        "--rules",
        "paper",
        "--workers",
        "1",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    report = DiagnosisReport.from_json(json.loads(done.stdout))
    assert report.objects == (*names[:-1], "car of two lines")
    assert report.problems == ()


def test_a_changed_file_is_measured_anew(renders: Path) -> None:
    rules = rules_used(["paper"])

    def prints() -> list[str]:
        rows = read_manifest(renders / "renders.csv")
        return [task.fingerprint for task in manifest_tasks(rules, rows, size=2)]

    before = prints()
    Image.new("RGB", (9, 9)).save(renders / "c.png")
    after = prints()
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,mask,color\n", "lacks the column.s. system"),
        ("file,mask,system,color\n", "no rows"),
        ("", "lacks the column"),
    ],
)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "some.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match=message):
        read_manifest(path)


def test_bad_lines_say_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text(
        "File, Mask ,system,color\na.png,,l2,Red\na.png,m.png,pantone,Red\na,b,l2,1,2,3\n"
    )
    problems = [row.problem for row in read_manifest(path)]
    assert "must all be given" in problems[0]
    assert "no color system 'pantone'" in problems[1]
    assert "quotes" in problems[2]


def test_neighbors_of_a_bare_color_come_from_the_system_of_its_line(tmp_path: Path) -> None:
    """With k above 0 a hex needs a system; the manifest's line has one."""
    srgb8 = np.full((8, 8, 3), (200, 40, 40), np.uint8)
    mask = np.ones((8, 8), bool)
    about = {
        "object": "",
        "light": "",
        "seed": 0,
        "system": "css",
        "color": "#C82828",
        "second": "",
    }
    rows = list(
        judge_image(srgb8, mask, make_query("#C82828", "css"), ["paper", "truehue"], 2, **about)
    )
    assert {row.status for row in rows} <= {"pass", "fail"}
