"""One image judged by every rule against its true color and near colors: a worker's task."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from truehue.core.color.systems import NamedColor, find
from truehue.core.diagnosis.colors import (
    TWO_MATERIAL_OBJECTS,
    ColorQuery,
    balance_by_backdrop,
    make_query,
    render_image,
    second_color,
    set_colors,
)
from truehue.core.diagnosis.plan import FileRow, Task
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.renderer import LIGHTS, OBJECTS, TINTED_LIGHTS
from truehue.core.images.load import load_image, load_mask
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import MaskCache, Measurement, measure, unscored_measurement
from truehue.core.verdict.rules import UNSCORED

TRUE, NEAR = "true", "near"


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One judgment; the codebook of ``verdicts.csv.gz`` (truehue.core.diagnosis.run) says what
    each column means. None is an empty field."""

    object: str
    light: str
    seed: int
    system: str
    color: str
    second: str
    asked: str
    relation: str
    rule: str
    status: str
    delta_e00: float | None
    delta_chroma: float | None
    hue_deg: float | None
    margin: float | None
    confidence_percent: float | None

    def as_fields(self) -> list[str]:
        """The row as text, numbers with six significant digits."""
        return [_text(getattr(self, name)) for name in COLUMNS]

    @classmethod
    def from_fields(cls, values: Sequence[str]) -> JudgmentRow:
        """The row of that text. Raises ValueError for another number of fields or no numbers."""
        if len(values) != len(COLUMNS):
            raise ValueError(f"{len(values)} fields instead of {len(COLUMNS)}")
        numbers = [float(value) if value else None for value in values[_FIRST_NUMBER:]]
        # A run has hundreds of thousands of rows, and their words are few.
        object_name, light, seed, *parts = map(sys.intern, values[:_FIRST_NUMBER])
        return cls(object_name, light, int(seed), *parts, *numbers)  # type: ignore[arg-type]


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(JudgmentRow))
_FIRST_NUMBER = COLUMNS.index("delta_e00")


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def margin(measurement: Measurement) -> float | None:
    """The largest share of its limit that a judged metric takes: a pass is below 1.

    A metric without a limit is reported only, and left out. None for an unscored verdict.
    """
    shares = [
        metric.value / metric.threshold
        for metric in measurement.verdict.metrics
        if metric.threshold is not None
    ]
    return max(shares, default=None) if measurement.verdict.status != UNSCORED else None


def judge_image(
    srgb8: np.ndarray,
    mask: np.ndarray,
    question: ColorQuery,
    rule_ids: Sequence[str],
    k: int = 0,
    **about: Any,
) -> Iterator[JudgmentRow]:
    """Rows of every rule and every color asked, ``k`` neighbors accepted; ``about`` are the Row's
    object, light, seed, color, system and second. ``srgb8`` uint8 ``(H, W, 3)``, ``mask`` bool
    ``(H, W)``.

    What does not depend on the color asked is computed once for all of them
    (truehue.core.verdict.measure.MaskCache). A rule that cannot judge gives rows that are unscored.
    """
    cache, acceptance = MaskCache(), Acceptance(k, system=about["system"])
    for number, target in enumerate(question.targets):
        for rule_id in rule_ids:
            try:
                measurement = measure(
                    srgb8, mask, target, rule_id, acceptance=acceptance, cache=cache
                )
            except TrueHueError as error:
                measurement = unscored_measurement(str(error), target, rule_id)
            yield row(measurement, NEAR if number else TRUE, **about)


def row(measurement: Measurement, relation: str, **about: Any) -> JudgmentRow:
    """The row of one measurement."""
    verdict = measurement.verdict
    values = {metric.name: float(metric.value) for metric in verdict.metrics}
    confidence = verdict.confidence_percent
    return JudgmentRow(
        asked=measurement.target.label,
        relation=relation,
        rule=verdict.rule,
        status=verdict.status,
        delta_e00=values.get("delta_e00"),
        delta_chroma=values.get("delta_chroma"),
        hue_deg=values.get("hue_deg"),
        margin=margin(measurement),
        confidence_percent=None if confidence is None else float(confidence),
        **about,
    )


def unscored_rows(
    question: ColorQuery, rule_ids: Sequence[str], **about: Any
) -> Iterator[JudgmentRow]:
    """The rows of an image that could not be had, as :func:`judge_image`."""
    for number, target in enumerate(question.targets):
        for rule_id in rule_ids:
            measurement = unscored_measurement("There is no image to score.", target, rule_id)
            yield row(measurement, NEAR if number else TRUE, **about)


Step = Callable[[], None]
"""Called after each image; what it raises ends the task."""


def rows_of(task: Task, step: Step) -> tuple[list[JudgmentRow], list[str]]:
    """All rows of a task in order, and what was wrong with its files in sentences."""
    if not task.files:
        return list(_rendered(task, step)), []
    rows: list[JudgmentRow] = []
    problems: list[str] = []
    for file_row in task.files:
        try:
            rows.extend(_loaded(file_row, task))
        except TrueHueError as error:
            problems.append(f"{file_row.where}: {error}")
            rows.extend(_unusable(file_row, task.rule_ids))
        step()
    return rows, problems


def _rendered(task: Task, step: Step) -> Iterator[JudgmentRow]:
    """Names that share a color share its image, and so their rows up to the name."""
    done: dict[tuple[str, str], list[JudgmentRow]] = {}
    for system_id, name in task.colors:
        color = find(name, system_id)
        same = done.get((system_id, color.hex))
        if same is None:
            second = second_hex(task, color) if task.two else ""
            srgb8, mask = render_image(
                task.object, task.light, task.seed, color.hex, task.size_px, second, task.material
            )
            query = make_query(name, system_id)
            about = {
                "object": task.object,
                "light": task.light,
                "seed": task.seed,
                "system": system_id,
                "color": name,
                "second": second,
            }
            try:
                if task.neutral:
                    srgb8 = balance_by_backdrop(srgb8)
            except BadInput:
                same = list(unscored_rows(query, task.rule_ids, **about))
            else:
                same = list(judge_image(srgb8, mask, query, task.rule_ids, task.k, **about))
            done[system_id, color.hex] = same
        for row in same:
            label = name if row.relation == TRUE else row.asked
            yield replace(row, color=name, asked=label)
        step()


def second_hex(task: Task, color: NamedColor) -> str:
    """The second material's hex: turns with color, object, light and seed, so that each object is
    seen with all of them, and does not depend on which part of the colors a task has."""
    index = [other.hex for other in set_colors(color.system)].index(color.hex)
    objects = OBJECTS if task.material else TWO_MATERIAL_OBJECTS
    lights = [*LIGHTS, *TINTED_LIGHTS]
    turn = objects.index(task.object) + lights.index(task.light) + task.seed
    return second_color(index + turn, color.srgb8)


def _loaded(file_row: FileRow, task: Task) -> Iterator[JudgmentRow]:
    if file_row.problem:
        raise TrueHueError(file_row.problem)
    question = make_query(file_row.color, file_row.system)
    image = load_image(file_row.file)
    mask = load_mask(file_row.mask, image.srgb8.shape[:2])
    yield from judge_image(
        image.srgb8,
        mask,
        question,
        task.rule_ids,
        task.k,
        object=file_row.object,
        light=file_row.light,
        seed=0,
        system=file_row.system,
        color=question.true.label,
        second="",
    )


def _unusable(file_row: FileRow, rule_ids: tuple[str, ...]) -> Iterator[JudgmentRow]:
    """The rows of an image that cannot be read: unscored, so that it stays in the count."""
    try:
        question = make_query(file_row.color, file_row.system)
    except TrueHueError:
        return  # Without a color there is nothing that was asked; the problem is reported.
    yield from unscored_rows(
        question,
        rule_ids,
        object=file_row.object,
        light=file_row.light,
        seed=0,
        system=file_row.system,
        color=question.true.label,
        second="",
    )
