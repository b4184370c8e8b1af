"""Groups that a model of weights draws: in the process of tests.tiny_models, which has loaded the
libraries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core.batch.here import team_here
from tests.core.photographs import object_photograph
from truehue.core.batch.execute import execute
from truehue.core.fidelity.building import BuildSettings, Photograph, begin
from truehue.core.images.load import load_image

pytestmark = pytest.mark.weights


@pytest.mark.weights
def test_a_model_draws_the_caption_by_rising_guidance_from_one_noise(tmp_path: Path) -> None:
    Image.fromarray(object_photograph(60)[0]).save(tmp_path / "photograph.png")
    photograph = Photograph(tmp_path / "photograph.png", "A photo of a red mug")
    settings = BuildSettings(("small",), guidances=(1.5, 4.0, 9.0), steps=2)
    work = begin(tmp_path / "cfd", [photograph], settings)
    work.folder.set_desired_state("run")
    assert execute(work, team=team_here(work, 1)).status == "finished"
    (group,) = work.groups()
    files = [load_image(path).srgb8 for path in group.files]
    # The photograph has at most the area that is drawn.
    assert [file.shape for file in files[1:]] == [(64, 64, 3)] * 3
    assert files[0].shape == (60, 60, 3)
    assert all(path.suffix == ".jpg" for path in group.files)
    far = [np.abs(file - files[1].astype(float)).mean() for file in files[1:]]
    assert far[0] == 0 < far[1] < far[2]
