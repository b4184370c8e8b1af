"""CFR in two passes: by call and by command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.core.generation.conftest import models_folder, one_thread, tiny
from truehue.core.cli.models import _shortened, main
from truehue.core.errors import BadInput
from truehue.core.fidelity.two_passes import generate_twice, painted_map
from truehue.core.generation.opening import open_model
from truehue.core.generation.request import GenerationRequest
from truehue.core.refinement.settings import Refinement, rows_of, saturation_map

pytestmark = pytest.mark.weights

__all__ = ["models_folder", "one_thread", "tiny"]

REQUEST = GenerationRequest("ignored", "a red mug", 1, 3, 7.5, 64, 64)


def test_the_second_picture_is_drawn_with_the_map_of_the_first(tiny: Callable[[str], Path]) -> None:
    loaded = open_model(f"folder:{tiny('stable_diffusion')}")

    def draw(request: GenerationRequest) -> np.ndarray:
        return loaded.draw([request], lambda report: None, Event())[0].srgb8

    both = generate_twice(loaded, REQUEST, Refinement(0.8), lambda report: None, Event())
    np.testing.assert_array_equal(both.before.srgb8, draw(REQUEST))
    cfr: Any = both.after.origin["cfr"]
    assert cfr["map"] == rows_of(saturation_map(both.before.srgb8))
    assert cfr["source"] == "map of the first pass"
    np.testing.assert_array_equal(
        both.after.srgb8, draw(replace(REQUEST, options={"cfr": dict(cfr)}))
    )
    assert (both.after.srgb8 != both.before.srgb8).any()
    # Asked for by its own name, the first pass is the picture before, mapped as it is said here.
    named = generate_twice(
        loaded,
        REQUEST,
        Refinement(0.8, first_pass=True),
        lambda report: None,
        Event(),
        lambda srgb8: np.ones((2, 2), np.float32),
    )
    assert named.after.origin["cfr"] == {**cfr, "map": ["ffff"] * 2}
    with pytest.raises(BadInput, match="generated without CFR"):
        generate_twice(
            loaded,
            replace(REQUEST, options={"cfr": cfr}),
            Refinement(1),
            lambda report: None,
            Event(),
        )


def test_a_painted_map_is_the_files_gray(tmp_path: Path) -> None:
    gray = np.zeros((128, 256), np.uint8)
    gray[:, 128:] = 255
    gray[:, :64] = 102
    Image.fromarray(gray).save(tmp_path / "map.png")
    painted = painted_map(tmp_path / "map.png")
    assert painted.shape == (32, 64)
    assert painted[:, :16] == pytest.approx(0.4)
    assert painted[:, 16:32] == pytest.approx(0)
    assert painted[:, 32:] == pytest.approx(1)


def test_the_command_writes_both_pictures(
    tiny: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model_id = f"folder:{tiny('stable_diffusion')}"
    arguments = ["draw", model_id, "a red mug", "--steps", "3", "--width", "64", "--height", "64"]
    arguments += ["--guidance", "7.5", "--out", str(tmp_path / "after.png")]
    before = ["--before", str(tmp_path / "before.png")]
    assert main([*arguments, "--cfr", "0.8", *before]) == 0
    cfr = json.loads(capsys.readouterr().out)["cfr"]
    assert (cfr["strength"], cfr["source"]) == (0.8, "map of the first pass")
    images = [np.asarray(Image.open(tmp_path / f"{name}.png")) for name in ("before", "after")]
    assert (images[0] != images[1]).any()
    assert _shortened({"cfr": cfr})["cfr"] == {**cfr, "map": "64 × 64 cells"}
    assert _shortened({"seed": 1}) == {"seed": 1}

    Image.new("L", (8, 8), 255).save(tmp_path / "white.png")
    assert main([*arguments, "--cfr", "1", "--cfr-map", str(tmp_path / "white.png")]) == 0
    cfr = json.loads(capsys.readouterr().out)["cfr"]
    assert (cfr["map"], cfr["source"]) == (["ff" * 8] * 8, "painted")

    assert main([*arguments, "--cfr", "1", "--cfr-map", "predicted"]) == 0
    assert json.loads(capsys.readouterr().out)["cfr"]["map"] == "predicted"

    for wrong, text in (
        (before, "need --cfr"),
        (["--cfr", "1", "--before", str(tmp_path / "x" / ".." / "after.png")], "are one file"),
        (["--cfr", "2"], "from 0 to 1"),
        (["--cfr", "1", "--cfr-map", "predicted", *before], "no image before"),
        (["--cfr", "1", "--cfr-map", str(tmp_path / "none.png")], "none.png"),
    ):
        assert main([*arguments, *wrong]) == 2
        assert text in capsys.readouterr().err
