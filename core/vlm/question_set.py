"""A set of questions as a folder: text and images, complete or absent, read one by one.

``questions.jsonl`` has one question per line, ``images/ab/abcd….png`` the images, each named by its
pixels' SHA-256. ``set.json`` has the number of questions, their tasks, the settings, and the
SHA-256 of ``questions.jsonl``. The folder is written under another name and renamed at the end.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput, DataFolderError, StorageError
from truehue.core.files import content_path, file_problem, read_png, sync_folder, write_once
from truehue.core.images.load import encode_png, image_id
from truehue.core.vlm.records import Form, IllustratedQuestion, Question
from truehue.core.vlm.tasks import ROBUSTNESS

SCHEMA = 1
QUESTIONS, MANIFEST, IMAGES = "questions.jsonl", "set.json", "images"


@dataclass(frozen=True)
class QuestionSet:
    """A folder that was found whole. ``counts`` are by task id; ``sha256`` is of its questions,
    which name their images by pixels: two sets with the same one are the same set."""

    folder: Path
    name: str
    questions_count: int
    images_count: int
    counts: Mapping[str, int]
    settings: Mapping[str, Any]
    sha256: str

    def questions(self) -> Iterator[Question]:
        """All of them in order, one line at a time. Raises StorageError, with the line, where one
        cannot be read."""
        with (self.folder / QUESTIONS).open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield _question(json.loads(line))
                except (ValueError, KeyError, TypeError) as error:
                    raise StorageError(
                        f"{self.folder / QUESTIONS}, line {number} is no question: {error}"
                    ) from error

    def image_path(self, question: Question, released: bool = False) -> Path:
        """Where the PNG of its image lies; of the ``released`` pixels, where they are others."""
        image = question.released_image_id if released else question.image_id
        return content_path(self.folder / IMAGES, image)

    def illustrate(self, question: Question) -> IllustratedQuestion:
        """A question of it with all that it has of images. Raises StorageError."""
        released = question.released_image_id
        pixels = None if released == question.image_id else self.pixels(released)
        return IllustratedQuestion(question, self.image(question), pixels)

    def image(self, question: Question) -> NDArray[np.uint8]:
        """uint8 sRGB ``(H, W, 3)``. Raises StorageError as :meth:`pixels`."""
        return self.pixels(question.image_id)

    def pixels(self, named: str) -> NDArray[np.uint8]:
        """uint8 sRGB ``(H, W, 3)`` of the image with this id. Raises StorageError for a file that
        is gone, broken, or holds other pixels than its name says."""
        path = content_path(self.folder / IMAGES, named)
        srgb8 = read_png(path, "RGB")
        if image_id(srgb8) != named:
            raise StorageError(f"{path} holds other pixels than its name says. Put a copy back.")
        return srgb8

    def illustrated(self) -> Iterator[IllustratedQuestion]:
        """All questions with their images, one at a time. Raises StorageError."""
        for question in self.questions():
            yield self.illustrate(question)


def write_set(
    folder: Path, items: Iterable[IllustratedQuestion], name: str, settings: Mapping[str, Any]
) -> QuestionSet:
    """Writes a set to a folder that is not there yet, and returns it.

    ``settings`` is what it was made with: anything that JSON holds. Raises BadInput for a folder
    that is there, for no questions, for two of one id, and for a question that is not of its image;
    DataFolderError when the disk is full or the folder cannot be written. Then nothing is left.
    """
    if folder.exists():
        raise BadInput(f"{folder} is there already. Give a folder that is not.")
    half = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.part")
    try:
        half.mkdir(parents=True)
        _fill(half, items, name, settings)
        os.rename(half, folder)
        sync_folder(folder.parent)
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be written: {file_problem(error)}.") from error
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return open_set(folder)


def select_questions(
    questions: Iterable[Question],
    tasks: Collection[str] = (),
    limit: int | None = None,
    variants: bool = True,
) -> list[Question]:
    """Of some questions those of the ``tasks`` (empty: of all), at most ``limit`` of each; variants
    come with their original. Without ``variants`` robustness is left out altogether.

    Raises BadInput for a task without questions, and where none are left.
    """
    questions = list(questions)
    known = {question.task for question in questions}
    if unknown := [task for task in tasks if task not in known]:
        raise BadInput(
            f"The set has no questions of {unknown[0][:60]!r}. It has {', '.join(sorted(known))}.",
            "tasks",
        )
    chosen: list[Question] = []
    counts: Counter[str] = Counter()
    seeds: set[str] = set()
    for question in questions:
        if tasks and question.task not in tasks:
            continue
        if not variants and (question.seed_id or question.task == ROBUSTNESS):
            continue
        if question.seed_id:
            if limit is None or question.seed_id in seeds:
                chosen.append(question)
            continue
        counts[question.task] += 1
        if limit is None or counts[question.task] <= limit:
            seeds.add(question.question_id)
            chosen.append(question)
    if not chosen:
        raise BadInput("No questions are left. Choose more tasks.", "tasks")
    return chosen


def _fill(
    folder: Path, items: Iterable[IllustratedQuestion], name: str, settings: Mapping[str, Any]
) -> None:
    digest, ids, images = hashlib.sha256(), set(), set()
    counts: Counter[str] = Counter()
    with (folder / QUESTIONS).open("xb") as file:
        for item in items:
            question = item.question
            if question.question_id in ids:
                raise BadInput(f"The question {question.question_id} is there twice.")
            for image, srgb8 in _images(item).items():
                if image in images:
                    continue
                if srgb8 is None or image_id(srgb8) != image:
                    raise BadInput(f"The question {question.question_id} is not of its image.")
                write_once(content_path(folder / IMAGES, image), encode_png(srgb8))
                images.add(image)
            line = json.dumps(asdict(question), ensure_ascii=False, sort_keys=True) + "\n"
            file.write(line.encode())
            digest.update(line.encode())
            ids.add(question.question_id)
            counts[question.task] += 1
        file.flush()
        os.fsync(file.fileno())
    if not ids:
        raise BadInput("A set has at least one question.")
    manifest = {
        "schema": SCHEMA,
        "name": name,
        "questions": len(ids),
        "images": len(images),
        "counts": dict(counts),
        "settings": dict(settings),
        "sha256": digest.hexdigest(),
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    write_once(folder / MANIFEST, text.encode())


def _images(item: IllustratedQuestion) -> dict[str, NDArray[np.uint8] | None]:
    """The images of a question by their ids, the released one too where it is another."""
    question = item.question
    return {question.released_image_id: item.released_srgb8, question.image_id: item.srgb8}


def open_set(folder: Path) -> QuestionSet:
    """The set in a folder; its images are looked at when they are asked for.

    Raises BadInput where there is none or it is of a newer TrueHue, and StorageError where its
    questions are not those that were written, or an image is missing.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        content = (folder / QUESTIONS).read_bytes()
    except (OSError, ValueError) as error:
        raise BadInput(f"{folder} is no set of questions: {error}") from error
    try:
        if manifest["schema"] != SCHEMA:
            raise BadInput(f"{folder} has the form {manifest['schema']}; this TrueHue reads 1.")
        opened = QuestionSet(
            folder=folder,
            name=str(manifest["name"]),
            questions_count=int(manifest["questions"]),
            images_count=int(manifest["images"]),
            counts={str(task): int(count) for task, count in manifest["counts"].items()},
            settings=dict(manifest["settings"]),
            sha256=str(manifest["sha256"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{folder / MANIFEST} is none of a set of questions: {error!r}.") from error
    if hashlib.sha256(content).hexdigest() != opened.sha256:
        raise StorageError(
            f"{folder / QUESTIONS} was changed: its SHA-256 is not the one in {MANIFEST}. Put a "
            "copy back, or make the set again."
        )
    images = {
        image
        for question in opened.questions()
        for image in (question.image_id, question.released_image_id)
    }
    missing = sorted(
        image for image in images if not content_path(folder / IMAGES, image).is_file()
    )
    if missing:
        raise StorageError(
            f"{len(missing)} of {len(images)} images of {folder} are gone, as "
            f"{content_path(folder / IMAGES, missing[0])}. Put a copy back, or make the set again."
        )
    return opened


def _question(record: Mapping[str, Any]) -> Question:
    """Raises KeyError, TypeError and BadInput for what is no question."""
    fields = {**record, "form": Form(record["form"]), "choices": tuple(record["choices"])}
    return Question(**fields)
