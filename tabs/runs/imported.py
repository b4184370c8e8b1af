"""Verdicts on imported images: default settings, the run that scores them, the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.weights.sources import Sources
from truehue.core.image_sets.measured import image_row
from truehue.core.masks import salient
from truehue.core.masks.grounded.weights import COCO, VISION_MODELS, Role, missing, vision_model
from truehue.core.masks.registry import EXACT_MAKERS
from truehue.core.records import GenerationRecord
from truehue.core.runs.records import EXACT, GROUNDED, SALIENT, WHOLE
from truehue.core.spreadsheets import csv_text
from truehue.core.verdict.expectations import expectations_of
from truehue.core.verdict.rules import DEFAULT_RULE, RULES, rule
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.jobs import UNKNOWN, Job, is_reported
from truehue.tabs.page.requests import PageRequest, read_as
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import StartedJob
from truehue.tabs.runs.form import start_runs
from truehue.tabs.runs.measured import (
    add_whole_mask,
    measure_colors,
    name_of_row,
    without_mask,
    without_target,
)
from truehue.tabs.runs.request import DETECTOR, SEGMENTER, RunRequest
from truehue.tabs.runs.scored import OF_IMAGE, generations_of, outcomes, table_of
from truehue.tabs.verdicts.scoring import nothing_stands_out, score_stored_images
from truehue.tabs.verdicts.summary import no_mask_reason

LOOK_S = 0.5
SHOWN = 100
MAX_KNOWN = 2_000
PAGE = 500
WHOLE_IMAGE = {
    "id": WHOLE,
    "name": "The whole image",
    "about": "Every pixel counts: right for patches and textures, wrong for an object in a scene.",
}
ENDS = ("finished", "failed", "cancelled", "paused", "interrupted")


def offer(
    context: Context,
    rows: Iterable[GenerationRecord],
    set_id: str,
    with_mask: int,
    known: Sequence[str] = (),
) -> dict[str, Any]:
    """What the dialog presets for images that were just imported.

    ``set_id`` is the set that was chosen, or empty where each image's own says it; ``with_mask`` is
    how many brought a mask; ``known`` are the ids of images of the folder that were stored before,
    of which the first :data:`MAX_KNOWN` are offered too. Empty where nothing is to be scored.
    """
    known = known[:MAX_KNOWN]
    listed = list(rows)
    before = generations_of(context, known)
    masks = context.storage.masks.for_images(set(known))
    with_mask += sum(
        any(record.maker in EXACT_MAKERS for record in masks.get(str(row.image_id), ()))
        for row in before
    )
    listed += before
    if not listed:
        return {}
    groups = Counter(
        (set_id or row.prompt_source, row.model) for row in listed if expectations_of(row.targets)
    )
    maskers = [
        {
            "id": EXACT,
            "name": "The newest mask of each image",
            "about": f"{with_mask:,} of {count_noun(len(listed), 'image')} came with one: their "
            "transparency. An image without a mask gets no verdict until you "
            "select the object in Inspect.",
        },
        WHOLE_IMAGE,
    ]
    finders = _finders(context.sources)
    if finders:
        detector, segmenter = (vision_model(name).name for name in finders.values())
        about = f"{detector} finds them by name, {segmenter} selects their pixels."
        if finders["detector"] == COCO:
            about += f" {detector} knows the 80 names of COCO; other objects get no verdict."
        maskers.insert(1, {"id": GROUNDED, "name": "Find the objects", "about": about})
    stands_out = salient.is_available(context.sources)
    if stands_out:
        about = "The network finds what stands out; an image with a mask of its own keeps it."
        maskers.insert(-1, {"id": SALIENT, "name": "The salient object", "about": about})
    any_name = bool(finders) and finders["detector"] != COCO
    preset = GROUNDED if any_name else SALIENT if stands_out else WHOLE
    if with_mask:
        preset = SALIENT if stands_out and with_mask < len(listed) else EXACT
    return {
        "groups": [{"set": source, "model": model} for source, model in groups],
        "pictures": len(listed),
        "known": list(known),
        "maskers": maskers,
        "masker": preset,
    }


def _finders(sources: Sources) -> dict[str, str]:
    """The first detector and segmenter that can work on this machine, those of runs before others;
    empty without either."""
    usual: tuple[tuple[Role, str], ...] = (("detector", DETECTOR), ("segmenter", SEGMENTER))
    found = dict[str, str]()
    for role, name in usual:
        entries = [entry for entry in VISION_MODELS if entry.role == role]
        entries.sort(key=lambda entry: entry.id != name)
        ready = next((entry.id for entry in entries if not missing(entry, sources)), "")
        if not ready:
            return {}
        found[role] = ready
    return found


class ScoreImages(PageRequest):
    """The images of an import, to be scored: ``job`` is the import's id; ``rest`` takes only those in
    which no object has a mask yet, as a whole."""

    job: str = Field(title="The import")
    masker: str = ""
    rest: bool = False


class ImportedTable(PageRequest):
    """The table of an import by its id, or without one of all images that Generate lists, of a
    ``model`` and with a ``verdict`` where they are given; ``rule`` is that of the verdicts."""

    job: str = ""
    model: str = ""
    verdict: str = ""
    rule: str = DEFAULT_RULE


@requires("look")
def images_csv(context: Context, actor: Actor, request: ImportedTable) -> tuple[str, str]:
    """Name and text of the CSV file of images, with the columns of
    :func:`truehue.core.image_sets.measured.image_row`. Raises BadInput for no such import."""
    by = rule(request.rule)
    if request.job:
        image_ids = _images(context, request.job, _offered(context, actor, request.job))
        pages: Iterable[list[GenerationRecord]] = [generations_of(context, image_ids)]
    else:
        pages = _listed(context, request, by.id)
    rows = [list(row.values()) for page in pages for row in table_of(context, page, by.id)]
    columns = [*image_row("", "", None, "", ""), *OF_IMAGE]
    return "truehue-images.csv", csv_text(columns, rows)


def _listed(
    context: Context, request: ImportedTable, rule_id: str
) -> Iterator[list[GenerationRecord]]:
    """The images that Generate lists, newest first, in pages. Raises BadInput for an unknown
    verdict."""
    offset, listed = 0, set[str]()
    while page := context.storage.drawings.recent(
        PAGE,
        offset,
        status="drawn",
        model=request.model or None,
        verdict=request.verdict or None,
        rule=rule_id,
    ):
        # Images that come in meanwhile move the others down, over the end of a page.
        yield [row for row in page if row.drawing_id not in listed]
        listed.update(row.drawing_id for row in page)
        offset += len(page)


@requires("compute")
def start_scoring(context: Context, actor: Actor, request: ScoreImages) -> StartedJob:
    """Starts to score imported images. Raises BadInput for no such import."""
    offered = _offered(context, actor, request.job)
    groups, image_ids = offered["groups"], _images(context, request.job, offered)
    return {
        "job": context.jobs.start(
            "scoring",
            f"Scoring {count_noun(len(image_ids), 'imported image')}",
            actor,
            lambda job: {
                **(
                    score_rest(context, image_ids, job)
                    if request.rest
                    else score(context, actor, groups, image_ids, request.masker, job)
                ),
                **_offer_again(job, offered, request),
                "csv": f"/api/image-sets/images.csv?job={request.job}",
            },
        ).id
    }


def _offer_again(job: Job, offered: Mapping[str, Any], request: ScoreImages) -> dict[str, Any]:
    """The same offer once more where the scoring was cancelled: what is done is not done twice."""
    if not job.stop.is_set() or request.rest:
        return {}
    return {"score": {**offered, "masker": request.masker, "job": request.job}}


def _images(context: Context, job_id: str, offered: Mapping[str, Any]) -> list[str]:
    """The images of an import, those that were stored before included."""
    new = context.storage.drawings.images_of_job(job_id)
    return list(dict.fromkeys((*new, *offered.get("known", ()))))


def _offered(context: Context, actor: Actor, job_id: str) -> Mapping[str, Any]:
    """What an import offered to score: sets and models as ``groups``, and images stored before."""
    record = context.jobs.get(job_id)
    if not is_reported(context.jobs, actor, record):
        raise BadInput(UNKNOWN)
    offered = record.result.get("score")
    if not offered:
        raise BadInput("That import has nothing to be scored.")
    return dict(offered)


def score(
    context: Context,
    actor: Actor,
    groups: Sequence[Mapping[str, str]],
    image_ids: Sequence[str],
    masker: str,
    job: Job,
) -> dict[str, Any]:
    """Measures the images without a target color, then runs over the others, one run a set and
    model, which leaves every rule's verdict on each image. The answer is a report. Raises BadInput
    for what no run can be made of."""
    uncolored = without_target(generations_of(context, image_ids))
    lacking = measure_colors(context, uncolored, masker, job.stop, job.tell)
    if job.stop.is_set():
        return {"title": "Cancelled. What was measured stays.", "counts": [], "lists": []}
    ids: list[str] = []
    for group in groups:
        fields = {
            "kind": "stored",
            "set": group["set"],
            "models": [group["model"]],
            "masker": masker,
            **(_finders(context.sources) if masker == GROUNDED else {}),
        }
        ids += start_runs(context, actor, read_as(RunRequest, fields))["runs"]
    stopped = _wait(context, ids, job) if ids else ""
    found = {"counts": [], "notes": []} if stopped else outcomes(context, image_ids)
    return {
        "title": stopped or "Scored",
        "counts": found["counts"],
        "notes": [
            *found["notes"],
            "Verdicts and measured colors are on the cards below."
            + (" In Explore the verdicts are a run of their own." if ids else ""),
        ],
        "lists": [_not_measured(context, image_ids, lacking)],
        **({} if stopped or masker == WHOLE else _offer_rest(context, image_ids)),
    }


def _offer_rest(context: Context, image_ids: Sequence[str]) -> dict[str, Any]:
    """What the dialog offers for images in which nothing is selected."""
    rest = _rest(context, image_ids)
    if not rest:
        return {}
    return {"score": {"rest": len(rest), "maskers": [WHOLE_IMAGE], "masker": WHOLE}}


def _rest(context: Context, image_ids: Sequence[str]) -> list[GenerationRecord]:
    """The images without a mask that can be measured as a whole: of several objects none is that."""
    rows = without_mask(context, generations_of(context, image_ids))
    return [row for row in rows if len(expectations_of(row.targets)) < 2]


def score_rest(context: Context, image_ids: Sequence[str], job: Job) -> dict[str, Any]:
    """Scores and measures the images in which no object has a mask yet, each as a whole. What is done
    stays when it is cancelled, and the next one goes on. The answer is a report."""
    rows = _rest(context, image_ids)
    lacking: list[str] = []
    for done, row in enumerate(rows):
        whole = f"{count_noun(len(rows), 'image')} in which nothing is selected"
        job.tell(f"Scoring: {done:,} of {whole}", done, len(rows))
        if job.stop.is_set():
            break
        try:
            add_whole_mask(context, row)
        except TrueHueError as error:
            lacking.append(f"{name_of_row(row)}: {error}")
            continue
        for _ in score_stored_images(context, [by.id for by in RULES], [str(row.image_id)]):
            pass
        lacking += measure_colors(context, without_target([row]), WHOLE, job.stop)
    found = outcomes(context, image_ids)
    return {
        "title": "Cancelled. What was measured stays." if job.stop.is_set() else "Scored",
        "counts": found["counts"],
        "notes": [*found["notes"], "Verdicts and measured colors are on the cards below."],
        "lists": [_not_measured(context, image_ids, lacking)],
        **_offer_rest(context, image_ids),
    }


def _not_measured(
    context: Context, image_ids: Sequence[str], lacking: Sequence[str]
) -> dict[str, Any]:
    """The images that were not measured, each with the reason: those without a target color are
    ``lacking``, of the others no object has a mask."""
    rows = without_mask(context, generations_of(context, image_ids))
    nothing = nothing_stands_out(context, [str(row.image_id) for row in rows])
    unscored = [
        f"{name_of_row(row)}: {no_mask_reason(len(expectations), str(row.image_id) in nothing)}"
        for row in rows
        if (expectations := expectations_of(row.targets))
    ]
    items = [*lacking, *unscored]
    return {"title": "Not measured", "items": items[:SHOWN], "total": len(items)}


def _wait(context: Context, ids: list[str], job: Job) -> str:
    """Until all runs have ended; why not all were finished, or nothing."""
    while True:
        states = [state_of(context.service(RunSupervisor).folder(run_id)) for run_id in ids]
        done, total = (sum(getattr(state, name) for state in states) for name in ("done", "total"))
        job.tell(f"Scoring: {done:,} of {count_noun(total, 'image')} with a prompt", done, total)
        waiting = [
            run_id
            for run_id, state in zip(ids, states, strict=True)
            if state.status not in ENDS
            or context.service(RunSupervisor).queue.position(run_id) is not None
        ]
        problem = next(
            (cause for run_id in ids if (cause := context.service(RunSupervisor).problem(run_id))),
            "",
        )
        if problem:
            return problem
        if not waiting:
            ended = [
                state.message or state.status for state in states if state.status != "finished"
            ]
            return f"The run did not finish: {ended[0]}" if ended else ""
        if job.stop.wait(LOOK_S):
            for run_id in waiting:
                context.service(RunSupervisor).pause(run_id)
            return "Paused: the run can go on in Explore, Runs."
