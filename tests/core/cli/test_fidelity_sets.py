"""``truehue fidelity set``: the numbers of a run's images and of a folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core.batch.here import InProcess
from tests.core.fidelity.test_frechet import inception
from tests.core.runs.samples import small_plan, some_prompts
from tests.core.scores.test_learned import save_clip
from tests.tiny_models import cfm
from truehue.core.cli.fidelity import main
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import register
from truehue.core.fidelity.vividness import mean_saturation
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.worker import RunWork, execute
from truehue.core.scores.learned import CLIP_B32
from truehue.core.scores.sets import SetImage, mean_over_prompts, read_set

pytestmark = [
    pytest.mark.weights,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]


def test_a_runs_images_have_each_number_with_what_it_was_computed_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    data, models = tmp_path / "data", tmp_path / "models"
    save_clip(models / CLIP_B32.replace("/", "--"))
    register(data, str(cfm.save(tmp_path / "tiny")))
    folder = RunFolder.create(data / "runs", small_plan(some_prompts(2, ("cna",)), images=2))
    execute(folder, team=InProcess(RunWork(folder.path)))
    images = sorted(folder.images.rglob("*.png"))
    saturations = [mean_saturation(np.asarray(Image.open(path).convert("RGB"))) for path in images]
    real = tmp_path / "real"
    real.mkdir()
    for number in range(3):
        noise = np.random.default_rng(number).integers(0, 256, (32, 32, 3), np.uint8)
        Image.fromarray(noise).save(real / f"{number}.png")
    line = ["set", "--run", folder.run_id[:6], "--data", str(data), "--models", str(models)]
    fid = ["--real", str(real), "--inception", str(inception(tmp_path / "inception.pt"))]
    assert main([*line, "--cpu", *fid]) == 0
    captured = capsys.readouterr()
    assert "left out: MUSIQ needs the package pyiqa" in captured.err
    numbers = read_set(data / "fidelity" / "sets" / f"{folder.run_id}.json")
    (cfm_key,) = [key for key in numbers if key.startswith("cfm ")]
    assert cfm_key.endswith(" bfloat16")
    assert set(numbers) == {
        *("mean_saturation", "delta_sat_of_mean", "mean_delta_sat"),
        *("clip_score", "fid", cfm_key),
    }
    assert numbers["mean_saturation"].mean == pytest.approx(np.mean(saturations))
    of_mean, of_images = numbers["delta_sat_of_mean"], numbers["mean_delta_sat"]
    assert of_mean.mean == pytest.approx(abs(np.mean(saturations) - 0.33))
    assert of_images.mean == pytest.approx(np.mean([abs(s - 0.33) for s in saturations]))
    assert numbers[cfm_key].images == numbers["clip_score"].images == 4
    assert numbers[cfm_key].about["cfm"]["rounded_rotary"] is True
    assert len(numbers["fid"].about["inception_sha256"]) == 64
    assert numbers["fid"].about["biased"] is True
    assert numbers["fid"].mean is not None
    assert numbers["fid"].mean > 0
    # A second call adds to the file and computes nothing again.
    scores = next((data / "fidelity" / "sets").glob("*-scores.jsonl"))
    before = scores.read_text()
    assert main([*line, "--cpu", "--measure", "delta_sat", "--no-registered", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == set(numbers)
    assert scores.read_text() == before
    # Another text or rounding is another number beside it.
    for option in ("--own-instruction", "--float32-rotary"):
        assert main([*line, "--cpu", "--measure", "delta_sat", option]) == 0
    others = set(read_set(data / "fidelity" / "sets" / f"{folder.run_id}.json")) - set(numbers)
    assert [key.split()[-1] for key in others] == ["float32"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "Name a set"),
        (["--run", "none"], "There is no run in"),
        (["--images", ".", "--real", "."], "needs both --real and --inception"),
        (["--images", "tests/core/cli"], "holds no images"),
    ],
)
def test_what_is_no_set_is_refused(
    arguments: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["set", *arguments, "--data", str(tmp_path)]) == 2
    assert text in capsys.readouterr().err


def test_images_without_a_score_are_counted_and_in_no_mean(tmp_path: Path) -> None:
    images = [SetImage(tmp_path, "a", number // 2) for number in range(4)]
    mean = mean_over_prompts(images, [1.0, float("nan"), 3.0, 5.0], ["", "no prompt", "", ""])
    assert (mean.mean, mean.scored, mean.items) == (3.0, 3, 4)
    assert dict(mean.unscored) == {"no prompt": 1}
    (tmp_path / "set.json").write_text('{"numbers": {"fid": {"x": 1}}}')
    with pytest.raises(BadInput, match="holds no numbers"):
        read_set(tmp_path / "set.json")
