"""Measurement of the small model: images of held-out prompts, masks, verdicts; and its report, tables
and figures as one page of Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from truehue.core.analysis.intervals import wilson
from truehue.core.errors import MaskError, NoPixels
from truehue.core.files import replace_file
from truehue.core.generation.request import GenerationRequest, LoadedModel, OnStep
from truehue.core.generation.small.scenes import (
    SceneBank,
    caption_of,
    colors_by_name,
    has_held_out_pair,
)
from truehue.core.masks.grabcut import grabcut
from truehue.core.prompts.draws import seeded_order
from truehue.core.prompts.gencolorbench import build
from truehue.core.prompts.prompt import Prompt, format_color
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
_MIN_SHARE = 0.01


@dataclass(frozen=True)
class Row:
    """One image: the group of its prompt, its guidance (None for the renderer's own), the verdict
    by ``truehue``, its misfit, and the mean HSV saturation, 0 to 1, of the image and of its
    object. Of several objects ``parts`` says for each piece of the mask which target colors it
    has. ``strength`` is CFR's λ, None where an image was drawn without."""

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


def held_out_prompts(
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
    meaning = colors_by_name()
    choices = []
    for prompt in build():
        if prompt.task != task or not has_held_out_pair(prompt, share):
            continue
        if kind not in ("", prompt.system, prompt.notation):
            continue
        colors = [target.color for target in prompt.targets if target.color is not None]
        named = prompt.notation in ("", "name")
        if named and any(meaning[format_color(c)].srgb8 != c.srgb8 for c in colors):
            continue
        if len(caption_of(prompt).shapes) <= 2:
            choices.append(prompt)
    order = seeded_order(len(choices), f"small/report/{group}")
    return [choices[index] for index in order[:count]]


def object_mask(srgb8: np.ndarray) -> np.ndarray:
    """The foreground, bool ``(H, W)``: GrabCut, the border of the image being background.

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


def judge_image(group: str, guidance: float | None, prompt: Prompt, srgb8: np.ndarray) -> Row:
    """The verdict on an image of a prompt; it is ``unscored`` where no object is found."""
    import cv2

    mask = object_mask(srgb8)
    saturations = saturation(srgb8)
    inside = float(saturations[mask].mean()) if mask.any() else None
    fixed = (float(saturations.mean()), inside)
    pieces, labels, stats, _ = cv2.connectedComponentsWithStats(mask.view(np.uint8), connectivity=4)
    areas = sorted(((int(stats[n, cv2.CC_STAT_AREA]), n) for n in range(1, pieces)), reverse=True)
    large = [n for area, n in areas if area >= _MIN_SHARE * mask.size]
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
        yield judge_image(
            numbered_prompt.group, request.guidance, numbered_prompt.prompt, image.srgb8
        )
        report_progress(done, len(prompts))


def rows_with_refinement(
    model: LoadedModel,
    request: GenerationRequest,
    prompts: Sequence[NumberedPrompt],
    strengths: Sequence[float],
) -> Iterator[Row]:
    """Draws each prompt without CFR and then with each of these λ, from the same noise and by the
    saturation map of the first image. The first of the rows of a prompt has λ = 0."""
    still: OnStep = lambda report: None  # noqa: E731
    for numbered_prompt in prompts:
        group, prompt = numbered_prompt.group, numbered_prompt.prompt
        plain = replace(request, text=prompt.text, seed=numbered_prompt.number)
        before = model.draw([plain], still, Event())[0]
        yield replace(judge_image(group, request.guidance, prompt, before.srgb8), strength=0.0)
        discrepancy = discrepancy_of(rows_of(saturation_map(before.srgb8)))
        for strength in strengths:
            refinement = Refinement(strength, discrepancy=discrepancy, source=FIRST_PASS_WORDS)
            refined = replace(plain, options={"cfr": refinement.to_json()})
            after = model.draw([refined], still, Event())[0]
            yield replace(
                judge_image(group, request.guidance, prompt, after.srgb8), strength=strength
            )


def rows_of_renderer(bank: SceneBank, prompts: Sequence[NumberedPrompt]) -> Iterator[Row]:
    """The same of the renderer's own images: what the masks and the rule lose by themselves."""
    for prompt in prompts:
        caption = caption_of(prompt.prompt)
        choices = bank.of(caption.shapes)
        if choices:
            srgb8 = bank.image(choices[prompt.number % len(choices)], caption.colors)
            yield judge_image(prompt.group, None, prompt.prompt, srgb8)


# Gray, dashed and marked lines: series are told apart without color.
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4", "12 4", "4 2 1 2", "3 6", "10 2")
_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 340, 56, 34
_RIGHT = 120

Point = tuple[float, float]


def accuracy(rows: Sequence[Row]) -> tuple[int, int, int]:
    """How many passed, how many were judged, and how many are unscored."""
    unscored = sum(row.status == UNSCORED for row in rows)
    return sum(row.status == PASS for row in rows), len(rows) - unscored, unscored


def interval(passed: int, count: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share, in percent; 0 to 100 where nothing was judged."""
    return wilson(passed / count, count) if count else (0.0, 100.0)


def page(rows: Sequence[Row], about: Mapping[str, Any]) -> str:
    """The report as Markdown; the figures lie beside it (:func:`figures`)."""
    refined = [row for row in rows if row.strength is not None]
    rows = [row for row in rows if row.strength is None]
    scales = sorted({row.guidance for row in rows if row.guidance is not None})
    best = best_guidance(rows)
    lines = [
        "# The small model, measured",
        "",
        "**For:** readers who want to know how a real model errs. **Answers:** where the small "
        "model breaks, and what guidance and CFR change.",
        "",
        f"Made by `{about['command']}` of step {about['step']:,}. The pairs of color and object in "
        "the prompts were held out from training. Each prompt has one image, scored by the rule "
        "`truehue`. GrabCut makes the masks, with the border of the image as background. An image "
        "without a mask is unscored and left out of the share. In brackets: 95% interval (Wilson). "
        "*Renderer*: the same prompts rendered by the reference renderer, with the same masks. It "
        "shows what the instrument itself loses.",
        "",
        "## Accuracy against guidance",
        "",
        "![Share of right colors by guidance](accuracy.svg)",
        "",
        "| prompts | " + " | ".join(f"guidance {scale:g}" for scale in scales) + " | renderer |",
        "|---|" + "---|" * (len(scales) + 1),
    ]
    for group in GROUPS:
        cells = [_cell(rows, group, scale) for scale in (*scales, None)]
        if any(cells):
            lines.append(f"| {group} | " + " | ".join(cells) + " |")
    text = "CNA names the color in one of four systems, NCU gives hex or rgb numbers."
    if any(row.group == LEVEL_1 for row in rows):
        text = f"Single objects by level 1 names are right most often at guidance {best:g}. {text}"
    lines += [
        "",
        text,
        "",
        "## Two objects",
        "",
        "A piece of the mask is an object. It is unknown which object it is, so an exchange of two "
        "colors counts as both colors there. Images with fewer than two pieces are unscored.",
        "",
        "| prompts | guidance | both as requested | the same color on both | neither |",
        "|---|---|---|---|---|",
    ]
    for group in ("coa", "ica", "moc"):
        for scale in (*scales, None):
            cell = [r for r in rows if (r.group, r.guidance) == (group, scale) and r.parts]
            two = [row for row in cell if len(row.parts) == 2]
            if two:
                shares = (
                    sum(row.status == PASS for row in two),
                    sum(_leaked(row) for row in two),
                    sum(not any(map(any, row.parts)) for row in two),
                )
                name = "renderer" if scale is None else f"{scale:g}"
                counts = " | ".join(f"{count} of {len(two)}" for count in shares)
                lines.append(f"| {group} | {name} | {counts} |")
    lines += [
        "",
        "## Vividness against guidance",
        "",
        "![Mean saturation by guidance](saturation.svg)",
        "",
        "The table has the mean HSV saturation of whole images and of objects, over all prompts "
        "above. ΔSat is that of the set: the distance of the mean of its whole images from "
        f"{REAL_SATURATION}. The renderer's gray stage keeps the saturation of whole images low.",
        "",
        "| guidance | image | object | ΔSat |",
        "|---|---|---|---|",
    ]
    for scale in (*scales, None):
        mean, inside = _saturations(rows, scale)
        name = "renderer" if scale is None else f"{scale:g}"
        distance = abs(mean - REAL_SATURATION)
        lines.append(f"| {name} | {mean:.3f} | {inside:.3f} | {distance:.3f} |")
    if refined:
        lines += _refinement(rows, refined)
    return "\n".join(lines) + "\n"


def _refinement(rows: Sequence[Row], refined: Sequence[Row]) -> list[str]:
    """The section on CFR: the same prompts and seeds by guidance and λ."""
    lines = [
        "",
        "## Guidance turned down (CFR)",
        "",
        "The same prompts and noise are generated without CFR (λ = 0), and again with the "
        "saturation map of that image. Here, ΔSat is the mean of each image's own distance from "
        f"{REAL_SATURATION}, not that of their mean as in the table above. The change from "
        "λ = 0 is paired, image by image, with a 95% interval (normal). *From the renderer* is the "
        "distance of the objects' mean saturation from that of the renderer's own images of these "
        "prompts. The model has never seen other images.",
        "",
        "| guidance | λ | right | object's saturation | from the renderer | ΔSat "
        "| change of ΔSat |",
        "|---|---|---|---|---|---|---|",
    ]
    prompts = {row.prompt for row in refined}
    own = _mean(r.object_saturation for r in rows if r.guidance is None and r.prompt in prompts)
    for scale in sorted({row.guidance or 0.0 for row in refined}):
        plain = [row for row in refined if (row.guidance, row.strength) == (scale, 0.0)]
        for strength in sorted({row.strength or 0.0 for row in refined}):
            cell = [row for row in refined if (row.guidance, row.strength) == (scale, strength)]
            passed, count, unscored = accuracy(cell)
            low, high = interval(passed, count)
            inside = _mean(row.object_saturation for row in cell)
            change = ""
            if strength:
                pairs = zip(cell, plain, strict=True)
                steps = [_delta_sat(after) - _delta_sat(before) for after, before in pairs]
                half = 1.96 * float(np.std(steps, ddof=1)) / math.sqrt(len(steps))
                mean = float(np.mean(steps))
                change = f"{mean:+.3f} ({mean - half:+.3f} to {mean + half:+.3f})"
            share = f"{passed} of {count} ({low:.0f}% to {high:.0f}%)"
            if unscored:
                share += f", {unscored} unscored"
            delta_sat = _mean(map(_delta_sat, cell))
            lines.append(
                f"| {scale:g} | {strength:g} | {share} | {inside:.3f} | {inside - own:+.3f} | "
                f"{delta_sat:.3f} | {change} |"
            )
    return lines


def _delta_sat(row: Row) -> float:
    return abs(row.saturation - REAL_SATURATION)


def _mean(values: Iterable[float | None]) -> float:
    """The mean of those that are there; NaN without any."""
    numbers = [value for value in values if value is not None]
    return float(np.mean(numbers)) if numbers else math.nan


def figures(rows: Sequence[Row]) -> dict[str, str]:
    """The figures by file name, as SVG."""
    rows = [row for row in rows if row.strength is None]
    scales = sorted({row.guidance for row in rows if row.guidance is not None})
    shares: dict[str, list[Point]] = {}
    for group in GROUPS:
        points = []
        for scale in scales:
            cell = [row for row in rows if (row.group, row.guidance) == (group, scale)]
            passed, count, _ = accuracy(cell)
            if count:
                points.append((scale, 100 * passed / count))
        if points:
            shares[group] = points
    means = {scale: _saturations(rows, scale) for scale in scales}
    vividness = {
        "object": [(scale, mean[1]) for scale, mean in means.items()],
        "picture": [(scale, mean[0]) for scale, mean in means.items()],
    }
    own, inside = _saturations(rows, None)
    if not math.isnan(own):
        vividness["renderer's object"] = [(scale, inside) for scale in scales]
    return {
        "accuracy.svg": chart("Right colors, percent, by guidance", shares, 100.0),
        "saturation.svg": chart("Mean HSV saturation by guidance", vividness, 1.0),
    }


def best_guidance(rows: Sequence[Row]) -> float:
    """The guidance at which most level 1 names are right, the least of equals."""
    rows = [row for row in rows if row.strength is None]
    scales = sorted({row.guidance for row in rows if row.guidance is not None})

    def share(scale: float) -> float:
        cell = [row for row in rows if (row.group, row.guidance) == (LEVEL_1, scale)]
        return accuracy(cell)[0] / max(len(cell), 1)

    return max(scales, key=share)


def chart(title: str, series: Mapping[str, Sequence[Point]], top: float) -> str:
    """Lines over a common axis from 0 to ``top``, as SVG; gray, named at their right ends."""
    xs = [x for points in series.values() for x, _ in points]
    low, high = min(xs), max(max(xs), min(xs) + 1e-9)
    width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - 40

    def at(x: float, y: float) -> tuple[float, float]:
        return _LEFT + width * (x - low) / (high - low), _TOP + height * (1 - y / top)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="18" font-size="14">{escape(title)}</text>',
    ]
    for tick in np.linspace(0, top, 5).tolist():
        y = at(low, tick)[1]
        out.append(f'<path d="M{_LEFT} {y:.1f}H{_LEFT + width}" stroke="#ddd"/>')
        out.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for x_tick in sorted(set(xs)):
        x = at(x_tick, 0)[0]
        out.append(f'<text x="{x:.1f}" y="{_HEIGHT - 18}" text-anchor="middle">{x_tick:g}</text>')
    names = sorted(series, key=lambda name: -series[name][-1][1])
    labels = _apart([at(*series[name][-1])[1] for name in names])
    for number, (name, points) in enumerate(series.items()):
        positions = [at(x, y) for x, y in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in positions)
        dash = _DASHES[number % len(_DASHES)]
        out.append(
            f'<polyline points="{line}" fill="none" stroke="#333" stroke-width="1.6" '
            f'stroke-dasharray="{dash}"/>'
        )
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="#333"/>' for x, y in positions]
        y = labels[names.index(name)] + 4
        out.append(f'<text x="{positions[-1][0] + 8:.1f}" y="{y:.1f}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def write(folder: Path, rows: Sequence[Row], about: Mapping[str, Any]) -> None:
    """Writes ``report.md`` and its figures into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"report.md": page(rows, about), **figures(rows)}.items():
        replace_file(folder / name, text.encode())


def _apart(heights: Sequence[float], least: float = 13.0) -> list[float]:
    """Heights in rising order moved down until no two labels meet."""
    out: list[float] = []
    for height in heights:
        out.append(max(height, out[-1] + least) if out else height)
    return out


def _cell(rows: Sequence[Row], group: str, scale: float | None) -> str:
    cell = [row for row in rows if (row.group, row.guidance) == (group, scale)]
    if not cell:
        return ""
    passed, count, unscored = accuracy(cell)
    low, high = interval(passed, count)
    share = f"{100 * passed / count:.0f}% ({low:.0f} to {high:.0f})" if count else "none scored"
    return f"{share}, {unscored} of {len(cell)} unscored" if unscored else share


def _saturations(rows: Sequence[Row], scale: float | None) -> tuple[float, float]:
    """The means of the images and of their objects; NaN without rows."""
    cell = [row for row in rows if row.guidance == scale]
    inside = [row.object_saturation for row in cell if row.object_saturation is not None]
    mean = float(np.mean([row.saturation for row in cell])) if cell else math.nan
    return mean, float(np.mean(inside)) if inside else math.nan


def _leaked(row: Row) -> bool:
    """Whether both pieces have one color that only one object should have."""
    if row.group == "ica":
        return False
    first, second = row.parts
    return any(a and b for a, b in zip(first, second, strict=True))
