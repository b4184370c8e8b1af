"""The sets of Compare as the page lists them, and what is in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import Field

from core.color.distances import dominant
from core.color.uw71 import uw71
from core.concepts.distribution import of_rows
from core.concepts.matching import concept_of, normal
from core.concepts.records import KINDS, DistributionRow, DistributionSetRecord, PictureSetRecord
from core.errors import NotStored
from core.prompts.concepts import concepts
from tabs.page.actor import Actor, asks, may, thing
from tabs.page.context import Context
from tabs.page.errors import many
from tabs.page.requests import PageRequest

_Dated = DistributionSetRecord | PictureSetRecord

SET = "concept set"
"""What a set of distributions or of pictures is to those who brought it."""
PAGE = 20
MOST_NAME = 120
CONCEPT_KINDS = ("base", "visual state", "emotional")


def listed(context: Context, hidden: bool = False) -> dict[str, Any]:
    """Every set, newest first; ``hidden`` ones only when asked for, their number always."""
    storage = context.storage
    every = [_distributions(context, one) for one in storage.distributions.all(hidden=True)]
    every += [_pictures(one) for one in storage.picture_sets.all(hidden=True)]
    every.sort(key=lambda one: str(one["created_at"]), reverse=True)
    shown = [one for one in every if hidden or not one["hidden"]]
    return {
        "sets": shown,
        "hidden": sum(one["hidden"] for one in every),
        "people": any(one["of_people"] and not one["hidden"] for one in every),
    }


def coverage(words: Iterable[str]) -> list[dict[str, Any]]:
    """How many of ColorConceptBench's concepts are among the words, by kind and altogether."""
    known = [
        found for fromkey in dict.fromkeys(words) if (found := concept_of(fromkey)) is not None
    ]
    have = Counter(one.modifier_kind for one in known)
    there = _every()
    rows = [{"kind": kind, "found": have[kind], "of": there[kind]} for kind in CONCEPT_KINDS]
    return [*rows, {"kind": "all", "found": len(known), "of": len(concepts())}]


def strips(rows: Sequence[DistributionRow], kind: str) -> list[dict[str, Any]]:
    """One line a concept and label: its mean over contributors as bins with shares, largest
    first."""
    grouped: dict[tuple[str, str], list[DistributionRow]] = {}
    for row in rows:
        grouped.setdefault((row.words, row.label), []).append(row)
    return [_line(words, of, kind) for (words, _), of in grouped.items()]


def inside(
    context: Context, set_id: str, typed: str = "", offset: int = 0, limit: int = PAGE
) -> dict[str, Any]:
    """A page of a set's concepts whose words hold ``typed``; of a set of pictures, its pictures.

    Raises NotStored for a set that there is not.
    """
    storage = context.storage
    if _is_pictures(context, set_id):
        group = storage.picture_sets.get(set_id)
        members = storage.picture_sets.images(set_id)
        part = members[offset : offset + limit]
        return {
            "pictures": [
                {
                    "image_id": image,
                    "mask_id": mask,
                    "contributor": contributor,
                    "name": storage.images.get(image).name,
                    "cutout": f"/api/compare/sets/cutouts/{image}/{mask}.png",
                }
                for image, mask, contributor in part
            ],
            "words": group.words,
            "total": len(members),
            "offset": offset,
        }
    record = storage.distributions.get(set_id)
    wanted = normal(typed)
    words = [word for word in storage.distributions.words(set_id) if wanted in normal(word)]
    rows = [
        row
        for word in words[offset : offset + limit]
        for row in storage.distributions.rows(set_id, word)
    ]
    return {"concepts": strips(rows, record.kind), "total": len(words), "offset": offset}


class RenameSet(PageRequest):
    """A set and its new name."""

    set_id: str
    name: str = Field("", min_length=1, max_length=MOST_NAME, title="A name")


class HideSet(PageRequest):
    """A set that is to be hidden from every choice, or shown again."""

    set_id: str
    hidden: bool = False


@asks("change")
def rename(context: Context, actor: Actor, request: RenameSet) -> dict[str, Any]:
    """Gives a set another name. Raises NotStored."""
    may(actor, "change", thing(context, SET, request.set_id))
    _kept(context, request.set_id).rename(request.set_id, request.name)
    return {"name": request.name}


@asks("change")
def hide(context: Context, actor: Actor, request: HideSet) -> dict[str, Any]:
    """Hides a set from every choice, or shows it again. Raises NotStored."""
    may(actor, "change", thing(context, SET, request.set_id))
    _kept(context, request.set_id).hide(request.set_id, request.hidden)
    return {"hidden": request.hidden}


def bins_json() -> list[dict[str, Any]]:
    """The 71 bins as strips name them."""
    return [{"hex": one.hex, "name": one.name} for one in uw71()]


def _distributions(context: Context, one: DistributionSetRecord) -> dict[str, Any]:
    words = context.storage.distributions.words(one.set_id)
    made = KINDS[one.kind]
    contributors = f" by {many(one.contributors, 'contributor')}" if one.contributors else ""
    return {
        "set_id": one.set_id,
        "type": "distributions",
        "source": f"set:{one.set_id}",
        "name": one.name,
        "of_people": one.of_people,
        "hidden": one.hidden,
        "whose": "people" if one.of_people else "another measurement",
        "concepts": one.concepts,
        "contributors": one.contributors,
        "words": words[0],
        "facts": f"{many(one.concepts, 'concept')}{contributors} · {made}",
        "covers": _covers(coverage(words)),
        "from": _from(one.source, one.file_name, one),
        "notes": list(one.notes),
        "created_at": one.created_at.isoformat(),
    }


def _pictures(one: PictureSetRecord) -> dict[str, Any]:
    known = concept_of(one.words)
    contributors = f" by {many(one.contributors, 'contributor')}" if one.contributors else ""
    return {
        "set_id": one.set_id,
        "type": "pictures",
        "source": f"pictures:{one.set_id}",
        "name": one.name,
        "of_people": one.of_people,
        "hidden": one.hidden,
        "whose": "people" if one.of_people else "a model",
        "concepts": 1,
        "contributors": one.contributors,
        "words": one.words,
        "concept": known.id if known else "",
        "facts": f"{many(one.images, 'picture')} of {one.words}{contributors}",
        "covers": "" if known else f"“{one.words}” is no concept of ColorConceptBench.",
        "from": _from("", "", one),
        "notes": [],
        "created_at": one.created_at.isoformat(),
    }


def _covers(found: Sequence[Mapping[str, Any]]) -> str:
    """How much of ColorConceptBench a set covers, in words."""
    *kinds, every = found
    parts = ", ".join(f"{one['found']:,} of {one['of']:,} {one['kind']}" for one in kinds)
    return f"{every['found']:,} of ColorConceptBench’s {every['of']:,} concepts: {parts}"


def _from(source: str, file_name: str, one: _Dated) -> str:
    day = one.created_at.strftime("%Y-%m-%d")
    return " · ".join(filter(None, (source, file_name, day)))


def _kept(context: Context, set_id: str) -> Any:
    storage = context.storage
    return storage.picture_sets if _is_pictures(context, set_id) else storage.distributions


def _is_pictures(context: Context, set_id: str) -> bool:
    """Raises NotStored where no set of either kind has the id."""
    storage = context.storage
    try:
        storage.picture_sets.get(set_id)
    except NotStored:
        storage.distributions.get(set_id)
        return False
    return True


def _line(words: str, rows: Sequence[DistributionRow], kind: str) -> dict[str, Any]:
    weights = of_rows(words, rows, kind).weights
    known = concept_of(words)
    order = np.argsort(-weights, kind="stable")
    people = len({row.contributor for row in rows if row.contributor})
    return {
        "words": words,
        "label": rows[0].label,
        "concept": known.id if known else "",
        "category": known.category if known else "",
        "kind": known.modifier_kind if known else "",
        "people": max(people, max(row.people for row in rows)),
        "bins": [[int(at), float(weights[at])] for at in order if weights[at] > 0],
        "dominant": dominant(weights),
    }


def _every() -> Mapping[str, int]:
    return Counter(concept.modifier_kind for concept in concepts())
