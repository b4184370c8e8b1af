"""The location of a local model's files on this machine. It downloads nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.files import named_path, shown_path
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.weights.sources import PICKLES, Source, Sources, check_set, weight_sets
from truehue.core.machine import GIB, Placement, machine, placement, visible_gpus
from truehue.core.vlm.models.records import VisionModel

CONFIG = "config.json"


def files_of(model: VisionModel, sources: Sources) -> Source:
    """The folder of a local model, as yet unchecked: the location itself, below the models'
    folder, or in the hub's cache. Raises ModelMissing with the command that gets it."""
    location = model.location
    if location.startswith(("/", "~", ".")):  # else an id of the hub, also where a folder has it
        path = named_path(location)
        if not path.is_dir():
            raise ModelMissing(f"There is no folder {shown_path(location)}.")
        return Source(path, "", "")
    if sources.models_folder is not None:
        for name in (model.id, location.replace("/", "--")):
            own = sources.models_folder / name
            if "/" not in name and own.is_dir():
                return Source(own, location, "")
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(location, CONFIG, cache_dir=sources.hub_cache)
    except HFValidationError as error:
        raise BadInput(f"{location!r:.200} is no id of the hub: write owner/name.") from error
    if isinstance(cached, str):
        return Source(Path(cached).parent, location, Path(cached).parent.name)
    raise ModelMissing(
        f"The files of {location} are not here, and nothing is downloaded unasked. Get them with: "
        f"{how_to_download(location)}"
    )


def how_to_download(repo: str) -> str:
    """The command that fetches a model without pickles, or weights for other programs."""
    patterns = (*(f"*{ending}" for ending in PICKLES), "*.gguf", "original/*", "consolidated*")
    return f"hf download {repo} " + " ".join(f'--exclude "{pattern}"' for pattern in patterns)


def check_files(source: Source, name: str) -> int:
    """Checks that the weights are whole, by their headers; returns how many numbers they are.

    Raises BadModelFolder, naming the file, for a folder that cannot be loaded.
    """
    folder = source.folder
    again = f" Get it again with: {how_to_download(source.repo)}" if source.repo else ""
    names = [path.name for path in folder.iterdir()]
    if CONFIG not in names:
        raise BadModelFolder(
            f"{folder} has no {CONFIG}: it is no model in the hub's layout.{again}"
        )
    sets = weight_sets(names)
    if None not in sets:
        pickled = any(text.endswith(PICKLES) for text in names)
        why = "only pickled weights, which are never opened" if pickled else "no safetensors"
        raise BadModelFolder(f"{folder} holds {why}: {name} cannot be loaded.{again}")
    return check_set(folder, sets[None])


def choose_placement(model: VisionModel, numbers: int) -> Placement:
    """Where a model of so many numbers goes, and in which dtype: what its settings say, or else
    what this machine is best at."""
    settings = model.local()
    automatic = placement(max(numbers * 2 / GIB, 1e-6), machine())
    device = automatic.device if settings.device == "auto" else settings.device
    best = "float32" if device == "cpu" else automatic.dtype
    dtype: Any = best if settings.dtype == "auto" else settings.dtype
    if (device, dtype) == (automatic.device, automatic.dtype):
        return automatic
    return Placement(device, dtype, "none", "As the settings say.")


def choose_device_map(model: VisionModel, placement: Placement) -> str:
    """How transformers spreads a model over several GPUs; empty where one device takes it. The
    automatic choice is all visible GPUs for what one cannot hold, before layers go through main
    memory one by one."""
    settings = model.local()
    if settings.device_map == "none":
        return ""
    if settings.device_map == "balanced":
        return "balanced"
    is_spread = placement.offload != "none" and settings.device == "auto"
    several = placement.device.startswith("cuda") and len(visible_gpus()) > 1
    return "auto" if is_spread and several else ""


def with_dtype(model: VisionModel, sources: Sources) -> VisionModel:
    """The model with the dtype of this machine in place of "auto", so that whoever goes on with a
    plan computes as it was begun. Raises what :func:`files_of` and :func:`check_files` raise."""
    if model.kind != "local":
        return model
    numbers = check_files(files_of(model, sources), model.id)
    settings = {**model.settings, "dtype": choose_placement(model, numbers).dtype}
    return VisionModel(model.id, model.kind, model.location, settings)
