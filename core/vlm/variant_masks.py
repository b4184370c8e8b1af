"""Masks for recolored variants: the target by Grounded SAM, and the largest other segment.

ColorBench recolors the segment of the object that a question is about, and the largest segment
without it (arXiv:2504.10514). The object is found by its name. The other segments are
what SAM cuts out at the points of a grid, as its automatic generator does; those of which it is not
sure itself are left out. Its test of stability is not made.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput, ObjectNotFound, UnknownName
from truehue.core.files import png_of, replace_file
from truehue.core.masks.grounded.ground import GroundingMethod, about, ground
from truehue.core.masks.grounded.records import Segmenter
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import IllustratedQuestion, Question
from truehue.core.vlm.robustness import takes_mask
from truehue.core.vlm.variants import largest_other

Mask = NDArray[np.bool_]
SETTINGS, TARGETS = "masks.json", "targets.csv"
MIN_QUALITY = 0.88
"""SAM's own estimate from which its automatic generator keeps a segment (pred_iou_thresh)."""
POINTS_A_SIDE = 16
MIN_PIXELS = 2
"""A file of fewer is refused as a mask (truehue.core.images.load.load_mask)."""
MAX_POINTS_A_SIDE = 64
_COUNTED = (
    re.compile(r"\bhow many (?P<name>.+?) (?:are|is|can|do|does|appear|have)\b", re.IGNORECASE),
    re.compile(r"\bnumber of (?P<name>.+?) (?:in|on|are|is)\b", re.IGNORECASE),
)


@dataclass(frozen=True)
class SegmentSettings:
    """``points`` a side of the grid at which SAM cuts out segments, and the least ``quality``, 0
    to 1, that it states for one. Raises BadInput for others."""

    points: int = POINTS_A_SIDE
    quality: float = MIN_QUALITY

    def __post_init__(self) -> None:
        if not 1 <= self.points <= MAX_POINTS_A_SIDE:
            raise BadInput(f"A grid has 1 to {MAX_POINTS_A_SIDE} points a side, not {self.points}.")
        if not 0 <= self.quality <= 1:
            raise BadInput(f"A quality is from 0 to 1, not {self.quality:g}.")


@dataclass
class MaskCounts:
    """What became of the originals that take masks: ``masked`` now, ``had`` masks before,
    ``unnamed`` have no name of their target, ``problems`` by question; ``alone`` of the masked
    have no other segment."""

    masked: int = 0
    had: int = 0
    unnamed: int = 0
    alone: int = 0
    problems: dict[str, str] = field(default_factory=dict)


def target_name(question: Question, names: Mapping[str, str]) -> str:
    """What a question is about: by ``names`` (question id to name), its construction's ``target``,
    or its text where that asks how many there are; else empty."""
    if question.question_id in names:
        return names[question.question_id]
    stated = question.construction.get("target")
    if isinstance(stated, str) and stated.strip():
        return stated.strip()
    match = next(filter(None, (pattern.search(question.text) for pattern in _COUNTED)), None)
    return match["name"].strip() if match else ""


def read_targets(path: Path) -> dict[str, str]:
    """The names in a CSV file with the columns ``question_id`` and ``target``. Raises BadInput for
    a file that cannot be read or lacks a column."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read: {error}.", "targets") from error
    names = {}
    for row in rows:
        question_id, name = row.get("question_id"), row.get("target")
        if question_id is None or name is None:
            raise BadInput(f"{path} needs the columns question_id and target.", "targets")
        names[question_id] = " ".join(name.split())
    return names


def other_segment(
    srgb8: NDArray[np.uint8],
    target: Mask,
    segmenter: Segmenter,
    settings: SegmentSettings,
    image_name: str = "",
) -> Mask | None:
    """The largest segment other than the target, bool ``(H, W)``, without its pixels; None where
    there is none.

    ``srgb8`` is uint8 ``(H, W, 3)``, ``target`` bool ``(H, W)``. Points inside the target are left
    out, and so are segments of which more than half is the target: they are the target again.
    """
    height, width = target.shape
    embedding = segmenter.embed(srgb8, image_name)
    best: Mask | None = None
    for row in range(settings.points):
        for column in range(settings.points):
            x = (column + 0.5) * width / settings.points
            y = (row + 0.5) * height / settings.points
            if target[int(y), int(x)]:
                continue
            segment = segmenter.from_points(embedding, [(x, y)], [True])
            pixels = segment.pixels
            common = np.count_nonzero(pixels & target)
            if segment.score < settings.quality or 2 * common > np.count_nonzero(pixels):
                continue
            best = largest_other([pixels] if best is None else [best, pixels], target)
    return best if best is not None and np.count_nonzero(best) >= MIN_PIXELS else None


def write_masks(
    question_set: QuestionSet,
    out: Path,
    method: GroundingMethod,
    settings: SegmentSettings,
    names: Mapping[str, str],
    report_progress: Callable[[int, int], None] = lambda done, total: None,
) -> MaskCounts:
    """Writes the masks of a set's originals into a folder, as ``vlm variants --masks`` reads them:
    ``QUESTION_ID.png``, ``QUESTION_ID.other.png``, and ``QUESTION_ID.json`` with boxes and scores.

    ``targets.csv`` has the name of each target, to be corrected and read as ``names``. The same
    call resumes. Raises BadInput for a folder of other settings, and StorageError as the set.
    """
    originals = [question for question in question_set.questions() if takes_mask(question)]
    varied = {question.seed_id for question in question_set.questions() if question.seed_id}
    originals = [question for question in originals if question.question_id not in varied]
    if not originals:
        raise BadInput(
            f"No question of {question_set.folder} takes a mask: their tasks take no variants or "
            "turn as a whole, their targets are known, or they have variants already."
        )
    _begin(out, question_set, method, settings)
    _write_targets(out / TARGETS, originals, names)
    counts = MaskCounts()
    for number, question in enumerate(originals):
        report_progress(number, len(originals))
        name = target_name(question, names)
        record = out / f"{question.question_id}.json"
        if record.parent != out:
            counts.problems[question.question_id] = "its id cannot name a file"
        elif not name:
            _remove(record)
            counts.unnamed += 1
        elif _is_done(record, name):
            counts.had += 1
        else:
            _mask_one(question_set.illustrate(question), name, record, method, settings, counts)
    return counts


def _mask_one(
    item: IllustratedQuestion,
    name: str,
    record: Path,
    method: GroundingMethod,
    settings: SegmentSettings,
    counts: MaskCounts,
) -> None:
    image = item.question.image_id
    # A mask of an earlier name must not stay where this one is not found.
    path, other_path = _remove(record)
    try:
        grounded = ground(item.srgb8, ObjectTarget(name), method, image_name=image)
    except (ObjectNotFound, UnknownName) as error:
        counts.problems[item.question.question_id] = str(error)
        return
    target = grounded.mask.pixels
    if np.count_nonzero(target) < MIN_PIXELS:
        counts.problems[item.question.question_id] = f"The mask of {name} has a single pixel."
        return
    other = other_segment(item.srgb8, target, method.segmenter, settings, image)
    replace_file(path, png_of(_black_and_white(target)))
    if other is not None:
        replace_file(other_path, png_of(_black_and_white(other)))
    shares = {
        "target_share": float(target.mean()),
        "other_share": None if other is None else float(other.mean()),
    }
    about_mask = {"target": name, **shares, "mask": grounded.mask.parameters}
    # Written last: a question with this file is done.
    replace_file(record, _json(about_mask))
    counts.masked += 1
    counts.alone += other is None


def _begin(
    out: Path, question_set: QuestionSet, method: GroundingMethod, settings: SegmentSettings
) -> None:
    made = {
        "masks_of": question_set.sha256,
        "detector": about(method.detector),
        "segmenter": about(method.segmenter),
        "variant": method.variant.as_json(),
        "others": asdict(settings),
    }
    content, path = _json(made), out / SETTINGS
    if path.is_file():
        if path.read_bytes() != content:
            raise BadInput(
                f"{out} has masks of another set, or of other models or settings. Give a new folder."
            )
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} is there already and holds other files. Give a new folder.")
    out.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)


def _write_targets(path: Path, originals: Sequence[Question], names: Mapping[str, str]) -> None:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(("question_id", "target", "question"))
    for question in originals:
        writer.writerow((question.question_id, target_name(question, names), question.text))
    replace_file(path, lines.getvalue().encode())


def _remove(record: Path) -> tuple[Path, Path]:
    """Removes a question's masks with their record; returns the paths of target and other."""
    name = record.name.removesuffix(".json")
    paths = record.with_name(f"{name}.png"), record.with_name(f"{name}.other.png")
    for path in (record, *paths):
        path.unlink(missing_ok=True)
    return paths


def _is_done(record: Path, name: str) -> bool:
    """Whether the question's masks are there, of the target of that name."""
    try:
        return bool(json.loads(record.read_text(encoding="utf-8"))["target"] == name)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _black_and_white(mask: Mask) -> NDArray[np.uint8]:
    return np.where(mask, 255, 0).astype(np.uint8)


def _json(record: Mapping[str, Any]) -> bytes:
    return (json.dumps(record, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()
