"""The small model under our own instruments: pictures of held-out prompts, masks, verdicts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np

from truehue.core.errors import MaskError, NoPixels
from truehue.core.generation.request import GenerationRequest, LoadedModel, OnStep
from truehue.core.generation.small.scenes import SceneBank, caption_of, color_of_words, held_out
from truehue.core.masks.grabcut import grabcut
from truehue.core.prompts.draws import seeded_order
from truehue.core.prompts.gencolorbench import build
from truehue.core.prompts.prompt import Prompt, color_words
from truehue.core.refinement.settings import (
    FIRST_PASS_WORDS,
    Refinement,
    discrepancy_of,
    rows_of,
    saturation_map,
)
from truehue.core.verdict.measure import measure
from truehue.core.verdict.rules import FAIL, PASS, UNSCORED

REAL_SATURATION = 0.33
"""Mean saturation of real photographs by the paper of CFM; HSV S, which it does not state."""

GROUPS = ("cna l1", "cna l2", "cna l3", "cna css", "ncu hex", "ncu rgb", "coa", "ica", "moc")

LEVEL_1 = "cna l1"

_BORDER_PX = 3
_LEAST_SHARE = 0.01


@dataclass(frozen=True)
class Row:
    """One picture: the group of its prompt, its guidance (None for the renderer's own), the verdict
    by ``truehue``, its misfit, and the mean HSV saturation, 0 to 1, of the picture and of its
    object. Of several objects ``parts`` says for each piece of the mask which asked colors it
    has. ``strength`` is CFR's λ, None where a picture was drawn without."""

    group: str
    guidance: float | None
    prompt: str
    status: str
    misfit: float | None
    saturation: float
    object_saturation: float | None
    parts: tuple[tuple[bool, ...], ...] = ()
    strength: float | None = None


@dataclass(frozen=True)
class NumberedPrompt:
    """A prompt of a report with its number among those of all groups, by which its noise and the
    renderer's scene are chosen: the same whichever groups a report is of."""

    number: int
    group: str
    prompt: Prompt


def asked_of(
    groups: Collection[str], share: float, count: int, level_1: int
) -> list[NumberedPrompt]:
    """The held-out prompts of these groups, in the order of :data:`GROUPS`: ``level_1`` of the
    first, ``count`` of each other."""
    every = [
        (group, prompt)
        for group in GROUPS
        for prompt in prompts_of(group, share, level_1 if group == LEVEL_1 else count)
    ]
    return [
        NumberedPrompt(n, group, prompt)
        for n, (group, prompt) in enumerate(every)
        if group in groups
    ]


def prompts_of(group: str, share: float, count: int) -> list[Prompt]:
    """Held-out prompts of a group of :data:`GROUPS` in a seeded order, at most ``count``: those
    whose names mean their colors, with as many objects as are drawn in training."""
    task, _, kind = group.partition(" ")
    meaning = color_of_words()
    choices = []
    for prompt in build():
        if prompt.task != task or not held_out(prompt, share):
            continue
        if kind not in ("", prompt.system, prompt.notation):
            continue
        colors = [target.color for target in prompt.targets if target.color is not None]
        named = prompt.notation in ("", "name")
        if named and any(meaning[color_words(c)].srgb8 != c.srgb8 for c in colors):
            continue
        if len(caption_of(prompt).shapes) <= 2:
            choices.append(prompt)
    order = seeded_order(len(choices), f"small/report/{group}")
    return [choices[index] for index in order[:count]]


def object_mask(srgb8: np.ndarray) -> np.ndarray:
    """What is not background, bool ``(H, W)``: GrabCut, the border of the picture being background.

    Empty where nothing is found.
    """
    nothing = np.zeros(srgb8.shape[:2], dtype=bool)
    border = np.ones_like(nothing)
    border[_BORDER_PX:-_BORDER_PX, _BORDER_PX:-_BORDER_PX] = False
    try:
        mask = grabcut(srgb8, None, nothing, border).pixels
    except MaskError:
        return nothing
    # Without an edge everything inside the border comes back.
    return nothing if mask[~border].all() else mask


def saturation(srgb8: np.ndarray) -> np.ndarray:
    """HSV S of every pixel, 0 to 1, float64 ``(...)`` for uint8 ``(..., 3)``."""
    limit, least = srgb8.max(axis=-1).astype(float), srgb8.min(axis=-1)
    return np.divide(limit - least, limit, out=np.zeros_like(limit), where=limit > 0)


def judged(group: str, guidance: float | None, prompt: Prompt, srgb8: np.ndarray) -> Row:
    """The verdict on a picture of a prompt; ``unscored`` where no object is found."""
    import cv2

    mask = object_mask(srgb8)
    saturations = saturation(srgb8)
    inside = float(saturations[mask].mean()) if mask.any() else None
    fixed = (float(saturations.mean()), inside)
    pieces, labels, stats, _ = cv2.connectedComponentsWithStats(mask.view(np.uint8), connectivity=4)
    areas = sorted(((int(stats[n, cv2.CC_STAT_AREA]), n) for n in range(1, pieces)), reverse=True)
    large = [n for area, n in areas if area >= _LEAST_SHARE * mask.size]
    colors = [target.color for target in prompt.targets if target.color is not None]
    if not large:
        return Row(group, guidance, prompt.text, UNSCORED, None, *fixed)
    if len(caption_of(prompt).shapes) == 1:
        result = _measured(srgb8, labels == large[0], colors[0])
        status, misfit = result if result else (UNSCORED, None)
        return Row(group, guidance, prompt.text, status, misfit, *fixed)
    parts = []
    for n in large[:2]:
        results = [_measured(srgb8, labels == n, color) for color in colors]
        parts.append(tuple(bool(result and result[0] == PASS) for result in results))
    return Row(group, guidance, prompt.text, _together(prompt, parts), None, *fixed, tuple(parts))


def _measured(srgb8: np.ndarray, mask: np.ndarray, color: Any) -> tuple[str, float] | None:
    try:
        verdict = measure(srgb8, mask, color).verdict
    except NoPixels:
        return None
    misfit = next((m.value for m in verdict.metrics if m.name == "misfit"), float("nan"))
    return verdict.status, misfit


def _together(prompt: Prompt, parts: Sequence[tuple[bool, ...]]) -> str:
    """Whether two pieces, whichever is which, have the colors asked of two objects."""
    if len(parts) < 2:
        return UNSCORED
    first, second = parts
    if prompt.task == "ica":
        good = first[0] and second[0]
    elif prompt.task == "coa":
        # One has the color and the other has not taken it.
        good = first[0] != second[0]
    else:
        good = (first[0] and second[1]) or (first[1] and second[0])
    return PASS if good else FAIL


def rows_of_model(
    model: LoadedModel,
    request: GenerationRequest,
    prompts: Sequence[NumberedPrompt],
    report_progress: Callable[[int, int], None],
) -> Iterator[Row]:
    """Draws each prompt with the request's settings, its seed by its number, and judges it."""
    for done, numbered_prompt in enumerate(prompts, start=1):
        generation_request = replace(
            request, text=numbered_prompt.prompt.text, seed=numbered_prompt.number
        )
        image = model.draw([generation_request], lambda report: None, Event())[0]
        yield judged(numbered_prompt.group, request.guidance, numbered_prompt.prompt, image.srgb8)
        report_progress(done, len(prompts))


def rows_with_refinement(
    model: LoadedModel,
    request: GenerationRequest,
    prompts: Sequence[NumberedPrompt],
    strengths: Sequence[float],
) -> Iterator[Row]:
    """Draws each prompt without CFR and then with each of these λ, from the same noise and by the
    saturation map of the first picture. The first of the rows of a prompt has λ = 0."""
    still: OnStep = lambda report: None  # noqa: E731
    for numbered_prompt in prompts:
        group, prompt = numbered_prompt.group, numbered_prompt.prompt
        plain = replace(request, text=prompt.text, seed=numbered_prompt.number)
        before = model.draw([plain], still, Event())[0]
        yield replace(judged(group, request.guidance, prompt, before.srgb8), strength=0.0)
        discrepancy = discrepancy_of(rows_of(saturation_map(before.srgb8)))
        for strength in strengths:
            refinement = Refinement(strength, discrepancy=discrepancy, source=FIRST_PASS_WORDS)
            refined = replace(plain, options={"cfr": refinement.to_json()})
            after = model.draw([refined], still, Event())[0]
            yield replace(judged(group, request.guidance, prompt, after.srgb8), strength=strength)


def rows_of_renderer(bank: SceneBank, prompts: Sequence[NumberedPrompt]) -> Iterator[Row]:
    """The same of the renderer's own pictures: what the masks and the rule lose by themselves."""
    for prompt in prompts:
        caption = caption_of(prompt.prompt)
        choices = bank.of(caption.shapes)
        if choices:
            srgb8 = bank.picture(choices[prompt.number % len(choices)], caption.colors)
            yield judged(prompt.group, None, prompt.prompt, srgb8)
