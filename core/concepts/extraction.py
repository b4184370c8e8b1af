"""Extract a concept's distribution over the UW-71 bins from its images, as published.

ColorConceptBench, appendix C.3: images are grouped by their dominant colors; in each group the
pixels are pooled in 8 x 8 x 8 RGB cells; the 20 largest form a palette whose indistinguishable
colors are merged; the palettes, weighted by their numbers of images, go to the 71 bins. The record
has every step. Resampling runs the same steps on many samples at once.

The paper puts images "into the same visual group if their dominant colors are perceptually similar
(ΔE00 <= 12)". Similarity is not transitive: A may be similar to B and B to C, but not A to C. The
paper does not define the groups in that case; :data:`GROUPINGS` are the possible readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event

import numpy as np

from truehue.core.color import uw71
from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb1_to_lab
from truehue.core.concepts.palette import Palette, by_weight, merge
from truehue.core.concepts.profile import CELLS
from truehue.core.concepts.records import ColorProfile
from truehue.core.errors import BadInput

COMPLETE, CONNECTED, LEADER = "complete", "connected", "leader"
GROUPINGS: Mapping[str, str] = {
    COMPLETE: "Any two images of a group are alike; the groups that are closest are joined first "
    "(complete linkage)",
    CONNECTED: "An image that is like one of a group belongs to it, so a group can be a chain "
    "(single linkage)",
    LEADER: "In their order, each image joins the first group whose first image it is like",
}


class Dominants:
    """The dominant colors of some images and how far apart they are, computed once.

    ``lab`` float64 ``(N, 3)``. Groups are made of the distinct colors in the order of L*, a*, b*,
    so neither the order of images nor images of the same color change complete or single
    linkage, where pairs of colors are equally close neither.
    """

    def __init__(self, lab: np.ndarray) -> None:
        self.lab = np.asarray(lab, dtype=np.float64)
        self.distinct, indices = np.unique(self.lab, axis=0, return_inverse=True)
        self.place = np.asarray(indices).reshape(-1)
        size = self.distinct.shape[0]
        first, second = np.triu_indices(size, 1)
        self.apart = np.zeros((size, size))
        self.apart[first, second] = delta_e00(self.distinct[first], self.distinct[second])
        self.apart[second, first] = self.apart[first, second]

    def groups(self, present: np.ndarray, max_delta_e00: float, grouping: str) -> np.ndarray:
        """The group of each image: int64 ``(N,)`` from 0, -1 where ``present`` bool ``(N,)`` is
        not; one of them is. ``grouping`` is a key of :data:`GROUPINGS`."""
        group_of = np.full(self.place.shape, -1)
        colors = self.place[present]
        if grouping == LEADER:
            _, first = np.unique(colors, return_index=True)
            chosen = colors[np.sort(first)]  # as they come
            labels = _led(self.apart[np.ix_(chosen, chosen)], max_delta_e00)
        else:
            chosen = np.flatnonzero(np.bincount(colors, minlength=self.distinct.shape[0]))
            labels = _clusters(self.apart[np.ix_(chosen, chosen)], max_delta_e00, grouping)
        of_color = np.full(self.distinct.shape[0], -1)
        of_color[chosen] = labels
        group_of[present] = of_color[colors]
        return group_of


def _clusters(apart: np.ndarray, limit: float, grouping: str) -> np.ndarray:
    """Clusters from 0 of a square of distances."""
    if apart.shape[0] == 1:
        return np.zeros(1, dtype=np.int64)
    from scipy.cluster.hierarchy import fcluster, linkage

    method = "complete" if grouping == COMPLETE else "single"
    pairs = apart[np.triu_indices(apart.shape[0], 1)]
    return np.asarray(fcluster(linkage(pairs, method), limit, "distance"), dtype=np.int64) - 1


def _led(apart: np.ndarray, limit: float) -> np.ndarray:
    leaders: list[int] = []
    labels = np.empty(apart.shape[0], dtype=np.int64)
    for color in range(apart.shape[0]):
        near = np.flatnonzero(apart[color, leaders] <= limit)
        if near.size == 0:
            leaders.append(color)
        labels[color] = near[0] if near.size else len(leaders) - 1
    return labels


EXTRACTION_VERSION = "1"
"""Another one means that other numbers would come of the same profiles and settings."""

MAX_IMAGES = 5_000
_PAIRS_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class ExtractionSettings:
    """The published numbers, and our choices where nothing is published.

    ``group_delta_e00`` and ``merge_delta_e00`` are limits in CIEDE2000 that belong to what is
    alike; ``most_colors`` of a group are kept, 1 to 512. ``grouping`` is a key of
    :data:`truehue.core.concepts.extraction.GROUPINGS`, ``assignment`` one of
    :data:`truehue.core.color.uw71.METHODS`. Raises BadInput for others.
    """

    group_delta_e00: float = 12.0
    merge_delta_e00: float = 7.0
    most_colors: int = 20
    grouping: str = COMPLETE
    assignment: str = "nearest"

    def __post_init__(self) -> None:
        for name, limit in (("group", self.group_delta_e00), ("merge", self.merge_delta_e00)):
            if not (np.isfinite(limit) and limit >= 0):
                raise BadInput(f"The limit to {name} colors is a ΔE00 from 0 on, not {limit}.")
        if not 1 <= self.most_colors <= CELLS**3:
            raise BadInput(f"A group keeps 1 to {CELLS**3} colors, not {self.most_colors}.")
        if self.grouping not in GROUPINGS:
            raise BadInput(
                f"Images are grouped by {', '.join(GROUPINGS)}, not by {self.grouping[:40]!r}."
            )
        if self.assignment not in uw71.METHODS:
            raise BadInput(
                f"Colors go to bins by {' or '.join(uw71.METHODS)}, not by "
                f"{self.assignment[:40]!r}."
            )


@dataclass(frozen=True)
class Group:
    """Images that look alike, and the palette that they make.

    ``members`` are positions among the images, ascending, ``dominants_lab`` ``(M, 3)`` their
    dominant colors and ``widest_delta_e00`` the largest difference of two of these. ``colors`` RGB
    cells hold the group's ``pixels``; ``pooled`` are the largest, heaviest first, and ``kept``
    their share of the pixels, 0 to 1. ``merged`` is the palette without colors that look alike,
    and ``merged_from`` says which of ``pooled`` are in each of its colors. ``weight`` is the
    group's share of the images.
    """

    members: tuple[int, ...]
    dominants_lab: np.ndarray = field(repr=False)
    widest_delta_e00: float
    pixels: int
    colors: int
    kept: float
    pooled: Palette = field(repr=False)
    merged: Palette = field(repr=False)
    merged_from: tuple[tuple[int, ...], ...]
    weight: float


@dataclass(frozen=True)
class Extraction:
    """All steps of one extraction.

    ``groups``, the one with the most images first (of equals, the one that holds the color of
    the lowest L*, then a*, then b*); ``palette`` their merged palettes together, in their order,
    weighted by their numbers of images; ``weights`` float64 ``(71,)``, sum 1, that palette in the
    bins. ``notes`` are sentences on what the publication leaves open.
    """

    settings: ExtractionSettings
    version: str
    groups: tuple[Group, ...]
    palette: Palette = field(repr=False)
    weights: np.ndarray = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Steps:
    """The steps of several draws. ``G`` groups of all draws, in the order of ``draw`` ``(G,)``."""

    draw: np.ndarray
    times: np.ndarray  # (G, N): how often each image is in the group
    share: np.ndarray  # (G,): of the draw's images
    pixels: np.ndarray  # (G,)
    colors: np.ndarray  # (G,): occupied cells
    kept: np.ndarray  # (G,)
    pooled: tuple[np.ndarray, np.ndarray]  # lab (G, K, 3), weights (G, K), heaviest first, then 0
    merged: tuple[np.ndarray, np.ndarray]  # of the same shapes, where the first of them stood
    into: np.ndarray  # (G, K)
    weights: np.ndarray  # (draws, 71)


class ProfileArrays:
    """The profiles of some images as arrays, made once for any number of draws.

    Raises BadInput for no profile and for more than :data:`MAX_IMAGES`.
    """

    def __init__(self, profiles: Sequence[ColorProfile]) -> None:
        count = len(profiles)
        if count == 0:
            raise BadInput("There is no image to extract colors from. Choose at least one.")
        if count > MAX_IMAGES:
            raise BadInput(
                f"Extraction compares every pair of images: {count:,} are too many, at most "
                f"{MAX_IMAGES:,} are possible. Choose fewer, or the method “all pixels”."
            )
        srgb255 = np.array([profile.dominant_srgb for profile in profiles], dtype=np.float64)
        self.count = count
        self.dominants = Dominants(srgb1_to_lab(srgb255 / 255.0))
        # Whole numbers below 2**53: products and sums of these are exact in any order.
        counts, sums = np.zeros((count, CELLS**3)), np.zeros((count, CELLS**3, 3))
        for row, profile in enumerate(profiles):
            cells = list(profile.cells)
            counts[row, cells] = profile.counts
            sums[row, cells] = np.reshape(profile.sums, (-1, 3))
        occupied = counts.any(axis=0)
        self.counts = counts[:, occupied]
        self.sums = sums[:, occupied]

    def run(self, draws: np.ndarray, settings: ExtractionSettings) -> _Steps:
        """The steps for ``draws`` int64 ``(B, N)``: how often each image is in each of them, at
        least one somewhere."""
        times, draw = self._grouped(draws, settings)
        images = times.sum(axis=1)
        share = images / draws.sum(axis=1)[draw]
        pooled, coverage, pixels, colors = self._pooled(times, settings.most_colors)
        lab, weights, into = merge(*pooled, settings.merge_delta_e00)
        nonzero = weights > 0
        mass = (weights * share[:, None])[nonzero]
        ends = np.cumsum(np.bincount(draw, weights=nonzero.sum(axis=1))).astype(int)
        spans = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        final = np.array(
            [uw71.assign(lab[nonzero][span], mass[span], settings.assignment) for span in spans]
        )
        return _Steps(
            draw, times, share, pixels, colors, coverage, pooled, (lab, weights), into, final
        )

    def _grouped(
        self, draws: np.ndarray, settings: ExtractionSettings
    ) -> tuple[np.ndarray, np.ndarray]:
        """``times`` ``(G, N)`` and ``draw`` ``(G,)`` of the groups of all draws."""
        rows, of_draw = [], []
        for number, times in enumerate(draws):
            labels = self.dominants.groups(times > 0, settings.group_delta_e00, settings.grouping)
            groups = np.where(labels == np.arange(labels.max() + 1)[:, None], times, 0)
            lowest = np.where(groups > 0, self.dominants.place, self.count).min(axis=1)
            rows.append(groups[np.lexsort((lowest, -groups.sum(axis=1)))])
            of_draw.append(np.full(groups.shape[0], number))
        return np.concatenate(rows), np.concatenate(of_draw)

    def _pooled(
        self, times: np.ndarray, limit: int
    ) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
        """The largest cells of each group: palettes, and of all its pixels the share kept, the
        number, and in how many cells they were. Of equally large cells the lowest counts."""
        groups, cells = times.shape[0], self.counts.shape[1]
        pixels = times.astype(np.float64) @ self.counts
        sums = times.astype(np.float64) @ self.sums.reshape(self.count, -1)
        # No two keys are equal, so the largest are the same ones however they are sought.
        keys = -(pixels * cells + np.arange(cells)[::-1])
        top = np.argpartition(keys, min(limit, cells) - 1, axis=1)[:, :limit]
        top = np.take_along_axis(top, np.take_along_axis(keys, top, 1).argsort(axis=1), 1)
        held = np.take_along_axis(pixels, top, 1)
        total = np.take_along_axis(sums.reshape(groups, cells, 3), top[..., None], 1)
        srgb255 = total / np.maximum(held, 1.0)[..., None]
        palette_pixels = held.sum(axis=1)
        all_pixels = pixels.sum(axis=1)
        palettes = srgb1_to_lab(srgb255 / 255.0), held / palette_pixels[:, None]
        return palettes, palette_pixels / all_pixels, all_pixels, (pixels > 0).sum(axis=1)


def extract(
    profiles: Sequence[ColorProfile], settings: ExtractionSettings | None = None
) -> Extraction:
    """The distribution of some images of one concept, with every step.

    Raises BadInput for no image and for more than :data:`MAX_IMAGES`.
    """
    settings = settings or ExtractionSettings()
    profile_arrays = ProfileArrays(profiles)
    steps = profile_arrays.run(np.ones((1, profile_arrays.count), dtype=np.int64), settings)
    groups = tuple(_group(profile_arrays, steps, row) for row in range(steps.draw.size))
    palette = Palette(
        np.concatenate([group.merged.lab for group in groups]),
        np.concatenate([group.weight * group.merged.weights for group in groups]),
    )
    return Extraction(
        settings, EXTRACTION_VERSION, groups, palette, steps.weights[0], _notes(settings, groups)
    )


def weights_of_draws(
    profile_arrays: ProfileArrays,
    draws: np.ndarray,
    settings: ExtractionSettings,
    stop: Event | None = None,
) -> np.ndarray:
    """The distributions float64 ``(B, 71)`` of draws ``(B, N)`` as in :meth:`ProfileArrays.run`.

    Once ``stop`` is set, those done so far are returned.
    """
    pairs = profile_arrays.count * settings.most_colors**2
    at_once = int(np.clip(_PAIRS_AT_ONCE // pairs, 1, 64))
    parts = [np.zeros((0, uw71.COUNT))]
    for start in range(0, draws.shape[0], at_once):
        if stop is not None and stop.is_set():
            break
        parts.append(profile_arrays.run(draws[start : start + at_once], settings).weights)
    return np.concatenate(parts)


def _group(profile_arrays: ProfileArrays, steps: _Steps, row: int) -> Group:
    members = np.flatnonzero(steps.times[row])
    positions = profile_arrays.dominants.place[members]
    lab, weights = (array[row] for array in steps.pooled)
    merged_lab, merged_weights = (array[row] for array in steps.merged)
    order = by_weight(merged_weights[None])[0]
    merged_order = order[merged_weights[order] > 0]
    into = np.where(weights > 0, steps.into[row], -1)
    return Group(
        members=tuple(int(member) for member in members),
        dominants_lab=profile_arrays.dominants.lab[members],
        widest_delta_e00=float(profile_arrays.dominants.apart[np.ix_(positions, positions)].max()),
        pixels=int(steps.pixels[row]),
        colors=int(steps.colors[row]),
        kept=float(steps.kept[row]),
        pooled=Palette(lab[weights > 0], weights[weights > 0]),
        merged=Palette(merged_lab[merged_order], merged_weights[merged_order]),
        merged_from=tuple(
            tuple(int(i) for i in np.flatnonzero(into == index)) for index in merged_order
        ),
        weight=float(steps.share[row]),
    )


def _notes(settings: ExtractionSettings, groups: tuple[Group, ...]) -> tuple[str, ...]:
    least = min(group.kept for group in groups)
    order = (
        " The order of the images matters here."
        if settings.grouping == LEADER
        else " The order of the images does not matter."
    )
    return (
        "The paper does not say how an object becomes 100 × 100 pixels: here its box is averaged "
        "by area over the object's pixels alone, and never enlarged.",
        "The dominant color of an image is the mean of its pixels in the fullest of 16 × 16 × 16 "
        "RGB bins; the paper names the bins alone.",
        f"Groups: {GROUPINGS[settings.grouping]}.{order} The paper gives the limit alone, "
        "which leaves chains of similar images open.",
        "A color of a palette is the mean of its pixels in one of 8 × 8 × 8 RGB bins; the paper "
        "names the bins alone.",
        "The pixels of a group are pooled as they are, so an object that is larger in its sample "
        "counts for more within its group; groups count by their images.",
        f"The {settings.most_colors} largest colors hold at least {100 * least:.1f}% of the pixels "
        "of each group; the rest is excluded, and the palette weighs 1 again.",
        "Merging takes the closest pair first and puts the weighted mean in CIELAB in its place; "
        "the paper gives the limit alone. Palettes of different groups are not merged.",
    )
