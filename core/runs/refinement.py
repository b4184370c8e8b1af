"""CFR within a run: two passes of one loaded model, and CFM between them where the plan names one.

Both models stay in memory until the worker ends, so each is loaded once for the whole run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np

from truehue.core.batch.work import CannotWork
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.fidelity.cfm.registration import (
    Registration,
    cfm_placement,
    memory_bytes,
    open_registered,
)
from truehue.core.fidelity.cfm.scorer import CfmScorer, reduce_attention
from truehue.core.fidelity.two_passes import generate_twice
from truehue.core.generation.opening import why_no_cfr
from truehue.core.generation.registry import ModelEntry
from truehue.core.generation.request import GeneratedImage, GenerationRequest, LoadedModel, OnStep
from truehue.core.machine import Placement, machine
from truehue.core.refinement.settings import FIRST_PASS, refinement_of

CFM_MAP = "cfm"
"""The map of ``options["cfr"]`` of a plan whose ``cfm`` maps the first pass."""


def is_cfm_map(options: Mapping[str, Any]) -> bool:
    """Whether a plan's options ask for CFM's map."""
    cfr = options.get("cfr")
    return isinstance(cfr, Mapping) and cfr.get("map") == CFM_MAP


def check_cfr(
    options: Mapping[str, Any],
    cfm: Registration | None,
    entry: ModelEntry,
    scales: tuple[float | None, ...],
) -> None:
    """Raises BadInput where a plan asks for a CFR that cannot be, or names a CFM that nothing
    reads."""
    if is_cfm_map(options) != (cfm is not None):
        raise BadInput("CFM's map and the CFM that makes it are named together.", "cfr_map")
    if options.get("cfr") is None:
        return
    refinement_of(_first_pass(options) if cfm is not None else options)
    for scale in scales:
        if reason := why_no_cfr(entry, scale):
            raise BadInput(f"{reason} Leave CFR out.", "cfr")


def _first_pass(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the map of a first pass in place of CFM's."""
    return {**options, "cfr": {**options["cfr"], "map": FIRST_PASS}}


class CfmRefiner:
    """Generates images in two passes with the map of a registered CFM."""

    def __init__(self, registration: Registration) -> None:
        self._registration = registration
        self._scorer: CfmScorer | None = None
        self._placement: Placement | None = None

    def generate(
        self, loaded: LoadedModel, request: GenerationRequest, on_step: OnStep, stop: Event
    ) -> GeneratedImage:
        """The image with CFR. Its origin has the map, and says which CFM made it.

        Raises what ``loaded.draw`` raises, and CannotWork where CFM cannot be loaded.
        """
        refinement = refinement_of(_first_pass(request.options))
        assert refinement is not None  # the plan was checked
        plain = {name: value for name, value in request.options.items() if name != "cfr"}

        def attention(srgb8: np.ndarray) -> np.ndarray:
            (score,) = self._opened().scores([srgb8], [request.text])
            return reduce_attention(score.attention)

        source = f"map of CFM, checkpoint {self._registration.version}, of the first pass"
        first = replace(request, options=plain)
        both = generate_twice(loaded, first, refinement, on_step, stop, attention, source)
        return both.after

    def reserved_bytes(self) -> int:
        """Bytes of a device that CFM needs beside the model that draws; 0 where its files are
        gone, of which loading says more."""
        try:
            return memory_bytes(self._registration)
        except (TrueHueError, OSError):
            return 0

    def placements(self) -> dict[str, tuple[str, Placement]]:
        """CFM's name and where it is, once it is loaded."""
        if self._placement is None:
            return {}
        return {CFM_MAP: (self._registration.label, self._placement)}

    def _opened(self) -> CfmScorer:
        if self._scorer is None:
            try:
                at = cfm_placement(self._registration, machine())
                self._scorer = open_registered(self._registration, at)
            except TrueHueError as error:
                raise CannotWork(str(error)) from error
            self._placement = at
        return self._scorer

    def close(self) -> None:
        """Gives CFM's memory back."""
        if self._scorer is not None:
            self._scorer.unload()
            self._scorer = self._placement = None
