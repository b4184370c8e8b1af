"""What is known of a folder of images before, while and after it is read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from truehue.core.errors import BadInput
from truehue.core.images.load import LoadedImage
from truehue.core.prompts.prompt import Prompt
from truehue.core.records import GenerationRecord


@dataclass(frozen=True)
class Remark:
    """One file, or one line of a table, and what is to be said of it."""

    where: str
    why: str


@dataclass(frozen=True)
class LinkedImage:
    """One image file that was linked to a prompt by its name or by a table.

    ``name`` is the path below the folder, with slashes. ``k`` counts the images of a prompt, as
    the file says or else from 1. ``layout`` is how the prompt was found: ``published``, ``ids``
    or ``mapping``. ``seed`` and ``guidance`` are None where nobody says them. ``size_bytes`` and
    ``mtime_ns`` are those of the file when it was found.
    """

    path: Path
    name: str
    prompt: Prompt
    k: int
    model: str
    layout: str
    size_bytes: int
    mtime_ns: int
    seed: int | None = None
    guidance: float | None = None

    @cached_property
    def file_key(self) -> str:
        """Names this file, unchanged, as the image of this prompt and model: SHA-256 hex."""
        return self._key("file", str(self.path), self.size_bytes, self.mtime_ns)

    def content_key(self, sha256: str) -> str:
        """Names a file of these bytes, wherever it lies, as the image of this prompt and model:
        SHA-256 hex. ``sha256`` is that of the bytes."""
        return self._key("content", sha256)

    def _key(self, *parts: object) -> str:
        link = (self.model, self.prompt.source, self.prompt.id, self.prompt.text, self.k)
        spelled = json.dumps([*link, self.seed, self.guidance, *parts])
        return hashlib.sha256(spelled.encode()).hexdigest()


@dataclass(frozen=True)
class FolderPlan:
    """What a folder holds, by its names alone; every file is in one of the first three.

    ``found``: images with their prompts, in the natural order of their names. ``extra``: files
    and links that will not be read, with the reason. ``ignored``: how many hidden and system files
    there are. ``missing``: prompts that have no image, in their order. ``problems``: what else is
    to be said, by file, folder or line. ``layout`` is that of all images, or ``mixed``, or
    ``none``. ``new_prompts`` are those that only the table knows; their ``source`` is empty.
    """

    folder: Path
    found: tuple[LinkedImage, ...]
    extra: tuple[Remark, ...]
    ignored: int
    missing: tuple[Prompt, ...]
    problems: tuple[Remark, ...]
    layout: str
    prompts: tuple[Prompt, ...] = ()
    new_prompts: tuple[Prompt, ...] = ()

    @property
    def files(self) -> int:
        """How many files and links the folder has."""
        return len(self.found) + len(self.extra) + self.ignored


@dataclass(frozen=True, eq=False)
class ImportStep:
    """One image file that was read, or why it was not.

    ``position`` counts from 1 to ``total``. Of a file that was taken, ``loaded`` and ``image_id``
    are there, and ``same_as`` names an earlier file of the same pixels. ``problem`` says why a
    file could not be read. A file that was imported before, or is a copy of ``same_as`` with the
    same prompt and number, has neither (``known``).
    """

    position: int
    total: int
    found: LinkedImage
    loaded: LoadedImage | None = None
    problem: str | None = None
    image_id: str | None = None
    sha256: str = ""
    same_as: str | None = None
    lossy: bool = False

    @property
    def known(self) -> bool:
        """Whether the file was skipped because it, or its copy, was imported before."""
        return self.loaded is None and self.problem is None


def drawing(step: ImportStep, job_id: str = "", new_source: str = "") -> GenerationRecord:
    """The drawing of a step that took an image; its image is stored under ``step.image_id``.

    ``new_source`` is the id of the set that the plan's ``new_prompts`` are stored under. The
    origin holds ``file_key`` and ``content_key``, by which a later import knows the file. Raises
    BadInput for a step without an image.
    """
    image, loaded = step.found, step.loaded
    if loaded is None or step.image_id is None:
        raise BadInput(f"{image.name} was not read, so there is nothing to store of it.")
    height, width, _ = loaded.srgb8.shape
    prompt = image.prompt
    return GenerationRecord(
        text=prompt.text,
        model=image.model,
        source="imported",
        image_id=step.image_id,
        job_id=job_id,
        prompt_source=prompt.source or new_source,
        prompt_id=prompt.id,
        task=prompt.task,
        targets=prompt.targets,
        seed=image.seed,
        guidance=image.guidance,
        width=width,
        height=height,
        options={"k": image.k},
        origin={
            "file": image.name,
            "layout": image.layout,
            "sha256": step.sha256,
            "file_key": image.file_key,
            "content_key": image.content_key(step.sha256),
        },
    )
