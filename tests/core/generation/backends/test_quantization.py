"""Entries with a quantized denoiser: what diffusers is given, what rows and plans say, what is
refused. The packages that quantize are not among the project's, and nothing here has a GPU."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.generation import quantization
from truehue.core.generation.memory import BadModelFolder
from truehue.core.generation.opening import memory_wanted, missing, open_model
from truehue.core.generation.quantization import QUANTIZATIONS, missing_for
from truehue.core.generation.registry import MODELS, model
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.weights.folders import check_source
from truehue.core.generation.weights.sources import Sources, find, how_to_get
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.plan import make_plan, plan_json

pytestmark = pytest.mark.weights

QUANTIZED = [entry for entry in MODELS if entry.quantization]
APPLE = Prompt("p", "an apple", "cna", (ObjectTarget("apple", parse_target("css:red")),), "css")


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the packages and a GPU were here."""
    monkeypatch.setattr(quantization, "missing_for", lambda name, way: ())


@pytest.mark.parametrize("entry", QUANTIZED, ids=lambda entry: entry.id)
def test_what_is_missing_is_said_and_loading_is_refused(
    entry: Any, models_folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    way = QUANTIZATIONS[entry.quantization]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(quantization, "local_gpus", lambda: 0)
    problems = missing_for(entry.name, entry.quantization)
    assert f"pip install {way.package}" in problems[0]
    assert ("needs an NVIDIA GPU" in problems[-1]) == way.needs_gpu
    with pytest.raises(BadInput, match=f"pip install {way.package}"):
        quantization.quantized_part(entry.name, entry.quantization, None, Path(), None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(quantization, "local_gpus", lambda: 1)
    assert missing_for(entry.name, entry.quantization) == ()


def test_the_files_are_those_of_the_other_entry(models_folder: Callable[..., Path]) -> None:
    sources = Sources(models_folder("flux.1-dev"))
    entry, other = model("flux.1-dev-nf4"), model("flux.1-dev")
    assert find(entry, sources) == find(other, sources)
    assert how_to_get(entry, Sources(Path("/none"))) == how_to_get(other, Sources(Path("/none")))
    plain, small = (
        check_source(item, find(item, sources))
        for item in (other, entry)  # type: ignore[arg-type]
    )
    numbers = {part.name: part.numbers for part in plain.parts}  # type: ignore[union-attr]
    for part in small.parts:  # type: ignore[union-attr]
        share = 0.5625 / 2 if part.name == "transformer" else 1
        assert part.numbers == int(numbers[part.name] * share)
    assert memory_wanted(entry.id, sources) < memory_wanted(other.id, sources)


def test_a_plan_names_the_quantization_and_is_another_run() -> None:
    plain, small = (
        plan_json(make_plan([APPLE], model_id)) for model_id in ("flux.1-dev", "flux.1-dev-nf4")
    )
    assert small["made_with"] == {"quantization": "nf4 of the denoiser, bitsandbytes"}
    assert plain["made_with"] == {}


@pytest.mark.parametrize(
    ("model_id", "expected"),
    [
        ("flux.1-dev-int8", {"load_in_8bit": True, "load_in_4bit": False}),
        ("flux.1-dev-gguf-q8", {"quant_method": "gguf"}),
    ],
)
def test_diffusers_gets_its_own_configuration_and_every_row_says_so(
    model_id: str,
    expected: dict[str, Any],
    ready: None,
    models_folder: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The denoiser is loaded plain after its arguments were looked at: no package is here."""
    import diffusers

    entry = model(model_id)
    location = tmp_path / "models"
    location.mkdir()
    (location / "flux.1-dev").symlink_to(models_folder("flux.1-dev") / "flux.1-dev")
    if entry.base:
        (location / entry.id).mkdir()
        (location / entry.id / entry.part_name).write_bytes(b"GGUF" + bytes(60))
    denoiser = diffusers.FluxTransformer2DModel
    plain, given = denoiser.from_pretrained, {}

    def from_pretrained(folder: Path, **options: Any) -> Any:
        given.update(options, folder=folder)
        options.pop("quantization_config")
        return plain(folder, **options)

    def from_single_file(file: str, config: str, **options: Any) -> Any:
        given.update(options, file=file, folder=Path(config))
        return plain(config, torch_dtype=options["torch_dtype"])

    monkeypatch.setattr(denoiser, "from_pretrained", from_pretrained)
    monkeypatch.setattr(denoiser, "from_single_file", from_single_file)
    loaded = open_model(entry.id, Sources(location))
    passed = given["quantization_config"].to_dict()
    assert {name: passed[name] for name in expected} == expected
    assert given["folder"].name == "transformer"
    assert given["local_files_only"]
    if entry.base:
        assert given["file"].endswith("flux1-dev-Q8_0.gguf")
    request = GenerationRequest("", "a red mug", 1, steps=2, width=64, height=64)
    (image,) = loaded.draw([request], lambda report: None, Event())
    assert image.origin["quantization"] == QUANTIZATIONS[entry.quantization].label
    assert image.origin["model"] == entry.id
    json.dumps(image.origin)


def test_four_bits_are_nf4_and_compute_in_the_models_type(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    given: dict[str, Any] = {}
    monkeypatch.setattr("diffusers.BitsAndBytesConfig", lambda **options: given.update(options))
    quantization.config("nf4", torch.bfloat16)
    assert given == {
        "load_in_4bit": True,
        "bnb_4bit_quant_type": "nf4",
        "bnb_4bit_compute_dtype": torch.bfloat16,
    }


def test_a_file_that_is_no_gguf_is_refused(
    models_folder: Callable[..., Path], tmp_path: Path
) -> None:
    entry = model("flux.1-dev-gguf-q8")
    (tmp_path / "flux.1-dev").symlink_to(models_folder("flux.1-dev") / "flux.1-dev")
    (tmp_path / entry.id).mkdir()
    (tmp_path / entry.id / entry.part_name).write_bytes(b"<html>")
    with pytest.raises(BadModelFolder, match="no GGUF file"):
        check_source(entry, find(entry, Sources(tmp_path)))  # type: ignore[arg-type]
    assert any("no GGUF file" in sentence for sentence in missing(entry, None, Sources(tmp_path)))
