"""One worker of a run: it draws or reads pictures, masks and judges them, and writes it down."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from core.batch.locks import held
from core.batch.team import Batch
from core.color.munsell import MunsellSamples, load_munsell
from core.errors import BadInput, DataFolderError, StorageError, TrueHueError
from core.files import read_png, shelf, write_once
from core.generation.backends.endpoints import Endpoint
from core.generation.backends.reference import Standing, shapes_for
from core.generation.memory import BadModelFolder, ModelMissing, is_out_of_memory
from core.generation.opening import open_model
from core.generation.registry import RENDERER
from core.generation.request import Cancelled, LoadedModel, StepReport
from core.generation.weights.sources import Sources
from core.images.load import encode_png, image_id
from core.images.mask import Mask
from core.prompts.prompt import Prompt
from core.runs.concepts import profiles_of
from core.runs.folder import WORKERS_LOCK, RunFolder
from core.runs.journal import Journal
from core.runs.maskers import Masker, open_masker
from core.runs.plan import file_digest, made_with, place_of, request_of
from core.runs.provenance import GENERATOR, OtherWeights, of_generator, pin
from core.runs.records import DRAWN, ItemResult, MaskResult, RunPlan, StoredItem
from core.runs.score import not_drawn, score
from core.verdict.candidates import Acceptance

MOST_BROKEN_IN_A_ROW = 20
"""So many unforeseen failures after one another are the model's, not the prompts'."""

RENDERER_MAKER = "renderer"
"""The maker of the reference renderer's own masks."""

_LOOK_S = 0.25


class CannotWork(TrueHueError):
    """This worker cannot go on, and another one could not either."""


@dataclass(frozen=True)
class WorkerSettings:
    """Where a worker finds weights and servers, and how many threads it may use (0: all)."""

    sources: Sources = field(default_factory=Sources.here)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    threads: int = 0


@dataclass
class _Picture:
    """A picture before it is judged."""

    srgb8: np.ndarray
    exact: dict[int, Mask]
    rendered: tuple[Standing, ...] | None
    result: ItemResult
    known_masks: dict[int, str] = field(default_factory=dict)


class Worker:
    """Works on batches of one run until it is told to stop. Only one thread calls it.

    Raises BadInput for a folder without a plan, or one that another version made; models are
    opened with the first picture.
    """

    def __init__(self, folder: Path | str, name: str, settings: WorkerSettings) -> None:
        use_threads(settings.threads)
        self.folder, self.name, self._settings = RunFolder(folder), name, settings
        self._plan: RunPlan = self.folder.plan()
        check_versions(self.folder, self._plan)
        self._held = ExitStack()
        self._held.enter_context(
            held(self.folder.path / WORKERS_LOCK, "The run is being taken up.", shared=True)
        )
        self._journal = Journal(self.folder.journal, self.folder.shard_folder, name)
        self._judging = Acceptance(k=self._plan.k, munsell=_munsell(self._plan.munsell))
        self._masker: Masker = open_masker(self._plan.masker, settings.sources, self._pin)
        self._model: LoadedModel | None = None
        self._stop = Event()
        self._looked = 0.0
        self._broken_in_a_row = 0

    def work(self, batch: Batch) -> tuple[tuple[int, str, str], ...]:
        """Does the batch, item by item, and returns position, status and reason of each.

        Ends early, without the rest, when the run's wish is not ``run`` any more. Raises CannotWork
        when no picture can be drawn here, DataFolderError when nothing can be written.
        """
        done = []
        # The wish may be another one than when the last batch was broken off.
        self._stop.clear()
        self._looked = 0.0
        for position, attempt in batch.items:
            if self._told_to_stop():
                break
            try:
                result = self._one(position, attempt)
            except Cancelled:
                break
            self._journal.add(result)
            done.append((position, result.status, result.reason))
        return tuple(done)

    def close(self) -> None:
        """Seals the journal and gives memory back."""
        try:
            self._journal.seal()
        finally:
            self._masker.close()
            if self._model is not None:
                self._model.unload()
                self._model = None
            self._held.close()

    def _one(self, position: int, attempt: int) -> ItemResult:
        number, image = place_of(self._plan, position)
        prompt = self._plan.prompts[number]
        blank = ItemResult(position, number, image, attempt, "failed", worker=self.name)
        try:
            if self._plan.kind == DRAWN:
                picture = self._drawn(position, blank)
            else:
                picture = self._stored(self._plan.items[position], prompt, blank)
        except (Cancelled, CannotWork, DataFolderError):
            raise  # a disk that is full is no picture's failure
        except Exception as error:
            return self._failed(blank, error)
        began = time.perf_counter()
        try:
            found_masks = self._masker.find(
                picture.srgb8,
                prompt.task,
                prompt.targets,
                picture.exact,
                picture.rendered,
                picture.result.image_id,
            )
        except Cancelled:
            raise
        except Exception as error:
            if is_out_of_memory(error):
                raise CannotWork(f"Memory ran out while looking for objects: {error}") from error
            if isinstance(error, (ModelMissing, BadModelFolder, OtherWeights)):
                raise CannotWork(str(error)) from error
            blank = replace(blank, seed=picture.result.seed)
            return self._failed(blank, error, "Looking for objects")
        self._broken_in_a_row = 0
        left_out = {part.target for part in picture.rendered or () if part.shape is None}
        verdicts = score(
            prompt, picture.srgb8, found_masks.findings, self._plan.rules, self._judging, left_out
        )
        profiles = profiles_of(prompt, picture.srgb8, found_masks.findings)
        masks = tuple(
            self._kept(target, mask, picture.known_masks) for target, mask in found_masks.masks
        )
        return replace(
            picture.result,
            masks=masks,
            verdicts=verdicts,
            profiles=profiles,
            scoring_seconds=time.perf_counter() - began,
        )

    def _drawn(self, position: int, blank: ItemResult) -> _Picture:
        request = request_of(self._plan, position)
        blank = replace(blank, seed=request.seed)
        model = self._opened()
        began = time.perf_counter()
        try:
            (image,) = model.draw([request], self._on_step, self._stop)
        except Cancelled:
            raise
        except Exception as error:
            raise _Seeded(error, request.seed) from error
        height, width, _ = image.srgb8.shape
        named = image_id(image.srgb8)
        path = shelf(self.folder.images, named)
        if not path.is_file():
            write_once(path, encode_png(image.srgb8))
        seconds = time.perf_counter() - began
        exact = {
            mask.target: _mask_of_target(mask.mask, mask.target, request.targets[mask.target].name)
            for mask in image.masks
        }
        rendered = None
        if self._plan.model == RENDERER:
            shape = self._plan.options.get("shape")
            rendered = shapes_for(request.targets, shape if isinstance(shape, str) else None)
        result = replace(
            blank,
            status="drawn",
            image_id=named,
            width=width,
            height=height,
            seconds=seconds,
            origin=dict(image.origin),
            notes=tuple(image.notes),
        )
        return _Picture(image.srgb8, exact, rendered, result)

    def _stored(self, item: StoredItem, prompt: Prompt, blank: ItemResult) -> _Picture:
        srgb8 = read_png(Path(item.file), "RGB")
        if image_id(srgb8) != item.image_id:
            raise StorageError(f"{item.file} holds other pixels than were planned.")
        exact = {
            target: Mask(
                read_png(Path(stored_mask.file), "1"), stored_mask.maker, stored_mask.parameters
            )
            for target, stored_mask in item.masks.items()
        }
        height, width, _ = srgb8.shape
        result = replace(blank, status="drawn", image_id=item.image_id, width=width, height=height)
        # Only its own masks say what the renderer left out: another masker may have missed it.
        own = {mask.maker for mask in item.masks.values()} == {RENDERER_MAKER}
        rendered = shapes_for(prompt.targets) if own and item.drawn_by == RENDERER else None
        mask_ids = {
            target: stored_mask.mask_id
            for target, stored_mask in item.masks.items()
            if stored_mask.mask_id
        }
        return _Picture(srgb8, exact, rendered, result, mask_ids)

    def _kept(self, target: int, mask: Mask, mask_ids: Mapping[int, str]) -> MaskResult:
        name = mask.content_sha256
        if target not in mask_ids:
            path = shelf(self.folder.masks, name)
            if not path.is_file():
                write_once(path, mask.png())
        return MaskResult(
            target, name, mask.area_px, mask.maker, dict(mask.parameters), mask_ids.get(target, "")
        )

    def _failed(self, blank: ItemResult, error: Exception, what: str = "The model") -> ItemResult:
        """The row of a picture that has no result, to be tried again on request."""
        if isinstance(error, _Seeded):
            blank, error = replace(blank, seed=error.seed), error.error
        self._broken_in_a_row = 0 if isinstance(error, BadInput) else self._broken_in_a_row + 1
        reason = (
            str(error)
            if isinstance(error, TrueHueError)
            else (f"{what} failed ({type(error).__name__}: {error}).")
        )
        if is_out_of_memory(error):
            reason = "Out of memory. Choose a smaller size, or fewer workers on this device."
        if self._broken_in_a_row >= MOST_BROKEN_IN_A_ROW:
            raise CannotWork(
                f"{MOST_BROKEN_IN_A_ROW} pictures in a row failed, the last one so: {reason} What "
                "is done is kept; mend it, then resume with the failed ones tried again."
            )
        prompt = self._plan.prompts[blank.prompt]
        return replace(blank, reason=reason, verdicts=not_drawn(reason, self._plan.rules, prompt))

    def _opened(self) -> LoadedModel:
        if self._model is None:
            about = (self._plan.model, self._settings.sources, self._settings.endpoints)
            try:
                self._model = open_model(*about)
                try:
                    self._pin(GENERATOR, of_generator(*about))
                except BaseException:
                    self._model.unload()
                    self._model = None
                    raise
            except Exception as error:
                words = (
                    str(error)
                    if isinstance(error, TrueHueError)
                    else (
                        f"{self._plan.model} could not be loaded ({type(error).__name__}: {error})."
                    )
                )
                raise CannotWork(words) from error
        return self._model

    def _pin(self, role: str, about: Mapping[str, Any]) -> None:
        pin(self.folder.path, role, about)

    def _on_step(self, report: StepReport) -> None:
        self._told_to_stop()

    def _told_to_stop(self) -> bool:
        """Whether people want the run to go on is looked up a few times a second."""
        if not self._stop.is_set() and time.monotonic() - self._looked > _LOOK_S:
            self._looked = time.monotonic()
            if self.folder.desired_state() != "run":
                self._stop.set()
        return self._stop.is_set()


class _Seeded(Exception):
    """A failure of the model, with the seed that it was asked to draw."""

    def __init__(self, error: Exception, seed: int) -> None:
        super().__init__(str(error))
        self.error, self.seed = error, seed


def check_versions(folder: RunFolder, plan: RunPlan) -> None:
    """Raises BadInput where this TrueHue would go on with other rules, another renderer or other
    Munsell samples."""
    from core.verdict.rules import rule

    summary = folder.summary()
    if plan.munsell and file_digest(plan.munsell) != summary.get("munsell_sha256"):
        raise BadInput(
            f"{plan.munsell} was changed since the run was begun. Put the file back as it was, or "
            "begin a new run."
        )
    versions = summary.get("made_with") or {}
    current = made_with(plan)
    if versions != current:
        raise BadInput(
            f"The run was begun with {_versions(versions)}; this TrueHue has {_versions(current)}. "
            "Begin a new run, or resume with the version that began it."
        )
    for rule_id, version in plan.rules:
        if rule(rule_id).version != version:
            raise BadInput(
                f"The run judges by {rule_id} {version}; this TrueHue has {rule(rule_id).version}. "
                "Begin a new run, or resume with the version that began it."
            )


def use_threads(count: int) -> None:
    """Limits OpenCV and torch to that many threads, where they are loaded; 0 leaves them."""
    if count < 1:
        return
    import sys

    import cv2

    cv2.setNumThreads(count)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)


def _versions(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items()) or "no renderer"


def _mask_of_target(mask: Mask, position: int, name: str) -> Mask:
    """The mask with the target that it belongs to: several objects may have equal names."""
    return Mask(mask.pixels, mask.maker, {**mask.parameters, "target": position, "object": name})


def _munsell(path: str) -> MunsellSamples | None:
    return load_munsell(path) if path else None
