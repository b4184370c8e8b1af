"""The parts of a pipeline that transformers loads, and that none of a pipeline was made up."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from truehue.core.generation.memory import BadModelFolder
from truehue.core.generation.weights.files import weight_sets
from truehue.core.generation.weights.pipeline_folder import Part, PipelineFolder

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
