"""A sealed set as a folder, and its key as a file that is kept elsewhere.

The folder has ``questions.csv``, ``images/``, ``masks/`` and ``set.json``. The key holds the seed
and the answers. ``set.json`` has the key's SHA-256, and the key has the SHA-256 of the questions
and files: so neither can be changed, or exchanged, without the other telling.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.files import ReportProgress, file_problem, ignore_progress, write_once
from truehue.core.generation.renderer import (
    RENDERER_VERSION,
    SceneObject,
    SceneRequest,
    render_scene,
)
from truehue.core.images.load import encode_png
from truehue.core.ring.plan import HEX, KINDS, RingPlan, RingQuestion, RingScene, make_plan
from truehue.core.version import VERSION

SCHEMA = 1
MANIFEST, QUESTIONS = "set.json", "questions.csv"
COLUMNS = ("id", "image", "mask", "object", "color", "hex", "system", "question")


@dataclass(frozen=True)
class RingSet:
    """A folder whose files are those that were sealed. ``id`` is the SHA-256 of its questions,
    images and masks; ``rows`` are the questions as :data:`COLUMNS` name them. Of ``color`` and
    ``hex`` one is empty."""

    folder: Path
    id: str
    key_sha256: str
    images: int
    size_px: int
    renderer_version: str
    version: str
    rows: tuple[dict[str, str], ...]

    @property
    def name(self) -> str:
        """The id's first twelve digits."""
        return self.id[:12]


@dataclass(frozen=True)
class RingKey:
    """The seed, the scenes by their images, and the questions with answers by their ids."""

    set_id: str
    sha256: str
    seed: int
    scenes: dict[str, RingScene]
    questions: dict[str, RingQuestion]


def default_key_path(folder: Path) -> Path:
    """Beside the set's folder: ``SET-key.json``."""
    return folder.with_name(f"{folder.name}-key.json")


def make_set(
    folder: Path,
    key: Path,
    seed: int,
    images: int,
    size_px: int,
    report_progress: ReportProgress = ignore_progress,
) -> RingSet:
    """Renders a set into a new folder and writes its key.

    The same seed, number and size give the same files. Raises BadInput for a folder or a key that
    exists, a key inside the folder, and what :func:`make_plan` and the renderer refuse;
    DataFolderError where it cannot be written. Then nothing is left.
    """
    if folder.exists():
        raise BadInput(f"{folder} exists already. Give a new folder.", "out")
    if key.exists():
        raise BadInput(f"{key} exists already. Give another file for the key.", "key")
    if key.resolve().is_relative_to(folder.resolve()):
        raise BadInput("The key must lie outside of the set's folder: --key FILE.", "key")
    plan = make_plan(seed, images, size_px)
    half = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.part")
    try:
        half.mkdir(parents=True)
        write_once(half / QUESTIONS, questions_text(plan).encode())
        for done, scene in enumerate(plan.scenes, 1):
            srgb8, mask = render(scene, size_px)
            write_once(half / scene.image, encode_png(srgb8))
            write_once(half / scene.mask, encode_png(_as_image(mask)))
            report_progress(done, len(plan.scenes))
        set_id = _content_sha256(half)
        content = _key_json(plan, set_id)
        manifest = {
            "schema": SCHEMA,
            "set": set_id,
            "key_sha256": hashlib.sha256(content).hexdigest(),
            "images": len(plan.scenes),
            "questions": len(plan.questions),
            "size_px": size_px,
            "renderer_version": RENDERER_VERSION,
            "version": VERSION,
        }
        write_once(half / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
        key.parent.mkdir(parents=True, exist_ok=True)
        write_once(key, content)
        os.rename(half, folder)
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be written: {file_problem(error)}.") from error
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return open_set(folder)


def render(scene: RingScene, size_px: int) -> tuple[np.ndarray, np.ndarray]:
    """The image uint8 ``(H, W, 3)`` and the mask of its first object, bool ``(H, W)``."""
    objects = [SceneObject(scene.object, parse_target(scene.hex).srgb8)]
    if scene.neighbor:
        objects.append(SceneObject(scene.neighbor, parse_target(scene.neighbor_hex).srgb8))
    tint = parse_target(scene.backdrop_hex).srgb8 if scene.backdrop_hex else (255, 255, 255)
    rendering = render_scene(
        SceneRequest(tuple(objects), scene.light, scene.view, size_px, stage_tint_srgb8=tint)
    )
    return rendering.srgb8, rendering.masks[0].pixels


def open_set(folder: Path) -> RingSet:
    """The set in a folder. Raises BadInput where there is none, or where a file was changed."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["schema"] != SCHEMA:
            raise BadInput(f"{folder} has schema {manifest['schema']!r}, not {SCHEMA}.")
        with (folder / QUESTIONS).open(newline="", encoding="utf-8") as file:
            rows = tuple(csv.DictReader(file))
        opened = RingSet(
            folder,
            str(manifest["set"]),
            str(manifest["key_sha256"]),
            int(manifest["images"]),
            int(manifest["size_px"]),
            str(manifest["renderer_version"]),
            str(manifest["version"]),
            rows,
        )
        content = _content_sha256(folder)
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        if isinstance(error, TrueHueError):
            raise
        raise BadInput(
            f"{folder} is no set of a ring test: {error}. Make one with truehue ring make."
        ) from error
    if content != opened.id:
        raise BadInput(
            f"Files of the set in {folder} are not those that were sealed. Use an unchanged copy."
        )
    return opened


def read_key(path: Path, ring_set: RingSet) -> RingKey:
    """The answers of a set. Raises BadInput where the file is no key, belongs to another set, or
    was changed."""
    try:
        content = path.read_bytes()
        fields = json.loads(content)
        if fields["schema"] != SCHEMA:
            raise BadInput(f"The key {path.name} has schema {fields['schema']!r}, not {SCHEMA}.")
        key = RingKey(
            str(fields["set"]),
            hashlib.sha256(content).hexdigest(),
            int(fields["seed"]),
            {entry["image"]: RingScene(**entry) for entry in fields["scenes"]},
            {entry["id"]: RingQuestion(**entry) for entry in fields["questions"]},
        )
    except OSError as error:
        raise BadInput(f"The key {path} cannot be read: {file_problem(error)}.") from error
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, TrueHueError):
            raise
        raise BadInput(f"{path} is no key of a ring test: {error!r}.") from error
    if key.set_id != ring_set.id:
        raise BadInput(
            f"The key {path.name} belongs to the set {key.set_id[:12]}, not to {ring_set.name}."
        )
    if key.sha256 != ring_set.key_sha256:
        raise BadInput(f"The key {path.name} was changed after the set was sealed.")
    if set(key.questions) != {row["id"] for row in ring_set.rows}:
        raise BadInput(f"The key {path.name} has other questions than the set {ring_set.name}.")
    return key


def questions_text(plan: RingPlan) -> str:
    """The content of ``questions.csv``: of a color its name and system, or its code."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    masks = {scene.image: scene.mask for scene in plan.scenes}
    for question in plan.questions:
        system = "" if question.system == HEX else question.system
        name = "" if question.system == HEX else question.color
        code = question.hex if question.system == HEX else ""
        writer.writerow(
            (
                question.id,
                question.image,
                masks[question.image],
                question.object,
                name,
                code,
                system,
                question.text,
            )
        )
    return text.getvalue()


def _key_json(plan: RingPlan, set_id: str) -> bytes:
    assert all(question.kind in KINDS for question in plan.questions)
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "set": set_id,
        "seed": plan.seed,
        "scenes": [asdict(scene) for scene in plan.scenes],
        "questions": [asdict(question) for question in plan.questions],
    }
    return (json.dumps(fields, ensure_ascii=False) + "\n").encode()


def _content_sha256(folder: Path) -> str:
    """Of the questions, images and masks: their names and bytes."""
    digest = hashlib.sha256()
    for path in _files(folder):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    yield folder / QUESTIONS
    for part in ("images", "masks"):
        yield from sorted((folder / part).glob("*.png"))


def _as_image(mask: np.ndarray) -> np.ndarray:
    return np.repeat((mask * np.uint8(255))[:, :, None], 3, axis=2)
