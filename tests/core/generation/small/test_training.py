"""Training: the same bit for bit, with an end in the middle and without."""

from __future__ import annotations

import json
import logging
import os
import signal
from dataclasses import replace
from logging.handlers import BufferingHandler
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from tests.commands import called
from tests.core.generation.small.conftest import TINY
from truehue.core.checkpoints import run_folder
from truehue.core.cli.small import main
from truehue.core.errors import BadInput
from truehue.core.generation.opening import open_model
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.small import parts
from truehue.core.generation.small.scenes import Caption, SceneBank
from truehue.core.generation.small.training import ABOUT, CHECKPOINT, LOG, Progress, Training, train

STEPS = 20

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]


def silent(progress: Progress) -> None:
    """Nobody is told."""


def trained(bank: SceneBank, folder: Path, steps: int = STEPS) -> Training:
    training = Training(TINY)
    if (folder / CHECKPOINT).exists():
        training.load(folder)
    train(training, bank, folder, steps, silent, report_every=5)
    return training


@pytest.fixture(scope="module")
def whole(bank: SceneBank, tmp_path_factory: pytest.TempPathFactory) -> tuple[Training, Path]:
    folder = tmp_path_factory.mktemp("whole")
    return trained(bank, folder), folder


def test_a_run_that_was_ended_gives_the_same_weights(
    bank: SceneBank, whole: tuple[Training, Path], tmp_path: Path
) -> None:
    import torch
    from safetensors.torch import load_file

    # Once among the steps of captions alone, and once among those of pictures.
    for steps in (4, 11, STEPS):
        training = trained(bank, tmp_path, steps)
        # A report of a step whose process was killed is told once, and a torn one not at all.
        with (tmp_path / LOG).open("a") as log:
            log.write('{"step": 20, "reading": 9.0}\n{"step": 2' if steps < STEPS else "")
    assert training.step == STEPS
    first, second = load_file(tmp_path / CHECKPOINT), load_file(whole[1] / CHECKPOINT)
    assert first.keys() == second.keys()
    assert [name for name in first if not torch.equal(first[name], second[name])] == []
    lines = [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()]
    assert [line["step"] for line in lines] == [4, 5, 10, 11, 15, 20]
    assert [line["picture"] > 0 for line in lines] == [False, False, True, True, True, True]


def test_it_learns(whole: tuple[Training, Path], bank: SceneBank) -> None:
    lines = [json.loads(line) for line in (whole[1] / LOG).read_text().splitlines()]
    assert lines[-1]["picture"] < 0.7 * lines[1]["picture"]
    assert lines[-1]["reading"] < lines[0]["reading"]


def test_a_signal_ends_it_with_a_checkpoint(bank: SceneBank, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    training = Training(TINY)
    before = signal.getsignal(signal.SIGTERM)

    def kill(progress: Progress) -> None:
        if progress.step == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    assert not train(training, bank, tmp_path, STEPS, kill, report_every=1)
    assert signal.getsignal(signal.SIGTERM) is before
    again = Training(TINY)
    again.load(tmp_path)
    assert again.step == training.step < 6
    with pytest.raises(BadInput, match=r"other settings \(seed\)"):
        Training(replace(TINY, seed=3)).load(tmp_path)
    whole = (tmp_path / CHECKPOINT).read_bytes()
    save_file({"weights.x": torch.zeros(1)}, tmp_path / "other.safetensors")
    for damaged in (b"", whole[:7], whole[:-9], (tmp_path / "other.safetensors").read_bytes()):
        (tmp_path / CHECKPOINT).write_bytes(damaged)
        with pytest.raises(BadInput, match="is no whole checkpoint"):
            Training(TINY).load(tmp_path)


def test_the_rate_falls_to_zero_at_the_end(bank: SceneBank, tmp_path: Path) -> None:
    # Pictures from step 6 to 26: the last half of these 20 steps falls, a tenth a step.
    training = Training(replace(TINY, steps=26, cooldown=0.5))
    rates = []
    for step in (6, 15, 16, 17, 21, 25):
        training.step, training.step_of_optimizer = step, 1000
        training._set_rate()
        rates.append(training.optimizer.param_groups[0]["lr"] / TINY.rate)
    # The first steps of pictures warm up over 4.
    assert rates == pytest.approx([0.25, 1.0, 1.0, 0.9, 0.5, 0.1])


def test_a_run_may_be_made_longer_until_its_rate_falls(bank: SceneBank, tmp_path: Path) -> None:
    short = replace(TINY, steps=16, cooldown=0.5)
    training = Training(short)
    train(training, bank, tmp_path, 8, silent)
    longer = Training(replace(short, steps=20))
    longer.load(tmp_path)
    assert longer.step == 8
    train(longer, bank, tmp_path, 15, silent)
    with pytest.raises(BadInput, match=r"other settings: for 20 steps, not for 30"):
        Training(replace(short, steps=30)).load(tmp_path)


def test_the_exported_model_draws_through_the_door(
    whole: tuple[Training, Path], bank: SceneBank, tmp_path: Path
) -> None:
    import torch

    training = whole[0]
    training.export(tmp_path)
    heard = BufferingHandler(100)
    of_pipelines = logging.getLogger("diffusers.pipelines.pipeline_utils")
    of_pipelines.addHandler(heard)
    loaded = open_model(f"folder:{tmp_path}")
    of_pipelines.removeHandler(heard)
    assert [record.getMessage() for record in heard.buffer] == []
    request = GenerationRequest(
        "any", "a red mug", seed=3, steps=3, guidance=2.0, width=32, height=32
    )
    first, second = loaded.draw([request, request], lambda report: None, Event())
    np.testing.assert_array_equal(first.srgb8, second.srgb8)
    assert first.srgb8.shape == (32, 32, 3)
    assert first.origin["pipeline"] == "PixArtAlphaPipeline"
    text = json.loads((tmp_path / "tokenizer" / "tokenizer.json").read_text())
    assert text["padding"] is None
    # Trained on from the export: the step goes on, so that no chance comes twice.
    assert json.loads((tmp_path / ABOUT).read_text())["step"] == STEPS
    further = Training(TINY)
    further.start_from(tmp_path)
    assert further.step == STEPS
    with pytest.raises(BadInput, match="no exported small model"):
        further.start_from(tmp_path / "none")
    with pytest.raises(BadInput, match="has the text_width 32, the settings 64"):
        Training(replace(TINY, text_width=64)).start_from(tmp_path)
    for name, tensor in further.average.items():
        torch.testing.assert_close(tensor, training.average[name], atol=1e-3, rtol=1e-3)
    assert train(further, bank, tmp_path / "run", STEPS + 2, silent)


@pytest.mark.parametrize("shown", [True, False])
def test_an_export_leaves_progress_bars_as_they_were(tmp_path: Path, shown: bool) -> None:
    from transformers.utils import logging as bars

    before = bars.is_progress_bar_enabled()
    switch = {True: bars.enable_progress_bar, False: bars.disable_progress_bar}
    switch[shown]()
    try:
        Training(TINY).export(tmp_path)
        assert bars.is_progress_bar_enabled() is shown
    finally:
        switch[before]()


def test_the_autoencoder_hands_pixels_through() -> None:
    import torch

    vae = parts.pixels_through()
    pixels = torch.rand((1, 3, 16, 16), generator=torch.Generator().manual_seed(0)) * 2 - 1
    with torch.no_grad():
        latents = vae.encode(pixels).latents * vae.config.scaling_factor
        torch.testing.assert_close(latents, pixels, atol=1e-6, rtol=0)
        decoded = vae.decode(latents / vae.config.scaling_factor).sample
    # A fiftieth of a step of 8 bits.
    assert float((decoded - pixels).abs().max()) * 127.5 < 0.02


def test_the_loss_of_reading_by_hand() -> None:
    import torch

    from truehue.core.generation.renderer import OBJECTS
    from truehue.core.generation.small.parts import reading_loss

    caption = Caption("a red mug", ("mug",), ((255, 0, 0),), (True,))
    message = torch.zeros((1, 2, len(OBJECTS) + 4))
    # Even odds for 15 answers in both places; the color is off by 2, 0 and 0 after (1, -1, -1).
    message[0, 0, -3:] = torch.tensor([-1.0, -1.0, -1.0])
    message[0, 1, -3:] = 5.0
    expected = np.log(len(OBJECTS) + 1) + 10.0 * 4.0 / 3.0
    assert float(reading_loss(message, [caption])) == pytest.approx(expected, rel=1e-6)


def full_disk(folder: Path) -> None:
    """The disk is full."""
    raise OSError(28, "Full")


@pytest.mark.process
def test_the_command_trains_goes_on_and_exports(
    bank_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(TINY.as_json()))
    scenes = json.loads((bank_folder / "scenes.json").read_text())["settings"]
    (tmp_path / "scenes-settings.json").write_text(json.dumps(scenes))
    train_it = (
        *("train", "--threads", "1", "--settings", str(settings), "--data", str(bank_folder)),
        *("--run", str(tmp_path / "run"), "--scenes", str(tmp_path / "scenes-settings.json")),
    )
    first = called(main, *train_it, "--steps", "2", "--report-every", "1")
    assert (first.returncode, first.stderr) == (0, "")
    assert "step 2 of 2" in first.stdout
    for wrong_option in (("--save-every", "0"), ("--report-every", "0"), ("--workers", "0")):
        refused = called(main, *train_it, *wrong_option)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "at least 1" in refused.stderr
    with run_folder(tmp_path / "run"):
        refused = called(main, *train_it, "--steps", "7")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "Another process trains in" in refused.stderr
    out = tmp_path / "model"
    with monkeypatch.context() as ended:
        ended.setattr("truehue.core.generation.small.training.train", lambda *_, **__: False)
        ended_early = called(main, *train_it, "--steps", "7", "--out", str(out))
    assert ended_early.returncode == 3
    assert "Ended at step 2: the same command goes on from there." in ended_early.stdout
    assert not out.exists()
    second = called(main, *train_it, "--steps", "7", "--out", str(out))
    assert (second.returncode, second.stderr) == (0, "")
    assert "Going on from step 2" in second.stdout
    sums = (out / "SHA256SUMS").read_text()
    assert "transformer/diffusion_pytorch_model.safetensors" in sums
    assert (out / "held_out.csv").read_text().startswith("color,object\nl1:")
    # Again: what people wrote stays, and an export that fails leaves the one before.
    (out / "README.md").write_text("ours")
    assert called(main, *train_it, "--steps", "7", "--out", str(out)).returncode == 0
    assert (out / "README.md").read_text() == "ours"
    saved = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert json.loads(saved[out / ABOUT])["step"] == 7
    with monkeypatch.context() as broken:
        broken.setattr("truehue.core.generation.small.training._write_checksums", full_disk)
        failed = called(main, *train_it, "--steps", "7", "--out", str(out))
    assert (failed.returncode, failed.stderr) == (2, f"{out} cannot be written: full.\n")
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == saved
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(".")} == set()
    other = called(main, *train_it, "--steps", "7", "--out", str(bank_folder))
    assert "holds something else than a small model" in other.stderr
    sheet = tmp_path / "sheet.png"
    sample = called(
        main, "sample", "a red mug", "a blue cube", "--model", str(out), "--out", str(sheet),
        "--steps", "2", "--size", "32", "--enlarge", "3",
    )  # fmt: skip
    # Not its stderr: diffusers' logger writes to the one that was there when it was imported.
    assert sample.returncode == 0
    from PIL import Image

    with Image.open(sheet) as image:
        pixels = np.asarray(image)
    assert pixels.shape == (96, 192, 3)
    np.testing.assert_array_equal(pixels[::3, ::3].repeat(3, axis=0).repeat(3, axis=1), pixels)
    for wrong_option in (
        ("--seeds", "0"),
        ("--enlarge", "0"),
        ("--out", str(tmp_path / "n" / "a")),
    ):
        target = ("--model", str(out), "--out", str(sheet), *wrong_option)
        wrong = called(main, "sample", "x", *target)
        assert (wrong.returncode, wrong.stdout) == (2, ""), wrong_option
    wrong = called(main, "sample", "x", "--model", str(tmp_path / "none"), "--out", str(sheet))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert called(main, *train_it, "--steps", "0").returncode == 2
