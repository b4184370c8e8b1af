"""Folders that are no pipelines, are half downloaded, or ask for what is never done."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.generation.conftest import Tiny
from tests.tiny_models.pipelines import PIPELINES
from truehue.core.generation.memory import BadModelFolder
from truehue.core.generation.weights.folders import check_pipeline
from truehue.core.generation.weights.sources import numbers_in, weight_sets

pytestmark = pytest.mark.weights


@pytest.fixture
def copy(tiny: Tiny, tmp_path: Path) -> Path:
    """A whole pipeline that a test may break."""
    return Path(shutil.copytree(tiny("stable_diffusion_xl"), tmp_path / "pipeline"))


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


@pytest.mark.parametrize("name", PIPELINES)
def test_every_familys_folder_is_whole(name: str, tiny: Tiny) -> None:
    pipeline_folder = check_pipeline(tiny(name))
    assert pipeline_folder.variant is None
    assert pipeline_folder.pipeline.endswith("Pipeline")
    counted = {part.name: part.numbers for part in pipeline_folder.parts}
    assert counted["vae"] > 0
    assert counted["scheduler"] == 0
    assert 0 < pipeline_folder.largest_gib < pipeline_folder.memory_gib


def test_the_count_of_numbers_is_the_models(tiny: Tiny) -> None:
    from diffusers import AutoencoderKL

    vae = AutoencoderKL.from_pretrained(tiny("flux") / "vae")
    result = {part.name: part.numbers for part in check_pipeline(tiny("flux")).parts}
    assert result["vae"] == sum(parameter.numel() for parameter in vae.parameters())


def empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def gone(folder: Path) -> None:
    shutil.rmtree(folder)


def a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("weights")


def no_index(folder: Path) -> None:
    (folder / "model_index.json").unlink()


def one_above(folder: Path) -> None:
    shutil.move(folder, folder.parent / "moved")
    folder.mkdir()
    shutil.move(folder.parent / "moved", folder / "inside")


def index_cut_off(folder: Path) -> None:
    (folder / "model_index.json").write_text('{"_class_name": "Stable')


def index_of_no_parts(folder: Path) -> None:
    (folder / "model_index.json").write_text('{"_class_name": "StableDiffusionPipeline"}')


def index_without_a_class(folder: Path) -> None:
    change(folder / "model_index.json", _class_name=None)


def own_pipeline_class(folder: Path) -> None:
    change(folder / "model_index.json", _class_name=["my_pipeline", "MyPipeline"])


def a_script_for_a_pipeline(folder: Path) -> None:
    (folder / "None.py").write_text("print('hello')")


def a_script_for_a_library(folder: Path) -> None:
    (folder / "unet" / "diffusers.py").write_text("print('hello')")


def a_part_of_another_library(folder: Path) -> None:
    change(folder / "model_index.json", unet=["my_package", "MyUNet"])


def a_part_elsewhere(folder: Path) -> None:
    index = json.loads((folder / "model_index.json").read_text())
    change(folder / "model_index.json", **{"../unet": index["unet"]})


def auto_map(folder: Path) -> None:
    change(folder / "text_encoder" / "config.json", auto_map={"AutoModel": "code.MyModel"})


def auto_map_of_a_tokenizer(folder: Path) -> None:
    change(folder / "tokenizer" / "tokenizer_config.json", auto_map={"AutoTokenizer": "code.T"})


def a_part_missing(folder: Path) -> None:
    shutil.rmtree(folder / "unet")


def a_config_missing(folder: Path) -> None:
    (folder / "unet" / "config.json").unlink()


def a_tokenizer_missing(folder: Path) -> None:
    for path in (folder / "tokenizer").iterdir():
        path.unlink()


def weights_missing(folder: Path) -> None:
    (folder / "vae" / "diffusion_pytorch_model.safetensors").unlink()


def weights_empty(folder: Path) -> None:
    (folder / "vae" / "diffusion_pytorch_model.safetensors").write_bytes(b"")


def weights_cut_off(folder: Path) -> None:
    path = folder / "unet" / "diffusion_pytorch_model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def header_cut_off(folder: Path) -> None:
    path = folder / "unet" / "diffusion_pytorch_model.safetensors"
    path.write_bytes(path.read_bytes()[:100])


def weights_of_text(folder: Path) -> None:
    (folder / "vae" / "diffusion_pytorch_model.safetensors").write_text("<html>not found" * 9)


def a_pointer(folder: Path) -> None:
    path = folder / "vae" / "diffusion_pytorch_model.safetensors"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")


def unfinished(folder: Path) -> None:
    location = folder / ".cache" / "huggingface" / "download" / "unet"
    location.mkdir(parents=True)
    (location / "abc.incomplete").write_bytes(b"0")


def a_link_to_nowhere(folder: Path) -> None:
    path = folder / "vae" / "diffusion_pytorch_model.safetensors"
    path.unlink()
    path.symlink_to(folder / "blobs" / "0")


def shards(folder: Path, *, listed: bool, whole: bool) -> None:
    from safetensors.torch import load_file, save_file

    inside = folder / "unet"
    weights = load_file(inside / "diffusion_pytorch_model.safetensors")
    (inside / "diffusion_pytorch_model.safetensors").unlink()
    names = sorted(weights)
    location = {}
    for number, part in enumerate((names[::2], names[1::2]), start=1):
        file = f"diffusion_pytorch_model-0000{number}-of-00002.safetensors"
        save_file({name: weights[name] for name in part}, inside / file)
        location.update(dict.fromkeys(part, file))
    if listed:
        listing = {"metadata": {}, "weight_map": location}
        (inside / "diffusion_pytorch_model.safetensors.index.json").write_text(json.dumps(listing))
    if not whole:
        (inside / "diffusion_pytorch_model-00002-of-00002.safetensors").unlink()


def a_shard_missing(folder: Path) -> None:
    shards(folder, listed=True, whole=False)


def the_list_of_shards_missing(folder: Path) -> None:
    shards(folder, listed=False, whole=True)


def a_list_that_points_elsewhere(folder: Path) -> None:
    shards(folder, listed=True, whole=True)
    path = folder / "unet" / "diffusion_pytorch_model.safetensors.index.json"
    path.write_text(json.dumps({"weight_map": {"a": "../../../etc/passwd"}}))


def pickles_only(folder: Path) -> None:
    path = folder / "text_encoder" / "model.safetensors"
    path.rename(folder / "text_encoder" / "pytorch_model.bin")


def variants_mixed(folder: Path) -> None:
    for name, variant in (("unet", "fp16"), ("vae", "bf16")):
        inside = folder / name
        plain = inside / "diffusion_pytorch_model.safetensors"
        plain.rename(inside / f"diffusion_pytorch_model.{variant}.safetensors")


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (empty, "is empty, so it is no diffusers pipeline"),
        (gone, "does not exist"),
        (a_file, "is a file. Give the folder"),
        (no_index, "has no model_index.json"),
        (one_above, "Did you mean .*inside"),
        (index_cut_off, "model_index.json cannot be read"),
        (index_of_no_parts, "names no parts"),
        (index_without_a_class, "names no pipeline class"),
        (own_pipeline_class, "MyPipeline in my_pipeline.*never runs code"),
        (a_script_for_a_pipeline, "None.py is code.*never runs code"),
        (a_script_for_a_library, "unet.diffusers.py is code.*never runs code"),
        (a_part_of_another_library, "'my_package'.*never runs code"),
        (a_part_elsewhere, "outside of its folder"),
        (auto_map, r"text_encoder.config.json .*auto_map.*never runs code"),
        (auto_map_of_a_tokenizer, r"tokenizer_config.json .*auto_map"),
        (a_part_missing, "unet is missing.*not complete"),
        (a_config_missing, "unet has no configuration file.*not complete"),
        (a_tokenizer_missing, "tokenizer has no configuration file"),
        (weights_missing, "vae has no weights.*not complete"),
        (weights_empty, "safetensors is empty"),
        (weights_cut_off, "bytes and should have .*not complete"),
        (header_cut_off, "is cut off"),
        (weights_of_text, "is no safetensors file"),
        (a_pointer, "git lfs pull"),
        (unfinished, "did not finish"),
        (a_link_to_nowhere, "safetensors is missing"),
        (a_shard_missing, "00002-of-00002.safetensors is missing"),
        (the_list_of_shards_missing, "one part of several"),
        (a_list_that_points_elsewhere, "no files of its own folder"),
        (pickles_only, r"pytorch_model.bin is pickled.*any code"),
        (variants_mixed, "no variant of the weights that all its parts have"),
    ],
)
def test_a_bad_folder_is_refused_with_the_file_that_is_wrong(
    spoil: Callable[[Path], None], text: str, copy: Path
) -> None:
    spoil(copy)
    with pytest.raises(BadModelFolder, match=text) as caught:
        check_pipeline(copy)
    assert str(copy) in str(caught.value)


def test_scripts_that_nothing_asks_for_are_never_run(copy: Path, tmp_path: Path) -> None:
    """As in a whole clone of Kolors, whose tokenizer's script lies beside its files."""
    from truehue.core.generation.opening import open_model

    ran = tmp_path / "ran"
    names = ("pipeline.py", "StableDiffusionXLPipeline.py", "unet/my_unet.py", "vae/modeling.py")
    for name in (*names, "tokenizer/tokenization_clip.py", "text_encoder/modeling_clip.py"):
        (copy / name).write_text(f"open({str(ran)!r}, 'w').close()")
    assert check_pipeline(copy).pipeline == "StableDiffusionXLPipeline"
    loaded = open_model(f"folder:{copy}")
    loaded.unload()
    assert not ran.exists()


def test_shards_are_counted_and_draw_the_same(copy: Path) -> None:
    before = check_pipeline(copy)
    shards(copy, listed=True, whole=True)
    assert check_pipeline(copy).parts == before.parts


def test_pickles_beside_safetensors_are_passed_over(copy: Path) -> None:
    (copy / "unet" / "diffusion_pytorch_model.bin").write_bytes(b"anything")
    assert check_pipeline(copy).pipeline == "StableDiffusionXLPipeline"


def half(folder: Path, *names: str) -> None:
    """Saves an fp16 variant beside the plain weights of the named parts."""
    from safetensors.torch import load_file, save_file

    for name in names:
        for path in list((folder / name).glob("*.safetensors")):
            weights = {key: value.half() for key, value in load_file(path).items()}
            to = path.with_name(f"{path.stem}.fp16.safetensors")
            save_file(weights, to, metadata={"format": "pt"})


def test_the_variant_is_chosen_that_all_parts_have(copy: Path) -> None:
    models = ("unet", "vae", "text_encoder", "text_encoder_2")
    half(copy, *models)
    assert check_pipeline(copy).variant is None
    assert check_pipeline(copy, prefer="fp16").variant == "fp16"
    assert check_pipeline(copy, prefer="bf16").variant is None
    (copy / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    assert check_pipeline(copy).variant == "fp16"
    # A part without the variant is loaded from its plain weights.
    (copy / "vae" / "diffusion_pytorch_model.fp16.safetensors").unlink()
    assert check_pipeline(copy).variant == "fp16"


def test_a_variant_is_what_gets_loaded(copy: Path) -> None:
    from tests.core.generation.backends.test_diffusion import ask, draw
    from truehue.core.generation.opening import open_model

    whole = draw(open_model(f"folder:{copy}"), ask())[0]  # type: ignore[arg-type]
    half(copy, "unet", "vae", "text_encoder", "text_encoder_2")
    (copy / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    loaded = open_model(f"folder:{copy}")
    from_half = draw(loaded, ask())[0]  # type: ignore[arg-type]
    assert 0 < abs(whole.astype(float) - from_half).max() < 16


def test_parts_whose_weights_come_from_elsewhere_may_lack_them(copy: Path) -> None:
    (copy / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    pipeline_folder = check_pipeline(copy, without=frozenset({"unet"}))
    assert {part.name: part.numbers for part in pipeline_folder.parts}["unet"] == 0


@pytest.mark.parametrize(
    ("name", "variant", "is_index"),
    [
        ("model.safetensors", None, False),
        ("diffusion_pytorch_model.fp16.safetensors", "fp16", False),
        ("model.fp16-00001-of-00003.safetensors", "fp16", False),
        ("diffusion_pytorch_model-00001-of-00002.fp16.safetensors", "fp16", False),
        ("model-00001-of-00004.safetensors", None, False),
        ("model.safetensors.index.json", None, True),
        ("model.safetensors.index.fp16.json", "fp16", True),
        ("model.safetensors.fp16.index.json", "fp16", True),
    ],
)
def test_names_of_weight_files(name: str, variant: str | None, is_index: bool) -> None:
    result = weight_sets([name, "config.json", "flax_model.msgpack", "pytorch_model.bin"])
    assert list(result) == [variant]
    assert (result[variant].index == name) == is_index
    assert (result[variant].files == (name,)) != is_index


def test_what_is_no_weight_file_of_the_two_libraries_is_none() -> None:
    names = [
        "sd3.5_large.safetensors",
        "pytorch_lora_weights.safetensors",
        "config.json",
        "pytorch_model.bin.index.json",
        "model.onnx",
        "a.b.c.safetensors",
    ]
    assert weight_sets(names) == {}


def test_a_file_of_no_numbers_is_read(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({}, tmp_path / "model.safetensors")
    assert numbers_in(tmp_path / "model.safetensors") == 0
