"""Where weights are looked for, and what is said when they are not there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from tests.core.generation.conftest import Tiny
from tests.core.generation.tiny_janus import save_tiny_janus
from truehue.core.errors import BadInput
from truehue.core.generation.backends.endpoints import URL_VARIABLE, Endpoint
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.opening import missing, open_model
from truehue.core.generation.registry import MODELS, ModelEntry, model
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.weights.sources import Sources, find, source
from truehue.core.machine import GIB, Machine

COMMIT = "0123456789abcdef0123456789abcdef01234567"
BIG = Machine("cuda", "A GPU", 80 * GIB, 79 * GIB, 256 * GIB, 32, True)
SMALL = Machine("cpu", "A CPU", 8 * GIB, 6 * GIB, 8 * GIB, 2, True)


@pytest.fixture
def nowhere(tmp_path: Path) -> Sources:
    return Sources(tmp_path / "models", tmp_path / "cache")


def cached(sources: Sources, repo: str, folder: Path) -> Path:
    """Puts a folder into the hub's cache as huggingface_hub lays it out."""
    assert sources.hub_cache is not None
    root = sources.hub_cache / f"models--{repo.replace('/', '--')}"
    (root / "refs").mkdir(parents=True)
    (root / "refs" / "main").write_text(COMMIT)
    (root / "snapshots").mkdir()
    snapshot = root / "snapshots" / COMMIT
    snapshot.symlink_to(folder)
    return snapshot


@pytest.mark.weights
def test_the_models_folder_comes_first_then_the_cache(tiny: Tiny, nowhere: Sources) -> None:
    entry = model("sdxl-base-1.0")
    assert find(entry, nowhere) is None
    snapshot = cached(nowhere, entry.repo, tiny("stable_diffusion_xl"))
    result = source(entry, nowhere)
    assert (result.folder, result.revision) == (snapshot, COMMIT)
    assert nowhere.models_folder is not None
    nowhere.models_folder.mkdir()
    by_repo = nowhere.models_folder / "stabilityai--stable-diffusion-xl-base-1.0"
    by_repo.symlink_to(tiny("stable_diffusion_xl"))
    assert source(entry, nowhere).folder == by_repo
    by_id = nowhere.models_folder / "sdxl-base-1.0"
    by_id.symlink_to(tiny("stable_diffusion_xl"))
    assert source(entry, nowhere).folder == by_id
    assert source(entry, nowhere).revision == ""


@pytest.mark.weights
def test_any_repository_in_the_cache_is_found_by_its_id(tiny: Tiny, nowhere: Sources) -> None:
    cached(nowhere, "some-one/some.model", tiny("stable_diffusion"))
    assert source(model("hub:some-one/some.model"), nowhere).revision == COMMIT
    loaded = open_model("hub:some-one/some.model", nowhere)
    loaded.unload()


@pytest.mark.weights
def test_a_downloaded_folder_tells_its_commit(tiny: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    notes = folder / ".cache" / "huggingface" / "download"
    notes.mkdir(parents=True)
    (notes / "model_index.json.metadata").write_text(f"{COMMIT}\netag\n1.0\n")
    assert source(model(f"folder:{folder}"), Sources()).revision == COMMIT


def test_the_fingerprint_tells_a_changed_folder(tmp_path: Path) -> None:
    (tmp_path / "unet").mkdir()
    (tmp_path / "model_index.json").write_text("{}")
    (tmp_path / "unet" / "model.safetensors").write_bytes(b"12345678")
    result = source(model(f"folder:{tmp_path}"), Sources())
    first = result.fingerprint()
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "note").write_text("not counted")
    assert result.fingerprint() == first
    (tmp_path / "unet" / "model.safetensors").write_bytes(b"123456789")
    assert result.fingerprint() != first


def test_the_fingerprint_tells_two_trainings_of_one_architecture(tmp_path: Path) -> None:
    import numpy as np
    from safetensors.numpy import save_file

    path = tmp_path / "unet" / "diffusion_pytorch_model.safetensors"
    path.parent.mkdir()
    (tmp_path / "scheduler.json").write_text('{"shift": 3.0}')
    result = source(model(f"folder:{tmp_path}"), Sources())
    chance = np.random.default_rng(0)
    weights = {f"layer.{n}": chance.normal(size=(512, 512)).astype(np.float32) for n in range(8)}

    def told(changed: dict[str, np.ndarray]) -> str:
        save_file(changed, path)
        return result.fingerprint()

    base = told(weights)
    assert told(dict(weights)) == base
    trained = {name: weight + np.float32(1e-3) for name, weight in weights.items()}
    # One layer of eight, each of the size of the others; the first, one within, and the last.
    for name in ("layer.0", "layer.4", "layer.7"):
        assert told({**weights, name: trained[name]}) != base, name
    # The same bytes under other names: only the header says so.
    assert told({f"Layer.{n}": weights[f"layer.{n}"] for n in range(8)}) != base
    assert told(weights) == base
    (tmp_path / "scheduler.json").write_text('{"shift": 1.0}')
    assert result.fingerprint() != base


def test_the_fingerprint_of_no_safetensors_is_one_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 2**21)
    result = source(model(f"folder:{tmp_path}"), Sources())
    first = result.fingerprint()
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * (2**21 - 1) + b"\0")
    assert result.fingerprint() != first


def test_the_environment_names_the_models_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TRUEHUE_MODELS", raising=False)
    assert Sources.local().models_folder is None
    monkeypatch.setenv("TRUEHUE_MODELS", str(tmp_path))
    assert Sources.local().models_folder == tmp_path
    assert Sources.local(tmp_path / "other").models_folder == tmp_path / "other"


@pytest.mark.weights
def test_srpo_needs_its_base_too(models_folder: Callable[..., Path], nowhere: Sources) -> None:
    entry = model("srpo")
    assert nowhere.models_folder is not None
    nowhere.models_folder.mkdir()
    text = " ".join(missing(entry, None, nowhere))
    assert "download srpo" in text
    assert "license of FLUX.1 [dev]" in text
    (nowhere.models_folder / "srpo").symlink_to(models_folder("srpo") / "srpo")
    text = " ".join(missing(entry, None, nowhere))
    assert "download flux.1-dev" in text
    assert "download srpo" not in text
    (nowhere.models_folder / "flux.1-dev").symlink_to(models_folder("flux.1-dev") / "flux.1-dev")
    assert missing(entry, None, nowhere) == ()
    result = source(entry, nowhere)
    assert result.base is not None
    assert result.base.folder.name == "flux.1-dev"


@pytest.mark.weights
def test_srpo_weights_of_another_shape_are_refused(
    models_folder: Callable[..., Path], nowhere: Sources
) -> None:
    import torch
    from safetensors.torch import save_file

    assert nowhere.models_folder is not None
    (nowhere.models_folder / "srpo").mkdir(parents=True)
    wrong = {"proj_out.weight": torch.zeros(3, 3)}
    save_file(wrong, nowhere.models_folder / "srpo" / "diffusion_pytorch_model.safetensors")
    (nowhere.models_folder / "flux.1-dev").symlink_to(models_folder("flux.1-dev") / "flux.1-dev")
    with pytest.raises(BadModelFolder, match="does not fit FluxTransformer2DModel"):
        open_model("srpo", nowhere)


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.id)
def test_what_is_missing_is_said_with_the_command(
    entry: ModelEntry, nowhere: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = missing(entry, BIG, nowhere)
    if entry.kind == "renderer":
        assert said == ()
    elif entry.kind == "folder":
        assert "import the folder of images" in said[0]
        with pytest.raises(BadInput, match="Start its server"):
            open_model(entry.id, nowhere)
    elif entry.shipped:
        assert said == ()
        monkeypatch.setattr("truehue.core.generation.weights.sources.SHIPPED", tmp_path)
        with pytest.raises(ModelMissing, match="git checkout -- assets/models/small"):
            open_model(entry.id, nowhere)
    else:
        # A quantized entry may load the files of another, and needs one more package first.
        files_id = entry.files_of or entry.id
        (weights,) = (text for text in said if "are not installed" in text)
        assert f"python -m truehue models download {files_id}" in weights
        assert f"{entry.download_gib:g} GiB" in weights
        assert entry.quantization or said[0] == weights
        with pytest.raises(ModelMissing, match=f"download {files_id}"):
            open_model(entry.id, nowhere)


def test_gated_models_say_where_the_license_is(nowhere: Sources) -> None:
    said = missing(model("sd3.5-large"), BIG, nowhere)
    assert len(said) == 2
    assert "https://huggingface.co/stabilityai/stable-diffusion-3.5-large" in said[1]
    assert "hf auth login" in said[1]
    assert len(missing(model("qwen-image"), BIG, nowhere)) == 1


def test_too_little_memory_is_missing_too(nowhere: Sources) -> None:
    text = missing(model("qwen-image"), SMALL, nowhere)[-1]
    assert "110 GiB of memory" in text
    assert "8 GiB" in text
    # What does not fit the GPU waits in main memory.
    small_gpu = replace(BIG, memory_bytes=12 * GIB, free_bytes=11 * GIB)
    assert len(missing(model("qwen-image"), small_gpu, nowhere)) == 1


@pytest.mark.weights
def test_what_is_wrong_with_the_files_is_missing_too(
    models_folder: Callable[..., Path], nowhere: Sources
) -> None:
    assert missing(model("kolors"), SMALL, Sources(models_folder("kolors"))) == ()
    assert nowhere.models_folder is not None
    (nowhere.models_folder / "kolors").mkdir(parents=True)
    assert "is empty" in missing(model("kolors"), None, nowhere)[0]


@pytest.mark.weights
def test_the_folder_of_another_model_is_refused(tiny: Tiny, nowhere: Sources) -> None:
    assert nowhere.models_folder is not None
    nowhere.models_folder.mkdir()
    (nowhere.models_folder / "kolors").symlink_to(tiny("flux"))
    with pytest.raises(BadModelFolder, match="holds FluxPipeline, and Kolors is a KolorsPipeline"):
        open_model("kolors", nowhere)


@pytest.mark.weights
def test_a_pipeline_that_diffusers_does_not_have_is_refused(tiny: Tiny, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny("stable_diffusion"), tmp_path / "new")
    index = folder / "model_index.json"
    for name, text in (
        ("PipelineOf2031", "does not have"),
        ("AutoencoderKL", "not draw from text"),
        ("StableDiffusionImg2ImgPipeline", "not draw from text alone"),
    ):
        index.write_text(json.dumps({**json.loads(index.read_text()), "_class_name": name}))
        with pytest.raises(BadModelFolder, match=text):
            open_model(f"folder:{folder}")


def test_a_folder_that_is_not_there_is_missing() -> None:
    with pytest.raises(ModelMissing, match="no folder /nowhere/at/all"):
        open_model("folder:/nowhere/at/all")


def test_a_server_is_opened_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    endpoints = {"lab": Endpoint("lab", "http://127.0.0.1:9/v1")}
    assert open_model("served:lab", endpoints=endpoints).memory_bytes == 0
    with pytest.raises(BadInput, match=r"'other' \(set up: lab\)"):
        open_model("served:other", endpoints=endpoints)
    with pytest.raises(BadInput, match="none"):
        open_model("served:lab")


def test_a_server_that_is_not_set_up_is_missing(
    monkeypatch: pytest.MonkeyPatch, nowhere: Sources
) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    lab = {"lab": Endpoint("lab", "http://127.0.0.1:9/v1")}
    assert missing(model("served:lab"), None, nowhere, lab) == ()
    sentence = "No server is set up under the name 'nothing' (set up: lab)."
    assert missing(model("served:nothing"), BIG, nowhere, lab) == (sentence,)
    assert missing(model("served:lab"), BIG, nowhere, {}) != ()
    # Without a list the environment counts, as it does for drawing.
    assert "(set up: none)" in missing(model("served:endpoint"), BIG, nowhere)[0]
    monkeypatch.setenv(URL_VARIABLE, "http://127.0.0.1:9/v1")
    assert missing(model("served:endpoint"), BIG, nowhere) == ()
    assert "(set up: endpoint)" in missing(model("served:lab"), BIG, nowhere)[0]


@pytest.mark.weights
def test_janus_is_opened_from_the_models_folder(nowhere: Sources, one_thread: None) -> None:
    assert nowhere.models_folder is not None
    folder = save_tiny_janus(nowhere.models_folder / "janus-pro-1b")
    assert missing(model("janus-pro-1b"), BIG, nowhere) == ()
    opened = open_model("janus-pro-1b", nowhere)
    request = GenerationRequest("janus-pro-1b", "a red mug", 1)
    assert opened.draw([request], lambda report: None, Event())[0].srgb8.std() > 1
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(BadModelFolder, match="is empty"):
        open_model("janus-pro-1b", nowhere)


def test_the_renderer_is_opened_by_its_id() -> None:
    assert type(open_model("reference-renderer")).__name__ == "ReferenceRenderer"


@pytest.mark.process
def test_listing_all_models_with_their_state_takes_no_torch(nowhere: Sources) -> None:
    code = (
        "import sys\n"
        "from truehue.core.generation.registry import MODELS\n"
        "from truehue.core.generation.opening import missing\n"
        "from truehue.core.generation.weights.sources import Sources\n"
        f"from pathlib import Path\nnowhere = Sources(Path({str(nowhere.models_folder)!r}),"
        f" Path({str(nowhere.hub_cache)!r}))\n"
        "print(sum(bool(missing(entry, None, nowhere)) for entry in MODELS),"
        " [name for name in ('torch', 'diffusers', 'transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # The renderer needs none, and the small model comes with its own.
    assert done.stdout.strip() == f"{len(MODELS) - 2} []"
