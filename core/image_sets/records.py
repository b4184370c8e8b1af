"""An import of images: its plan, the reading of images one at a time, and its report."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any

from truehue.core.errors import BadInput, ImageError
from truehue.core.images.load import LoadedImage, image_id, load_image
from truehue.core.prompts.prompt import Prompt
from truehue.core.records import GenerationRecord


@dataclass(frozen=True)
class Remark:
    """One file, or one line of a table, and what is to be said of it."""

    where: str
    why: str


NO_PROMPT = Prompt("", "", "")
"""The prompt of an image of which nobody says what it was made of: its color is measured."""


LAYOUTS: Mapping[str, str] = {
    "published": "prompts by the published folders",
    "ids": "prompts by numbered names",
    "mapping": "prompts by a table",
    "none": "no prompts",
    "mixed": "prompts found in several ways",
}
"""How the images of a folder were linked to prompts, in words."""


@dataclass(frozen=True)
class LinkedImage:
    """One image file with its prompt, by its name or by a table, or with :data:`NO_PROMPT`.

    ``name`` is the path below the folder, with slashes. ``k`` counts the images of a prompt, as
    the file says or else from 1. ``layout`` is how the prompt was found: ``published``, ``ids``,
    ``mapping`` or ``none``. ``seed`` and ``guidance`` are None where nobody says them.
    ``size_bytes`` and ``mtime_ns`` are those of the file when it was found.
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
    """The contents of a folder, by its names alone; every file is in one of the first three.

    ``found``: images, in the natural order of their names. ``extra``: files and links that will
    not be read, with the reason. ``ignored``: how many hidden and system files
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

    @property
    def linked(self) -> int:
        """How many of the images have a prompt."""
        return sum(image.prompt is not NO_PROMPT for image in self.found)


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


def generation_of(step: ImportStep, job_id: str = "", new_source: str = "") -> GenerationRecord:
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
        prompt_source=prompt.source or (new_source if prompt is not NO_PROMPT else ""),
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


MAX_FILE_BYTES = 512 * 2**20
"""More than any image of the accepted size needs, uncompressed and with 16 bits."""

LOSSY_NOTE = "The file uses lossy compression ({kind}), which changes colors slightly."


def read(
    plan: FolderPlan, already: Container[str] = (), stop: Event | None = None
) -> Iterator[ImportStep]:
    """Yields a step for each image of the plan, in its order; the caller stores it.

    ``already`` holds keys of images that are stored (``file_key`` and ``content_key``, see
    :class:`LinkedImage`): a file of which either is there is skipped, the first without opening
    it. So is a copy: a file of the bytes, prompt, number and settings of an earlier one. A file
    that cannot be read is a step with a ``problem``, and the rest goes on. Looks at ``stop`` before
    each file and ends once it is set.
    """
    first: dict[str, str] = {}
    used: dict[str, str] = {}
    total = len(plan.found)
    for position, image in enumerate(plan.found, start=1):
        if stop is not None and stop.is_set():
            return
        step = ImportStep(position, total, image)
        if image.file_key not in already:
            step = _read_entry(step, already, used)
        if step.image_id is not None:
            used[image.content_key(step.sha256)] = image.name
            before = first.setdefault(step.image_id, image.name)
            step = replace(step, same_as=before if before != image.name else None)
        yield step


def _read_entry(step: ImportStep, already: Container[str], used: Mapping[str, str]) -> ImportStep:
    """The step with its image. ``used`` names the files of this import by their content keys."""
    image = step.found
    try:
        content = _content(image)
        sha256 = hashlib.sha256(content).hexdigest()
        key = image.content_key(sha256)
        if key in already or key in used:
            return replace(step, sha256=sha256, same_as=used.get(key))
        loaded = load_image(content, image.path.name)
    except (ImageError, MemoryError) as error:
        return replace(step, problem=str(error) or "There is not enough memory to read it.")
    kind = lossy_kind(content)
    if kind:
        notes = (*loaded.notes, LOSSY_NOTE.format(kind=kind))
        loaded = LoadedImage(loaded.srgb8, loaded.name, notes, loaded.opaque)
    return replace(
        step, loaded=loaded, image_id=image_id(loaded.srgb8), sha256=sha256, lossy=bool(kind)
    )


def _content(image: LinkedImage) -> bytes:
    try:
        with image.path.open("rb") as file:
            # What is asked for is allocated at once, so ask for what there is.
            size = os.fstat(file.fileno()).st_size
            content = file.read(size) if size <= MAX_FILE_BYTES else None
    except OSError as error:
        raise ImageError(
            f"{image.path.name} cannot be opened ({error.strerror or error}). Check path and "
            "rights."
        ) from error
    if content is None:
        raise ImageError(
            f"{image.path.name} is larger than {MAX_FILE_BYTES >> 20} MiB. Save it smaller."
        )
    return content


def lossy_kind(content: bytes) -> str:
    """``JPEG`` or ``WebP`` for the bytes of a file that was compressed with loss, else empty.

    The bytes decide, not the name. An extended WebP file says it in a later chunk.
    """
    if content.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        index = 12
        while index + 8 <= len(content):
            chunk = content[index : index + 4]
            if chunk in (b"VP8 ", b"VP8L"):
                return "WebP" if chunk == b"VP8 " else ""
            size = int.from_bytes(content[index + 4 : index + 8], "little")
            index += 8 + size + size % 2
    return ""


LISTED = 200
"""A list of a report shows this many and says how many there are."""


@dataclass(frozen=True)
class RemarkList:
    """The first :data:`LISTED` of ``total`` remarks."""

    total: int
    first: tuple[Remark, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "total": self.total,
            "first": [{"where": entry.where, "why": entry.why} for entry in self.first],
        }


@dataclass(frozen=True)
class FolderReport:
    """The outcome for every file of a folder.

    ``files`` = ``found`` + ``extra.total`` + ``ignored``; ``linked`` of those found have a prompt.
    ``found`` = ``taken`` + ``known``
    (imported before, or the copy of a file that was) + ``broken.total`` + ``unread`` (not reached,
    because the import was stopped). ``same`` are those that were taken though an earlier file has
    their pixels, and the copies; ``lossy`` of those taken were compressed with loss. ``prompts`` is
    how many prompts have an image now, of ``asked``; ``missing`` are those for which the folder has
    fewer than ``expected`` images, broken ones excluded.
    """

    folder: str
    layout: str
    files: int
    ignored: int
    found: int
    linked: int
    taken: int
    known: int
    unread: int
    lossy: int
    prompts: int
    asked: int
    new_prompts: int
    expected: int
    models: tuple[str, ...]
    broken: RemarkList
    extra: RemarkList
    missing: RemarkList
    same: RemarkList
    problems: RemarkList

    def as_json(self) -> dict[str, Any]:
        """Plain JSON of all of it."""
        return {
            name: value.as_json() if isinstance(value, RemarkList) else _plain(value)
            for name, value in vars(self).items()
        }

    def as_text(self) -> str:
        """Lines for people who look before an import: a summary, then each list that is not empty."""
        enough = self.asked - self.missing.total
        opened = self.found - self.unread
        lines = [
            f"{self.folder}: {self.files:,} files, {LAYOUTS[self.layout]}, "
            f"model {', '.join(self.models) or 'unknown'}. A preview: nothing is stored.",
            f"Images: {self.found:,}, of which {self.linked:,} have a prompt and "
            f"{self.found - self.linked:,} none.",
            f"Opened: {opened:,}, of which {self.taken:,} can be imported, {self.known:,} are copies "
            f"of another file and {self.broken.total:,} are broken."
            if opened
            else "Opened: none; --read opens all, to find broken ones.",
        ]
        if self.asked:
            lines.append(
                f"Prompts: {enough:,} of {self.asked:,} have {self.expected} or more images; "
                f"{self.new_prompts:,} stand in the folder's table alone."
            )
        lines.append(
            f"Other files: {self.extra.total:,} that would not be imported, and {self.ignored:,} "
            f"hidden, system or table {'file' if self.ignored == 1 else 'files'}."
        )
        if self.lossy:
            lines.append(
                f"Compressed with loss, which changes colors slightly: {self.lossy:,} images."
            )
        titles = (
            ("Broken", self.broken),
            (f"Prompts with fewer than {self.expected} images", self.missing),
            ("Not imported", self.extra),
            ("Same pixels as another file", self.same),
            ("Remarks", self.problems),
        )
        for title, listed in titles:
            if listed.total:
                lines += ["", f"{title} ({listed.total:,}):"]
                lines += [f"  {entry.where}: {entry.why}" for entry in listed.first]
                if listed.total > len(listed.first):
                    lines.append(f"  … and {listed.total - len(listed.first):,} more")
        return "\n".join(lines)


class Tally:
    """Counts steps as they come and keeps no image. ``report`` may be asked at any time; before
    the first step it says what an import would do."""

    def __init__(self, plan: FolderPlan, expected_per_prompt: int = 1) -> None:
        self._plan = plan
        self._expected = expected_per_prompt
        self._taken = self._known = self._broken = self._same = self._lossy = 0
        self._broken_first: list[Remark] = []
        self._same_first: list[Remark] = []
        # By identity: a prompt is hashed with all its targets, and ids repeat between sets.
        self._images = Counter(id(image.prompt) for image in plan.found)
        self._done: set[int] = set()

    def add(self, step: ImportStep) -> None:
        """Counts one step; each step of a plan once."""
        name = step.found.name
        if step.problem is not None:
            self._broken += 1
            if len(self._broken_first) < LISTED:
                self._broken_first.append(Remark(name, step.problem))
            self._images[id(step.found.prompt)] -= 1
            return
        if step.found.prompt is not NO_PROMPT:
            self._done.add(id(step.found.prompt))
        if step.same_as is not None:
            self._same += 1
            if len(self._same_first) < LISTED:
                copy = "It is a copy of" if step.known else "It has the pixels of"
                self._same_first.append(Remark(name, f"{copy} {step.same_as}."))
        if step.known:
            self._known += 1
        else:
            self._taken += 1
            self._lossy += step.lossy

    def report(self) -> FolderReport:
        """The outcome for the files so far."""
        plan = self._plan
        prompts = (*plan.prompts, *plan.new_prompts)
        short = [
            Remark(prompt.id, f"{self._images[id(prompt)]} of {self._expected} images")
            for prompt in prompts
            if self._images[id(prompt)] < self._expected
        ]
        return FolderReport(
            folder=plan.folder.name or str(plan.folder),
            layout=plan.layout,
            files=plan.files,
            ignored=plan.ignored,
            found=len(plan.found),
            linked=plan.linked,
            taken=self._taken,
            known=self._known,
            unread=len(plan.found) - self._taken - self._known - self._broken,
            lossy=self._lossy,
            prompts=len(self._done),
            asked=len(prompts),
            new_prompts=len(plan.new_prompts),
            expected=self._expected,
            models=tuple(sorted({image.model for image in plan.found})),
            broken=RemarkList(self._broken, tuple(self._broken_first)),
            extra=_remark_list(plan.extra),
            missing=_remark_list(short),
            same=RemarkList(self._same, tuple(self._same_first)),
            problems=_remark_list(plan.problems),
        )


def _remark_list(remarks: Sequence[Remark]) -> RemarkList:
    return RemarkList(len(remarks), tuple(remarks[:LISTED]))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
