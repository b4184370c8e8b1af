"""An image of a run on the page, and labels of the runs on one page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NotRequired, TypedDict

from truehue.core.analysis.records import FailureItem, RunRecord
from truehue.core.color.systems import parse_target
from truehue.core.errors import TrueHueError
from truehue.core.export.source import missing_image_reason
from truehue.core.generation.registry import name_of
from truehue.core.generation.truth import stand_in_tag
from truehue.core.prompts.prompt import TASKS
from truehue.core.runs.score import CAUSES
from truehue.core.verdict.rules import DIFFERS, MATCHES, RULE_NAMES
from truehue.tabs.page.context import Context


def stand_in_tags(context: Context, items: Iterable[FailureItem]) -> dict[str, str]:
    """By image id what stands in for what, of renders where something does."""
    images = context.storage.images.by_ids({item.image_id for item in items if item.image_id})
    tags = {image_id: stand_in_tag(record.origin) for image_id, record in images.items()}
    return {image_id: tag for image_id, tag in tags.items() if tag}


class ResultJson(TypedDict):
    """An image of a run by one rule; ``score`` is by the measure that the page is sorted by."""

    run_id: str
    position: int
    image: int
    run: str
    model: str
    model_name: str
    rule: str
    rule_name: str
    text: str
    task_name: str
    image_id: str
    mask: str
    url: str
    thumb: str
    gone: str
    target: int
    object: str
    color: str
    color_name: str
    differs: bool
    relation: str
    asked_hex: str
    found_hex: str
    status: str
    picture_status: str
    cause_words: str
    stand_in: str
    told: str
    picture_reason: str
    delta_e00: float | None
    score: NotRequired[str]


def image_json(
    item: FailureItem,
    runs: Mapping[str, RunRecord],
    names: Mapping[str, str],
    tags: Mapping[str, str] = MappingProxyType({}),
) -> ResultJson:
    """One picture by one rule, with the object that is looked at; ``tags`` as of
    :func:`stand_in_tags`."""
    run = runs.get(item.run_id)
    return {
        "run_id": item.run_id,
        "position": item.position,
        "image": item.image,
        "run": run.name if run else item.run_id,
        "model": names.get(item.run_id, item.run_id),
        "model_name": name_of(run.model) if run else "",
        "rule": item.rule,
        "rule_name": RULE_NAMES.get(item.rule, item.rule),
        "text": item.text,
        "task_name": TASKS.get(item.task, item.task),
        "image_id": item.image_id,
        "mask": item.mask_id,
        "url": f"/media/images/{item.image_id}.png" if item.image_id else "",
        "thumb": f"/media/thumbs/{item.image_id}.png" if item.image_id else "",
        "gone": missing_image_reason(run.summary if run else {}),
        "target": item.target,
        "object": item.object_name,
        "color": item.color,
        "color_name": item.color_name,
        "differs": item.relation == DIFFERS,
        "relation": item.relation or MATCHES,
        "asked_hex": item.asked_hex,
        "found_hex": item.found_hex,
        "status": item.status,
        "picture_status": item.picture_status,
        "cause_words": CAUSES.get(item.cause, item.cause),
        "stand_in": tags.get(item.image_id, ""),
        "told": item.told,
        "picture_reason": item.picture_reason,
        "delta_e00": item.delta_e00,
    }


def value_hex(field: str, value: str) -> str:
    """The color of a value of a filter, empty for what has none."""
    if field == "color":
        return _hex(value)
    return _hex(f"l2:{value}") if field in ("asked_l2", "found_l2") else ""


@lru_cache(maxsize=4096)
def _hex(value: str) -> str:
    try:
        return parse_target(value).hex
    except TrueHueError:
        return ""
