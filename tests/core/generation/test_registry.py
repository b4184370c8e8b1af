"""The list of generators."""

from __future__ import annotations

import subprocess
import sys

import pytest

from truehue.core.errors import BadInput
from truehue.core.generation.backends.families import FAMILIES
from truehue.core.generation.model_entry import PIPELINE
from truehue.core.generation.quantization import QUANTIZATIONS
from truehue.core.generation.registry import (
    MODELS,
    RELEASED_CODE,
    ModelEntry,
    model,
    released_settings,
)

pytestmark = pytest.mark.slow

WITH_WEIGHTS = [entry for entry in MODELS if entry.kind in ("diffusers", "transformers")]
# Table 4 of GenColorBench, its first column.
TABLE_4 = {
    "Flux",
    "Sana",
    "SD 3.5",
    "Pixart Alpha",
    "SD 3",
    "Pixart Sigma",
    "Janus Pro",
    "OmniGen2",
    "Blip3o",
}


def test_the_renderer_comes_first_and_needs_nothing() -> None:
    entry = MODELS[0]
    assert entry is model("reference-renderer")
    assert entry.name == "Reference renderer (no weights)"
    assert entry.needs == ()


def test_ids_are_unique_and_stable() -> None:
    # Images carry these: none may ever be renamed or dropped.
    assert [entry.id for entry in MODELS] == [
        "reference-renderer",
        "small",
        "sdxl-base-1.0",
        "sd3-medium",
        "sd3.5-medium",
        "sd3.5-large",
        "flux.1-dev",
        "sana-1.6b",
        "sana1.5-1.6b",
        "sana1.5-4.8b",
        "pixart-alpha",
        "pixart-sigma",
        "hunyuan-dit-1.2",
        "kolors",
        "cogview4-6b",
        "qwen-image",
        "playground-2.5",
        "srpo",
        "janus-pro-7b",
        "janus-pro-1b",
        "omnigen2",
        "blip3o-8b",
        "blip3o-next",
        "flux.2-dev",
        "flux.2-klein-4b",
        "flux.2-klein-9b",
        "flux.2-klein-base-4b",
        "flux.2-klein-base-9b",
        "z-image",
        "z-image-turbo",
        "qwen-image-2512",
        "qwen-image-2.1",
        "hunyuan-image-2.1",
        "ernie-image",
        "ernie-image-turbo",
        "longcat-image",
        "ovis-image-7b",
        "kandinsky-5-image-lite",
        "lumina-image-2.0",
        "chroma1-hd",
        "flux.1-dev-nf4",
        "flux.1-dev-int8",
        "flux.1-dev-int8wo",
        "flux.1-dev-gguf-q8",
        "qwen-image-nf4",
    ]


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.id)
def test_every_entry_is_complete(entry: ModelEntry) -> None:
    assert entry.name
    assert entry.license
    assert entry.note.endswith(".")
    assert entry.defaults is not None
    assert entry.defaults.source
    assert min(entry.defaults.width, entry.defaults.height) >= (64 if entry.shipped else 384)
    known = set(ModelEntry.__dataclass_fields__)
    assert set(entry.not_verified) <= known


@pytest.mark.parametrize("entry", WITH_WEIGHTS, ids=lambda entry: entry.id)
def test_every_model_with_weights_says_what_it_takes(entry: ModelEntry) -> None:
    # What lies in the assets comes from no hub, and nothing of it is downloaded.
    assert entry.repo.count("/") == (0 if entry.shipped else 1)
    assert (entry.download_gib > 0) != entry.shipped
    assert entry.pipeline
    assert 0 < entry.largest_gib <= entry.memory_gib
    # The denoiser alone, at two bytes a parameter, cannot be more than all of it.
    way = QUANTIZATIONS.get(entry.quantization)
    number_bytes = way.bytes_a_number if way else 2
    assert entry.parameters_b * number_bytes * 1e9 / 2**30 <= entry.memory_gib * 1.02
    assert entry.defaults is not None
    family = FAMILIES.get(entry.pipeline)
    assert (entry.defaults.guidance is None) == (family is not None and not family.guidance)
    assert (entry.defaults.steps is None) == (entry.kind == "transformers")


def test_diffusers_has_every_pipeline_and_transformers_every_class() -> None:
    import diffusers
    import transformers

    for entry in WITH_WEIGHTS:
        library = diffusers if entry.kind == "diffusers" else transformers
        assert hasattr(library, entry.pipeline), entry.id


def test_the_defaults_that_are_the_pipelines_are_the_installed_pipelines() -> None:
    import inspect

    import diffusers

    checked = 0
    for entry in WITH_WEIGHTS:
        assert entry.defaults is not None
        if entry.defaults.source == PIPELINE:
            call = inspect.signature(getattr(diffusers, entry.pipeline).__call__).parameters
            assert call["num_inference_steps"].default == entry.defaults.steps, entry.id
            guidance = FAMILIES[entry.pipeline].guidance
            assert call[guidance].default == entry.defaults.guidance, entry.id
            checked += 1
    assert checked == 10


def test_every_row_of_the_papers_table_is_one_entry() -> None:
    rows = [entry.paper for entry in MODELS if entry.paper]
    assert sorted(rows) == sorted(TABLE_4)


def test_a_base_is_an_entry_of_the_same_pipeline() -> None:
    bases = [entry for entry in MODELS if entry.base]
    assert [entry.id for entry in bases] == ["srpo", "flux.1-dev-gguf-q8"]
    for entry in bases:
        assert model(entry.base).pipeline == entry.pipeline
        assert entry.part


def test_a_quantized_entry_is_the_other_one_with_its_settings() -> None:
    for entry in MODELS:
        if not entry.quantization:
            continue
        other = model(entry.files_of or entry.base)
        assert entry.defaults == other.defaults
        assert (entry.pipeline, entry.license) == (other.pipeline, other.license)
        assert entry.quantization in QUANTIZATIONS
        assert entry.part
        assert not entry.files_of or (entry.repo, entry.gated) == (other.repo, other.gated)


def test_models_without_a_class_say_how_they_come_in() -> None:
    for entry in MODELS:
        assert bool(entry.needs) == (entry.kind == "folder")


def test_what_nobody_looked_up_is_said() -> None:
    unsure = {entry.id: set(entry.not_verified) for entry in MODELS}
    for model_id in ("sd3-medium", "flux.1-dev", "janus-pro-7b", "janus-pro-1b"):
        assert "defaults" in unsure[model_id], model_id
    for model_id in ("sdxl-base-1.0", "playground-2.5", "kolors", "janus-pro-7b", "janus-pro-1b"):
        assert "license" in unsure[model_id], model_id
    # The pipelines' own defaults are compared with the installed library, above.
    for entry in MODELS:
        if entry.defaults is not None and entry.defaults.source == PIPELINE:
            assert "defaults" not in entry.not_verified, entry.id


def test_any_pipeline_by_hub_id_or_folder() -> None:
    entry = model("hub:some-one/some.model")
    assert (entry.kind, entry.repo) == ("diffusers", "some-one/some.model")
    assert entry.defaults is None
    entry = model("folder:/models/mine")
    assert (entry.kind, entry.name, entry.repo) == ("diffusers", "mine", "")
    assert model("served:lab").kind == "served"


@pytest.mark.parametrize(
    "wrong", ["hub:name", "hub:a/b/c", "hub:/b", "hub:a/", "hub:../etc/x", "hub:a b/c"]
)
def test_what_is_no_hub_id_is_said(wrong: str) -> None:
    with pytest.raises(BadInput, match="hub:owner/name"):
        model(wrong)


@pytest.mark.parametrize("wrong", ["flux", "", "hub:", "folder:  ", "http://x"])
def test_an_unknown_model_names_the_known_ones(wrong: str) -> None:
    with pytest.raises(BadInput, match="reference-renderer"):
        model(wrong)


@pytest.mark.process
def test_listing_imports_nothing_heavy() -> None:
    code = (
        "import sys; from truehue.core.generation.registry import MODELS\n"
        "heavy = ('torch', 'diffusers', 'transformers', 'huggingface_hub')\n"
        "print(len(MODELS), [name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{len(MODELS)} []"


def test_the_settings_of_the_benchmarks_code_are_facts_beside_the_models_own() -> None:
    """moatifbutt/gen-color-bench @ 802a3ba, gencolorbench/generation/models.py."""
    code = {
        "flux.1-dev": (28, 3.5),
        "sd3-medium": (28, 7.0),
        "sd3.5-medium": (40, 4.5),
        "sd3.5-large": (40, 4.5),
        "pixart-alpha": (20, 4.5),
        "pixart-sigma": (20, 4.5),
        "sana-1.6b": (20, 5.0),
        "hunyuan-dit-1.2": (50, 6.0),
    }
    facts = {entry.id: entry.released for entry in MODELS if entry.released}
    assert {name: (item.steps, item.guidance) for name, item in facts.items()} == code
    for fact in facts.values():
        assert (fact.width, fact.height, fact.source) == (1024, 1024, RELEASED_CODE)
    # What the cards say stays what a model draws with.
    flux, large = model("flux.1-dev").defaults, model("sd3.5-large").defaults
    assert flux is not None
    assert large is not None
    assert (flux.steps, large.steps, large.guidance) == (50, 28, 3.5)
    assert released_settings("flux.1-dev") is facts["flux.1-dev"]
    with pytest.raises(BadInput, match=r"no settings for kolors\. It has sd3-medium"):
        released_settings("kolors")


def test_the_papers_rows_are_the_weights_of_its_code() -> None:
    of_row = {entry.paper: entry for entry in MODELS if entry.paper}
    assert of_row["Sana"].repo == "Efficient-Large-Model/Sana_1600M_1024px_BF16_diffusers"
    assert (of_row["Blip3o"].id, of_row["Blip3o"].parameters_b) == ("blip3o-8b", 8.0)
