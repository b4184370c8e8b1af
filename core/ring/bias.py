"""Bias of a scorer: in which direction, for which colors and under which light it accepts more.

A probe asks for a color at a known signed distance x from the true one along lightness, chroma or
hue; for each x there is one at -x about the same image. p(x) is the share that is accepted. On the
even grid of distances

    shift     = sum x p(x) / sum p(x)                the mean distance of what is accepted
    tolerance = step / 2 (sum p(x) - (p(x_min) + p(x_max)) / 2)      half the accepted stretch

both in ΔE00 (Spearman and Kärber's estimate of thresholds, from both sides). A scorer without bias
has a shift of 0, whatever its tolerance. One that measures 6 ΔE00 too light accepts what is 6 ΔE00
too light: its shift is +6. One that accepts or rejects everything has a shift of 0 or none, and its
tolerance says so.

Whether a shift differs from 0 is McNemar's exact test over images: those that accept more on one side
against those that accept more on the other. Whether some images (blue ones, say) have another shift or
tolerance than all others is a t-test with the bootstrap's standard error, and with the smaller group's
number of images less one as degrees of freedom. The shift of some images needs both, so its p is
the larger one. All tests of a scorer are one family, adjusted by Holm's method.

Source: Spearman (1908), British Journal of Psychology 2: 227-242; Kärber (1931), Archiv für
experimentelle Pathologie und Pharmakologie 162: 480-483; McNemar (1947).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt

import numpy as np

from truehue.core.analysis.intervals import interval
from truehue.core.analysis.paired import PairCounts, holm
from truehue.core.color.spaces import chroma
from truehue.core.ring.plan import (
    AXES,
    HUES,
    LEVELS,
    NEUTRAL,
    PROBE,
    RIGHT,
    STEP,
    RingQuestion,
    RingScene,
    hue_name,
)
from truehue.core.ring.shares import Estimate, Share, share, weights

BYS = ("all", "hue", "lightness", "chroma", "light")
MIN_ACCEPTED = 8
"""Fewer accepted probes give no shift."""
MIN_IMAGES = 8
"""Fewer images are not compared with the others."""
MIN_SEEN = 1.0
"""A shift or a difference of tolerances below this ΔE00 is no finding, however certain it is."""
_POSITIONS = (*(-level for level in reversed(LEVELS)), 0.0, *LEVELS)


@dataclass(frozen=True)
class Shift:
    """Along one axis, in ΔE00; positive is lighter, more colorful, or a larger hue angle.

    ``degrees`` is the same as a turn of h_ab, None but for hue. ``difference`` is the shift minus
    that of all other images, None for all images. ``p`` is that the shift differs from 0, and from
    that of the others; None where it cannot be tested. ``p_adjusted`` is adjusted for all tests
    of the scorer.
    """

    axis: str
    accepted: int
    delta_e00: Estimate
    degrees: float | None
    difference: Estimate | None
    p: float | None
    p_adjusted: float | None = None


@dataclass(frozen=True)
class Stratum:
    """Some of the images: all, or those of one hue, lightness, chroma or light.

    ``difference`` is the tolerance minus that of all other images; None for all images.
    """

    by: str
    key: str
    images: int
    hits: Share | None
    false_accepts: Share | None
    shifts: tuple[Shift, ...]
    tolerance: Estimate | None
    difference: Estimate | None = None
    p: float | None = None
    p_adjusted: float | None = None


def parts_of(scene: RingScene) -> dict[str, str]:
    """The key of an image in each of :data:`BYS`."""
    lightness, colorful = scene.lab[0], float(chroma(np.array(scene.lab)))
    return {
        "all": "",
        "hue": hue_name(scene.lab),
        "lightness": "dark" if lightness < 40 else "light" if lightness >= 70 else "middle",
        "chroma": "low" if colorful < 30 else "high" if colorful >= 60 else "middle",
        "light": scene.light,
    }


RANGES: Mapping[tuple[str, str], str] = {
    **{("hue", name): f"{low:.0f} to {high:.0f}°" for name, low, high in HUES},
    ("hue", NEUTRAL): "C* below 5",
    ("lightness", "dark"): "L* below 40",
    ("lightness", "middle"): "L* 40 to 70",
    ("lightness", "light"): "L* 70 and more",
    ("chroma", "low"): "C* below 30",
    ("chroma", "middle"): "C* 30 to 60",
    ("chroma", "high"): "C* 60 and more",
}
_ORDER = {key: number for number, key in enumerate(RANGES)}


def bias(
    scenes: Mapping[str, RingScene],
    questions: Sequence[RingQuestion],
    accepted: Sequence[bool],
) -> tuple[Stratum, ...]:
    """The strata, all images first; ``accepted`` says whether each question was answered yes."""
    parts = {image: parts_of(scene) for image, scene in scenes.items()}
    probed = sorted({question.image for question in questions if question.kind == PROBE})
    table = _Probes(probed, questions, accepted)
    by_image: dict[str, list[tuple[RingQuestion, bool]]] = {image: [] for image in scenes}
    for question, yes in zip(questions, accepted, strict=True):
        by_image[question.image].append((question, bool(yes)))
    keys = sorted(
        {(by, part[by]) for part in parts.values() for by in BYS},
        key=lambda pair: (BYS.index(pair[0]), _ORDER.get(pair, 99), pair[1]),
    )
    strata = []
    for by, key in keys:
        some = [image for image in scenes if parts[image][by] == key]
        inside = np.isin(probed, some)
        entries = [entry for image in some for entry in by_image[image]]
        strata.append(_stratum(table, by, key, inside, len(some), entries))
    return _adjusted(strata)


def _stratum(
    table: _Probes,
    by: str,
    key: str,
    inside: np.ndarray,
    images: int,
    entries: Sequence[tuple[RingQuestion, bool]],
) -> Stratum:
    def rate(is_right: bool) -> Share | None:
        some = [
            (question.image, yes)
            for question, yes in entries
            if question.kind != PROBE and (question.kind == RIGHT) == is_right
        ]
        name = f"{by} {key} {is_right}"
        return share([image for image, _ in some], [yes for _, yes in some], name)

    sums = table.sums(inside)
    tolerance, difference, p = table.tolerance(inside, sums)
    return Stratum(
        by,
        key,
        images,
        rate(True),
        rate(False),
        tuple(table.shifts(inside, sums)),
        tolerance,
        difference,
        p,
    )


def _adjusted(strata: Sequence[Stratum]) -> tuple[Stratum, ...]:
    """With p-values adjusted for all tests."""
    tests = [entry.p for entry in strata if entry.p is not None]
    tests += [shift.p for entry in strata for shift in entry.shifts if shift.p is not None]
    by_p = dict(zip(tests, holm(tests), strict=True))
    return tuple(
        replace(
            entry,
            p_adjusted=None if entry.p is None else by_p[entry.p],
            shifts=tuple(
                replace(shift, p_adjusted=None if shift.p is None else by_p[shift.p])
                for shift in entry.shifts
            ),
        )
        for entry in strata
    )


class _Probes:
    """Accepted and all probes by probed image, axis and distance, and resamples of the images."""

    def __init__(
        self, images: list[str], questions: Sequence[RingQuestion], accepted: Sequence[bool]
    ) -> None:
        index = {image: number for number, image in enumerate(images)}
        self.counts = np.zeros((len(images), 2, len(AXES), len(_POSITIONS)))
        self.turns = np.zeros((len(images), 2))
        for question, yes in zip(questions, accepted, strict=True):
            if question.kind != PROBE:
                continue
            row = index[question.image]
            if question.axis:
                axis, position = (
                    AXES.index(question.axis),
                    _POSITIONS.index(question.displacement),
                )
                self.counts[row, :, axis, position] += bool(yes), 1
                if question.axis == "hue":
                    self.turns[row] += abs(question.hue_deg), abs(question.displacement)
            else:  # the true color, at distance 0 on every axis
                self.counts[row, 0, :, len(LEVELS)] += bool(yes)
                self.counts[row, 1, :, len(LEVELS)] += 1
        # The first row are the images as they are.
        self.weights = np.vstack((np.ones((1, len(images))), weights(len(images), "bias")))
        self.all_sums = self.sums(np.ones(len(images), dtype=bool))

    def sums(self, inside: np.ndarray) -> np.ndarray:
        """Accepted and all of some images, ``(1 + RESAMPLES, 2, axes, positions)``."""
        flat = self.counts[inside].reshape(int(inside.sum()), prod(self.counts.shape[1:]))
        return (self.weights[:, inside] @ flat).reshape(-1, *self.counts.shape[1:])

    def shifts(self, inside: np.ndarray, sums: np.ndarray) -> Iterator[Shift]:
        """Those of some images; none along an axis with fewer than 8 accepted probes."""
        others = self.all_sums - sums
        for number, axis in enumerate(AXES):
            count = _accepted_probes(sums, number)
            if count < MIN_ACCEPTED:
                continue
            samples = _shift(sums[:, :, number])
            value, degrees = float(samples[0]), None
            if axis == "hue":
                turned, moved = self.turns[inside].sum(axis=0)
                degrees = float(value * turned / moved) if moved else None
            difference, p = None, self._sided(inside, number)
            if not inside.all() and _accepted_probes(others, number) >= MIN_ACCEPTED:
                apart = samples - _shift(others[:, :, number])
                difference, p_apart = _compared(apart, inside)
                p = None if p is None or p_apart is None else max(p, p_apart)
            estimate = Estimate(value, *(interval(samples[1:]) or (None, None)))
            yield Shift(axis, count, estimate, degrees, difference, p)

    def _sided(self, inside: np.ndarray, number: int) -> float | None:
        """McNemar's p of some images along an axis."""
        leaning = self.counts[inside, 0, number] @ np.sign(_POSITIONS)
        return PairCounts(
            only_a=int(np.count_nonzero(leaning > 0)), only_b=int(np.count_nonzero(leaning < 0))
        ).p_value

    def tolerance(
        self, inside: np.ndarray, sums: np.ndarray
    ) -> tuple[Estimate | None, Estimate | None, float | None]:
        """The tolerance of some images, its difference from that of the others, and its p. Both
        are over the axes that these images have: near neutral colors have no hue."""
        axes = np.flatnonzero(sums[0, 1].all(axis=1))
        if not axes.size:
            return None, None, None
        samples = _tolerance(sums[:, :, axes])
        own = Estimate(float(samples[0]), *(interval(samples[1:]) or (None, None)))
        if inside.all():
            return own, None, None
        apart = samples - _tolerance((self.all_sums - sums)[:, :, axes])
        if np.isnan(apart[0]):
            return own, None, None
        return own, *_compared(apart, inside)


def _accepted_probes(sums: np.ndarray, axis: int) -> int:
    """How many probes were accepted along an axis."""
    accepted = sums[0, 0, axis]
    return int(accepted.sum() - accepted[len(LEVELS)])


def _compared(apart: np.ndarray, inside: np.ndarray) -> tuple[Estimate, float | None]:
    """A difference of some images and the others, its value first and then its resamples, and its
    p; None for fewer than 8 images, or where resamples give no interval."""
    ends = interval(apart[1:])
    difference = Estimate(float(apart[0]), *(ends or (None, None)))
    images = int(min(inside.sum(), (~inside).sum()))
    if ends is None or images < MIN_IMAGES:
        return difference, None
    from scipy.stats import t as student

    # The bootstrap's variance is that of n, not of n - 1.
    error = float(np.nanstd(apart[1:], ddof=1)) * sqrt(images / (images - 1))
    return difference, float(2.0 * student.sf(abs(difference.value) / error, images - 1))


def _shift(sums: np.ndarray) -> np.ndarray:
    """Of sums ``(B, 2, positions)``, ``(B,)``; NaN where nothing is accepted. A distance that no image
    was asked at counts on neither side."""
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = np.nan_to_num(sums[:, 0] / sums[:, 1])
        return np.asarray((rates @ np.array(_POSITIONS)) / rates.sum(axis=1))


def _tolerance(sums: np.ndarray) -> np.ndarray:
    """Of sums ``(B, 2, axes, positions)``, the mean over the axes ``(B,)``. An axis with a distance
    that no image was asked at is left out; NaN where that leaves none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = sums[:, 0] / sums[:, 1]
        ends = (rates[..., 0] + rates[..., -1]) / 2.0
        each = STEP / 2.0 * (rates.sum(axis=-1) - ends)
        is_defined = ~np.isnan(each)
        return np.asarray(np.where(is_defined, each, 0.0).sum(axis=1) / is_defined.sum(axis=1))
