"""Numbers of a set of images: means of measures, the ΔSat of the mean, and FID. They make the rows of
the paper's Tables 3 and 5."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truehue.core.batch.results import tables
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.fidelity.groups import category_of
from truehue.core.files import content_path, file_problem, replace_file
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import DRAWN, IMAGE_FILE, NOT_KEPT
from truehue.core.runs.worker import RunWork
from truehue.core.scores.scoring import ScoreMean, delta_sat_of_mean, score_mean

FOLDER = Path("fidelity") / "sets"
"""Below the data folder: a file for each run whose images were measured as a set."""
DELTA_SAT_OF_MEAN, MEAN_DELTA_SAT = "delta_sat_of_mean", "mean_delta_sat"


CFM = "cfm"


def cfm_key(checkpoint: str, instruction_sha256: str, rounded_rotary: bool) -> str:
    """The name of a CFM's number: another checkpoint, text or rounding is another number."""
    rotary = "bfloat16" if rounded_rotary else "float32"
    return f"{CFM} {checkpoint[:12]} {instruction_sha256[:12]} {rotary}"


@dataclass(frozen=True)
class SetImage:
    """An image of a set: its file, its prompt, the number of that prompt in the set, and its category
    where one is stated."""

    path: Path
    prompt: str
    prompt_number: int
    category: str = ""


@dataclass(frozen=True)
class SetNumber:
    """One number of a set. ``about`` says what it was computed with, as plain JSON: versions,
    fingerprints of weights, the CFM's reading; of one that could not be computed, the ``reason``."""

    mean: float | None
    low: float | None
    high: float | None
    images: int
    unscored: int
    about: Mapping[str, Any]


def images_of_run(folder: RunFolder) -> list[SetImage]:
    """The images that a run has generated and kept, by position. Raises BadInput for a run that
    scores stored ones, and for one without any."""
    work = RunWork(folder.path)
    plan = work.plan
    if plan.kind != DRAWN:
        raise BadInput(f"{plan.name} generates nothing: measure the folder of its images.")
    out, left = [], 0
    for table in tables(work, ("position", "status", "prompt", "image_id", "origin")):
        for row in table.to_pylist():
            if row["status"] == "drawn" and row["image_id"]:
                if json.loads(row["origin"] or "{}").get(IMAGE_FILE) == NOT_KEPT:
                    left += 1
                    continue
                path = content_path(folder.images, row["image_id"])
                prompt = plan.prompts[row["prompt"]]
                category = category_of(prompt.category) or prompt.category
                out.append(SetImage(path, prompt.text, row["prompt"], category))
    if not out and left:
        raise BadInput(f"{plan.name} kept none of its {left:,} images.")
    if not out:
        raise BadInput(f"{plan.name} has no images yet.")
    return out


def mean_over_prompts(
    images: Sequence[SetImage],
    values: Sequence[float],
    reasons: Sequence[str],
) -> ScoreMean:
    """The mean of the images' values, NaN where one has none, with its interval over prompts."""
    sums: dict[int, float] = {}
    counts: Counter[int] = Counter()
    for image, value in zip(images, values, strict=True):
        if not math.isnan(value):
            sums[image.prompt_number] = sums.get(image.prompt_number, 0.0) + value
            counts[image.prompt_number] += 1
    unscored = Counter(
        reason for value, reason in zip(values, reasons, strict=True) if math.isnan(value)
    )
    numbers = sorted(sums)
    return score_mean(
        [sums[number] for number in numbers],
        [counts[number] for number in numbers],
        len(images),
        unscored,
    )


CATEGORIES = "categories"
"""In what a number says ``about`` itself: its part of each category, as :func:`category_means`."""


def category_means(
    images: Sequence[SetImage], values: Sequence[float], reasons: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """The same means of the images of each category, as plain JSON; nothing without categories."""
    out = {}
    for category in dict.fromkeys(image.category for image in images if image.category):
        rows = [number for number, image in enumerate(images) if image.category == category]
        mean = mean_over_prompts(
            [images[row] for row in rows],
            [values[row] for row in rows],
            [reasons[row] for row in rows],
        )
        fields = asdict(set_number(mean, {}))
        out[category] = {name: value for name, value in fields.items() if name != "about"}
    return out


def set_number(mean: ScoreMean, about: Mapping[str, Any]) -> SetNumber:
    """As it is stored."""
    unscored = sum(mean.unscored.values())
    return SetNumber(mean.mean, mean.low, mean.high, mean.scored, unscored, about)


def saturation_numbers(
    images: Sequence[SetImage], saturations: Sequence[float], natural: float
) -> dict[str, SetNumber]:
    """Mean saturation, the ΔSat of the mean, and the mean of the images' ΔSat: three numbers."""
    reasons = [""] * len(images)
    mean = mean_over_prompts(images, saturations, reasons)
    each = mean_over_prompts(images, [abs(value - natural) for value in saturations], reasons)
    about = {"natural_saturation": natural, "color space": "HSV"}
    return {
        "mean_saturation": set_number(mean, about),
        DELTA_SAT_OF_MEAN: set_number(delta_sat_of_mean(mean), about),
        MEAN_DELTA_SAT: set_number(each, about),
    }


def write_set(path: Path, name: str, numbers: Mapping[str, SetNumber]) -> None:
    """Writes the numbers of a set beside those that the file has: one of the same name is replaced.
    Raises DataFolderError."""
    before: dict[str, Any] = {}
    if path.is_file():
        before = _fields(path)["numbers"]
    numbers_json = {**before, **{key: asdict(value) for key, value in numbers.items()}}
    text = json.dumps({"name": name, "numbers": numbers_json}, indent=1, ensure_ascii=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, f"{text}\n".encode())
    except OSError as error:
        raise DataFolderError(f"{path} cannot be written: {file_problem(error)}.") from error


def read_set(path: Path) -> dict[str, SetNumber]:
    """The numbers of a set; none where nothing was measured. Raises BadInput for another file."""
    if not path.is_file():
        return {}
    try:
        return {name: SetNumber(**fields) for name, fields in _fields(path)["numbers"].items()}
    except TypeError as error:
        raise BadInput(f"{path} holds no numbers of a set: {error}") from None


def _fields(path: Path) -> dict[str, Any]:
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(fields["numbers"], dict):
            raise TypeError("no numbers")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} holds no numbers of a set: {error!r:.120}") from None
    return fields
