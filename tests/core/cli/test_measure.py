"""``python -m truehue measure``, as a person or a script calls it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
from PIL import Image

import truehue
from tests.commands import ROOT, called
from tests.salient import network
from truehue.core.cli.measure import main
from truehue.core.color.people import naming
from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_linear1
from truehue.core.color.systems import parse_target
from truehue.core.verdict.measure import TargetObject, measure
from truehue.core.verdict.rules import DEFAULT_RULE, RULES, rule

__all__ = ["network"]
pytestmark = pytest.mark.process

ORANGE = "vivid reddish orange"
KEYS = {
    "file",
    "mask",
    "status",
    "reason",
    "rule",
    "version",
    "target",
    "lab",
    "target_lab",
    "delta_e00",
    "delta_chroma",
    "hue_deg",
}


def picture() -> tuple[np.ndarray, np.ndarray]:
    """An orange square before gray, uint8 ``(24, 32, 3)``, and its mask."""
    srgb8 = np.full((24, 32, 3), 128, dtype=np.uint8)
    mask = np.zeros((24, 32), dtype=bool)
    mask[4:20, 4:20] = True
    srgb8[mask] = parse_target(f"l3:{ORANGE}").srgb8
    return srgb8, mask


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with ``mug.png``, ``mask.png`` and files that cannot be used."""
    srgb8, mask = picture()
    save(tmp_path / "mug.png", srgb8)
    save(tmp_path / "mask.png", mask)
    save(tmp_path / "small.png", mask[:-1])
    save(tmp_path / "empty.png", np.zeros_like(mask))
    item = np.zeros_like(mask)
    item[5, 5] = True
    save(tmp_path / "one.png", item)
    (tmp_path / "broken.png").write_bytes((tmp_path / "mug.png").read_bytes()[:60])
    return tmp_path


def save(path: Path, pixels: np.ndarray) -> None:
    """A PNG; bool pixels become 0 and 255."""
    values = pixels.astype(np.uint8) * 255 if pixels.dtype == np.bool_ else pixels
    Image.fromarray(values).save(path)


def run(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """The command in ``folder``."""
    return called(main, *arguments, folder=folder)


def test_a_box_selects_the_object_in_it(folder: Path) -> None:
    """An orange square before gray, which the box leaves a margin around."""
    boxed = run(folder, "mug.png", "--box", "1", "1", "24", "23", "--target", ORANGE, "--json")
    masked = run(folder, "mug.png", "--mask", "mask.png", "--target", ORANGE, "--json")
    in_box, in_mask = json.loads(boxed.stdout), json.loads(masked.stdout)
    assert in_box["box"] == [1.0, 1.0, 24.0, 23.0]
    assert in_box["status"] == "pass"
    assert in_box["lab"] == in_mask["lab"]
    assert in_mask["mask_px"] == 256
    assert in_box["mask_px"] == pytest.approx(256, abs=4)  # but corners


@pytest.mark.weights
@pytest.mark.usefixtures("network")
def test_a_photograph_without_a_mask_is_measured_on_what_stands_out(folder: Path) -> None:
    mug = truehue.render("mug", "#B4532A", size_px=200)
    save(folder / "photo.png", mug.srgb8)
    save(folder / "flat.png", np.full((60, 80, 3), 120, np.uint8))
    done = run(folder, "photo.png", "flat.png", "--target", "#B4532A")
    assert done.returncode == 2  # of the second there is no object
    assert re.search(
        r"^PASS  photo\.png .*\n +The object is what stands out \(salient v1\), ", done.stdout
    )
    assert "flat.png: Nothing stands out: give --mask MASK, --box" in done.stderr
    line = json.loads(run(folder, "photo.png", "--target", "#B4532A", "--json").stdout)
    assert (line["masker"]["id"], line["masker"]["version"]) == ("salient", "1")

    # In a manifest only where it is asked for; a row's own mask comes first.
    rows = "file,mask,target\nphoto.png,,#B4532A\nmug.png,mask.png,vivid reddish orange\n"
    (folder / "few.csv").write_text(rows)
    refused = run(folder, "--manifest", "few.csv")
    assert "unless there is a --masker" in refused.stderr
    found = run(folder, "--manifest", "few.csv", "--masker", "salient")
    maskers = [json.loads(text).get("masker", {}).get("id") for text in found.stdout.splitlines()]
    assert (found.returncode, maskers) == (0, ["salient", None])


def test_a_cut_out_needs_no_network_and_is_measured_alike_by_all(folder: Path) -> None:
    """What is not transparent; a photograph beside it says what is missing."""
    opaque = np.zeros((60, 80), dtype=np.uint8)
    opaque[:20] = 255
    save(folder / "cut.png", np.dstack([np.full((60, 80, 3), 120, np.uint8), opaque]))
    for masker in ((), ("--masker", "whole")):
        line = json.loads(run(folder, "cut.png", "--json", *masker).stdout)
        assert (line["masker"]["from"], line["pixel_count"]) == ("transparency", 1600)
    done = run(folder, "cut.png", "mug.png")
    assert (done.returncode, done.stdout.count("COLOR")) == (2, 1)
    assert "mug.png: Give --mask MASK, --box X0 Y0 X1 Y1 or --masker whole. The " in done.stderr
    save(folder / "cut.png", np.zeros((60, 80, 4), dtype=np.uint8))
    assert "All of the image is transparent" in run(folder, "cut.png").stderr


def test_the_whole_image_is_measured_where_it_is_asked_for(folder: Path) -> None:
    done = run(folder, "mug.png", "--target", ORANGE, "--masker", "whole", "--json")
    line = json.loads(done.stdout)
    assert (line["masker"], line["mask_px"]) == ({"id": "whole"}, 24 * 32)
    assert "background included" in line["image_notes"][0]


def test_a_box_on_a_cut_out_measures_its_opaque_pixels(folder: Path) -> None:
    with Image.open(folder / "mug.png") as image, Image.open(folder / "mask.png") as mask:
        image.putalpha(mask.convert("L"))
        image.save(folder / "cut.png")
    boxed = run(folder, "cut.png", "--box", "0", "0", "32", "24", "--target", ORANGE, "--json")
    masked = run(folder, "mug.png", "--mask", "mask.png", "--target", ORANGE, "--json")
    in_box, in_mask = json.loads(boxed.stdout), json.loads(masked.stdout)
    assert (in_box["mask_px"], in_box["lab"]) == (in_mask["mask_px"], in_mask["lab"])
    assert in_box["image_notes"][-1] == "The opaque pixels inside the box are measured."


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--mask", "mask.png", "--box", "1", "1", "9", "9", "--target", ORANGE], "Give only one"),
        (["--target", ORANGE], "--box X0 Y0 X1 Y1"),
        (["--box", "40", "1", "50", "9", "--target", ORANGE], "32 × 24"),
    ],
)
def test_a_box_that_cannot_be_used_is_explained(
    folder: Path, arguments: list[str], text: str
) -> None:
    done = run(folder, "mug.png", *arguments)
    assert done.returncode == 2
    assert text in done.stderr


def run_program(folder: Path, *arguments: str, **environment: str) -> CompletedProcess[str]:
    """The command as a program of its own in ``folder``; its streams as UTF-8."""
    return subprocess.run(
        [sys.executable, "-m", "core.measure", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        check=False,
    )


def lines(done: CompletedProcess[str]) -> list[dict]:
    """Standard output as JSON lines; NaN and Infinity are no JSON."""

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    return [json.loads(line, parse_constant=refuse) for line in done.stdout.splitlines()]


# ---------------------------------------------------------------------------------- one image


def test_a_pass_is_one_line_and_exit_0(folder: Path) -> None:
    done = run(folder, "mug.png", "--mask", "mask.png", "--target", ORANGE)
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    assert line.startswith(
        "PASS  mug.png  target Vivid reddish orange, measured Lab (52.25, 64.36, "
    )
    assert f"[{DEFAULT_RULE} {rule(DEFAULT_RULE).version}] By {DEFAULT_RULE}: 0.0 ΔE00" in line
    done = run(folder, "mug.png", "--mask", "mask.png", "--target", ORANGE, "--rule", "paper")
    assert done.stdout.strip().endswith(
        "[paper 1.0] By paper: 0.0 ΔE00 from the target color; every metric is below its limit."
    )


def test_a_fail_is_one_line_and_exit_0_too(folder: Path) -> None:
    """The command did its work: the verdict is not an error."""
    done = run(
        folder,
        "mug.png",
        "--mask",
        "mask.png",
        "--target",
        "css:blue",
        "--object",
        "mug",
        "--rule",
        "paper",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("FAIL  mug.png  target blue, ")
    assert "the mug is lighter and less vivid than requested." in done.stdout


@pytest.mark.parametrize("target", ["#E83B1B", "232,59,27", "rgb(232, 59, 27)", "l3:" + ORANGE])
def test_colors_in_every_notation(folder: Path, target: str) -> None:
    done = run(folder, "mug.png", "--mask", "mask.png", "--target", target)
    assert done.returncode == 0
    assert done.stdout.startswith("PASS")


def test_json_is_what_the_pipeline_says(folder: Path) -> None:
    done = run(
        folder,
        "mug.png",
        "--mask",
        "mask.png",
        "--target",
        ORANGE,
        "--json",
        "--object",
        "mug",
    )
    assert (done.returncode, done.stderr) == (0, "")
    (result,) = lines(done)
    assert set(result) >= KEYS
    people = {name: result.pop(name) for name in ("people", "people_answers")}
    found = naming(result["lab"])
    first = found.names[0]
    assert people["people"][0] == {"name": first.name, "share": first.share}
    assert people["people_answers"] == found.answers
    expected = measure(
        *picture(), parse_target(ORANGE), target_object=TargetObject("mug")
    ).as_json()
    assert result == {
        "file": "mug.png",
        "mask": "mask.png",
        **expected,
        "names_note": "",
        "image_notes": [],
        "illuminant": "D65",
        "observer_deg": 2,
    }


def test_a_nearer_name_than_the_target_is_explained_as_on_the_page(folder: Path) -> None:
    Image.new("RGB", (8, 8), (194, 41, 41)).save(folder / "patch.png")
    about = ("patch.png", "--masker", "whole", "--target", "red")
    note = "Under the estimated light red also passes: mismatch score 1.7, firebrick 1.1."
    assert json.loads(run(folder, *about, "--json").stdout)["names_note"].endswith(note)
    assert note in run(folder, *about).stdout
    assert repr(truehue.measure(folder / "patch.png", "red")).count(note) == 1
    assert "names_note" in truehue.measure(folder / "patch.png", "red", rule="paper").to_dict()


def test_differences_are_evidence_beside_the_verdict(folder: Path) -> None:
    """As the library gives them, in lines and in JSON; the verdict is the same without."""
    about = ("mug.png", "--mask", "mask.png", "--target", "crimson")
    plain = json.loads(run(folder, *about, "--json").stdout)
    line = json.loads(run(folder, *about, "--json", "--differences", "--surround", "dim").stdout)
    found = line.pop("differences")
    assert line == plain
    result = truehue.measure(folder / "mug.png", "crimson", mask=folder / "mask.png")
    assert found == result.differences(surround="dim")
    assert found["to_compared"]["cie2000"] == pytest.approx(line["delta_e00"])
    assert found["compared_lab"] == line["light"]["seen_lab"]
    sample, target = np.array(line["lab"]), np.array(line["target_lab"])
    assert found["to_target"]["cie1976"] == pytest.approx(np.linalg.norm(sample - target))
    average = result.differences()
    assert average["viewing"]["surround"] == "average"
    assert average["to_target"]["cam16_ucs"] != found["to_target"]["cam16_ucs"]
    assert average["to_target"]["hyab"] == found["to_target"]["hyab"]

    text = run(folder, *about, "--differences").stdout.splitlines()
    assert text[0].startswith("FAIL")
    assert "L_A 4.07 cd/m², Y_b 20% of white, surround average" in text[-11]
    assert re.split(r" {2,}", text[-1].strip()) == [
        "HyAB",
        *(f"{average[pair]['hyab']:.2f}" for pair in ("to_target", "to_compared")),
    ]
    missing = json.loads(run(folder, "gone.png", *about[1:], "--json", "--differences").stdout)
    assert (missing["status"], missing["differences"]) == ("unscored", None)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--surround", "dim"], "--surround: viewing conditions belong to --differences"),
        (["--differences", "--adapting-cd-m2", "0"], "adapting luminance L_A lies from 0.001"),
    ],
)
def test_viewing_conditions_that_do_not_fit(folder: Path, arguments: list[str], text: str) -> None:
    done = run(folder, "mug.png", "--mask", "mask.png", "--target", ORANGE, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr


def test_a_forbidden_color_fails(folder: Path) -> None:
    command = ("mug.png", "--mask", "mask.png", "--target", ORANGE, "--json")
    (result,) = lines(run(folder, *command, "--relation", "differs"))
    assert (result["status"], result["relation"]) == ("fail", "differs")


@pytest.mark.parametrize("rule_id", [known.id for known in RULES])
def test_every_rule_can_be_chosen(folder: Path, rule_id: str) -> None:
    done = run(
        folder,
        "mug.png",
        "--mask",
        "mask.png",
        "--target",
        ORANGE,
        "--rule",
        rule_id,
        "--json",
    )
    (result,) = lines(done)
    assert (result["rule"], result["status"]) == (rule_id, "pass")


def test_a_neutral_point_balances_the_image(folder: Path) -> None:
    """The square in greenish light: the gray beside it tells the tint."""
    linear1 = srgb8_to_linear1(picture()[0]) * (0.55, 1.2, 0.9)
    save(folder / "green.png", np.rint(255.0 * linear1_to_srgb1(linear1)).astype(np.uint8))
    image = str(folder / "green.png")
    arguments = (image, "--mask", str(folder / "mask.png"), "--target", ORANGE, "--json")
    assert json.loads(called(main, *arguments).stdout)["status"] == "fail"
    balanced = json.loads(called(main, *arguments, "--neutral", "28", "20").stdout)
    assert (balanced["status"], balanced["neutral"]) == ("pass", [28.0, 20.0])
    assert "White balance was set" in balanced["image_notes"][-1]
    outside = called(main, *arguments, "--neutral", "32", "20")
    assert outside.returncode == 2
    assert "outside of the image of 32 × 24 pixels" in outside.stderr
    many = called(main, "--manifest", str(folder / "run.csv"), "--neutral", "28", "20")
    assert (many.returncode, "a manifest has many" in many.stderr) == (2, True)


def test_behind_two_hyphens_all_is_a_file(folder: Path) -> None:
    (folder / "mug.png").rename(folder / "-mug.png")
    arguments = ("--mask", "mask.png", "--target", ORANGE, "--", "-mug.png")
    done = called(main, *arguments, folder=folder)
    assert (done.returncode, "-mug.png" in done.stdout) == (0, True), done.stderr


def test_another_rule_is_refused_with_the_choices(folder: Path) -> None:
    done = run(folder, "mug.png", "--mask", "mask.png", "--target", ORANGE, "--rule", "strict")
    assert done.returncode == 2
    assert done.stdout == ""
    assert all(known.id in done.stderr for known in RULES)


def test_k_and_system_reach_the_rule(folder: Path) -> None:
    arguments = ["mug.png", "--mask", "mask.png", "--target", "#E83B1B", "--k", "2", "--json"]
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert "no color system" in done.stderr
    done = run(folder, *arguments, "--system", "l3")
    (result,) = lines(done)
    assert len(result["candidates"]) == 3
    assert result["parameters"]["k"] == 2


def test_munsell_samples_reach_the_rule(folder: Path) -> None:
    (folder / "m.csv").write_text("R,G,B,Level1,Level2,Level3\n1,2,3,3,4,34\n", encoding="utf-8")
    arguments = ["mug.png", "--mask", "mask.png", "--target", f"l3:{ORANGE}", "--json"]
    done = run(folder, *arguments, "--rule", "released", "--munsell", "m.csv")
    (result,) = lines(done)
    assert "Munsell samples of Vivid reddish orange" in result["accepted"]
    (folder / "m.csv").write_text("R,G,B\n1,2,3\n", encoding="utf-8")
    done = run(folder, *arguments, "--rule", "released", "--munsell", "m.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "lacks the columns Level1, Level2, Level3" in done.stderr


# ----------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("#E83G1B", 'digit 4 is "G"'),
        ("#E83B1", "5 digits"),
        ("vivid redish orange", "Names spelled alike: Vivid reddish orange"),
        ("232, 59, 270", "The blue"),
        ("rgb(-1, 0, 0)", "The red"),
        ("1, 2", "2 numbers"),
        ("l9:red", "no color system"),
    ],
)
def test_a_wrong_color_is_named_once_for_all_images(folder: Path, target: str, said: str) -> None:
    done = run(folder, "mug.png", "mug.png", "--mask", "mask.png", "--target", target)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ("small.png", "32 × 23 pixels, but the image is 32 × 24"),
        ("empty.png", "marks no pixel"),
        ("one.png", "one pixel"),
        ("broken.png", "broken.png"),
        ("none.png", "none.png"),
    ],
)
def test_a_mask_that_cannot_be_used(folder: Path, mask: str, said: str) -> None:
    done = run(folder, "mug.png", "--mask", mask, "--target", ORANGE, "--json")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    (result,) = lines(done)
    assert set(result) >= KEYS
    assert result["status"] == "unscored"
    assert said in result["reason"]
    assert (
        result["lab"] is result["delta_e00"] is result["delta_chroma"] is result["hue_deg"] is None
    )


def test_text_output_leaves_the_unscored_to_standard_error(folder: Path) -> None:
    done = run(folder, "mug.png", "--mask", "empty.png", "--target", ORANGE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mug.png: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--manifest"),
        (["mug.png"], "--mask"),
        (["mug.png", "--mask", "mask.png", "--relation", "differs"], "--target"),
        (["mug.png", "--target", "blue"], "--mask"),
        (["mug.png", "--manifest", "run.csv"], "--manifest"),
        (["--manifest", "none.csv"], "none.csv"),
        (
            [
                "mug.png",
                "--mask",
                "mask.png",
                "--target",
                "blue",
                "--rule",
                "released",
                "--munsell",
                "no.csv",
            ],
            "no.csv",
        ),
        (["mug.png", "--mask", "mask.png", "--target", "blue", "--k", "99"], "between 0 and 20"),
    ],
)
def test_arguments_that_do_not_fit(folder: Path, arguments: list[str], said: str) -> None:
    done = run(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


# ------------------------------------------------------------------------------ several images


def test_a_broken_image_does_not_stop_the_others(folder: Path) -> None:
    done = run(
        folder,
        "mug.png",
        "broken.png",
        "none.png",
        "mug.png",
        "--mask",
        "mask.png",
        "--target",
        ORANGE,
        "--json",
    )
    assert done.returncode == 2
    result = lines(done)
    assert [item["file"] for item in result] == ["mug.png", "broken.png", "none.png", "mug.png"]
    assert [item["status"] for item in result] == ["pass", "unscored", "unscored", "pass"]
    assert result[1]["target"] == ORANGE
    assert result[1]["reason"]
    complaints = done.stderr.splitlines()
    assert [line.split()[0] for line in complaints] == ["broken.png", "none.png"]


# ----------------------------------------------------------------------------------- manifests


def manifest(path: Path, *rows: str, start: bytes = b"") -> Path:
    """A CSV with the given lines."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(start + "".join(f"{row}\r\n" for row in rows).encode())
    return path


def test_a_manifest_measures_its_rows(folder: Path) -> None:
    manifest(
        folder / "run.csv",
        "file,mask,target,system",
        f"mug.png,mask.png,{ORANGE},l3",
        "mug.png,mask.png,red,l1",
        "mug.png,mask.png,#E83B1B,",
        'mug.png,mask.png,"232, 59, 27",',
    )
    done = run(folder, "--manifest", "run.csv")
    assert (done.returncode, done.stderr) == (0, "")
    result = lines(done)
    assert [item["status"] for item in result] == ["pass", "fail", "pass", "pass"]
    assert [item["system"] for item in result] == ["l3", "l1", None, None]
    assert set(result[0]) >= KEYS


def test_paths_of_a_manifest_are_relative_to_it(folder: Path) -> None:
    manifest(folder / "lists" / "run.csv", "file,mask,target", f"../mug.png,../mask.png,{ORANGE}")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    done = run(elsewhere, "--manifest", str(folder / "lists" / "run.csv"))
    assert (done.returncode, done.stderr) == (0, "")
    assert lines(done)[0]["status"] == "pass"


def test_a_manifest_from_a_spreadsheet(folder: Path) -> None:
    """With a byte order mark, columns in another order, more of them, and blanks around values."""
    manifest(
        folder / "run.csv",
        "target,file,note,mask",
        f" {ORANGE} , mug.png ,my mug, mask.png ",
        start=b"\xef\xbb\xbf",
    )
    done = run(folder, "--manifest", "run.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert lines(done)[0]["status"] == "pass"


def test_a_bad_row_is_named_and_the_others_are_measured(folder: Path) -> None:
    manifest(
        folder / "run.csv",
        "file,mask,target,system",
        f"mug.png,mask.png,{ORANGE},l3",
        "mug.png,mask.png",
        "mug.png,mask.png,blu,css",
        "mug.png,mask.png,red,l9",
        "none.png,mask.png,red,l1",
        f"mug.png,mask.png,{ORANGE},l3",
    )
    done = run(folder, "--manifest", "run.csv")
    assert done.returncode == 2
    result = lines(done)
    assert [item["status"] for item in result] == ["pass"] + ["unscored"] * 4 + ["pass"]
    assert all(set(item) >= KEYS for item in result)
    complaints = done.stderr.splitlines()
    assert [line.partition(":")[0] for line in complaints] == [
        f"run.csv, line {number}" for number in (3, 4, 5, 6)
    ]
    assert "fewer values than columns" in complaints[0]
    assert "blue" in complaints[1]
    assert "l9" in complaints[2]
    assert "none.png" in complaints[3]


def test_without_a_target_the_color_is_named(folder: Path) -> None:
    done = run(folder, "mug.png", "--mask", "mask.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("COLOR  mug.png  #E83B1B  Lab (52.")
    assert "people say red 65%, orange 12%; nearest names red (css)" in done.stdout
    manifest(
        folder / "run.csv",
        "file,mask,target,system",
        "mug.png,mask.png,,",
        f"mug.png,mask.png,{ORANGE},l3",
    )
    done = run(folder, "--manifest", "run.csv")
    color, verdict = lines(done)
    assert (done.returncode, verdict["status"]) == (0, "pass")
    assert (color["status"], color["hex"], color["pixel_count"]) == ("no_target", "#E83B1B", 256)
    by_python = truehue.color_of(folder / "mug.png", mask=folder / "mask.png").to_dict()
    assert {name: color[name] for name in by_python if name != "notes"} == {
        name: value for name, value in by_python.items() if name != "notes"
    }
    assert color["people"][0]["name"] == "red"
    done = run(folder, "mug.png", "--mask", "mask.png", "--k", "2", "--rule", "paper")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--rule, --k: a verdict needs --target" in done.stderr


@pytest.mark.parametrize(
    ("header", "missing"),
    [("file,target", "mask"), ("image,mask,target", "file"), ("", "file, mask, target")],
)
def test_a_manifest_without_a_column(folder: Path, header: str, missing: str) -> None:
    manifest(folder / "run.csv", header, "mug.png,mask.png,red")
    done = run(folder, "--manifest", "run.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"lacks the column(s) {missing}" in done.stderr


def test_a_manifest_that_is_no_text(folder: Path) -> None:
    (folder / "run.csv").write_bytes(b"file,mask,target\n\xff\xfe\x00\x01\n")
    done = run(folder, "--manifest", "run.csv")
    assert done.returncode == 2
    assert "no CSV in UTF-8" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_manifest_without_rows_measures_nothing_and_says_so(folder: Path) -> None:
    manifest(folder / "run.csv", "file,mask,target,system")
    done = run(folder, "--manifest", "run.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no rows" in done.stderr


def test_a_manifest_as_people_type_it(folder: Path) -> None:
    """Other case, spaces after commas; the file is named in the output as in the manifest."""
    (folder / "sub").mkdir()
    manifest(
        folder / "sub" / "run.csv",
        "File, Mask, Target, System",
        f"../mug.png, ../mask.png, {ORANGE}, L3",
    )
    done = run(folder, "--manifest", "sub/run.csv")
    (result,) = lines(done)
    assert (result["status"], result["system"]) == ("pass", "l3")
    assert (result["file"], done.returncode) == ("../mug.png", 0)


def test_an_rgb_value_without_quotes_is_told_from_a_system(folder: Path) -> None:
    manifest(folder / "run.csv", "file,mask,target,system", "mug.png,mask.png,200,60,40")
    done = run(folder, "--manifest", "run.csv")
    (result,) = lines(done)
    assert (result["status"], result["file"]) == ("unscored", "mug.png")
    assert "needs quotes" in result["reason"]


def test_what_was_converted_on_loading_is_said(folder: Path) -> None:
    picture8, mask = picture()
    cut = np.dstack([picture8, np.where(mask, 255, 0).astype(np.uint8)])
    Image.fromarray(cut).save(folder / "cut.png")
    arguments = ["cut.png", "--mask", "mask.png", "--target", ORANGE]
    (result,) = lines(run(folder, *arguments, "--json"))
    assert any("Transparency was laid over white" in note for note in result["image_notes"])
    assert "Transparency was laid over white" in run(folder, *arguments).stdout


def test_a_line_that_could_not_be_measured_has_the_same_keys(folder: Path) -> None:
    done = run(folder, "mug.png", "none.png", "--mask", "mask.png", "--target", ORANGE, "--json")
    good, bad = lines(done)
    assert set(good) - {"found_hex", "found_hue_deg", "offset", "dominant"} == set(bad)


def test_the_manifests_rule_is_the_options(folder: Path) -> None:
    manifest(folder / "run.csv", "file,mask,target", f"mug.png,mask.png,{ORANGE}")
    done = run(folder, "--manifest", "run.csv", "--rule", "released", "--object", "mug")
    (result,) = lines(done)
    assert (result["rule"], result["object"]) == ("released", "mug")


# ----------------------------------------------------------------------------- known weaknesses


def test_a_terminal_without_greek_letters(folder: Path) -> None:
    done = run_program(
        folder,
        "mug.png",
        "--mask",
        "mask.png",
        "--target",
        ORANGE,
        "--json",
        PYTHONIOENCODING="ascii",
    )
    assert "Traceback" not in done.stderr
    assert lines(done)[0]["status"] == "pass"


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
def test_a_file_name_that_is_no_text(folder: Path) -> None:
    name = os.fsdecode(b"m\xffg.png")
    (folder / name).write_bytes((folder / "mug.png").read_bytes())
    done = run_program(folder, name, "--mask", "mask.png", "--target", ORANGE, "--json")
    assert "Traceback" not in done.stderr
    assert lines(done)[0]["status"] == "pass"


@pytest.mark.parametrize("option", ["--mask", "--target"])
def test_options_that_a_manifest_would_not_read(folder: Path, option: str) -> None:
    manifest(folder / "run.csv", "file,mask,target", f"mug.png,mask.png,{ORANGE}")
    done = run(folder, "--manifest", "run.csv", option, "blue")
    assert done.returncode == 2
