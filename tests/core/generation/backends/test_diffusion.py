"""Every diffusers family of the registry, drawn with its real classes and tiny random weights."""

from __future__ import annotations

import gc
import json
import shutil
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from tests.core.generation.conftest import RECENT_STANDS_FOR, STANDS_FOR, Tiny
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.backends.diffusion import DiffusersModel
from truehue.core.generation.backends.loading import load
from truehue.core.generation.memory import GenerationFailed
from truehue.core.generation.opening import memory_wanted, open_model
from truehue.core.generation.registry import MODELS, model
from truehue.core.generation.request import Cancelled, GeneratedImage, GenerationRequest, StepReport
from truehue.core.generation.weights.sources import Sources, source
from truehue.core.machine import WORKING_GIB, Placement, machine

pytestmark = pytest.mark.weights

FAMILIES = [entry.id for entry in MODELS if entry.kind == "diffusers"]
# One id for each tiny pipeline: three entries share SD3's, two Sana's.
DRAWN = [
    "any",
    "srpo",
    *{name: model_id for model_id, name in reversed(STANDS_FOR.items())}.values(),
]
SIZE = 64


def ask(text: str = "a red mug on a table", seed: int = 1, **more: Any) -> GenerationRequest:
    settings: dict[str, Any] = {"steps": 2, "width": SIZE, "height": SIZE, **more}
    return GenerationRequest("ignored", text, seed, **settings)


def draw(loaded: DiffusersModel, *requests: GenerationRequest) -> list[np.ndarray]:
    return [item.srgb8 for item in loaded.draw(requests, lambda report: None, Event())]


def test_every_family_of_the_registry_is_drawn() -> None:
    quantized = {entry.id for entry in MODELS if entry.quantization}
    assert {*STANDS_FOR, *RECENT_STANDS_FOR, "srpo"} == set(FAMILIES) - quantized
    assert {STANDS_FOR[name] for name in DRAWN if name in STANDS_FOR} == set(STANDS_FOR.values())


@pytest.fixture(scope="module")
def plain(opened: Callable[[str], Any]) -> Callable[[str], tuple[GeneratedImage, list[StepReport]]]:
    """What ``ask()`` gives and what is reported meanwhile, drawn once for each model."""

    @cache
    def drawn(model_id: str) -> tuple[GeneratedImage, list[StepReport]]:
        reports: list[StepReport] = []
        (image,) = opened(model_id).draw([ask()], reports.append, Event())
        return image, reports

    return drawn


Plain = Callable[[str], tuple[GeneratedImage, list[StepReport]]]


@pytest.mark.parametrize("model_id", DRAWN)
def test_a_family_draws_what_its_seed_says_alone_and_in_a_batch(
    model_id: str, opened: Callable[[str], Any], plain: Plain
) -> None:
    image, reports = plain(model_id)
    assert image.srgb8.shape == (SIZE, SIZE, 3)
    assert image.srgb8.dtype == np.uint8
    assert image.srgb8.std() > 1
    assert image.masks == ()
    assert image.notes == ()
    assert [(report.step, report.steps) for report in reports] == [(1, 2), (2, 2)]
    # A longer prompt with another seed before it in the batch changes nothing.
    loaded, reports = opened(model_id), []
    requests = [ask("two green apples on a red mug", 2), ask()]
    other, again = loaded.draw(requests, reports.append, Event())
    assert [(report.step, report.steps) for report in reports] == [(n, 4) for n in range(1, 5)]
    np.testing.assert_array_equal(again.srgb8, image.srgb8)
    assert (other.srgb8 != image.srgb8).any()
    assert (other.origin["seed"], other.origin["text"]) == (2, requests[0].text)
    assert again.origin == image.origin
    assert loaded.batch_size == 1


def test_another_seed_alone_gives_another_image(opened: Callable[[str], Any], plain: Plain) -> None:
    for model_id in ("any", "flux.1-dev", "cogview4-6b"):
        assert (draw(opened(model_id), ask(seed=2))[0] != plain(model_id)[0].srgb8).any()


@pytest.mark.parametrize("model_id", DRAWN)
def test_stopping_takes_one_step_with_previews_before_and_what_is_not_asked_is_the_default(
    model_id: str, opened: Callable[[str], Any], plain: Plain
) -> None:
    entry = model(model_id) if model_id != "any" else None
    steps, guidance = (
        (entry.defaults.steps, entry.defaults.guidance) if entry and entry.defaults else (50, 7.5)
    )
    loaded, stop = opened(model_id), Event()
    reports: list[StepReport] = []

    def on_step(report: StepReport) -> None:
        reports.append(report)
        if report.step == 4:
            stop.set()

    for request in (ask(steps=None), ask()):
        with pytest.raises(Cancelled):
            loaded.draw([request], on_step, stop)
        assert [(report.step, report.steps) for report in reports] == [
            (n, steps) for n in (1, 2, 3, 4)
        ]
    preview = reports[3].preview_srgb8
    assert preview is not None
    assert preview.dtype == np.uint8
    assert preview.ndim == 3
    assert max(preview.shape[:2]) <= 128
    # The model is as it was, and the guidance that it takes by itself is its default.
    image = plain(model_id)[0]
    assert image.origin["guidance"] == guidance
    np.testing.assert_array_equal(draw(loaded, ask(guidance=guidance))[0], image.srgb8)


@pytest.mark.parametrize("model_id", DRAWN)
def test_it_is_what_diffusers_itself_draws(model_id: str, plain: Plain, tiny: Tiny) -> None:
    import diffusers
    import torch

    folder = tiny({"any": "stable_diffusion", "srpo": "flux"}.get(model_id) or STANDS_FOR[model_id])
    pipeline = diffusers.DiffusionPipeline.from_pretrained(folder)
    pipeline.set_progress_bar_config(disable=True)
    if model_id == "srpo":
        from safetensors.torch import load_file

        weights = load_file(tiny("srpo") / "diffusion_pytorch_model.safetensors")
        pipeline.transformer.load_state_dict(weights)
    image = plain(model_id)[0]
    more = {image.origin["guidance_argument"]: image.origin["guidance"], **image.origin["fixed"]}
    if model_id == "qwen-image":
        more["negative_prompt"] = " "
    own = pipeline(
        prompt=ask().text,
        num_inference_steps=2,
        width=SIZE,
        height=SIZE,
        generator=torch.Generator("cpu").manual_seed(1),
        **more,
    )
    np.testing.assert_array_equal(image.srgb8, np.asarray(own.images[0]))


@pytest.mark.parametrize("model_id", DRAWN)
def test_five_thousand_characters_are_drawn_what_is_cut_is_said_and_the_origin_says_the_rest(
    model_id: str, opened: Callable[[str], Any]
) -> None:
    request = ask(("a red mug " * 500).strip() + ".", guidance=2.5, height=2 * SIZE)
    image = opened(model_id).draw([request], lambda report: None, Event())[0]
    assert image.srgb8.shape == (2 * SIZE, SIZE, 3)
    assert image.notes
    for note in image.notes:
        assert "characters were not read" in note
    origin = json.loads(json.dumps(image.origin))
    assert origin == image.origin
    if model_id != "any":
        assert origin["model"] == model_id
        assert origin["repo"] == model(model_id).repo
        assert origin["pipeline"] == model(model_id).pipeline
    assert origin["revision"].startswith("sha256:")
    assert ("base_revision" in origin) == (model_id == "srpo")
    assert (origin["steps"], origin["guidance"], origin["seed"]) == (2, 2.5, 1)
    assert (origin["width"], origin["height"]) == (SIZE, 2 * SIZE)
    assert origin["text"] == request.text
    assert origin["offload"] == "none"
    assert origin["dtype"] in ("float32", "bfloat16", "float16")
    for key in ("negative_text", "device", "torch", "diffusers", "transformers"):
        assert isinstance(origin[key], str)


def test_srpo_is_flux_with_another_transformer(plain: Plain) -> None:
    assert (plain("srpo")[0].srgb8 != plain("flux.1-dev")[0].srgb8).any()


def test_guidance_and_negative_prompts_reach_the_model(
    opened: Callable[[str], Any], plain: Plain
) -> None:
    for model_id in ("any", "qwen-image", "sd3-medium", "pixart-alpha"):
        before = plain(model_id)[0].srgb8
        guided, negative = draw(
            opened(model_id), ask(guidance=1.5), ask(negative_text="blue blue blue")
        )
        assert (before != guided).any(), model_id
        assert (before != negative).any(), model_id
    (guided,) = draw(opened("flux.1-dev"), ask(guidance=9.0))
    assert (plain("flux.1-dev")[0].srgb8 != guided).any()
    with pytest.raises(BadInput, match="negative"):
        draw(opened("flux.1-dev"), ask(negative_text="blue"))


@pytest.mark.parametrize(
    ("model_id", "wrong", "text"),
    [
        ("any", {"text": "  "}, "prompt is empty"),
        ("any", {"steps": 0}, "at least 1"),
        ("any", {"width": 65}, "multiples of 8 pixels.*Nearest: 64"),
        ("flux.1-dev", {"height": 72}, "multiples of 16 pixels"),
        ("sana-1.6b", {"width": 80}, "multiples of 32 pixels"),
        ("any", {"width": 4}, "multiples of 8 pixels"),
    ],
)
def test_what_a_model_cannot_draw_is_said(
    model_id: str, wrong: dict[str, Any], text: str, opened: Callable[[str], Any]
) -> None:
    with pytest.raises(BadInput, match=text):
        draw(opened(model_id), ask(**wrong))


def test_a_wrong_request_in_a_batch_is_said_before_anything_is_drawn(
    opened: Callable[[str], Any],
) -> None:
    reports: list[StepReport] = []
    with pytest.raises(BadInput):
        opened("any").draw([ask(), ask("")], reports.append, Event())
    assert reports == []


def test_the_size_of_an_unknown_pipeline_is_its_own(opened: Callable[[str], Any]) -> None:
    image = draw(opened("any"), ask(width=None, height=None))[0]
    assert image.shape == (64, 64, 3)


def test_a_pipeline_without_a_row_is_asked_by_its_own_arguments(tiny: Tiny) -> None:
    loaded = open_model(f"folder:{tiny('latent_consistency')}")
    image = loaded.draw([ask("red " * 50, steps=None)], lambda report: None, Event())[0]
    assert (image.origin["steps"], image.origin["guidance"]) == (4, 8.5)
    assert "cut at 77 tokens" in image.notes[0]
    with pytest.raises(BadInput, match="negative"):
        draw(loaded, ask(negative_text="blue"))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"cannot generate this.*divisible by 8"):
        draw(loaded, ask(width=63))  # type: ignore[arg-type]


def test_half_precision_draws_too(tiny: Tiny) -> None:
    entry = model(f"folder:{tiny('stable_diffusion_3')}")
    loaded = load(entry, source(entry, Sources()), Placement("cpu", "bfloat16", "none", ""))
    image = loaded.draw([ask()], lambda report: None, Event())[0]
    assert image.origin["dtype"] == "bfloat16"
    assert image.srgb8.std() > 1
    full = open_model(entry.id)
    decoder_bytes = sum(weight.nbytes for weight in full._pipeline.vae.parameters())
    wanted = (full.memory_bytes + decoder_bytes) / 2
    assert loaded.memory_bytes == pytest.approx(wanted, rel=0.02)
    close = draw(full, ask())[0].astype(float) - image.srgb8.astype(float)
    assert np.abs(close).mean() < 16


def test_offloaded_parts_draw_the_same_and_survive_a_stop(tiny: Tiny) -> None:
    # The hooks are accelerate's own; with a CPU as the device they move nothing, but all else runs.
    entry = model(f"folder:{tiny('stable_diffusion_3')}")
    whole = load(entry, source(entry, Sources()), Placement("cpu", "float32", "none", ""))
    parts = load(entry, source(entry, Sources()), Placement("cpu", "float32", "model", ""))
    assert 0 < parts.memory_bytes < whole.memory_bytes
    stop = Event()
    with pytest.raises(Cancelled):
        parts.draw([ask()], lambda report: stop.set(), stop)
    image = parts.draw([ask()], lambda report: None, Event())[0]
    assert image.origin["offload"] == "model"
    np.testing.assert_array_equal(image.srgb8, draw(whole, ask())[0])
    parts.unload()


def test_parts_stay_between_the_seeds_of_a_prompt_which_is_encoded_once(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = model(f"folder:{tiny('stable_diffusion_3')}")
    parts = load(entry, source(entry, Sources()), Placement("cpu", "float32", "model", ""))
    happened: list[str] = []

    def noted(owner: Any, name: str) -> None:
        own = getattr(owner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            happened.append(name)
            return own(*args, **kwargs)

        monkeypatch.setattr(owner, name, call)

    pipeline = parts._pipeline
    noted(type(pipeline), "maybe_free_model_hooks")
    noted(pipeline.text_encoder_3, "forward")
    noted(pipeline.vae, "decode")
    images = draw(parts, ask(), ask(seed=2), ask("a blue cup"), ask("a blue cup", seed=2))
    encoded = ["maybe_free_model_hooks", "forward"]
    if "forward" not in happened:  # accelerate's hook stands before it
        encoded = ["maybe_free_model_hooks"]
    assert happened == [*encoded, "decode", "decode"] * 2
    whole = load(entry, source(entry, Sources()), Placement("cpu", "float32", "none", ""))
    for index, request in enumerate((ask(), ask(seed=2), ask("a blue cup"))):
        np.testing.assert_array_equal(images[index], draw(whole, request)[0])
    parts.unload()


@pytest.mark.parametrize("model_id", ["any", "flux.1-dev", "hunyuan-dit-1.2", "qwen-image"])
def test_seeds_of_a_prompt_are_drawn_together(model_id: str, opened: Callable[[str], Any]) -> None:
    loaded = opened(model_id)
    requests = [ask(seed=seed) for seed in (1, 2, 3)]
    images = loaded.draw_together(requests, lambda report: None, Event())
    alone = draw(loaded, *requests)
    for request, image, single in zip(requests, images, alone, strict=True):
        assert (image.origin["seed"], image.origin["batch"]) == (request.seed, {"seeds": [1, 2, 3]})
        # The noise is the seed's own; what differs are low bits.
        assert np.abs(image.srgb8.astype(int) - single).mean() < 2
    assert (images[0].srgb8 != images[1].srgb8).any()
    with pytest.raises(BadInput, match="seeds of one prompt"):
        loaded.draw_together([ask(), ask("a blue cup")], lambda report: None, Event())
    stop = Event()
    with pytest.raises(Cancelled):
        loaded.draw_together(requests, lambda report: stop.set(), stop)


def test_the_decoder_computes_in_float32(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    entry = model(f"folder:{tiny('stable_diffusion_xl')}")
    half = load(entry, source(entry, Sources()), Placement("cpu", "bfloat16", "none", ""))
    vae = half._pipeline.vae
    full = load(entry, source(entry, Sources()), Placement("cpu", "float32", "none", ""))
    assert {weight.dtype for weight in vae.parameters()} == {torch.float32}
    assert half._pipeline.unet.dtype == torch.bfloat16
    # Not rounded on the way: the weights are those of the files.
    for name, weight in full._pipeline.vae.state_dict().items():
        assert torch.equal(weight, vae.state_dict()[name]), name
    seen: list[Any] = []
    decoder = vae.decoder.forward

    def forward(z: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(z.dtype)
        return decoder(z, *args, **kwargs)

    monkeypatch.setattr(vae.decoder, "forward", forward)
    image = half.draw([ask()], lambda report: None, Event())[0]
    assert (image.origin["dtype"], image.origin["decoder"]) == ("bfloat16", "float32")
    torch.nn.Module.to(vae, torch.bfloat16)  # as diffusers does on a Mac
    again = half.draw([ask()], lambda report: None, Event())[0]
    assert seen == [torch.float32] * 2
    assert again.srgb8.shape == image.srgb8.shape


def broken_weights(folder: Path, to: Path) -> str:
    """A copy of a pipeline whose decoder ends in NaN; its model id."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, to)
    path = to / "vae" / "diffusion_pytorch_model.safetensors"
    weights = load_file(path)
    weights["decoder.conv_out.bias"].fill_(float("nan"))
    save_file(weights, path, metadata={"format": "pt"})
    return f"folder:{to}"


def test_nan_is_an_error_and_never_a_black_image(tiny: Tiny, tmp_path: Path) -> None:
    entry = model(broken_weights(tiny("stable_diffusion"), tmp_path / "nan"))
    for dtype, text in (("float32", "damaged"), ("bfloat16", "damaged")):
        loaded = load(entry, source(entry, Sources()), Placement("cpu", dtype, "none", ""))  # type: ignore[arg-type]
        with pytest.raises(GenerationFailed, match=f"NaN.*{text}"):
            draw(loaded, ask())
    loaded._at = replace(loaded._at, dtype="float16")
    with pytest.raises(GenerationFailed, match="overflow in float16"):
        draw(loaded, ask())


def test_too_few_steps_for_a_scheduler_are_said(opened: Callable[[str], Any]) -> None:
    with pytest.raises(GenerationFailed, match="more steps"):
        draw(opened("qwen-image"), ask(steps=1))


def test_a_blacked_out_image_is_an_error(tiny: Tiny) -> None:
    loaded = open_model(f"folder:{tiny('stable_diffusion_checked')}")
    with pytest.raises(GenerationFailed, match="safety checker"):
        draw(loaded, ask())


def test_an_error_of_a_listener_comes_through_and_leaves_the_model_usable(
    opened: Callable[[str], Any], plain: Plain
) -> None:
    class Gone(ValueError):
        pass

    def on_step(report: StepReport) -> None:
        raise Gone

    for model_id in ("any", "pixart-alpha"):
        with pytest.raises(Gone):
            opened(model_id).draw([ask()], on_step, Event())
        np.testing.assert_array_equal(draw(opened(model_id), ask())[0], plain(model_id)[0].srgb8)


def test_unloading_frees_the_pipeline(tiny: Tiny) -> None:
    loaded = open_model(f"folder:{tiny('stable_diffusion')}")
    assert loaded.memory_bytes > 10_000
    draw(loaded, ask())  # type: ignore[arg-type]
    unet = weakref.ref(loaded._pipeline.unet)  # type: ignore[attr-defined]
    loaded.unload()
    gc.collect()
    assert unet() is None
    assert loaded.memory_bytes == 0
    with pytest.raises(TrueHueError, match="unloaded"):
        draw(loaded, ask())  # type: ignore[arg-type]
    loaded.unload()


def test_the_memory_wanted_is_that_of_the_files(tiny: Tiny) -> None:
    model_id = f"folder:{tiny('stable_diffusion')}"
    loaded = open_model(model_id)
    others = int(WORKING_GIB * 2**30)
    scale = 1 if machine().device == "cpu" else 2
    assert memory_wanted(model_id) - others == pytest.approx(loaded.memory_bytes / scale, rel=0.02)
    assert memory_wanted("reference-renderer") > 0
    assert memory_wanted("omnigen2") == 0
    nowhere = Sources(Path("/nowhere"), Path("/nowhere"))
    assert memory_wanted("sdxl-base-1.0", nowhere) > 6 * 2**30
    assert memory_wanted("hub:some/one", nowhere) == 0
