"""Janus of random weights, real classes and the hub's layout, by the code that loads the real."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from tests.core.generation.tiny_janus import SIDE_PX, TOKENS, save_tiny_janus
from tests.tiny_models.written import written
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.backends import janus
from truehue.core.generation.backends.janus import JanusModel
from truehue.core.generation.memory import BadModelFolder, GenerationFailed
from truehue.core.generation.registry import model
from truehue.core.generation.request import Cancelled, GenerationRequest, StepReport
from truehue.core.machine import Placement

pytestmark = pytest.mark.weights

ENTRY = model("janus-pro-7b")
CPU = Placement("cpu", "float32", "none", "")
RED = GenerationRequest(ENTRY.id, "a photo of a red mug", seed=7)


@pytest.fixture(scope="module")
def folder() -> Path:
    return written("janus", save_tiny_janus)


@pytest.fixture(scope="module")
def tiny(folder: Path) -> Iterator[JanusModel]:
    loaded = janus.load(ENTRY, folder, CPU, revision="0" * 40)
    yield loaded
    loaded.unload()


def drawn(tiny: JanusModel, request: GenerationRequest) -> np.ndarray:
    return tiny.draw([request], lambda report: None, Event())[0].srgb8


def test_draws_with_progress_and_previews(tiny: JanusModel) -> None:
    steps: list[StepReport] = []
    (image,) = tiny.draw([RED], steps.append, Event())
    assert image.srgb8.shape == (SIDE_PX, SIDE_PX, 3)
    assert image.srgb8.dtype == np.uint8
    assert image.srgb8.std() > 5
    assert [(step.step, step.steps) for step in steps] == [
        (n, TOKENS) for n in range(1, TOKENS + 1)
    ]
    # After 10 of 4 x 4 tokens two rows are complete, and the rest is still gray.
    preview = steps[9].preview_srgb8
    assert preview is not None
    assert preview.shape == (SIDE_PX, SIDE_PX, 3)
    assert (preview[SIDE_PX // 2 :] == 128).all()
    assert not (preview[: SIDE_PX // 2] == 128).all()
    assert 4 <= sum(step.preview_srgb8 is not None for step in steps) <= 8
    assert tiny.memory_bytes > 1e6
    assert tiny.batch_size == 1


def test_the_origin_is_all_that_is_needed(tiny: JanusModel) -> None:
    (image,) = tiny.draw([replace(RED, steps=30)], lambda report: None, Event())
    origin = dict(image.origin)
    assert json.loads(json.dumps(origin)) == origin
    versions = origin.pop("torch"), origin.pop("transformers")
    assert all(version[0].isdigit() for version in versions)
    assert origin == {
        "model": "janus-pro-7b",
        "repo": "deepseek-community/Janus-Pro-7B",
        "revision": "0" * 40,
        "pipeline": "JanusForConditionalGeneration",
        "text": RED.text,
        "seed": 7,
        "steps": TOKENS,
        "guidance": 5.0,
        "temperature": 1.0,
        "width": SIDE_PX,
        "height": SIDE_PX,
        "dtype": "float32",
        "device": "cpu",
        "offload": "none",
    }
    assert image.notes == ("The 30 requested steps do not apply: a step is a token of the image.",)


def test_the_same_request_gives_the_same_pixels(tiny: JanusModel, folder: Path) -> None:
    import torch

    first = drawn(tiny, RED)
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    images = tiny.draw([replace(RED, seed=8), RED], lambda report: None, Event())
    assert np.array_equal(images[1].srgb8, first)
    assert not np.array_equal(images[0].srgb8, first)
    assert torch.equal(torch.random.get_rng_state(), before)
    again = janus.load(ENTRY, folder, CPU)
    assert np.array_equal(drawn(again, RED), first)


def test_every_setting_counts(tiny: JanusModel) -> None:
    requests = [
        RED,
        replace(RED, text="a photo of a blue mug"),
        replace(RED, guidance=1.0),
        replace(RED, guidance=0.0),
        replace(RED, options={"temperature": 0.2}),
    ]
    images = {drawn(tiny, request).tobytes() for request in requests}
    assert len(images) == len(requests)


def test_without_guidance_the_prompt_does_not_matter(tiny: JanusModel) -> None:
    """Guidance 0 leaves only the scores without the prompt, whose length alone is known to them."""
    item, other = (replace(RED, text=f"a {word} mug", guidance=0.0) for word in ("red", "tan"))
    assert np.array_equal(drawn(tiny, item), drawn(tiny, other))


def test_the_likeliest_tokens_are_those_of_transformers(tiny: JanusModel, folder: Path) -> None:
    import torch
    from transformers import JanusForConditionalGeneration, JanusProcessor

    processor = JanusProcessor.from_pretrained(folder)
    theirs = JanusForConditionalGeneration.from_pretrained(folder).eval()
    target = [{"role": "user", "content": [{"type": "text", "text": RED.text}]}]
    prompt = processor.apply_chat_template(target, add_generation_prompt=True)
    inputs = processor(text=prompt, generation_mode="image", return_tensors="pt")
    with torch.inference_mode():
        tokens = theirs.generate(
            **inputs, generation_mode="image", do_sample=False, guidance_scale=5.0
        )
        decoded = theirs.decode_image_tokens(tokens)
    expected = processor.postprocess(list(decoded.float()), return_tensors="pt")["pixel_values"][0]
    ours = drawn(tiny, replace(RED, options={"temperature": 0}))
    difference = ours.astype(int) - expected.permute(1, 2, 0).numpy().astype(int)
    # Both drop the fraction: float32 may fall on either side of a whole number.
    assert abs(difference).max() <= 1
    assert (difference != 0).mean() < 0.02


def test_cancel_within_a_token(tiny: JanusModel) -> None:
    stop, steps = Event(), []

    def on_step(report: StepReport) -> None:
        steps.append(report.step)
        if report.step == 5:
            stop.set()

    with pytest.raises(Cancelled):
        tiny.draw([RED, RED], on_step, stop)
    assert steps == [1, 2, 3, 4, 5]
    first = drawn(tiny, RED)
    assert np.array_equal(drawn(tiny, RED), first)


def test_its_own_size_may_be_asked(tiny: JanusModel) -> None:
    sized = replace(RED, width=SIDE_PX, height=SIDE_PX)
    assert np.array_equal(drawn(tiny, sized), drawn(tiny, RED))
    assert tiny.size_px == SIDE_PX


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (replace(RED, width=64), "32 × 32 pixels only, not 64 × 32"),
        (replace(RED, negative_text="blurry"), "no negative prompt"),
        (replace(RED, text="mug " * 100), r"takes 426 tokens; .* reads 240"),
        (replace(RED, options={"temperature": -1}), "temperature"),
        (replace(RED, options={"temperature": float("nan")}), "temperature"),
        (replace(RED, options={"temperature": "hot"}), "temperature"),
        (replace(RED, options={"cfr": {"strength": 1}}), "CFR works on diffusion"),
    ],
)
def test_what_it_cannot_draw(tiny: JanusModel, request_: GenerationRequest, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        drawn(tiny, request_)


def test_numbers_that_are_no_color(folder: Path) -> None:
    import torch

    broken = janus.load(ENTRY, folder, CPU)
    with torch.no_grad():
        broken._model.model.vqmodel.decoder.conv_out.bias[0] = float("nan")
    with pytest.raises(GenerationFailed, match="no color"):
        drawn(broken, RED)


def test_offload_draws_the_same(tiny: JanusModel, folder: Path) -> None:
    offloaded = janus.load(ENTRY, folder, Placement("cpu", "float32", "sequential", ""))
    assert np.array_equal(drawn(offloaded, RED), drawn(tiny, RED))
    assert 1000 < offloaded.memory_bytes < tiny.memory_bytes / 3
    offloaded.unload()
    offloaded.unload()
    assert offloaded.memory_bytes == 0
    with pytest.raises(TrueHueError, match="unloaded"):
        drawn(offloaded, RED)


def test_bfloat16(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(janus, "_PREVIEWS", 1)  # many processors decode slowly so
    half = janus.load(ENTRY, folder, Placement("cpu", "bfloat16", "none", ""))
    first, again = half.draw([RED, RED], lambda report: None, Event())
    assert first.origin["dtype"] == "bfloat16"
    assert first.srgb8.std() > 5
    assert np.array_equal(first.srgb8, again.srgb8)


def test_folders_that_hold_no_janus(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    with pytest.raises(BadModelFolder, match="could not be read as Janus"):
        janus.load(ENTRY, tmp_path, CPU)
    for name in ("model.safetensors", "tokenizer.json"):
        cut = tmp_path / name.partition(".")[0]
        shutil.copytree(folder, cut)
        (cut / name).write_bytes((folder / name).read_bytes()[:1000])
        with pytest.raises(BadModelFolder, match="Get it again"):
            janus.load(ENTRY, cut, CPU)
    weights = tmp_path / "lacking"
    shutil.copytree(folder, weights)
    tensors = load_file(weights / "model.safetensors")
    tensors.pop("model.generation_head.vision_head.weight")
    save_file(tensors, weights / "model.safetensors", {"format": "pt"})
    with pytest.raises(BadModelFolder, match=r"lacks 1 of Janus's weights \(model.generation_head"):
        janus.load(ENTRY, weights, CPU)
    bare = save_tiny_janus(tmp_path / "bare", template=None)
    with pytest.raises(BadModelFolder, match="no chat template"):
        janus.load(ENTRY, bare, CPU)
