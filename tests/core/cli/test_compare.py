"""``python -m truehue compare``, run as a person or a script runs it."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.commands import called
from tests.core.photographs import object_photograph
from tests.salient import network
from truehue.core.cli.compare import main
from truehue.core.cli.compare_sides import NUMBERS, Reading, kind_of, read_side
from truehue.core.color import distances as of
from truehue.core.color.uw71 import from_58, nearest, uw58, uw71
from truehue.core.concepts.distribution import intervals, of_pictures
from truehue.core.concepts.profile import profile_of
from truehue.core.masks.from_marks import select_salient

__all__ = ["network"]

ROOT = Path(__file__).resolve().parents[3]
BLUE, GREEN, GRAY, YELLOW = 0, 50, 26, 69
VALUES = ("pcc", "emd", "ed", "dominant_equal", "hue_deg")


def save(path: Path, pixels: np.ndarray) -> None:
    """A PNG; bool pixels become 0 and 255."""
    path.parent.mkdir(exist_ok=True)
    values = pixels.astype(np.uint8) * 255 if pixels.dtype == np.bool_ else pixels
    Image.fromarray(values).save(path)


def striped(shares: dict[int, int], side: int = 20) -> np.ndarray:
    """A picture with so many rows in the colors of these bins."""
    rows = [uw71()[bin_].srgb8 for bin_, count in shares.items() for _ in range(count)]
    assert len(rows) == side
    return np.repeat(np.array(rows, dtype=np.uint8)[:, None], side, axis=1)


def weights(shares: dict[int, float]) -> np.ndarray:
    out = np.zeros(71)
    for bin_, share in shares.items():
        out[bin_] = share
    return out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pictures with masks, folders of them, and files of numbers, good and bad."""
    save(tmp_path / "blue.png", striped({BLUE: 10, GRAY: 10}))
    save(tmp_path / "green.png", striped({GREEN: 15, YELLOW: 5}))
    top = np.zeros((20, 20), dtype=bool)
    top[:10] = True
    save(tmp_path / "top.png", top)
    save(tmp_path / "empty.png", np.zeros((20, 20), dtype=bool))
    save(tmp_path / "small.png", top[:, :5])
    for number in range(4):
        save(tmp_path / "a" / f"{number}.png", striped({BLUE: 10 + number, GRAY: 10 - number}))
        save(
            tmp_path / "b" / f"{number}.png",
            striped({GREEN: 10, YELLOW: 4 + number, GRAY: 6 - number}),
        )
        save(tmp_path / "masks" / f"{number}.png", top)
    half = weights({BLUE: 0.5, GRAY: 0.5})
    (tmp_path / "half.json").write_text(json.dumps(half.tolist()))
    (tmp_path / "third.csv").write_text(",".join(map(str, weights({GREEN: 2 / 3, YELLOW: 1 / 3}))))
    (tmp_path / "even.json").write_text(json.dumps([1 / 71] * 71))
    return tmp_path


def ran(*arguments: str) -> tuple[int, str]:
    """Exit status and standard output, in this process; images without a mask count as a whole."""
    out = StringIO()
    sides = zip(arguments, ("--mask-a", "--mask-b"), strict=False)
    unmasked = any(kind_of(Path(side)) != NUMBERS and name not in arguments for side, name in sides)
    if unmasked and "--masker" not in arguments:
        arguments = (*arguments, "--masker", "whole")
    with redirect_stdout(out):
        status = main(arguments)
    return status, out.getvalue()


def compared(*arguments: object) -> dict:
    """The one JSON object of a run without bad input; NaN and Infinity are no JSON."""

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    status, text = ran(*map(str, arguments), "--json")
    assert status == 0
    assert text.count("\n") == 1
    loads = json.loads(text, parse_constant=refuse)
    assert isinstance(loads, dict)
    return loads


# ------------------------------------------------------------------------------------- numbers


def test_two_images_with_a_mask(folder: Path) -> None:
    result = compared(folder / "blue.png", folder / "green.png", "--mask-a", folder / "top.png")
    p, q = weights({BLUE: 1.0}), weights({GREEN: 0.75, YELLOW: 0.25})
    assert result["a"]["weights"] == pytest.approx(p.tolist())
    assert result["b"]["weights"] == pytest.approx(q.tolist())
    expected = of.compare(p, q)
    assert [result[name] for name in VALUES] == [
        expected.pcc,
        pytest.approx(expected.emd_lab),
        pytest.approx(expected.entropy_difference),
        False,
        expected.delta_hue_deg,
    ]
    assert result["total_variation"] == pytest.approx(1.0)
    assert result["jensen_shannon"] == pytest.approx(np.log(2))
    assert (result["a"]["pixels"], result["b"]["pixels"]) == (200, 400)
    assert result["a"]["dominant"] == {
        "index": BLUE,
        "name": "Vivid blue, L* 50",
        "hex": "#2F6EF6",
        "lab": list(uw71()[BLUE].lab),
        "share": 1.0,
        "tied": 1,
    }
    assert result["units"]["emd"] == "CIELAB"
    assert result["a"]["maskers"] == [{"name": "From the mask file top.png", "images": 1}]
    assert result["b"]["maskers"] == [{"name": "Whole image", "images": 1}]
    assert result["intervals"] is None
    assert result["interval_notes"][0] == "No bootstrap: nothing can be resampled."
    assert "single image" in result["interval_notes"][1]


def test_numbers_by_hand(folder: Path) -> None:
    """Half blue and half gray against all gray: half of the mass goes from blue to gray."""
    save(folder / "gray.png", striped({GRAY: 20}))
    result = compared(folder / "half.json", folder / "gray.png", "--flow", "5")
    apart = float(np.linalg.norm(np.subtract(uw71()[BLUE].lab, uw71()[GRAY].lab)))
    assert result["emd"] == pytest.approx(0.5 * apart)
    assert result["ed"] == pytest.approx(np.log(2))
    assert result["flow"] == [
        {
            "source": BLUE,
            "target": GRAY,
            "mass": pytest.approx(0.5),
            "distance_lab": pytest.approx(apart),
            "cost": pytest.approx(0.5 * apart),
        }
    ]
    assert (result["dominant_equal"], result["a"]["dominant"]["tied"]) == (False, 2)
    assert result["hue_deg"] is None
    assert result["hue_reason"] == "B has a neutral dominant color, which has no hue."
    assert result["hue_literal_deg"] == pytest.approx(360 - 291.4349, abs=1e-3)


def test_the_flow_is_cut_to_the_costliest_and_says_so(folder: Path) -> None:
    whole = compared(folder / "half.json", folder / "third.csv", "--flow", "99")
    item = compared(folder / "half.json", folder / "third.csv", "--flow", "1")
    assert sum(move["cost"] for move in whole["flow"]) == pytest.approx(whole["emd"])
    assert item["flow"] == whole["flow"][:1]
    assert item["moves"] == whole["moves"] == len(whole["flow"]) > 1
    assert compared(folder / "half.json", folder / "third.csv")["flow"] == []


def test_what_does_not_exist_is_null_with_its_reason(folder: Path) -> None:
    result = compared(folder / "even.json", folder / "half.json")
    assert (result["pcc"], result["pcc_reason"]) == (
        None,
        "One side has the same share in every bin, so the correlation is undefined.",
    )
    result = compared(folder / "half.json", folder / "third.csv")
    assert (result["pcc_reason"], result["hue_reason"]) == ("", "")


def test_the_same_file_twice(folder: Path) -> None:
    result = compared(folder / "green.png", folder / "green.png")
    assert [result[name] for name in VALUES] == [pytest.approx(1.0), 0.0, 0.0, True, 0.0]


def test_what_is_transparent_is_not_measured(folder: Path) -> None:
    layer = np.dstack([striped({BLUE: 10, GRAY: 10}), np.full((20, 20), 255, np.uint8)])
    layer[10:, :, 3] = 0
    Image.fromarray(layer, "RGBA").save(folder / "layer.png")
    sides = folder / "layer.png", folder / "blue.png"
    # The default needs no network for it.
    masked = ("--mask-b", folder / "top.png", "--masker", "salient-or-whole")
    for result in (compared(*sides), compared(*sides, *masked)):
        assert result["a"]["weights"][BLUE] == 1.0
        assert result["a"]["maskers"][0]["name"] == "From the file's transparency"


@pytest.mark.usefixtures("network")
def test_without_a_mask_the_object_stands_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Compare measures photographs: what stands out, and where nothing does the whole image."""
    photograph, _ = object_photograph(160)
    save(folder / "photo.png", photograph)
    save(folder / "wall.png", np.full((40, 40, 3), 200, dtype=np.uint8))
    sides = [folder / "photo.png", folder / "wall.png"]
    result = compared(*sides, "--masker", "salient-or-whole")
    pixels, _, _ = select_salient(photograph)
    expected = of_pictures("", [profile_of(photograph, pixels)], "pixels").weights
    assert result["a"]["weights"] == pytest.approx(expected.tolist())
    assert result["a"]["pixels"] == pixels.sum() < photograph.size / 6
    assert [result[side]["maskers"] for side in "ab"] == [
        [{"name": "Salient object v1", "images": 1}],
        [{"name": "Whole image", "images": 1}],
    ]
    assert main(list(map(str, sides))) == 0  # no other is the masker that is not named
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(f" {pixels.sum():,} pixels. Salient object v1")
    assert ran(*map(str, sides), "--masker", "salient") == (2, "")
    assert "Nothing stands out" in capsys.readouterr().err


def test_without_the_network_no_other_pixels_are_taken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [str(folder / "blue.png"), str(folder / "green.png")]
    assert main(sides) == 2
    assert "Give masks, or --masker whole." in capsys.readouterr().err
    masks = ["--mask-a", str(folder / "top.png"), "--mask-b", str(folder / "top.png")]
    assert main([*sides, *masks]) == 0


# ------------------------------------------------------------------------------------- folders


@pytest.mark.parametrize("method", ["pixels", "extracted", "extracted-soft"])
def test_folders_are_one_distribution_each_with_intervals(folder: Path, method: str) -> None:
    result = compared(
        folder / "a",
        folder / "b",
        "--method",
        method,
        "--draws",
        50,
        "--seed",
        3,
        "--mask-b",
        folder / "masks",
    )
    top = np.zeros((20, 20), dtype=bool)
    top[:10] = True
    sides = [
        of_pictures(
            name,
            [
                profile_of(np.asarray(Image.open(folder / name / f"{number}.png")), inside)
                for number in range(4)
            ],
            method,
        )
        for name, inside in (("a", np.ones((20, 20), dtype=bool)), ("b", top))
    ]
    expected = of.compare(*(side.weights for side in sides))
    assert result["emd"] == pytest.approx(expected.emd_lab)
    bounds = intervals(sides[0], sides[1], 50, 3)
    low, high = bounds["emd_lab"] or (0.0, 0.0)
    assert result["intervals"]["emd"] == [pytest.approx(low), pytest.approx(high)]
    assert low <= expected.emd_lab <= high
    assert result["intervals"]["draws"] == 50
    assert (result["a"]["count"], result["a"]["pixels"], result["b"]["pixels"]) == (4, 1600, 800)
    assert result["method"] == method
    assert result["a"]["maskers"] == [{"name": "Whole image", "images": 4}]
    assert result["b"]["maskers"] == [{"name": "From mask files", "images": 4}]


def test_without_draws_there_are_no_intervals(folder: Path) -> None:
    result = compared(folder / "a", folder / "b", "--draws", 0)
    assert (result["intervals"], result["interval_notes"]) == (None, [])


def test_pixels_of_a_folder_are_the_mean_of_its_histograms(folder: Path) -> None:
    result = compared(folder / "a", folder / "half.json", "--draws", 0)
    shares = [(10 + number) / 20 for number in range(4)]
    assert result["a"]["weights"][BLUE] == pytest.approx(sum(shares) / 4)


def test_images_that_cannot_be_measured_are_told_counted_and_exit_2(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    (folder / "masks" / "0.png").unlink()
    save(folder / "masks" / "1.png", np.zeros((20, 20), dtype=bool))
    status, text = ran(
        str(folder / "a"),
        str(folder / "b"),
        "--mask-b",
        str(folder / "masks"),
        "--draws",
        "10",
        "--json",
    )
    loads = json.loads(text)
    assert status == 2
    assert (loads["a"]["count"], loads["b"]["count"]) == (4, 2)
    assert [item["file"] for item in loads["a"]["unscored"]] == ["broken.png"]
    assert [item["file"] for item in loads["b"]["unscored"]] == ["0.png", "1.png"]
    message = capsys.readouterr().err
    assert "A, broken.png: " in message
    assert "B, 0.png: masks has no mask called 0.\n" in message
    assert "B, 1.png: 1.png marks no pixel." in message


def test_a_folder_without_anything_measured_is_no_side(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for mask in (folder / "masks").iterdir():
        save(mask, np.zeros((20, 20), dtype=bool))
    arguments = [str(folder / "half.json"), str(folder / "b"), "--mask-b", str(folder / "masks")]
    assert ran(*arguments) == (2, "")
    assert "None of the 4 images in b could be measured. 0.png: " in capsys.readouterr().err


# ------------------------------------------------------------------------------ files of numbers


def table(path: Path, rows: dict[str, np.ndarray], *columns: str) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["concept", *columns, *range(71)])
        for key, row in rows.items():
            writer.writerow([*key.split("/"), *row])
    return path


def test_a_concept_of_a_file_of_ratings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = table(
        folder / "people.csv",
        {
            "banana": weights({YELLOW: 3.0, GRAY: 1.0}),
            "rotten mango": weights({GREEN: 2.0}),
        },
    )
    result = compared(file, folder / "green.png", "--concept", "Banana", "--normalize")
    assert result["a"]["weights"] == pytest.approx(weights({YELLOW: 0.75, GRAY: 0.25}).tolist())
    assert result["a"]["of"] == "ratings"
    assert any("normalized to sum 1" in note for note in result["a"]["notes"])
    capsys.readouterr()
    status, text = ran(
        str(file), str(folder / "green.png"), "--concept", "Rotten_Mango", "--normalize"
    )
    assert (status, text.splitlines()[0]) == (0, f'A  {file}: ratings of "rotten mango"')
    assert "ColorConceptBench" not in capsys.readouterr().err


def test_people_of_one_concept_are_drawn_again(folder: Path) -> None:
    rows = {
        f"banana/person {number}": weights({YELLOW: 0.6 + 0.1 * number, GRAY: 0.4 - 0.1 * number})
        for number in range(4)
    }
    file = table(folder / "people.csv", rows, "contributor")
    result = compared(file, folder / "half.json", "--draws", 40)
    assert result["a"]["count"] == 4
    assert result["a"]["weights"][YELLOW] == pytest.approx(0.75)
    assert result["intervals"]["draws"] == 40
    assert result["intervals"]["emd"][0] < result["emd"] < result["intervals"]["emd"][1]


def labeled(path: Path) -> Path:
    """As Compare writes it: pictures of a model, and ratings by 20 people."""
    rows = {
        "banana/'=FLUX/pictures/extracted/0": weights({YELLOW: 0.75, GRAY: 0.25}),
        "banana/A lab/ratings/given/20": weights({YELLOW: 0.5, GREEN: 0.5}),
    }
    return table(path, rows, "label", "kind", "method", "people")


def test_a_file_of_several_labels_is_no_crowd(folder: Path) -> None:
    file = labeled(folder / "shares.csv")
    result = compared(file, file, "--label-a", "=FLUX", "--label-b", "A lab")
    assert [result[side]["of"] for side in "ab"] == ["histograms", "ratings"]
    assert [result[side]["count"] for side in "ab"] == [0, 20]
    assert result["a"]["weights"] == pytest.approx(weights({YELLOW: 0.75, GRAY: 0.25}).tolist())
    assert result["intervals"] is None
    assert any("1 of 2 rows give 0 people" in note for note in result["a"]["notes"])
    _, text = ran(str(file), str(file), "--label-a", "=FLUX", "--label-b", "A lab")
    assert text.splitlines()[:2] == [
        f'A  {file}: histograms "=FLUX" of "banana"',
        f'B  {file}: ratings "A lab" of "banana", 20 people',
    ]


@pytest.mark.parametrize("times", [0.9999, 1.0005, 100.0, 9999.0])
def test_counts_and_percent_stay_histograms(folder: Path, times: float) -> None:
    shares = weights({YELLOW: 0.75, GRAY: 0.25})
    file = table(folder / "counts.csv", {"banana": times * shares})
    result = compared(file, folder / "half.json", "--shares")
    assert result["a"]["of"] == "histograms"
    assert result["a"]["weights"] == pytest.approx(shares.tolist())
    assert any("counts, percent or rounded shares" in note for note in result["a"]["notes"])


def test_58_numbers_when_they_are_said_to_be(folder: Path) -> None:
    shares = np.random.default_rng(5).dirichlet(np.ones(58))
    (folder / "uw58.json").write_text(json.dumps(shares.tolist()))
    result = compared(folder / "uw58.json", folder / "half.json", "--as-58")
    assert result["a"]["weights"] == pytest.approx(from_58(shares).tolist())
    assert [bin_ for bin_, share in enumerate(result["a"]["weights"]) if share] == list(uw58())
    assert result["b"]["weights"][BLUE] == 0.5


# ------------------------------------------------------------------------------------- bad input


def numbers(folder: Path, name: str, values: list[float]) -> str:
    (folder / name).write_text(json.dumps(values))
    return name


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["no.png", "half.json"], "There is no no.png."),
        (["blue.png", "half.json", "--mask-a", "no.png"], "There is no mask no.png."),
        (["blue.png", "half.json", "--mask-a", "empty.png"], "empty.png marks no pixel."),
        (["blue.png", "half.json", "--mask-a", "small.png"], "small.png is 5 × 20 pixels, but"),
        (["blue.png", "half.json", "--mask-b", "top.png"], "half.json holds numbers: only images"),
        (["a", "half.json", "--mask-a", "top.png"], "top.png is not a folder. For a folder"),
        (["void", "half.json"], "The folder void has no image."),
        (["void.csv", "half.json"], "void.csv is empty."),
        (["58.json", "half.json"], "58.json has 58 numbers; UW-71 has 71 bins."),
        (["58.json", "half.json"], "Here: --as-58."),
        (["57.json", "half.json"], "57 numbers"),
        (["two.json", "half.json"], "sums to 2"),
        (
            ["two.json", "half.json"],
            "Here: --normalize for ratings, --shares for counts or percent.",
        ),
        (["negative.json", "half.json"], "has -0.1 in bin 1: a share cannot be negative."),
        (["nan.json", "half.json"], "has nan in bin 3: a share is a number from 0 to 1."),
        (["many.csv", "half.json"], "has 2 concepts (banana, apple). Choose one with --concept."),
        (
            ["many.csv", "half.json", "--concept", "bananas"],
            'no concept "bananas". Similar ones: banana.',
        ),
        (["many.csv", "half.json", "--concept", "xyz"], 'no concept "xyz". It has banana, apple.'),
        (["blue.png", "green.png", "--concept", "banana"], "--concept applies to files of numbers"),
        (["blue.png", "green.png", "--normalize"], "--normalize applies to files of numbers"),
        (["blue.png", "green.png", "--shares"], "--shares applies to files of numbers"),
        (["blue.png", "green.png", "--label-b", "x"], "--label-b applies to files of numbers"),
        (
            ["labels.csv", "half.json"],
            "has 2 distributions of banana (Ann, Bo). Choose one with --label-a or --label-b.",
        ),
        (["blue.png", "green.png", "--as-58"], "--as-58 applies to files of numbers"),
        (["half.json", "third.csv", "--method", "pixels"], "--method applies to images"),
        (
            ["blue.png", "half.json", "--mask-a", "top.png", "--masker", "salient"],
            "--masker applies to images without a mask",
        ),
        (["blue.png", "green.png", "--draws", "9"], "--draws applies to folders of images"),
        (["blue.png", "green.png", "--draws", "-1"], "--draws is 0 to 100,000."),
        (["blue.png", "green.png", "--flow", "-1"], "--flow is the number of flows"),
        (["blue.png", "green.png", "--seed", "-1"], "--seed is a whole number"),
    ],
)
def test_bad_input_is_told_and_exits_2(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    text: str,
) -> None:
    monkeypatch.chdir(folder)
    (folder / "void").mkdir()
    (folder / "void.csv").touch()
    numbers(folder, "57.json", [1 / 57] * 57)
    numbers(folder, "58.json", [1 / 58] * 58)
    numbers(folder, "two.json", [2 / 71] * 71)
    numbers(folder, "negative.json", [1.1, -0.1, *[0.0] * 69])
    numbers(folder, "nan.json", [1.0, 0.0, 0.0, float("nan"), *[0.0] * 67])
    table(folder / "many.csv", {"banana": weights({1: 1.0}), "apple": weights({2: 1.0})})
    nobody = {f"banana/{name}/0": weights({1: 1.0}) for name in ("Ann", "Bo")}
    table(folder / "labels.csv", nobody, "contributor", "people")
    for side in (arguments, [arguments[1], arguments[0], *arguments[2:]]):
        if side is not arguments and ("--mask-a" in side or "--mask-b" in side):
            continue
        assert ran(*side) == (2, "")
        assert text in capsys.readouterr().err


def test_a_file_of_numbers_that_is_too_large_is_not_read_whole(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(2**40)  # it takes no room on the disk
    assert main([str(path), str(folder / "half.json")]) == 2
    assert "huge.csv is too large" in capsys.readouterr().err


def test_two_masks_of_one_name(folder: Path) -> None:
    Image.open(folder / "masks" / "2.png").save(folder / "masks" / "2.bmp")
    side = read_side(folder / "a", folder / "masks", Reading())
    assert side.unscored == (("2.png", "masks has 2.bmp and 2.png for it: keep one."),)


# ----------------------------------------------------------------------------------- as a program


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "core.compare", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        check=False,
    )


@pytest.mark.process
def test_lines_for_people(folder: Path) -> None:
    done = called(main, "half.json", "green.png", "--masker", "whole", "--flow", "1", folder=folder)
    assert done.returncode == 0, done.stderr
    expected = of.compare(weights({BLUE: 0.5, GRAY: 0.5}), weights({GREEN: 0.75, YELLOW: 0.25}))
    lines = done.stdout.splitlines()
    assert lines[0] == "A  half.json: histograms"
    assert lines[1] == "B  green.png: 400 pixels. Whole image"
    by_name = {line.split()[0]: line for line in lines if not line.startswith((" ", "A", "B"))}
    assert by_name["emd"] == f"{'emd':<16}{expected.emd_lab:.2f} CIELAB"
    assert by_name["pcc"] == f"{'pcc':<16}{expected.pcc:.4f}"
    assert by_name["ed"] == f"{'ed':<16}{expected.entropy_difference:.4f} nats"
    assert by_name["dominant_equal"].split() == ["dominant_equal", "no"]
    assert by_name["hue_deg"] == f"{'hue_deg':<16}{expected.delta_hue_deg:.1f} degrees"
    assert "A 0 Vivid blue, L* 50 (#2F6EF6), 50.0%, the first of 2 equal" in done.stdout
    assert "the 1 costliest of" in by_name["flow"]
    # The page begins with another, so its numbers for these differ.
    assert by_name["method"].split()[:3] == ["method", "pixels:", "Every"]
    assert "begins with --method extracted" in done.stderr
    assert done.stderr.count("No bootstrap") == 1


@pytest.mark.process
def test_a_reader_that_has_gone_and_a_terminal_without_letters(folder: Path) -> None:
    done = run(folder, "half.json", "blue.png", "--masker", "whole", PYTHONIOENCODING="ascii")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


@pytest.mark.process
def test_it_starts_without_the_heavy_packages(folder: Path) -> None:
    code = (
        "import sys; from truehue.core.cli.compare import main\n"
        "assert main(['half.json', 'blue.png', '--masker', 'whole', '--json']) == 0\n"
        "print([name for name in ('torch', 'gradio', 'duckdb', 'diffusers', 'transformers', 'ray')"
        " if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_colors_of_the_bins_are_nearest_to_themselves() -> None:
    """What the pictures of these tests stand on."""
    from truehue.core.color.spaces import srgb8_to_lab

    srgb8 = np.array([bin_.srgb8 for bin_ in uw71()], dtype=np.uint8)
    assert nearest(srgb8_to_lab(srgb8)).tolist() == list(range(71))
