"""Stored images as the items of a run that scores them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truehue.core.concepts.matching import normal
from truehue.core.errors import BadInput
from truehue.core.files import content_path
from truehue.core.generation.registry import name_of
from truehue.core.prompts.prompt import Prompt
from truehue.core.records import GenerationRecord
from truehue.core.runs.concepts import CONCEPT, measured_of
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import DRAWN, WHOLE, StoredItem, StoredMask
from truehue.core.runs.shards import read_columns
from truehue.core.runs.summary import kept_text
from truehue.core.verdict.expectations import expectations_of
from truehue.tabs.library.service import canonical

if TYPE_CHECKING:
    from truehue.storage.store import Storage

OF_RUN = "run:"
"""Before the id of a run whose pictures are meant."""

_COLUMNS = ("position", "prompt", "image", "attempt", "image_id", "masks")


def of_model(storage: Storage, model: str, prompts: Sequence[Prompt]) -> list[StoredItem]:
    """Every stored image that ``model`` made of these prompts, with the masks that it has. One of a
    concept belongs to its prompt by the sentence, too: somebody may have typed it.

    A prompt's pictures are numbered from 0, by their number in an imported folder or their seed,
    then by age; equal pixels count once. Of the masks of an object the newest counts; an image of a
    concept has the mask in which Compare measures it. Raises BadInput where there is no picture.
    """
    from truehue.tabs.verdicts.scoring import masks_of

    positions = _positions(prompts)
    sentences = {
        normal(prompt.text): index
        for index, prompt in enumerate(prompts)
        if prompt.task == CONCEPT and not expectations_of(prompt.targets)
    }
    by_prompt: dict[int, dict[str, GenerationRecord]] = defaultdict(dict)
    for row in storage.drawings.of_model(model):
        index = positions.get((canonical(row.prompt_source), row.prompt_id))
        # A refined image, or a simulated failure, is not what the model makes by itself.
        is_own = "cfr" not in row.options and row.options.get("failure", "none") == "none"
        if index is None and is_own and not expectations_of(row.targets):
            index = sentences.get(normal(row.text))
        if index is not None and row.image_id is not None:
            by_prompt[index].setdefault(row.image_id, row)
    image_ids = {image_id for rows in by_prompt.values() for image_id in rows}
    masks, candidates = storage.masks.for_images(image_ids), storage.masks.candidates(image_ids)
    items = []
    for generation_record in sorted(by_prompt):
        for number, (image_id, row) in enumerate(
            sorted(by_prompt[generation_record].items(), key=_order)
        ):
            # The prompt of the plan is the one that the picture is judged by.
            prompt, may_count = prompts[generation_record], candidates.get(image_id)
            fitting = masks_of(masks.get(image_id, ()), prompt.targets)
            for position in measured_of(prompt.task, prompt.targets):
                mask = may_count and may_count.of_object(normal(prompt.targets[position].name))
                # The whole image without a selection is what the masker may do better.
                if mask and (mask.maker != WHOLE or mask.parameters):
                    fitting[position] = mask
                else:
                    fitting.pop(position, None)
            object_masks = {
                target: StoredMask(
                    record.mask_id,
                    _whole(storage.masks.file(record)),
                    record.maker,
                    record.parameters,
                )
                for target, record in fitting.items()
            }
            file = _whole(storage.images.file(image_id))
            items.append(
                StoredItem(generation_record, number, image_id, file, object_masks, row.model)
            )
    return _some(items, name_of(model))


def of_run(folder: RunFolder, prompts: Sequence[Prompt]) -> list[StoredItem]:
    """Every picture that a run has drawn of these prompts, with the masks that it made.

    Raises BadInput where there is none, also for a run that drew nothing itself.
    """
    about = folder.summary()
    if about["kind"] != DRAWN:
        raise BadInput(
            "That run scored images of others: choose the run that generated them.", "models"
        )
    retention = kept_text(about)
    sample = folder.plan().prompts
    positions = _positions(prompts)
    latest: dict[int, dict[str, Any]] = {}
    for shard in folder.shards():
        for row in read_columns(shard, _COLUMNS).to_pylist():
            position = row["position"]
            if position not in latest or latest[position]["attempt"] < row["attempt"]:
                latest[position] = row
    items = []
    for _, row in sorted(latest.items()):
        prompt = sample[row["prompt"]]
        index = positions.get((canonical(prompt.source), prompt.id))
        if index is None or not row["image_id"]:
            continue
        object_masks = {
            mask["target"]: StoredMask(
                mask["mask_id"],
                _whole(content_path(folder.masks, mask["content_sha256"])),
                mask["maker"],
                json.loads(mask["parameters"]),
            )
            for mask in row["masks"]
        }
        path = content_path(folder.images, row["image_id"])
        if retention and not path.is_file():
            continue  # its pixels were not kept
        file = _whole(path)
        items.append(
            StoredItem(index, row["image"], row["image_id"], file, object_masks, about["model"])
        )
    items.sort(key=lambda item: (item.prompt, item.image))
    if retention and not items:
        raise BadInput(
            f"The run {about['name']} {retention}: none of these prompts has its pixels.", "models"
        )
    return _some(items, about["name"])


def _positions(prompts: Sequence[Prompt]) -> dict[tuple[str, str], int]:
    return {(canonical(prompt.source), prompt.id): index for index, prompt in enumerate(prompts)}


def _order(row: tuple[str, GenerationRecord]) -> tuple[int, int]:
    k, seed = row[1].options.get("k"), row[1].seed
    return (k if isinstance(k, int) else 0, seed if seed is not None else 0)


def _whole(path: Path) -> str:
    return str(path.resolve())


def _some(items: list[StoredItem], name: str) -> list[StoredItem]:
    if not items:
        raise BadInput(f"No image of {name} is of these prompts.", "models")
    return items
