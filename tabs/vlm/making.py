"""Sets of questions drawn here, or taken in from this machine's disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import named_path, shown_path
from truehue.core.generation.request import Cancelled
from truehue.core.vlm.baselines import can_read
from truehue.core.vlm.color_judge.question_set import JudgeSettings, judge_questions
from truehue.core.vlm.color_judge.questions import SYSTEM_NAMES
from truehue.core.vlm.generators import (
    VERSION,
    Difficulty,
    GeneratedSettings,
    generated,
)
from truehue.core.vlm.models.records import PIXELS
from truehue.core.vlm.published import SkippedRow, import_settings, read_published
from truehue.core.vlm.question_set import MANIFEST, open_set
from truehue.core.vlm.records import Illustrated
from truehue.tabs.page.actor import requires, stored_resource
from truehue.tabs.page.answers import StartedJob
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest, Whole, single_of
from truehue.tabs.page.roles import Actor, allowed, authorize
from truehue.tabs.vlm.judge import judge_all
from truehue.tabs.vlm.sets import MOST_A_TASK, QUESTION_SET
from truehue.tabs.vlm.start import StartEvaluation, start_evaluation

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

MOST_NAME = 80
MOST_SKIPPED = 10
"""Rows that an import names; the set's settings have all."""
PACKED = 5
"""PNGs of drawn questions are at least so many times smaller than their pixels."""
MOST_RENDERS = 2058
QUESTIONS_A_RENDER = {"css": 9, "l2": 6}


class MakeSet(PageRequest):
    """A set to be drawn: ``count`` questions of each task."""

    tasks: Annotated[tuple[str, ...], Field(title="Tasks", min_length=1)]
    count: Annotated[Whole, Field(ge=1, le=MOST_A_TASK, title="Questions per task")] = 20
    difficulty: Annotated[str, single_of("difficulty", list(Difficulty))] = str(Difficulty.MEDIUM)
    seed: Annotated[Whole, Field(ge=0, le=2**31 - 1, title="Seed")] = 0
    name: str = ""


class MakeJudgeSet(PageRequest):
    """GenColorBench's Appendix E on diagnostic renders: so many ``renders`` in colors of a
    ``system``, of six questions each on ISCC-NBS level 2 and nine on CSS."""

    system: Annotated[
        str,
        single_of("color system", list(SYSTEM_NAMES)),
        Field(min_length=1, title="Color system"),
    ]
    renders: Annotated[Whole, Field(ge=1, le=MOST_RENDERS, title="Renders")] = 20
    seed: Annotated[Whole, Field(ge=0, le=2**31 - 1, title="Seed")] = 0
    name: str = ""


class ImportSet(PageRequest):
    """A set of TrueHue's form, or ColorBench's Parquet files, in a folder of this machine."""

    path: Annotated[str, Field(min_length=1, title="Folder or file")]


@requires("add")
def make_set(context: Context, actor: Actor, request: MakeSet) -> StartedJob:
    """Begins to draw a set; the answer names the job, whose result is the set's id."""
    settings = GeneratedSettings(
        dict.fromkeys(request.tasks, request.count), Difficulty(request.difficulty), request.seed
    )
    total = request.count * len(set(request.tasks))
    _check_size(context, total)
    name = " ".join(request.name.split())[:MOST_NAME]
    name = name or f"Generated, {request.difficulty}, seed {request.seed}"
    made = {
        "generator_version": VERSION,
        "counts": dict(settings.counts),
        "difficulty": request.difficulty,
        "seed": request.seed,
    }

    def work(job: Job) -> Mapping[str, Any]:
        items = _message(context, job, generated(settings), total)
        return _add(context, actor, job, items, name, made)

    return {"job": context.jobs.start("questions", f"Questions: {name}", actor, work).id}


@requires("add")
def make_judge_set(context: Context, actor: Actor, request: MakeJudgeSet) -> StartedJob:
    """Begins to draw renders that a model is asked about as a judge, and has the rules judge them;
    the answer names the job."""
    settings = JudgeSettings(request.system, request.renders, request.seed)
    each = QUESTIONS_A_RENDER[request.system]
    total = request.renders * each
    _check_size(context, total)
    name = " ".join(request.name.split())[:MOST_NAME]
    name = name or f"Appendix E, {SYSTEM_NAMES[request.system]}, seed {request.seed}"

    def work(job: Job) -> Mapping[str, Any]:
        items = _message(context, job, judge_questions(settings), total)
        result = _add(context, actor, job, items, name, settings.as_json())
        judge_all(context.storage.question_sets.open(result["set"]), job)
        return result

    return {"job": context.jobs.start("questions", f"Questions: {name}", actor, work).id}


@requires("name-folder")
def import_set(context: Context, actor: Actor, request: ImportSet) -> StartedJob:
    """Begins to take in a set of this machine's disk; the answer names the job."""
    authorize(actor, "name-folder", field="path")
    try:
        path = named_path(request.path)
    except BadInput as error:
        raise BadInput(str(error), "path") from None
    if not path.exists():
        raise BadInput(f"There is no {shown_path(path)}. Give a folder, or a Parquet file.", "path")

    def work(job: Job) -> Mapping[str, Any]:
        job.tell("Reading")
        if (path / MANIFEST).is_file():
            question_set = open_set(path)
            items, total = question_set.illustrated(), question_set.questions_count
            name, made = question_set.name, question_set.settings
            notes: list[str] = []
            skipped: list[str] = []
        else:
            published_set = read_published(path)
            name, made = "ColorBench", import_settings(published_set)
            notes, skipped = list(published_set.notes), made["skipped"]

            def skip(row: SkippedRow) -> None:
                skipped.append(str(row))

            items, total = published_set.illustrated(skip), len(published_set.rows)
        result = _add(context, actor, job, _message(context, job, items, total), name, made)
        return {**result, "notes": [*notes, *_skipped_notes(skipped)]}

    title = f"Questions of {path.name}"
    return {"job": context.jobs.start("questions", title, actor, work).id}


def _skipped_notes(skipped: list[str]) -> list[str]:
    """How many rows were left out, and the first of them with their reasons."""
    if not skipped:
        return []
    more = f" And {len(skipped) - MOST_SKIPPED:,} more." if len(skipped) > MOST_SKIPPED else ""
    listed = " ".join(skipped[:MOST_SKIPPED])
    return [
        f"{count_noun(len(skipped), 'row')} skipped because they are not questions. {listed}{more}"
    ]


def _check_size(context: Context, questions: int) -> None:
    limit = context.limits.run_pictures
    if questions > limit:
        raise BadInput(
            f"A set has at most {count_noun(limit, 'question')} here, not {questions:,}. Choose "
            "fewer questions per task, or fewer tasks.",
            "count",
        )


def _message(
    context: Context, job: Job, items: Iterable[Illustrated], total: int
) -> Iterator[Illustrated]:
    """The items, and how far it is; ends where people want an end, or have no more room."""
    size_bytes = 0
    for done, item in enumerate(items):
        if job.stop.is_set():
            raise Cancelled
        size_bytes += item.srgb8.nbytes // PACKED
        context.require_space(size_bytes)
        if done % 8 == 0:
            job.tell(f"{done:,} of {count_noun(total, 'question')}", done, total)
        yield item
    job.tell("Writing", total, total)


def _add(
    context: Context,
    actor: Actor,
    job: Job,
    items: Iterable[Illustrated],
    name: str,
    made: Mapping[str, Any],
) -> dict[str, Any]:
    set_id, is_new = context.storage.question_sets.add(items, name, made)
    if is_new:
        context.storage.makers.add(QUESTION_SET, [set_id], actor.id)
    elif allowed(actor, "change", stored_resource(context, QUESTION_SET, set_id)):
        context.storage.question_sets.hide(set_id, False)
    return {"set": set_id, "new": is_new, **_pixels_log(context, actor, set_id)}


def _pixels_log(context: Context, actor: Actor, set_id: str) -> dict[str, Any]:
    """Has the pixel reader asked, which every score stands beside; the asking's id, or why not. Of
    a set in which it has nothing to read it is not."""
    if not any(map(can_read, context.storage.question_sets.open(set_id).questions())):
        return {"pixels": None}
    try:
        return {
            "pixels": start_evaluation(context, actor, StartEvaluation(set=set_id, model=PIXELS))[
                "id"
            ]
        }
    except TrueHueError as error:
        return {"pixels": None, "pixels_problem": str(error)}
