"""The failures of Explore: the images behind every number, and their filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NotRequired, TypedDict

from truehue.core.analysis.names import run_labels, sector_hex, sector_label
from truehue.core.analysis.records import (
    LEFT_OUT,
    NOT_FOUND,
    SECTORS,
    FailureItem,
    default_for,
    note_for,
)
from truehue.core.errors import BadInput, NotStored
from truehue.core.generation.truth import rendered_shape, true_color_hex
from truehue.core.masks.display import outline_path
from truehue.core.scores.measures import measure_of, measures_of
from truehue.core.scores.records import HIGH, IMAGE
from truehue.core.verdict.rules import RULES
from truehue.storage.results.pages import SCORE
from truehue.tabs.charts.slice import slice_of
from truehue.tabs.explore.images import ResultJson, image_json, stand_in_tags, value_hex
from truehue.tabs.page.context import Context, runs_of
from truehue.tabs.page.links import whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import NamedChoice
from truehue.tabs.verdicts.judgments import QuestionJudgments, of_image

PAGE, MAX_PAGE = 60, 200
SORTS = {
    "delta_e00": ("delta_e00", True),
    "delta_e00-up": ("delta_e00", False),
    "misfit": ("misfit", True),
    "prompt": ("prompt", False),
    "recent": ("recent", True),
}
UP = "-up"
"""Behind the id of a measure: the order with the smallest first."""
MAX_POSITION = 2**31 - 1


class ImageScore(TypedDict, total=False):
    """The score of an image in words."""

    score: str


class FailuresView(TypedDict):
    """A page of the images of a slice; ``next`` is where the next page begins."""

    items: list[ResultJson]
    next: str
    runs: int
    sorts: list[NamedChoice]


class FilterValue(TypedDict):
    """A choice of a filter with its number of images; ``title`` and ``main`` are of rules."""

    value: str
    label: str
    count: int | None
    hex: NotRequired[str]
    title: NotRequired[str]
    main: NotRequired[bool]


class UnscoredChoices(TypedDict):
    """How unscored images count."""

    default: str
    note: str
    choices: list[NamedChoice]


class SectorJson(TypedDict):
    """A sector of hue."""

    value: str
    label: str
    hex: str


class FailureFilters(TypedDict):
    """How many images a slice has, of all with any verdict, and the choices of every filter."""

    total: int
    all: int
    fields: dict[str, list[FilterValue]]
    unscored: UnscoredChoices
    sectors: list[SectorJson]


class FailureCount(TypedDict):
    """How many images a slice has."""

    total: int


class ResultImage(QuestionJudgments):
    """An image by every rule, with facts and people's answers."""

    items: list[ResultJson]
    facts: list[list[str]]


class MaskOutline(TypedDict):
    """The outline of a mask as an SVG path in image pixels."""

    path: str
    width: int
    height: int
    words: str


def score_sorts() -> list[NamedChoice]:
    """The orders by a measure, as the page offers them: the worst end first."""
    sorts: list[NamedChoice] = []
    for measure in measures_of(IMAGE):
        largest: NamedChoice = {"id": measure.id, "name": f"{measure.name}, largest first"}
        smallest: NamedChoice = {
            "id": f"{measure.id}{UP}",
            "name": f"{measure.name}, smallest first",
        }
        sorts += [smallest, largest] if measure.better == HIGH else [largest, smallest]
    return sorts


def _order(sort: str) -> tuple[str, bool]:
    """The order of storage that an order of the page is, and whether the largest come first."""
    if sort in SORTS:
        return SORTS[sort]
    if sort not in {entry["id"] for entry in score_sorts()}:
        known = (*SORTS, *(entry["id"] for entry in score_sorts()))
        raise BadInput(f"There is no order {sort[:40]!r}: {', '.join(known)}.")
    return f"{SCORE}{sort.removesuffix(UP)}", not sort.endswith(UP)


def failures_view(context: Context, query: Mapping[str, str]) -> FailuresView:
    """A page of the images of a selection.

    ``query`` holds the slice, ``sort`` (of :data:`SORTS` or :func:`score_sorts`), ``limit`` and
    ``after``, the ``next`` of the page before. Raises BadInput for what is not known.
    """
    selection, sort = slice_of(query), query.get("sort") or "delta_e00"
    by, descending = _order(sort)
    limit = page_size(query)
    items = context.storage.results.page(
        selection, by, descending=descending, limit=limit, after=query.get("after", "")
    )
    runs = runs_of(context)
    names, runs_by_id = run_labels(runs), {run.run_id: run for run in runs}
    tags = stand_in_tags(context, items)
    return {
        "items": [
            {**image_json(item, runs_by_id, names, tags), **score}
            for item, score in zip(items, _scores(context, by, items), strict=True)
        ],
        "next": items[-1].cursor if len(items) == limit else "",
        "runs": len(runs),
        "sorts": score_sorts(),
    }


def _scores(context: Context, by: str, items: Sequence[FailureItem]) -> list[ImageScore]:
    """The score of each picture by the measure that they stand in the order of, in words."""
    if not by.startswith(SCORE):
        return [{} for _ in items]
    measure = measure_of(by.removeprefix(SCORE))
    values = context.storage.scores.values(measure, IMAGE, {item.image_id for item in items})
    return [
        {
            "score": f"{measure.name} {measure.text(values[item.image_id])}"
            if item.image_id in values
            else f"no {measure.name}"
        }
        for item in items
    ]


def facets_view(context: Context, query: Mapping[str, str]) -> FailureFilters:
    """The number of images of a selection, and each choice of every filter with its count."""
    selection = slice_of(query)
    results = context.storage.results
    names = run_labels(runs_of(context))
    fields: dict[str, list[FilterValue]] = {
        field: [
            {"value": value, "label": label, "hex": value_hex(field, value), "count": count}
            for value, label, count in choices
        ]
        for field, choices in results.facets(selection).items()
    }
    fields["runs"] = [
        {**facet, "label": names.get(facet["value"], facet["label"])} for facet in fields.pop("run")
    ]
    listed = {entry["value"] for entry in fields["runs"]}
    # A run that was chosen has a name, also where it has no such picture.
    fields["runs"] += [
        {"value": run_id, "label": names.get(run_id, run_id), "hex": "", "count": 0}
        for run_id in selection.runs
        if run_id not in listed
    ]
    fields["rule"] = [
        {"value": by.id, "label": by.name, "title": by.description, "count": None, "main": by.main}
        for by in RULES
    ]
    return {
        "total": results.count(selection),
        "all": results.count(replace(selection, status="")),
        "fields": fields,
        "unscored": {
            "default": default_for(selection.rule),
            "note": note_for(selection.rule, selection.unscored),
            "choices": [
                {"id": NOT_FOUND, "name": "incorrect"},
                {"id": LEFT_OUT, "name": "excluded"},
            ],
        },
        "sectors": [
            {"value": sector, "label": sector_label(sector), "hex": sector_hex(sector)}
            for sector in SECTORS
        ],
    }


def count_view(context: Context, query: Mapping[str, str]) -> FailureCount:
    """The number of images of a selection now."""
    return {"total": context.storage.results.count(slice_of(query))}


def image_view(context: Context, actor: Actor, query: Mapping[str, str]) -> ResultImage:
    """The verdicts of every rule on one image, with the answers of the user and of others: ``run``
    and ``position``."""
    run = context.storage.runs.get(query.get("run", ""))
    position = whole(query.get("position", ""), MAX_POSITION)
    if position is None:
        raise BadInput("Say which image of the run: its position is a whole number from 0.")
    names, runs_by_id = {run.run_id: run.name}, {run.run_id: run}
    unscored = slice_of({"unscored": query.get("unscored", "")}).unscored
    items = context.storage.results.verdicts_of_image(run.run_id, position, unscored)
    if not items:
        raise NotStored(f"Image {position:,} of this run is not imported yet.")
    facts = [["Image", f"{items[0].image + 1} of its prompt"], ["Prompt id", items[0].prompt_id]]
    if items[0].seed is not None:
        facts.append(["Seed", str(items[0].seed)])
    if items[0].image_id:
        facts.append(["Size", f"{items[0].width} × {items[0].height} px"])
        facts += _generation_facts(context, items)
    return {
        "items": [image_json(item, runs_by_id, names) for item in items],
        "facts": facts,
        **of_image(context, actor, run.run_id, position),
    }


def _generation_facts(context: Context, items: Sequence[FailureItem]) -> list[list[str]]:
    """Of a render: what stands in for what was asked for, and the true colors of its objects."""
    origin = context.storage.images.get(items[0].image_id).origin
    names = {item.target: item.object_name for item in items}
    facts = []
    for target, name in sorted(names.items()):
        shape = rendered_shape(origin, target)
        if shape and shape.lower() != name.strip().lower():
            facts.append(["Generated", f"{shape}, which stands in for the {name}"])
        true_hex = true_color_hex(origin, position=target)
        if true_hex:
            suffix = f" of the {name}" if len(names) > 1 else ""
            facts.append([f"True color{suffix}", true_hex])
    return facts


def mask_view(context: Context, query: Mapping[str, str]) -> MaskOutline:
    """The outline of a stored ``mask`` as an SVG path in image pixels. Raises NotStored."""
    pixels = context.mask_pixels(context.storage.masks.get(query.get("mask", "")).mask_id)
    height, width = pixels.shape
    share = 100.0 * float(pixels.mean())
    return {
        "path": outline_path(pixels),
        "width": width,
        "height": height,
        "words": f"Mask: {int(pixels.sum()):,} px, {share:.1f}% of the image",
    }


def page_size(query: Mapping[str, str]) -> int:
    """``limit`` of a question, from 1 to :data:`MAX_PAGE`."""
    return min(max(whole(query.get("limit", ""), MAX_PAGE) or PAGE, 1), MAX_PAGE)
