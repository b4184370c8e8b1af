"""Queries over the results of runs, their counts, and the images that count.

An image counts where each of its objects has a result. Where one has none, the image has no score,
whatever the others have: if only images that would pass were left out, the rest would fail more
often than all do. An image without a score may count as incorrect; this module alone decides. The
released code
(moatifbutt/gen-color-bench @ 802a3ba, evaluation/cna.py, coa.py and moc.py) returns ``correct:
False`` where an object cannot be segmented, where its mask is empty, and where it overlaps another
one by an IoU over 0.2; such an image stays in the denominator. A stored verdict is ``unscored``
with its cause under every rule; the query decides how it counts. An image that was not generated,
or for which no masker ran, is never incorrect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.verdict.rules import DEFAULT_RULE, rule

TABLE_SYSTEMS = ("l2", "l3", "css")
"""The systems that the paper's Table 4 and Table 11 average over."""

NO_SYSTEM = "none"
"""How a slice says: prompts without a color system, such as those of an imported list."""

NEUTRAL = "neutral"
CHROMA_BANDS = (5.0, 20.0, 40.0, 60.0, 80.0)
"""Where bands of C*ab begin; below the first a color is neutral, and its band begins at 0."""

SECTORS = (*(f"{index}" for index in range(0, 360, 30)), NEUTRAL)
"""Hue sectors of CIELAB by the angle in degrees at which each begins; neutral is C*ab below 5."""


@dataclass(frozen=True)
class Slice:
    """Which verdicts are meant; an empty field does not narrow.

    ``runs`` are ids, ``rule`` an id (one rule at a time: statuses of several are never mixed).
    ``task`` and ``system`` may hold several, separated by commas (``l2,l3,css``); the system of
    prompts that have none is :data:`NO_SYSTEM`. ``status`` is the image's; ``against`` another
    rule, which says something else of the image. ``cause`` is a key of CAUSES. ``color`` is the
    target color as ColorTarget.value spells it (``l2:vivid red``, ``#AA1122``), ``sector`` of
    :data:`SECTORS` its hue, ``chroma`` where its band of C*ab begins (``0``, or of
    :data:`CHROMA_BANDS` without decimals), ``asked_l2`` and ``found_l2`` the nearest ISCC-NBS level
    2 name of the requested and the found color, ``modifier`` of truehue.core.color.systems.MODIFIERS
    (level 3), ``basic`` ``basic`` or ``intermediate`` (level 2). ``category`` and ``object`` are
    the object's. ``unscored`` is how images without a score count, LEFT_OUT or NOT_FOUND of
    truehue.core.analysis.records, empty for the rule's default. Where an object or a color is
    asked for, every object of an image is looked at, else only the one that decided.
    """

    rule: str = DEFAULT_RULE
    runs: tuple[str, ...] = ()
    task: str = ""
    system: str = ""
    category: str = ""
    object: str = ""
    color: str = ""
    sector: str = ""
    chroma: str = ""
    asked_l2: str = ""
    found_l2: str = ""
    modifier: str = ""
    basic: str = ""
    status: str = ""
    cause: str = ""
    against: str = ""
    unscored: str = ""


@dataclass(frozen=True)
class PromptTally:
    """``prompts`` prompts of a run, task and system that each have ``images`` images, of which
    ``scored`` have a pass or a fail, ``passes`` of them a pass. Of the scored, ``judged`` have it by
    the rule; the others count as incorrect, because an object was not found. None: all."""

    run_id: str
    task: str
    system: str
    passes: int
    scored: int
    images: int
    prompts: int
    judged: int | None = None


@dataclass(frozen=True)
class Count:
    """Verdicts of one group: ``key`` is what they have in common, in the order asked for."""

    key: tuple[str, ...]
    passes: int
    fails: int
    unscored: int


@dataclass(frozen=True)
class Drift:
    """Where one target color went: mean found CIELAB over ``count`` measured verdicts."""

    color: str
    name: str
    hex: str
    asked_lab: tuple[float, float, float]
    found_lab: tuple[float, float, float]
    count: int
    passes: int


@dataclass(frozen=True)
class FailureItem:
    """One image on the wall by one rule, with the object that decided (or was asked for)."""

    run_id: str
    position: int
    image: int
    prompt_id: str
    prompt_source: str
    text: str
    task: str
    system: str
    image_id: str
    mask_id: str
    target: int
    object_name: str
    category: str
    color: str
    color_name: str
    asked_hex: str
    found_hex: str
    status: str
    picture_status: str
    cause: str
    told: str
    picture_reason: str
    relation: str
    delta_e00: float | None
    delta_chroma: float | None
    hue_deg: float | None
    misfit: float | None
    lab: tuple[float, float, float] | None
    rule: str
    seed: int | None
    width: int
    height: int
    cursor: str


@dataclass(frozen=True)
class RunRecord:
    """One run as the database knows it.

    ``summary`` is the plan without its prompts; ``name`` may have been changed since. Of ``total``
    images ``items`` have come in, of which ``failed`` could not be drawn; ``rules`` are pairs of
    id and version. ``refused`` are sentences on shards that could not be read, by file.
    """

    run_id: str
    name: str
    set_name: str
    model: str
    kind: str
    total: int
    items: int
    failed: int
    rules: tuple[tuple[str, str], ...]
    hidden: bool
    created_at: datetime
    summary: Mapping[str, Any]
    refused: Mapping[str, str]


@dataclass(frozen=True)
class CauseCount:
    """``count`` images of a run and task that have one status for one cause."""

    run_id: str
    task: str
    cause: str
    count: int


@dataclass(frozen=True)
class RuleAgreement:
    """Counts of two rules on the same images; ``unscored`` by either, ``only_a`` passes by a."""

    rule_a: str
    rule_b: str
    both: int
    only_a: int
    only_b: int
    neither: int
    unscored: int


@dataclass(frozen=True)
class ImageVerdict:
    """One rule's verdict on one object of an image. ``status`` is ``pass``, ``fail`` or
    ``unscored``, ``relation`` whether the object has to have its color (``matches``) or must not
    (``differs``), empty where no color was asked for. None where there is no such number."""

    image_id: str
    rule: str
    status: str
    relation: str
    delta_e00: float | None
    hue_deg: float | None
    misfit: float | None
    confidence_percent: float | None


LEFT_OUT, NOT_FOUND, WRONG = "left-out", "not-found", "wrong"
UNSCORED = (LEFT_OUT, NOT_FOUND, WRONG)
"""Unscored images are in no share; or those whose object was not found count as incorrect; or all
of them do."""

NOT_FOUND_CAUSES = ("not-found", "too-few-pixels")
"""Causes (:data:`truehue.core.runs.score.CAUSES`) of an object that was looked for in vain or is
empty."""
NO_MASK = "no-mask"
"""In a run whose masker looks for objects: segmentation failed, or the object overlaps another one.
In any other run: nobody looked."""
SEARCHING = "grounded"
"""The masker that looks for objects."""


def default_for(rule_id: str) -> str:
    """How unscored images count by a rule where nothing is chosen."""
    return NOT_FOUND if rule(rule_id).dominant == "released" else LEFT_OUT


def choice_for(rule_id: str, choice: str = "") -> str:
    """The choice, or the rule's default. Raises BadInput for one that is none."""
    if choice and choice not in UNSCORED:
        raise BadInput(f"Unscored images are {', '.join(UNSCORED)}, not {choice[:40]!r}.")
    return choice or default_for(rule_id)


def note_for(rule_id: str, choice: str = "") -> str:
    """A note beside a number where objects that were not found count as incorrect, or where
    the rule's code would count them so and the choice does not; else nothing."""
    counted, usual = choice_for(rule_id, choice), default_for(rule_id)
    if counted == WRONG:
        return "Every unscored image counts as incorrect."
    if counted == NOT_FOUND:
        as_released = ", as in the released code" if usual == NOT_FOUND else ""
        return (
            "Images whose object was not found, is empty or overlaps another count as "
            f"incorrect{as_released}."
        )
    if usual == NOT_FOUND:
        return (
            "Images whose object was not found are excluded; the released code counts them as "
            "incorrect."
        )
    return ""
