"""The scenes that the small model learns from."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.core.generation.small.conftest import SMALL
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import (
    OBJECTS,
    RenderRequest,
    SceneObject,
    SceneRequest,
    render,
    render_scene,
)
from truehue.core.generation.small.scenes import (
    SceneBank,
    pairs_of_prompts,
    render_scenes,
    scenes_of,
)
from truehue.core.generation.small.settings import (
    SOFT_LIGHTS,
    SceneSettings,
    Settings,
    scene_settings_from_json,
)

pytestmark = pytest.mark.slow

PAIR = SceneSettings(single_seeds=1, pair_seeds=1, shapes=("mug", "book"), lights=("studio",))


def test_a_scene_in_a_color_is_the_renderers_own_picture(tmp_path: Path) -> None:
    counts = []
    made = render_scenes(
        tmp_path, PAIR, report_progress=lambda done, source: counts.append((done, source))
    )
    assert counts == [(0, len(made.scenes)), (len(made.scenes), len(made.scenes))]
    red, green = (200, 30, 60), (20, 160, 90)
    alone = render(RenderRequest("mug", red, "studio", 0, 64)).srgb8
    number = made.of(("mug",))[0]
    # Light is kept in steps of 1/65535: in the dark one step of sRGB is about as much.
    assert np.abs(made.image(number, [red]).astype(int) - alone).max() <= 1
    pair = next(scene.shapes for scene in made.scenes if len(scene.shapes) == 2)
    objects = tuple(map(SceneObject, pair, (red, green)))
    both = render_scene(SceneRequest(objects, "studio", 0, 64)).srgb8
    sample = made.image(made.of(pair)[0], [red, green])
    assert np.abs(sample.astype(int) - both).max() <= 1


def test_every_pair_of_the_prompts_has_its_scenes() -> None:
    scenes = scenes_of(SceneSettings())
    assert len({(scene.shapes, scene.light, scene.seed) for scene in scenes}) == len(scenes)
    settings = SceneSettings()
    singles = [scene for scene in scenes if len(scene.shapes) == 1]
    assert len(singles) == len(OBJECTS) * len(SOFT_LIGHTS) * settings.single_seeds
    assert len(scenes) - len(singles) == len(pairs_of_prompts()) * settings.pair_seeds
    # The first seeds of all come first: a part of the scenes is as varied as all of them.
    assert {scene.shapes for scene in scenes[: 70 + len(pairs_of_prompts())]} == {
        scene.shapes for scene in scenes
    }


def test_rendering_that_was_ended_goes_on(bank_folder: Path, tmp_path: Path) -> None:
    for name in ("scenes.json", "planes.uint16", "done.uint8"):
        (tmp_path / name).write_bytes((bank_folder / name).read_bytes())
    done = np.memmap(tmp_path / "done.uint8", np.uint8, "r+")
    planes = np.memmap(tmp_path / "planes.uint16", np.uint16, "r+", shape=(len(done), 3, 32, 32))
    done[3], planes[3] = 0, 7
    with pytest.raises(BadInput, match="13 of 14 scenes"):
        SceneBank(tmp_path)
    again = render_scenes(tmp_path, SMALL)
    np.testing.assert_array_equal(again.planes, SceneBank(bank_folder).planes)


@pytest.mark.parametrize("size", [None, 1000])
def test_scenes_whose_file_is_gone_or_cut_are_never_read_as_black(
    bank_folder: Path, tmp_path: Path, size: int | None
) -> None:
    for name in ("scenes.json", "planes.uint16", "done.uint8"):
        (tmp_path / name).write_bytes((bank_folder / name).read_bytes())
    planes = tmp_path / "planes.uint16"
    planes.unlink() if size is None else os.truncate(planes, size)
    with pytest.raises(BadInput, match="is gone or cut"):
        SceneBank(tmp_path)
    counts: list[int] = []

    def told(done: int, total: int) -> None:
        counts.append(done)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        render_scenes(tmp_path, SMALL, report_progress=told)
    assert counts == [0]


def test_what_is_no_bank_is_said(bank_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"core\.generation\.small data"):
        SceneBank(tmp_path)
    with pytest.raises(BadInput, match=r"^[^(]* holds scenes of other settings: take another"):
        render_scenes(bank_folder, replace(SMALL, single_seeds=2))
    with pytest.raises(BadInput, match="at least 1"):
        render_scenes(bank_folder, SMALL, workers=0)
    (tmp_path / "scenes.json").write_text('{"renderer')
    with pytest.raises(BadInput, match="is torn"):
        render_scenes(tmp_path, SMALL)
    about = json.loads((bank_folder / "scenes.json").read_text())
    (tmp_path / "scenes.json").write_text(json.dumps({**about, "renderer_version": "0.1"}))
    with pytest.raises(BadInput, match="another renderer"):
        SceneBank(tmp_path)
    for wrong in ({"seeds": 3}, {"shapes": 3}, {"shapes": ["sofa"]}, {"lights": []}):
        with pytest.raises(BadInput, match=r"[Ss]cenes"):
            scene_settings_from_json(wrong)
    # With every pair held out no caption would ever be found.
    with pytest.raises(BadInput, match="below 1"):
        Settings(held_out=1.0)
