"""An imported image as the drawing that storage keeps of it."""

from __future__ import annotations

from core.errors import BadInput
from core.image_sets.records import ImportStep
from core.records import DrawingRecord


def drawing(step: ImportStep, job_id: str = "", new_source: str = "") -> DrawingRecord:
    """The drawing of a step that took an image; its image is stored under ``step.image_id``.

    ``new_source`` is the id of the set that the plan's ``new_prompts`` are stored under. The
    origin holds ``file_key`` and ``content_key``, by which a later import knows the file. Raises
    BadInput for a step without an image.
    """
    found, loaded = step.found, step.loaded
    if loaded is None or step.image_id is None:
        raise BadInput(f"{found.name} was not read, so there is nothing to store of it.")
    height, width, _ = loaded.srgb8.shape
    prompt = found.prompt
    return DrawingRecord(
        text=prompt.text,
        model=found.model,
        source="imported",
        image_id=step.image_id,
        job_id=job_id,
        prompt_source=prompt.source or new_source,
        prompt_id=prompt.id,
        task=prompt.task,
        targets=prompt.targets,
        seed=found.seed,
        guidance=found.guidance,
        width=width,
        height=height,
        options={"k": found.k},
        origin={
            "file": found.name,
            "layout": found.layout,
            "sha256": step.sha256,
            "file_key": found.file_key,
            "content_key": found.content_key(step.sha256),
        },
    )
