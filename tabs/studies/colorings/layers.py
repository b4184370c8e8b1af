"""The pixels of a study's colorings and their measurements: rendered if missing, measured once.

The key is the id of the event that ended a coloring: another answer is another coloring, so no
cached value can be out of date.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from truehue.annotation.colorings import background_share, profile
from truehue.annotation.quality.consensus import (
    Coloring,
    Key,
    distribution_of,
    own_weights,
    width_of,
)
from truehue.core.cache import LruCache
from truehue.core.concepts.records import ColorProfile
from truehue.core.errors import BadInput, MaskError, StorageError
from truehue.core.sketches.images import composite
from truehue.core.sketches.regions import decoded_regions
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.participants.layers import FinishedColoring, LayerRenderer
from truehue.tabs.studies.colorings.submitted import SubmittedColoring

MAX_MEASURED = 50_000
"""Kept in memory: a profile of chosen colors is some hundred numbers."""
MAX_RESULTS = 10_000
MAX_INKS = 8
_EVERY = 20


@dataclass(frozen=True)
class Measured:
    """What one coloring says: its profile, its own distribution float64 ``(71,)``, and which share
    of the surround has a color, 0 to 1."""

    profile: ColorProfile
    weights: np.ndarray = field(repr=False)
    background: float = 0.0


@dataclass(frozen=True)
class Result:
    """What some colorings of a concept say together: P_H float64 ``(71,)``, and how wide its
    interval is in CIELAB units, None for fewer than two people."""

    weights: np.ndarray = field(repr=False)
    width_lab: float | None


@dataclass
class ColoringMeasurements:
    """What was measured of colorings; a service of the app, and any thread may ask.

    ``measured`` are by event, a sentence where nothing could be; ``results`` of concepts by the
    colorings that they are of; ``inks`` by sketch.
    """

    measured: LruCache[Measured | str] = field(default_factory=lambda: LruCache(MAX_MEASURED))
    results: LruCache[Result] = field(default_factory=lambda: LruCache(MAX_RESULTS))
    inks: LruCache[np.ndarray] = field(default_factory=lambda: LruCache(MAX_INKS))


def ink_of(context: Context, sketch_id: str) -> np.ndarray:
    """The ink of a stored sketch, uint8 ``(H, W)``; do not change it."""
    return context.service(ColoringMeasurements).inks.get(
        sketch_id, lambda: context.storage.sketches.ink(sketch_id)
    )


def layer_of(context: Context, coloring: SubmittedColoring) -> np.ndarray:
    """The layer of a coloring, uint8 RGBA ``(H, W, 4)``: its PNG, or drawn again of the log, which
    is stored then with whether the page had the same pixels. Raises StorageError where neither can
    be had."""
    try:
        return context.storage.coloring_layers.layer(coloring.answer.id)
    except StorageError:
        answered = FinishedColoring(coloring.participant.id, coloring.case.sketch, coloring.answer)
    try:
        return LayerRenderer(context.storage).now(answered)
    except BadInput as error:
        raise StorageError(f"The log of this coloring cannot be drawn: {error}") from error


def image_of(context: Context, coloring: SubmittedColoring) -> np.ndarray:
    """The coloring with its lines as people saw it, uint8 ``(H, W, 3)``."""
    return composite(ink_of(context, coloring.case.sketch), layer_of(context, coloring))


def measured_of(
    context: Context,
    colorings: Sequence[SubmittedColoring],
    tell: Callable[[str], None] = lambda text: None,
) -> tuple[dict[Key, Measured], dict[Key, str]]:
    """What every coloring says, and a sentence for each that says nothing, by key. ``tell`` hears
    how far it is; what it raises ends it."""
    lru_cache = context.service(ColoringMeasurements).measured
    measured: dict[Key, Measured] = {}
    problems: dict[Key, str] = {}
    for done, coloring in enumerate(colorings):
        if done % _EVERY == 0:
            tell(f"colorings {done:,} of {len(colorings):,}")
        try:
            outcome = lru_cache.get(coloring.answer.id, partial(_measured, context, coloring))
        except StorageError as error:  # may be put right, so that nothing is kept
            outcome = message_of(error)
        if isinstance(outcome, str):
            problems[coloring.key] = outcome
        else:
            measured[coloring.key] = outcome
    return measured, problems


def result_of(context: Context, colorings: Sequence[Coloring], seed: int) -> Result:
    """What some colorings of a concept say together; the same ones are asked once. Raises BadInput
    for none."""
    made_of = seed, *((coloring.key, coloring.profile) for coloring in colorings)
    return context.service(ColoringMeasurements).results.get(
        made_of, partial(_result, colorings, seed)
    )


def _result(colorings: Sequence[Coloring], seed: int) -> Result:
    distribution = distribution_of("", colorings)
    return Result(distribution.weights, width_of(distribution, seed=seed))


def _measured(context: Context, coloring: SubmittedColoring) -> Measured | str:
    layers = context.storage.coloring_layers
    measured, background = layers.profile(coloring.answer.id), layers.background(coloring.answer.id)
    if measured is None or background is None:
        layer = layer_of(context, coloring)
        try:
            measured = profile(layer, ink_of(context, coloring.case.sketch))
        except MaskError as error:
            return str(error)
        background = _background(context, coloring.case.sketch, layer)
        with suppress(StorageError):  # it is measured again after the next start
            layers.save_profile(coloring.answer.id, measured, background)
    return Measured(measured, own_weights([measured])[0], background)


def _background(context: Context, sketch_id: str, layer: np.ndarray) -> float:
    """The colored share of the surround, with the gaps closed as the canvas opened with."""
    sketches = context.storage.sketches
    maps = decoded_regions(sketch_id, sketches.regions(sketch_id))
    return background_share(layer, maps, sketches.by_ids([sketch_id])[sketch_id].closing)
