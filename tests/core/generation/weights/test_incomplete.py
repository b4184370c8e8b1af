"""Weights of which some are missing, renamed or of another shape: no model is ever made up."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.generation.conftest import Tiny
from truehue.core.generation.backends.loading import load
from truehue.core.generation.memory import BadModelFolder
from truehue.core.generation.opening import open_model
from truehue.core.generation.registry import model
from truehue.core.generation.weights.sources import Sources, source
from truehue.core.machine import Placement

pytestmark = pytest.mark.weights

Weights = dict[str, Any]
FILES = {"text_encoder": "model", "unet": "diffusion_pytorch_model", "safety_checker": "model"}


@pytest.fixture
def copy(tiny: Tiny, tmp_path: Path) -> Path:
    """A whole pipeline that a test may break."""
    return Path(shutil.copytree(tiny("stable_diffusion_checked"), tmp_path / "pipeline"))


def change(folder: Path, part: str, changed: Callable[[Weights], Weights]) -> None:
    from safetensors.torch import load_file, save_file

    path = folder / part / f"{FILES[part]}.safetensors"
    save_file(changed(load_file(path)), path, metadata={"format": "pt"})


def renamed(weights: Weights) -> Weights:
    return {f"other.{name}": weight for name, weight in weights.items()}


def last_missing(weights: Weights) -> Weights:
    return dict(list(weights.items())[:-1])


def one_renamed(weights: Weights) -> Weights:
    name = next(iter(weights))
    return {(f"{key}_old" if key == name else key): weight for key, weight in weights.items()}


def none_left(weights: Weights) -> Weights:
    return {}


def another_shape(weights: Weights) -> Weights:
    name = next(iter(weights))
    return {**weights, name: weights[name][:1]}


@pytest.mark.parametrize("part", FILES)
@pytest.mark.parametrize(
    ("changed", "offload"),
    [
        (renamed, "none"),
        (last_missing, "none"),
        (last_missing, "model"),
        (last_missing, "sequential"),
        (one_renamed, "none"),
        (none_left, "none"),
    ],
)
def test_weights_that_are_not_there_are_refused(
    changed: Callable[[Weights], Weights], part: str, offload: Any, copy: Path
) -> None:
    change(copy, part, changed)
    entry = model(f"folder:{copy}")
    with pytest.raises(BadModelFolder, match=rf"{part} lacks [\d,]+ of the weights of "):
        load(entry, source(entry, Sources()), Placement("cpu", "float32", offload, ""))


@pytest.mark.parametrize("part", FILES)
def test_weights_of_another_shape_are_refused(part: str, copy: Path) -> None:
    change(copy, part, another_shape)
    with pytest.raises(BadModelFolder, match="could not be loaded"):
        open_model(f"folder:{copy}")


def name_class(folder: Path, part: str, *library_and_class: str) -> None:
    index = folder / "model_index.json"
    index.write_text(json.dumps({**json.loads(index.read_text()), part: library_and_class}))


@pytest.mark.parametrize(
    ("part", "library", "name"),
    [
        ("text_encoder", "transformers", "ModelOf2031"),
        ("tokenizer", "transformers", "ChatGLMTokenizer"),
        ("scheduler", "diffusers", "NextYearsScheduler"),
    ],
)
def test_an_unknown_class_is_refused_by_its_name(
    part: str, library: str, name: str, copy: Path
) -> None:
    name_class(copy, part, library, name)
    with pytest.raises(BadModelFolder) as caught:
        open_model(f"folder:{copy}")
    text = str(caught.value)
    assert f"takes its {part} from the class {name}, which {library} " in text
    assert "ownload it again" not in text


def test_classes_that_transformers_dropped_are_read_by_their_successors(
    copy: Path, tiny: Tiny, tmp_path: Path
) -> None:
    import transformers

    name_class(copy, "feature_extractor", "transformers", "CLIPFeatureExtractor")
    t5 = Path(shutil.copytree(tiny("pixart_sigma"), tmp_path / "t5"))
    name_class(t5, "tokenizer", "transformers", "MT5Tokenizer")
    for folder, part, name in (
        (copy, "feature_extractor", "CLIPImageProcessor"),
        (t5, "tokenizer", "T5Tokenizer"),
    ):
        loaded: Any = open_model(f"folder:{folder}")
        assert type(getattr(loaded._pipeline, part)).__name__ == name
        loaded.unload()
    assert not hasattr(transformers, "MT5Tokenizer")


def test_embeddings_that_a_file_holds_once_are_whole(tiny: Tiny, tmp_path: Path) -> None:
    """T5 reads its words by two names; a file may hold either."""
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(tiny("pixart_sigma"), tmp_path / "tied"))
    path = folder / "text_encoder" / "model.safetensors"
    with safe_open(path, framework="pt") as file:
        names = set(file.keys())
    both = {"shared.weight", "encoder.embed_tokens.weight"}
    (held,) = both & names
    (other,) = both - names
    open_model(f"folder:{folder}").unload()
    weights = load_file(path)
    weights[other] = weights.pop(held)
    save_file(weights, path, metadata={"format": "pt"})
    open_model(f"folder:{folder}").unload()


def test_a_variant_of_one_part_only_is_taken_for_it(copy: Path) -> None:
    location = copy / "text_encoder"
    (location / "model.safetensors").rename(location / "model.fp16.safetensors")
    open_model(f"folder:{copy}").unload()
