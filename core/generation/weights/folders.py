"""Folders of pipelines and of Janus in the hub's layout: checked first, then loaded completely."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from truehue.core.generation.memory import BadModelFolder, is_out_of_memory
from truehue.core.generation.quantization import QUANTIZATIONS
from truehue.core.generation.registry import ModelEntry, model
from truehue.core.generation.weights.sources import (
    PICKLES,
    Source,
    check_set,
    numbers_in_part,
    weight_sets,
)
from truehue.core.machine import Placement

INDEX = "model_index.json"
NO_CODE = (
    "TrueHue never runs code that comes with weights: use a pipeline of diffusers' own classes."
)
_CONFIGS = (
    "config.json",
    "scheduler_config.json",
    "preprocessor_config.json",
    "tokenizer_config.json",
    "processor_config.json",
    "guider_config.json",
)
# Classes that come without weights; every other part of a pipeline is a model.
_WITHOUT_WEIGHTS = (
    "Tokenizer",
    "TokenizerFast",
    "Scheduler",
    "Processor",
    "ProcessorFast",
    "FeatureExtractor",
    "Guidance",
    "TokenizersBackend",
    "SentencePieceBackend",
)


@dataclass(frozen=True)
class Part:
    """One part of a pipeline as model_index.json names it. ``numbers`` is the count of its
    weights."""

    name: str
    library: str
    class_name: str
    numbers: int = 0


@dataclass(frozen=True)
class PipelineFolder:
    """A folder that was found whole. ``variant`` is what from_pretrained is to be told."""

    folder: Path
    pipeline: str
    variant: str | None
    parts: tuple[Part, ...]

    @property
    def memory_gib(self) -> float:
        """All weights at two bytes a number."""
        return sum(part.numbers for part in self.parts) * 2 / 2**30

    @property
    def largest_gib(self) -> float:
        """The largest part at two bytes a number."""
        return max((part.numbers for part in self.parts), default=0) * 2 / 2**30

    @property
    def decoder_gib(self) -> float:
        """The autoencoder at two bytes a number."""
        return sum(part.numbers for part in self.parts if part.name == "vae") * 2 / 2**30


def check_pipeline(
    folder: Path, *, prefer: str | None = None, without: frozenset[str] = frozenset()
) -> PipelineFolder:
    """Checks that a folder holds a whole pipeline that can be loaded safely.

    ``prefer`` is the variant to take where there are several; ``without`` names parts whose weights
    come from elsewhere. Reads configurations and the headers of the weight files only. Raises
    BadModelFolder, naming the file, when the folder is no pipeline, is half downloaded, asks for
    foreign code, or has pickled weights only.
    """
    named = _read_index(folder)
    pipeline = named.pop("_class_name", None)
    if isinstance(pipeline, list):
        raise BadModelFolder(
            f"{folder / INDEX} asks for the pipeline class of its own code "
            f"({' in '.join(map(str, reversed(pipeline)))}). {NO_CODE}"
        )
    if not isinstance(pipeline, str) or not pipeline:
        raise BadModelFolder(f"{folder / INDEX} names no pipeline class (_class_name).")
    _refuse_code_files(folder)
    parts = [
        Part(name, str(value[0]), str(value[1]))
        for name, value in named.items()
        if isinstance(value, list) and len(value) == 2 and value[0] and value[1]
    ]
    if not parts:
        raise BadModelFolder(f"{folder / INDEX} names no parts: this is no pipeline.")
    _refuse_unfinished(folder)
    for part in parts:
        _check_part(folder, part)
    models = [part for part in parts if _has_weights(folder / part.name, part)]
    variant = _choose_variant(folder, models, prefer, without)
    counted = {
        part.name: _count(folder / part.name, variant)
        for part in models
        if part.name not in without
    }
    return PipelineFolder(
        folder,
        pipeline,
        variant,
        tuple(Part(p.name, p.library, p.class_name, counted.get(p.name, 0)) for p in parts),
    )


def _read_index(folder: Path) -> dict[str, Any]:
    if not folder.exists():
        raise BadModelFolder(f"{folder} does not exist. Give the folder of a diffusers pipeline.")
    if not folder.is_dir():
        raise BadModelFolder(
            f"{folder} is a file. Give the folder of a diffusers pipeline, the one that holds "
            f"{INDEX}."
        )
    path = folder / INDEX
    if not path.is_file():
        inside = sorted(path.parent.name for path in folder.glob(f"*/{INDEX}"))
        hint = f" Did you mean {folder / inside[0]}?" if inside else ""
        empty = "is empty" if not any(folder.iterdir()) else f"has no {INDEX}"
        raise BadModelFolder(f"{folder} {empty}, so it is no diffusers pipeline.{hint}")
    return _read_json(path)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadModelFolder(f"{path} cannot be read as JSON: is it cut off?") from error
    if not isinstance(content, dict):
        raise BadModelFolder(f"{path} is no configuration.")
    return content


def _refuse_code_files(folder: Path) -> None:
    """Raises BadModelFolder for the one file that diffusers takes for a pipeline of the folder's own
    where it is asked for none: its name for "no pipeline". Other scripts are never read."""
    path = folder / "None.py"
    if path.exists():
        raise BadModelFolder(f"{path} is code that diffusers would run. {NO_CODE}")


def _refuse_unfinished(folder: Path) -> None:
    for path in sorted(folder.rglob("*.incomplete")):
        raise BadModelFolder(
            f"{path} is left from a download that did not finish. Run the download again."
        )


def _check_part(folder: Path, part: Part) -> None:
    index, inside = folder / INDEX, folder / part.name
    if part.name in ("..", ".") or Path(part.name).name != part.name:
        raise BadModelFolder(f"{index} names a part outside of its folder: {part.name!r}.")
    ours = part.library in _own_modules()
    if part.library not in ("diffusers", "transformers") and not ours:
        raise BadModelFolder(
            f"{index} takes {part.name} from {part.library!r}, which is neither diffusers nor "
            f"transformers. {NO_CODE}"
        )
    if not inside.is_dir():
        raise BadModelFolder(f"{inside} is missing: the download is not complete. Run it again.")
    # diffusers looks for a part's class in such a file before it looks into the library. Scripts of
    # other names, such as the tokenizer's beside Kolors', are never read.
    path = inside / f"{part.library}.py"
    if path.exists():
        raise BadModelFolder(f"{path} is code that diffusers would run. {NO_CODE}")
    configs = [path for path in (inside / name for name in _CONFIGS) if path.exists()]
    for path in configs:
        # A class of diffusers' own modules (Kolors' ChatGLM) is never looked up in auto_map.
        if "auto_map" in _read_json(path) and not ours:
            raise BadModelFolder(f"{path} asks for code of its own (auto_map). {NO_CODE}")
    if not configs:
        raise BadModelFolder(
            f"{inside} has no configuration file: the download is not complete. Run it again."
        )


def _has_weights(inside: Path, part: Part) -> bool:
    if part.class_name.endswith(_WITHOUT_WEIGHTS):
        return False
    if not (inside / "config.json").exists():
        raise BadModelFolder(
            f"{inside / 'config.json'} is missing: the download is not complete. Run it again."
        )
    return True


def _names(inside: Path) -> list[str]:
    # Also links to nowhere, which is how a hub cache looks when a file was removed.
    return [path.name for path in inside.iterdir()]


def _choose_variant(
    folder: Path, models: list[Part], prefer: str | None, without: frozenset[str]
) -> str | None:
    """The variant that all models load with; one may lack it if it has the plain weights."""
    sets = {}
    for part in models:
        if part.name in without:
            continue
        names = _names(folder / part.name)
        sets[part.name] = weight_sets(names)
        if not sets[part.name]:
            pickled = sorted(name for name in names if name.endswith(PICKLES))
            if pickled:
                raise BadModelFolder(
                    f"{folder / part.name / pickled[0]} is pickled, and loading a pickle can run "
                    "any code. Only safetensors are loaded: look for a copy with safetensors."
                )
            raise BadModelFolder(
                f"{folder / part.name} has no weights: the download is not complete. Run it again."
            )
    every = {variant for variants in sets.values() for variant in variants if variant is not None}
    order = [prefer, None, *sorted(every - {prefer}, key=lambda name: (name != "fp16", name))]
    for variant in order:
        present = [variant in variants for variants in sets.values()]
        if variant is None and all(present):
            return None
        if any(present) and all(
            variant in variants or None in variants for variants in sets.values()
        ):
            return variant
    lacking = ", ".join(f"{name}: {sorted(map(str, variants))}" for name, variants in sets.items())
    raise BadModelFolder(
        f"{folder} has no variant of the weights that all its parts have ({lacking}): the download "
        "is not complete. Run it again."
    )


def _count(inside: Path, variant: str | None) -> int:
    sets = weight_sets(_names(inside))
    return check_set(inside, sets[variant] if variant in sets else sets[None])


@cache
def _own_modules() -> frozenset[str]:
    """Modules below diffusers.pipelines, which model_index.json may name in place of a library."""
    spec = importlib.util.find_spec("diffusers")
    if spec is None or not spec.submodule_search_locations:
        return frozenset()
    pipelines = Path(spec.submodule_search_locations[0]) / "pipelines"
    return frozenset(path.parent.name for path in pipelines.glob("*/__init__.py"))


def pipeline_in(source: Source | None) -> str:
    """The class that the files of a pipeline name; empty where there are none that say it."""
    if source is None:
        return ""
    try:
        return str(_read_index(source.folder).get("_class_name") or "")
    except BadModelFolder:  # loading says what is wrong with it
        return ""


def check_source(entry: ModelEntry, source: Source) -> PipelineFolder | None:
    """Checks the files that were found, as loading does first; None where there is no pipeline.

    Raises BadModelFolder, naming the file, for what cannot be loaded.
    """
    if entry.kind == "transformers":
        for path in sorted(source.folder.glob("*.py")):
            raise BadModelFolder(f"{path} is code, which TrueHue never runs.")
        sets = weight_sets(path.name for path in source.folder.iterdir())
        if not (source.folder / "config.json").is_file() or None not in sets:
            raise BadModelFolder(
                f"{source.folder} has no config.json or no safetensors: the download is not "
                "complete."
            )
        check_set(source.folder, sets[None])
        return None
    if source.base is not None:
        numbers = numbers_in_part(entry, source.folder)
        checked = check_pipeline(
            source.base.folder, prefer=model(entry.base).variant, without=frozenset({entry.part})
        )
        parts = [replace(p, numbers=numbers) if p.name == entry.part else p for p in checked.parts]
        return replace(checked, parts=tuple(parts))
    checked = check_pipeline(source.folder, prefer=entry.variant)
    return _quantized(checked, entry) if entry.quantization else checked


def _quantized(checked: PipelineFolder, entry: ModelEntry) -> PipelineFolder:
    """The same with the denoiser's count as numbers of two bytes, as it lies on the device."""
    share = QUANTIZATIONS[entry.quantization].bytes_a_number / 2
    parts = [
        replace(part, numbers=int(part.numbers * share)) if part.name == entry.part else part
        for part in checked.parts
    ]
    return replace(checked, parts=tuple(parts))


@dataclass(frozen=True)
class JanusParts:
    """transformers' JanusProcessor and JanusForConditionalGeneration, on their device.

    ``weight_bytes`` were counted before layers were offloaded: with its hooks the model's own
    count finds empty tensors.
    """

    processor: Any
    model: Any
    weight_bytes: int


def read_janus(folder: Path, placement: Placement, get_again: str) -> JanusParts:
    """Loads a folder in the hub's layout (``deepseek-community/Janus-Pro-7B`` and alike).

    Any offload moves layers one by one: Janus is one large part. Nothing is downloaded, no code of
    the folder is run. Raises BadModelFolder, ending in the sentence ``get_again``, for a folder
    that holds no whole Janus.
    """
    import torch
    from transformers import JanusForConditionalGeneration, JanusProcessor

    try:
        processor = JanusProcessor.from_pretrained(folder, local_files_only=True)
        model, report = JanusForConditionalGeneration.from_pretrained(
            folder,
            dtype=getattr(torch, placement.dtype),
            local_files_only=True,
            use_safetensors=True,
            output_loading_info=True,
        )
    except Exception as error:  # what a broken file raises has no family: even Exception itself
        if is_out_of_memory(error):
            raise
        raise BadModelFolder(
            f"{folder} could not be read as Janus: {error}. {get_again}"
        ) from error
    absent = sorted(report["missing_keys"])
    if absent:
        # Transformers fills what is absent with random numbers, which would draw noise.
        raise BadModelFolder(
            f"{folder} lacks {len(absent):,} of Janus's weights ({absent[0]} ...). {get_again}"
        )
    if processor.chat_template is None:
        raise BadModelFolder(f"{folder} has no chat template (chat_template.jinja).")
    model.eval()
    weight_bytes = int(model.get_memory_footprint())
    if placement.offload == "none":
        model.to(placement.device)
    else:
        from accelerate import cpu_offload

        cpu_offload(model, execution_device=torch.device(placement.device))
    return JanusParts(processor, model, weight_bytes)


def device_bytes(model: Any, placement: Placement) -> int:
    """Bytes of weights on the device: all, or the largest layer where layers are moved."""
    if placement.offload == "none":
        return int(model.get_memory_footprint())
    return max(
        sum(weight.numel() * weight.element_size() for weight in layer.parameters(False))
        for layer in model.modules()
    )


_SUCCESSORS = {"MT5Tokenizer": "T5Tokenizer", "MT5TokenizerFast": "T5TokenizerFast"}
"""Classes that transformers 5 no longer has, by those that do their work."""


@contextmanager
def known_classes(checked: PipelineFolder) -> Iterator[None]:
    """Every class that model_index.json names can be found inside: a name that transformers
    dropped stands for its successor there.

    Raises BadModelFolder, naming class and part, for one that has none.
    """
    aliases: dict[str, Any] = {}
    for part in checked.parts:
        if part.library not in ("transformers", "diffusers"):
            continue
        library = importlib.import_module(part.library)
        if hasattr(library, part.class_name):
            continue
        successor = _successor(part.class_name) if part.library == "transformers" else ""
        if not successor or not hasattr(library, successor):
            raise BadModelFolder(
                f"{checked.folder / 'model_index.json'} takes its {part.name} from the class "
                f"{part.class_name}, which {part.library} {library.__version__} does not have. The "
                f"files are whole. Install a {part.library} that has it, or take another model."
            )
        aliases[part.class_name] = getattr(library, successor)
    import transformers

    for name, successor_class in aliases.items():
        setattr(transformers, name, successor_class)
    try:
        yield
    finally:
        for name in aliases:
            delattr(transformers, name)


def _successor(class_name: str) -> str:
    """The class that reads the same files; feature extractors of images are image processors."""
    if class_name.endswith("FeatureExtractor"):
        return f"{class_name.removesuffix('FeatureExtractor')}ImageProcessor"
    return _SUCCESSORS.get(class_name, "")


def load_parts(
    checked: PipelineFolder, dtype: Any, without: Collection[str] = ()
) -> dict[str, Any]:
    """All models of transformers' classes (text encoders, safety checkers) by the part's name.

    Loaded here and not by the pipeline, which drops what transformers says of missing weights:
    those are filled with random numbers, with a warning, and such a text encoder draws, but not
    what was asked. Raises BadModelFolder, naming part and weight, and what transformers raises.
    """
    parts = {}
    for part in checked.parts:
        part_class = _transformers_class(part) if part.name not in without else None
        if part_class is None:
            continue
        folder = checked.folder / part.name
        sets = weight_sets(path.name for path in folder.iterdir())
        model, report = part_class.from_pretrained(
            folder,
            dtype=dtype,
            variant=checked.variant if checked.variant in sets else None,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
        )
        # Tied weights, such as shared embeddings, are not among them.
        _refuse(checked, part, sorted(report["missing_keys"]))
        parts[part.name] = model
    return parts


def refuse_unfilled(pipeline: Any, checked: PipelineFolder) -> None:
    """Raises BadModelFolder, naming part and weight, where a weight was never filled: diffusers
    leaves what a file lacks on torch's empty device."""
    for part in checked.parts:
        model = pipeline.components.get(part.name)
        if hasattr(model, "named_parameters"):
            named = (*model.named_parameters(), *model.named_buffers())
            _refuse(checked, part, [name for name, tensor in named if tensor.device.type == "meta"])


def _refuse(checked: PipelineFolder, part: Part, absent: list[str]) -> None:
    if absent:
        raise BadModelFolder(
            f"{checked.folder / part.name} lacks {len(absent):,} of the weights of "
            f"{part.class_name} ({absent[0]}{' ...' if len(absent) > 1 else ''}): they are not "
            "complete, or another model's. Download them again."
        )


def _transformers_class(part: Part) -> Any:
    """The part's class if it is a model of transformers, or of a pipeline's own module (Kolors'
    ChatGLM) built on one; else None."""
    from transformers import PreTrainedModel

    if part.library == "diffusers":
        return None
    below = "" if part.library == "transformers" else "diffusers.pipelines."
    part_class = getattr(importlib.import_module(below + part.library), part.class_name, None)
    return (
        part_class
        if isinstance(part_class, type) and issubclass(part_class, PreTrainedModel)
        else None
    )
