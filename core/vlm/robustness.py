"""A set with robustness variants: the tasks that allow them, and the hues that may be rotated.

A variant keeps its seed's answer, so only a question whose answer no hue rotation can change has
variants. If the pixels show whether the answer still holds, they are checked, and a variant in
which it does not is left out. If nothing could show it, the question is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput
from truehue.core.images.load import load_mask
from truehue.core.vlm.generators.color_counting import MIN_DELTA_E00
from truehue.core.vlm.generators.draws import Difficulty
from truehue.core.vlm.generators.palette import delta, least_delta, srgb8_of
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import IllustratedQuestion, Question
from truehue.core.vlm.tasks import TASKS
from truehue.core.vlm.variants import (
    ENTIRE,
    LARGEST,
    REGIONS,
    TARGET,
    TURNS_DEG,
    hue_turned,
    robustness_variants,
)

Mask = NDArray[np.bool_]
WORDS: Mapping[str, str] = {ENTIRE: "whole", TARGET: "target", LARGEST: "other"}
"""What people call the regions."""


@dataclass(frozen=True)
class VariantSupport:
    """That a task takes variants in ``regions`` (none: it takes none), and ``why``."""

    regions: tuple[str, ...]
    why: str


_ASKS_COLOR = "it asks for the color itself, which is another one after the turn"
_RULES: Mapping[str, VariantSupport] = {
    "color_robustness": VariantSupport(
        REGIONS, "its questions are chosen so that no color matters"
    ),
    "color_mimicry": VariantSupport(
        REGIONS, "it asks for what is there, which a turn of hue leaves there"
    ),
    "color_illusion": VariantSupport(
        REGIONS, "patches of one color stay of one color where both are turned; it is checked"
    ),
    "color_blindness": VariantSupport(
        (ENTIRE,), "figure and ground turn together; one alone could come to look like the other"
    ),
    "color_counting": VariantSupport(
        (ENTIRE,), "all colors turn together, and it is checked that they stay apart"
    ),
    "color_recognition": VariantSupport((), _ASKS_COLOR),
    "color_extraction": VariantSupport((), _ASKS_COLOR),
    "object_recognition": VariantSupport(
        (), "it asks which object has a color, and another has it then"
    ),
    "color_proportion": VariantSupport(
        (), "it asks by names of colors, and other pixels have them then"
    ),
    "color_comparison": VariantSupport(
        (), "a turn in HSV changes lightness, chroma and warmth, which it compares"
    ),
    "object_counting": VariantSupport(
        (), "it counts the objects of a color, and others have it then"
    ),
}

_UNKNOWN_TASK = VariantSupport(
    (),
    "nothing says that its answers do not depend on color (name the task Color Robustness if so)",
)


def rule_of(task: str) -> VariantSupport:
    """Whether a task takes variants, where, and why. A task of one's own takes none."""
    if task not in TASKS:
        return _UNKNOWN_TASK
    return _RULES.get(task, VariantSupport((), _ASKS_COLOR))


def takes_mask(question: Question) -> bool:
    """Whether a mask of the target gives an original variants that it has not without one: its task
    recolors more than the whole, and its construction does not say where the target is."""
    return (
        not question.seed_id
        and bool(set(rule_of(question.task).regions) - {ENTIRE})
        and _check_of(question) is not None
        and question.construction.get("illusion") not in _FLAT_ILLUSIONS
    )


@dataclass
class Counts:
    """What became of a set. Of originals:

    - ``varied`` have variants, counted in ``variants`` by region in people's words;
    - ``whole_only`` of these lack a mask of the target;
    - ``had`` variants before;
    - ``refused`` are of tasks that take none, ``unknown`` have nothing that says whether the answer
      stands, each by task;
    - ``unchanged`` have no color that could turn;
    - ``without_mask`` and ``elsewhere`` take variants in no region that was asked for.

    ``lost`` are variants that were left out because the answer does not stand in them.
    """

    varied: int = 0
    variants: Counter[str] = field(default_factory=Counter)
    whole_only: int = 0
    lost: int = 0
    unchanged: int = 0
    without_mask: int = 0
    elsewhere: int = 0
    had: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    def sentences(self) -> list[str]:
        """The counts in words, without those that are 0."""
        said = [
            f"{count:,} of {task} take no variants: {rule_of(task).why}."
            for task, count in self.refused.items()
        ]
        said += [
            f"{count:,} of {task} were left out: without their construction nothing says whether "
            "the answer still stands."
            for task, count in self.unknown.items()
        ]
        for count, text in (
            (self.had, "questions had variants before, and keep those"),
            (self.whole_only, "questions have no mask of the target: only the whole image turns"),
            (self.lost, "variants were left out, because the answer does not stand in them"),
            (self.without_mask, "questions were left out: they have no mask of the target"),
            (self.elsewhere, "questions were left out: of them only the whole image may turn"),
            (self.unchanged, "questions were left out: nothing in their images has a hue to turn"),
        ):
            said += [f"{count:,} {text}."] if count else []
        return said


def with_variants(
    question_set: QuestionSet,
    counts: Counts,
    regions: Sequence[str] = REGIONS,
    turns_deg: Sequence[int] = TURNS_DEG,
    masks: Path | None = None,
) -> Iterator[IllustratedQuestion]:
    """The originals of a set that take variants, each before its variants; ``counts`` is filled.

    The target is what the construction says, or ``QUESTION_ID.png`` in the folder ``masks``; the
    other region is ``QUESTION_ID.other.png`` there, or all that is no target. Raises BadInput for
    regions, turns or a folder that cannot be, ImageError and MaskError for a mask that is none of
    its image, StorageError as the set.
    """
    _check_settings(regions, turns_deg, masks)
    having = {question.seed_id for question in question_set.questions() if question.seed_id}
    counts.had = len(having)
    for question in question_set.questions():
        origin = question.seed_id or question.question_id
        if origin in having:
            yield question_set.illustrate(question)
            continue
        rule = rule_of(question.task)
        if not rule.regions:
            counts.refused[question.task] += 1
            continue
        check = _check_of(question)
        if check is None:
            counts.unknown[question.task] += 1
            continue
        item = question_set.illustrate(question)
        options = _masks_of(item, masks) if set(rule.regions) - {ENTIRE} else {}
        wanted = [region for region in rule.regions if region in regions]
        lacking = bool(set(wanted) - {ENTIRE}) and not options
        if not wanted or (lacking and ENTIRE not in wanted):
            counts.without_mask += lacking
            counts.elsewhere += not lacking
            continue
        made = list(_made(item, options, wanted, turns_deg, check, counts))
        if made:
            counts.varied += 1
            counts.whole_only += lacking
            counts.variants.update(
                WORDS[str(illustrated.question.construction["region"])] for illustrated in made
            )
            yield item
            yield from made


Check = Callable[[NDArray[np.uint8], Mapping[str, Any]], Mapping[str, Any] | None]
"""Of a variant's pixels and what made it: what its construction has otherwise, or None where the
answer does not stand."""


def _made(
    item: IllustratedQuestion,
    masks: Mapping[str, Mask],
    regions: Sequence[str],
    turns_deg: Sequence[int],
    check: Check,
    counts: Counts,
) -> Iterator[IllustratedQuestion]:
    none = True
    for illustrated in robustness_variants(item, masks, regions, turns_deg):
        none = False
        changed = check(illustrated.srgb8, illustrated.question.construction)
        if changed is None:
            counts.lost += 1
            continue
        construction = {**illustrated.question.construction, **changed}
        yield replace(
            illustrated, question=replace(illustrated.question, construction=construction)
        )
    counts.unchanged += none


def _check_settings(regions: Sequence[str], turns_deg: Sequence[int], masks: Path | None) -> None:
    if not regions or set(regions) - set(REGIONS):
        raise BadInput(f"The regions are {', '.join(WORDS.values())}.", "regions")
    if not turns_deg or len(set(turns_deg)) < len(turns_deg):
        raise BadInput("Give turns of hue, each once.", "shifts")
    if not all(type(turn) is int and 0 < turn < 360 for turn in turns_deg):
        raise BadInput("A turn of hue is a whole number of degrees, 1 to 359.", "shifts")
    if masks is not None and not masks.is_dir():
        raise BadInput(f"{masks} is no folder of masks.", "masks")


def _masks_of(item: IllustratedQuestion, folder: Path | None) -> dict[str, Mask]:
    """Target and the rest, of the folder first; nothing where there is no target."""
    question, shape = item.question, (item.srgb8.shape[0], item.srgb8.shape[1])
    target = _mask_file(folder, f"{question.question_id}.png", shape)
    other = _mask_file(folder, f"{question.question_id}.other.png", shape)
    if target is None:
        target = _constructed_target(item)
    if target is None:
        return {}
    return {TARGET: target, LARGEST: ~target if other is None else other & ~target}


def _mask_file(folder: Path | None, name: str, shape: tuple[int, int]) -> Mask | None:
    path = None if folder is None else folder / name
    if path is None or path.parent != folder or not path.is_file():
        return None
    return load_mask(path, shape)


_FLAT_ILLUSIONS = ("contrast", "white", "munker")


def _constructed_target(item: IllustratedQuestion) -> Mask | None:
    """The two patches of an illusion whose patches are flat: all pixels of their very colors."""
    made = item.question.construction
    if item.question.task != "color_illusion" or made.get("illusion") not in _FLAT_ILLUSIONS:
        return None
    mask = np.zeros(item.srgb8.shape[:2], dtype=bool)
    for side in ("left_srgb8", "right_srgb8"):
        mask |= (item.srgb8 == np.array(made[side], dtype=np.uint8)).all(axis=-1)
    return mask


def _check_of(question: Question) -> Check | None:
    """Who says whether the answer stands; None where nothing can."""
    made = question.construction
    if question.task == "color_illusion":
        return _same_patches if "left_boxes" in made and "equal" in made else None
    if question.task == "color_counting":
        return _apart if "srgb8" in made and "difficulty" in made else None
    return lambda srgb8, construction: {}


def _same_patches(srgb8: NDArray[np.uint8], made: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Both patches are of one color each, and equal where they were, else clearly apart."""
    colors = []
    for side in ("left", "right"):
        pieces = [
            srgb8[top:bottom, left:right].reshape(-1, 3)
            for left, top, right, bottom in made[f"{side}_boxes"]
        ]
        values = np.unique(np.concatenate(pieces), axis=0)
        if len(values) != 1:
            return None
        colors.append(srgb8_of(values[0]))
    apart = delta(*colors)
    if made["equal"] != (colors[0] == colors[1]) or (not made["equal"] and apart < _MIN_SEEN):
        return None
    changed = {
        "left_srgb8": list(colors[0]),
        "right_srgb8": list(colors[1]),
        "delta_e00": apart,
    }
    # Which of two is lighter may turn around with their hue.
    return changed if made["equal"] else {**changed, "counteracts": None}


_MIN_SEEN = 3.0
"""Delta E00 of two patches that are asked to be seen as different."""


def _apart(srgb8: NDArray[np.uint8], made: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """As many colors as before, none nearer to another than the difficulty has them."""
    turn = float(made["hue_turn_deg"])
    before = np.array([made["srgb8"]], dtype=np.uint8)
    colors = [srgb8_of(color) for color in hue_turned(before, turn)[0]]
    if len(set(colors)) < len(colors):
        return None
    least = least_delta(colors)
    if least < MIN_DELTA_E00[Difficulty(made["difficulty"])]:
        return None
    return {"srgb8": [list(color) for color in colors], "least_delta_e00": least}
