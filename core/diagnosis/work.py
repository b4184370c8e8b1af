"""What a worker does: draws or loads the pictures of a task and judges them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from truehue.core.color.systems import NamedColor, find
from truehue.core.diagnosis.colors import (
    TWO_MATERIAL_OBJECTS,
    asking,
    picture,
    second_color,
    set_colors,
)
from truehue.core.diagnosis.plan import FileRow, Task
from truehue.core.diagnosis.scoring import TRUE, JudgmentRow, judged, unscored_rows
from truehue.core.errors import TrueHueError
from truehue.core.generation.renderer import LIGHTS
from truehue.core.images.load import load_image, load_mask

Step = Callable[[], None]
"""Called after each picture; what it raises ends the task."""


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
    """Names that share a color share its picture, and so their rows up to the name."""
    done: dict[tuple[str, str], list[JudgmentRow]] = {}
    for system_id, name in task.colors:
        color = find(name, system_id)
        same = done.get((system_id, color.hex))
        if same is None:
            second = _second(task, color) if task.two else ""
            srgb8, mask = picture(
                task.object, task.light, task.seed, color.hex, task.size_px, second
            )
            same = list(
                judged(
                    srgb8,
                    mask,
                    asking(name, system_id),
                    task.rule_ids,
                    task.k,
                    object=task.object,
                    light=task.light,
                    seed=task.seed,
                    system=system_id,
                    color=name,
                    second=second,
                )
            )
            done[system_id, color.hex] = same
        for row in same:
            label = name if row.relation == TRUE else row.asked
            yield replace(row, color=name, asked=label)
        step()


def _second(task: Task, color: NamedColor) -> str:
    """The second material's hex: turns with color, object, light and seed, so that each object is
    seen with all of them, and does not depend on which part of the colors a task has."""
    index = [other.hex for other in set_colors(color.system)].index(color.hex)
    turn = TWO_MATERIAL_OBJECTS.index(task.object) + list(LIGHTS).index(task.light) + task.seed
    return second_color(index + turn, color.srgb8)


def _loaded(file_row: FileRow, task: Task) -> Iterator[JudgmentRow]:
    if file_row.problem:
        raise TrueHueError(file_row.problem)
    question = asking(file_row.color, file_row.system)
    image = load_image(file_row.file)
    mask = load_mask(file_row.mask, image.srgb8.shape[:2])
    yield from judged(
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
    """The rows of a picture that cannot be read: unscored, so that it stays in the count."""
    try:
        question = asking(file_row.color, file_row.system)
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
