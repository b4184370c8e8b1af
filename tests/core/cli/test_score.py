"""``truehue score``: images by the measures of the list."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.commands import called
from tests.tiny_models import cfm
from truehue.core.cli.score import main
from truehue.core.errors import NoPixels
from truehue.core.images.load import image_id, load_image
from truehue.core.scores import measures as listed
from truehue.core.scores.learned import BY_ID
from truehue.core.scores.records import HIGH, Computed, Measure

pytestmark = pytest.mark.process


def redness(srgb8: np.ndarray) -> Computed:
    if not srgb8.any():
        raise NoPixels("The picture is black.")
    return float(srgb8[..., 0].mean()), {}


RED = Measure("red", "1", "Redness", HIGH, 0.0, 255.0, 1, "Mean red code", "a test", of=redness)
VIVID = listed.MEASURES[:1]
LIKED = Measure("liked", "1", "Liked", "", 0.0, 10.0, 0, "Mean rating", "people")


@pytest.fixture(autouse=True)
def two_measures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRUEHUE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(listed, "MEASURES", (RED, LIKED))


def picture(folder: Path, red: int) -> str:
    path = folder / f"{red}.png"
    Image.new("RGB", (3, 2), (red, 0, 0)).save(path)
    return str(path)


def test_images_are_scored_and_what_cannot_be_is_told(tmp_path: Path) -> None:
    red, black = picture(tmp_path, 200), picture(tmp_path, 0)
    done = called(main, red, black, str(tmp_path / "none.png"))
    assert done.stdout == f"{red}: Redness 200.0\n"
    assert f"{black}: Redness unscored: The picture is black." in done.stderr
    assert "none.png" in done.stderr
    assert done.returncode == 2
    done = called(main, red, black, "--json", "--measure", "red")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["value"], row["status"]) for row in rows] == [
        (200.0, "scored"),
        (None, "unscored"),
    ]
    assert called(main, red).returncode == 0


def test_the_list_and_what_is_not_on_it(tmp_path: Path) -> None:
    done = called(main, "--list")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(BY_ID)
    assert "License: MIT" in lines[2]
    assert lines[:2] == [
        "red 1  Redness: Mean red code (0 to 255, high is better). a test.",
        "liked 1  Liked: Mean rating (0 to 10). people. Scores come in.",
    ]
    red = picture(tmp_path, 9)
    assert "There is no measure 'x'" in called(main, red, "--measure", "x").stderr
    assert "Liked is not computed here" in called(main, red, "--measure", "liked").stderr
    assert called(main).returncode == 2


def test_a_table_is_scored_by_all_that_can_be_computed_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("truehue.core.cli.fidelity_scoring.MEASURES", (RED, LIKED))
    monkeypatch.setattr(listed, "MEASURES", (*VIVID, RED))
    picture(tmp_path, 200)
    table = tmp_path / "images.csv"
    table.write_text("file,prompt\n200.png,=a red page\n")
    done = called(main, "--table", str(table))
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["measure"], float(row["value"])) for row in rows] == [
        ("mean_saturation", 1.0),
        ("red", 200.0),
    ]
    assert rows[0]["prompt"] == "'=a red page"
    assert rows[0]["image_id"] == image_id(load_image(tmp_path / "200.png").srgb8)
    assert "left out: The weights of openai/clip-vit-base-patch32" in done.stderr
    assert "left out: MUSIQ needs the package pyiqa" in done.stderr
    done = called(main, "--table", str(table), "--measure", "clip_score")
    assert done.returncode == 2
    assert "hf download openai/clip-vit-base-patch32" in done.stderr
    assert "No CFM is registered" in called(main, "--table", str(table), "--measure", "cfm").stderr
    done = called(main, "--table", str(table), "--measure", "red", "--json")
    assert json.loads(done.stdout)["file"] == "200.png"
    assert "--table" in called(main, picture(tmp_path, 9), "--measure", "musiq").stderr


@pytest.mark.weights
def test_a_cfm_is_registered_by_command_and_scores_with_the_prompt(tmp_path: Path) -> None:
    red, tiny = picture(tmp_path, 90), str(cfm.save(tmp_path / "tiny"))
    assert "No CFM is registered here" in called(main, red, "--measure", "cfm").stderr
    done = called(main, "--register", str(tmp_path / "none"))
    assert (done.returncode, "There is no folder" in done.stderr) == (2, True)
    said = called(main, "--register", tiny).stdout
    assert "with our own instruction. Its measures: cfm, cfm_logit." in said
    try:
        assert "cfm_logit" in called(main, "--list").stdout
        assert "give --prompt" in called(main, red, "--measure", "cfm").stderr
        target = ("--measure", "cfm", "--measure", "cfm_logit", "--prompt", "a mug", "--json")
        rows = [json.loads(line) for line in called(main, red, *target).stdout.splitlines()]
        assert rows[1]["value"] == pytest.approx(3 * rows[0]["value"])
        assert rows[0]["version"] in said
        assert "takes no CFM any more" in called(main, "--forget").stdout
    finally:
        listed.add_measures("cfm", ())
