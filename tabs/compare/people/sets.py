"""The sets of Compare in the page's list, and the contents of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import numpy as np
from pydantic import Field

from truehue.core.color.distances import dominant
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.distribution import of_rows
from truehue.core.concepts.matching import concept_of, normal
from truehue.core.concepts.records import (
    KINDS,
    ConceptImagesRecord,
    DistributionRow,
    DistributionSetRecord,
)
from truehue.core.errors import NotStored
from truehue.core.prompts.concepts import concepts
from truehue.storage.makers import CONCEPT_SET
from truehue.tabs.compare.people.images import CONTRIBUTORS, MASKS
from truehue.tabs.page.actor import requires, stored_resource
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor, authorize

_Dated = DistributionSetRecord | ConceptImagesRecord

PAGE = 20
MAX_NAME = 120
CONCEPT_KINDS = ("base", "visual state", "emotional")


ConceptSetJson = TypedDict(
    "ConceptSetJson",
    {
        "set_id": str,
        "type": str,
        "source": str,
        "name": str,
        "of_people": bool,
        "hidden": bool,
        "whose": str,
        "concepts": int,
        "contributors": int,
        "words": str,
        "concept": NotRequired[str],
        "facts": str,
        "covers": str,
        "from": str,
        "notes": list[str],
        "created_at": str,
    },
)
"""A set of distributions, or of images of a ``concept``."""


class StripBin(TypedDict):
    """A bin as strips name it."""

    hex: str
    name: str


class ConceptSetsView(TypedDict):
    """The sets, and the choices of an import; ``people`` where one is of people."""

    sets: list[ConceptSetJson]
    hidden: int
    people: bool
    bins: list[StripBin]
    masks: Mapping[str, str]
    contributors: Mapping[str, str]


class CoverageCount(TypedDict):
    """How many of the concepts of a kind there are."""

    kind: str
    found: int
    of: int


class ConceptStrip(TypedDict):
    """The mean of a concept: its bins with their shares, largest first."""

    words: str
    label: str
    concept: str
    category: str
    kind: str
    people: int
    bins: list[list[float]]
    dominant: int


class SetImage(TypedDict):
    """An image of a set."""

    image_id: str
    mask_id: str
    contributor: str
    name: str
    cutout: str


class ConceptSetPage(TypedDict):
    """A page of a set: ``concepts``, or ``pictures`` of the concept ``words``."""

    pictures: NotRequired[list[SetImage]]
    words: NotRequired[str]
    concepts: NotRequired[list[ConceptStrip]]
    total: int
    offset: int


class SetName(TypedDict):
    """The name that a set has now."""

    name: str


class SetVisibility(TypedDict):
    """Whether a set is hidden now."""

    hidden: bool


def sets_view(context: Context, hidden: bool = False) -> ConceptSetsView:
    """Every set, newest first; ``hidden`` ones only when asked for, their number always."""
    storage = context.storage
    every = [_distributions(context, record) for record in storage.distributions.all(hidden=True)]
    every += [_images_json(record) for record in storage.picture_sets.all(hidden=True)]
    every.sort(key=lambda row: str(row["created_at"]), reverse=True)
    shown = [row for row in every if hidden or not row["hidden"]]
    return {
        "sets": shown,
        "hidden": sum(row["hidden"] for row in every),
        "people": any(row["of_people"] and not row["hidden"] for row in every),
        "bins": bins_json(),
        "masks": MASKS,
        "contributors": CONTRIBUTORS,
    }


def coverage(terms: Iterable[str]) -> list[CoverageCount]:
    """How many of ColorConceptBench's concepts are among the words, by kind and altogether."""
    matches = [
        concept for fromkey in dict.fromkeys(terms) if (concept := concept_of(fromkey)) is not None
    ]
    have = Counter(concept.modifier_kind for concept in matches)
    totals = _every()
    rows: list[CoverageCount] = [
        {"kind": kind, "found": have[kind], "of": totals[kind]} for kind in CONCEPT_KINDS
    ]
    return [*rows, {"kind": "all", "found": len(matches), "of": len(concepts())}]


def strips(rows: Sequence[DistributionRow], kind: str) -> list[ConceptStrip]:
    """One line a concept and label: its mean over contributors as bins with shares, largest
    first."""
    grouped: dict[tuple[str, str], list[DistributionRow]] = {}
    for row in rows:
        grouped.setdefault((row.words, row.label), []).append(row)
    return [
        _line(text, distribution_rows, kind) for (text, _), distribution_rows in grouped.items()
    ]


def set_page(
    context: Context, set_id: str, typed: str = "", offset: int = 0, limit: int = PAGE
) -> ConceptSetPage:
    """A page of a set's concepts whose words hold ``typed``; of a set of pictures, its pictures.

    Raises NotStored for a set that there is not.
    """
    storage = context.storage
    if _is_images(context, set_id):
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
    fragment = normal(typed)
    parts = [word for word in storage.distributions.words(set_id) if fragment in normal(word)]
    rows = [
        row
        for word in parts[offset : offset + limit]
        for row in storage.distributions.rows(set_id, word)
    ]
    return {"concepts": strips(rows, record.kind), "total": len(parts), "offset": offset}


class RenameSet(PageRequest):
    """A set and its new name."""

    set_id: str
    name: str = Field("", min_length=1, max_length=MAX_NAME, title="A name")


class HideConceptSet(PageRequest):
    """A set that is to be hidden from every choice, or shown again."""

    set_id: str
    hidden: bool = False


@requires("change")
def rename(context: Context, actor: Actor, request: RenameSet) -> SetName:
    """Gives a set another name. Raises NotStored."""
    authorize(actor, "change", stored_resource(context, CONCEPT_SET, request.set_id))
    _sets_of(context, request.set_id).rename(request.set_id, request.name)
    return {"name": request.name}


@requires("change")
def hide(context: Context, actor: Actor, request: HideConceptSet) -> SetVisibility:
    """Hides a set from every choice, or shows it again. Raises NotStored."""
    authorize(actor, "change", stored_resource(context, CONCEPT_SET, request.set_id))
    _sets_of(context, request.set_id).hide(request.set_id, request.hidden)
    return {"hidden": request.hidden}


def bins_json() -> list[StripBin]:
    """The 71 bins as strips name them."""
    return [{"hex": bin_.hex, "name": bin_.name} for bin_ in uw71()]


def _distributions(context: Context, record: DistributionSetRecord) -> ConceptSetJson:
    parts = context.storage.distributions.words(record.set_id)
    kind_words = KINDS[record.kind]
    contributors = (
        f" by {count_noun(record.contributors, 'contributor')}" if record.contributors else ""
    )
    return {
        "set_id": record.set_id,
        "type": "distributions",
        "source": f"set:{record.set_id}",
        "name": record.name,
        "of_people": record.of_people,
        "hidden": record.hidden,
        "whose": "people" if record.of_people else "another measurement",
        "concepts": record.concepts,
        "contributors": record.contributors,
        "words": parts[0],
        "facts": f"{count_noun(record.concepts, 'concept')}{contributors} · {kind_words}",
        "covers": _covers(coverage(parts)),
        "from": _from(record.source, record.file_name, record),
        "notes": list(record.notes),
        "created_at": record.created_at.isoformat(),
    }


def _images_json(record: ConceptImagesRecord) -> ConceptSetJson:
    concept = concept_of(record.words)
    contributors = (
        f" by {count_noun(record.contributors, 'contributor')}" if record.contributors else ""
    )
    return {
        "set_id": record.set_id,
        "type": "pictures",
        "source": f"pictures:{record.set_id}",
        "name": record.name,
        "of_people": record.of_people,
        "hidden": record.hidden,
        "whose": "people" if record.of_people else "a model",
        "concepts": 1,
        "contributors": record.contributors,
        "words": record.words,
        "concept": concept.id if concept else "",
        "facts": f"{count_noun(record.images, 'image')} of {record.words}{contributors}",
        "covers": "" if concept else f"“{record.words}” is not in ColorConceptBench.",
        "from": _from("", "", record),
        "notes": [],
        "created_at": record.created_at.isoformat(),
    }


def _covers(rows: Sequence[CoverageCount]) -> str:
    """How much of ColorConceptBench a set covers, in words."""
    *kinds, every = rows
    parts = ", ".join(f"{row['found']:,} of {row['of']:,} {row['kind']}" for row in kinds)
    return f"{every['found']:,} of ColorConceptBench’s {every['of']:,} concepts: {parts}"


def _from(source: str, file_name: str, record: _Dated) -> str:
    day = record.created_at.strftime("%Y-%m-%d")
    return " · ".join(filter(None, (source, file_name, day)))


def _sets_of(context: Context, set_id: str) -> Any:
    storage = context.storage
    return storage.picture_sets if _is_images(context, set_id) else storage.distributions


def _is_images(context: Context, set_id: str) -> bool:
    """Raises NotStored where no set of either kind has the id."""
    storage = context.storage
    try:
        storage.picture_sets.get(set_id)
    except NotStored:
        storage.distributions.get(set_id)
        return False
    return True


def _line(text: str, rows: Sequence[DistributionRow], kind: str) -> ConceptStrip:
    weights = of_rows(text, rows, kind).weights
    concept = concept_of(text)
    order = np.argsort(-weights, kind="stable")
    people = len({row.contributor for row in rows if row.contributor})
    return {
        "words": text,
        "label": rows[0].label,
        "concept": concept.id if concept else "",
        "category": concept.category if concept else "",
        "kind": concept.modifier_kind if concept else "",
        "people": max(people, max(row.people for row in rows)),
        "bins": [[int(index), float(weights[index])] for index in order if weights[index] > 0],
        "dominant": dominant(weights),
    }


def _every() -> Mapping[str, int]:
    return Counter(concept.modifier_kind for concept in concepts())
