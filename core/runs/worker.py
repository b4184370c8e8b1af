"""The work of a run: images are generated or read, masked and scored, one by one; and its start."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch import execute as batch
from truehue.core.batch.array import ArrayTask, begin_task
from truehue.core.batch.execute import Watch, WorkerPool
from truehue.core.batch.journal import Misfit
from truehue.core.batch.records import CHOSEN_DONE, FAILED, BatchState, Row
from truehue.core.batch.team import Team
from truehue.core.batch.work import CannotWork, ItemFailed, Stopped, Work, WorkerContext
from truehue.core.color.munsell import MunsellSamples, load_munsell
from truehue.core.errors import BadInput, DataFolderError, StorageError, TrueHueError
from truehue.core.files import content_path, read_png, write_once
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.backends.reference import PlacedTarget, shapes_for
from truehue.core.generation.memory import (
    BadModelFolder,
    ModelMissing,
    is_out_of_memory,
    tried_text,
)
from truehue.core.generation.opening import open_model
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.registry import model as registered
from truehue.core.generation.request import (
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    LoadedModel,
    StepReport,
)
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.load import encode_png, image_id
from truehue.core.images.pixels import Mask
from truehue.core.machine import Placement
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.concepts import profiles_of
from truehue.core.runs.controls import check_controls, has_controls, note_problem
from truehue.core.runs.devices import note_devices
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.maskers import Masker, open_masker
from truehue.core.runs.plan import (
    batch_at,
    batch_of,
    file_digest,
    keeps_image,
    made_with,
    order_of,
    prompt_and_image_at,
    request_of,
    units_of,
)
from truehue.core.runs.provenance import GENERATOR, OtherWeights, of_generator, pin
from truehue.core.runs.records import (
    DRAWN,
    IMAGE_FILE,
    NOT_KEPT,
    PER_PROMPT,
    ItemResult,
    MaskResult,
    RunPlan,
    StoredItem,
)
from truehue.core.runs.refinement import CfmRefiner
from truehue.core.runs.score import not_generated, score
from truehue.core.runs.shards import read_columns, result_of, row_of, schema
from truehue.core.verdict.candidates import Acceptance

log = logging.getLogger("truehue")

RENDERER_MAKER = "renderer"
"""The maker of the reference renderer's own masks."""

_NO_MEMORY = "Out of memory{}. Choose a smaller size, or fewer workers on this device."


@dataclass(frozen=True)
class WorkerSettings:
    """Where a worker finds weights and servers."""

    sources: Sources = field(default_factory=Sources.local)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)


@dataclass
class _Image:
    """An image before it is judged."""

    srgb8: np.ndarray
    exact: dict[int, Mask]
    rendered: tuple[PlacedTarget, ...] | None
    result: ItemResult
    known_masks: dict[int, str] = field(default_factory=dict)


class RunWork(Work):
    """The images of a run, as :class:`truehue.core.batch.work.Work`."""

    controls = True
    """Whether control images come first; not in a trial."""
    chosen: np.ndarray | None = None
    """The positions that are to be done now; None for all."""

    def __init__(self, folder: Path | str, settings: WorkerSettings | None = None) -> None:
        super().__init__(RunFolder(folder))
        self.settings = settings or WorkerSettings()

    def __reduce__(self) -> tuple[type[RunWork], tuple[Path, WorkerSettings]]:
        """Without the plan, which each process reads from the folder."""
        return type(self), (self.folder.path.resolve(), self.settings)

    @cached_property
    def plan(self) -> RunPlan:
        """The whole plan. Raises BadInput."""
        return RunFolder(self.folder.path).plan()

    def schema(self) -> Any:
        """See truehue.core.runs.shards."""
        return schema()

    def order(self) -> np.ndarray:
        """See :func:`truehue.core.runs.plan.order_of`."""
        order = order_of(self.plan)
        return order if self.chosen is None else order[np.isin(order, self.chosen)]

    def units(self, order: np.ndarray) -> np.ndarray:
        """See :func:`truehue.core.runs.plan.units_of`."""
        return units_of(self.plan, order)

    def group(self, position: int) -> int:
        """Images of one batch (:func:`truehue.core.runs.plan.batch_at`)."""
        return batch_at(self.plan, position).start

    def check(self) -> None:
        """See :func:`check_versions`."""
        check_versions(RunFolder(self.folder.path), self.plan)

    def open(self, context: WorkerContext) -> RunProcessor:
        """Models are opened with the first image."""
        return RunProcessor(self.plan, self.settings, context, self.controls)

    def failure_row(self, position: int, attempt: int, reason: str) -> Row:
        """Every rule is unscored, with the reason."""
        number, image = prompt_and_image_at(self.plan, position)
        verdicts = not_generated(reason, self.plan.rules, self.plan.prompts[number])
        return row_of(
            ItemResult(position, number, image, attempt, FAILED, reason, verdicts=verdicts)
        )

    def fitted(self, row: Row) -> Row:
        """Beside the position, prompt and image have to be those of the plan; a line of before
        there were profiles gets none."""
        position = row.get("position")
        try:
            result = result_of(row)
        except (ValueError, KeyError, TypeError) as error:
            raise Misfit(
                f"the line of the position {position!r:.40} is not whole: {error!r:.99}"
            ) from error
        row = super().fitted(row_of(result))
        if (result.prompt, result.image) != prompt_and_image_at(self.plan, result.position):
            raise Misfit(f"the position {position} is another prompt or picture of the run")
        if result.status not in ("drawn", FAILED):
            raise Misfit(f"the attempt at the position {position} has no number or no status")
        return row

    def read(self, path: Path, names: Sequence[str] | None) -> Any:
        """Shards of before there were profiles too."""
        return read_columns(path, names)

    def needs_device(self) -> bool:
        """True for a model that draws by weights, and for maskers of models."""
        plan = self.plan
        draws = plan.kind == DRAWN and registered(plan.model).kind not in ("renderer", "served")
        return draws or plan.masker.kind == "grounded"


class RunProcessor:
    """Draws or reads an image, marks its objects and judges them."""

    def __init__(
        self,
        plan: RunPlan,
        settings: WorkerSettings,
        context: WorkerContext,
        controls: bool = True,
    ) -> None:
        self._plan, self._settings, self._context = plan, settings, context
        self._folder = RunFolder(context.folder.path)
        self._judging = Acceptance(k=plan.k, munsell=_munsell(plan.munsell))
        self.masker: Masker = open_masker(plan.masker, settings.sources, self._pin)
        self._model: LoadedModel | None = None
        self._refiner = None if plan.cfm is None else CfmRefiner(plan.cfm)
        self._drawn: dict[int, tuple[GeneratedImage | Exception, float]] = {}
        self._placements: dict[str, tuple[str, Placement]] = {}
        self._controls_checked = not controls

    def do(self, position: int, attempt: int) -> Row:
        """The row of an image."""
        try:
            self._check_controls()
            return row_of(self._process_item(position, attempt))
        except Cancelled as error:
            raise Stopped from error

    def close(self) -> None:
        """Gives memory back."""
        self.masker.close()
        if self._refiner is not None:
            self._refiner.close()
        if self._model is not None:
            self._model.unload()
            self._model = None

    def _check_controls(self) -> None:
        """The control images come before the first image of a run, and after its model: the masker
        has what that leaves of the device. Where the masker breaks on them the run says so."""
        if self._controls_checked:
            return
        self._controls_checked = True
        if not has_controls(self._plan):
            return
        if self._plan.kind == DRAWN:
            self._opened()

        def step() -> None:
            if self._context.is_stopped():
                raise Cancelled

        try:
            check_controls(self._folder.path, self._plan, self.masker, self._judging, step)
        except Cancelled:
            raise
        except Exception as error:
            _raise_unless_of_image(error)
            log.exception("the control images could not be scored")
            note_problem(self._folder.path, f"{type(error).__name__}: {error}")

    def _process_item(self, position: int, attempt: int) -> ItemResult:
        number, image = prompt_and_image_at(self._plan, position)
        prompt = self._plan.prompts[number]
        blank = ItemResult(position, number, image, attempt, FAILED, worker=self._context.worker)
        try:
            if self._plan.kind == DRAWN:
                stored = self._generate_image(position, blank)
            else:
                stored = self._stored(self._plan.items[position], prompt, blank)
        except (Cancelled, CannotWork, DataFolderError):
            raise  # a disk that is full is no image's failure
        except Exception as error:
            raise _failure(error, blank, tried=self._tried()) from error
        began = time.perf_counter()
        try:
            found_masks = self.masker.find(
                stored.srgb8,
                prompt.task,
                prompt.targets,
                stored.exact,
                stored.rendered,
                stored.result.image_id,
                prompt.text,
            )
        except Cancelled:
            raise
        except Exception as error:
            _raise_unless_of_image(error)
            blank = replace(blank, seed=stored.result.seed)
            raise _failure(error, blank, "Looking for objects") from error
        self._note_devices()
        left_out = {part.target for part in stored.rendered or () if part.shape is None}
        verdicts = score(
            prompt, stored.srgb8, found_masks.findings, self._plan.rules, self._judging, left_out
        )
        profiles = profiles_of(prompt, stored.srgb8, found_masks.findings)
        masks = tuple(
            self._saved(
                target, mask, stored.known_masks if mask is stored.exact.get(target) else {}
            )
            for target, mask in found_masks.masks
        )
        return replace(
            stored.result,
            masks=masks,
            verdicts=verdicts,
            profiles=profiles,
            scoring_seconds=time.perf_counter() - began,
        )

    def _generate_image(self, position: int, blank: ItemResult) -> _Image:
        request = request_of(self._plan, position)
        blank = replace(blank, seed=request.seed)
        model = self._opened()
        try:
            image, seconds = self._image_at(model, position)
        except (Cancelled, CannotWork):
            raise
        except Exception as error:
            raise _Seeded(error, request.seed) from error
        height, width, _ = image.srgb8.shape
        named = image_id(image.srgb8)
        path = content_path(self._folder.images, named)
        began = time.perf_counter()
        number, of_prompt = prompt_and_image_at(self._plan, position)
        is_kept = keeps_image(self._plan, self._plan.prompts[number].id, of_prompt)
        if is_kept and not path.is_file():
            write_once(path, encode_png(image.srgb8))
        origin = dict(image.origin)
        if self._plan.seed_mode == PER_PROMPT:
            origin["seeds"] = PER_PROMPT
        if not is_kept:
            origin[IMAGE_FILE] = NOT_KEPT
        seconds += time.perf_counter() - began
        exact = {
            mask.target: mask.mask.of_target(mask.target, request.targets[mask.target].name)
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
            origin=origin,
            notes=tuple(image.notes),
        )
        return _Image(image.srgb8, exact, rendered, result)

    def _image_at(self, model: LoadedModel, position: int) -> tuple[GeneratedImage, float]:
        """The image of a position and the seconds that it took, or its share of those of its batch.
        Of a batch all images are drawn, and stay for those that are asked next."""
        if position not in self._drawn:
            positions = batch_at(self._plan, position)
            requests = [request_of(self._plan, index) for index in positions]
            began = time.perf_counter()
            images = self._draw(model, requests)
            seconds = (time.perf_counter() - began) / len(requests)
            self._drawn = {
                index: (image, seconds) for index, image in zip(positions, images, strict=True)
            }
        image, seconds = self._drawn.pop(position)
        if isinstance(image, Exception):
            raise image
        return image, seconds

    def _draw(
        self, model: LoadedModel, requests: Sequence[GenerationRequest]
    ) -> Sequence[GeneratedImage | Exception]:
        """The images; a model that runs out of memory lays itself out in less, as far as it can."""
        while True:
            try:
                return list(self._drawn_by(model, requests))
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                failed = _without_frames(error)
            make_room = getattr(model, "make_room", None)
            if make_room is None or not make_room():
                raise failed
            self._note_devices()

    def _drawn_by(
        self, model: LoadedModel, requests: Sequence[GenerationRequest]
    ) -> Sequence[GeneratedImage | Exception]:
        controls = self._on_step, self._context.stop
        if self._refiner is not None:  # a plan with CFR has no batches
            return [self._refiner.generate(model, request, *controls) for request in requests]
        if len(requests) == 1:
            return model.draw(requests, *controls)
        return model.draw_together(requests, *controls)  # type: ignore[attr-defined]

    def _tried(self) -> str:
        """What a model that is out of memory has given up before."""
        return tried_text(getattr(self._model, "placement", None))

    def _stored(self, item: StoredItem, prompt: Prompt, blank: ItemResult) -> _Image:
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
        return _Image(srgb8, exact, rendered, result, mask_ids)

    def _saved(self, target: int, mask: Mask, mask_ids: Mapping[int, str]) -> MaskResult:
        name = mask.content_sha256
        if target not in mask_ids:
            path = content_path(self._folder.masks, name)
            if not path.is_file():
                write_once(path, mask.png())
        return MaskResult(
            target, name, mask.area_px, mask.maker, dict(mask.parameters), mask_ids.get(target, "")
        )

    def _opened(self) -> LoadedModel:
        if self._model is None:
            about = (self._plan.model, self._settings.sources, self._settings.endpoints)
            try:
                self._model = open_model(*about, reserved_bytes=self._reserved_bytes())
                try:
                    self._pin(GENERATOR, of_generator(*about))
                except BaseException:
                    self._model.unload()
                    self._model = None
                    raise
            except Exception as error:
                text = (
                    str(error)
                    if isinstance(error, TrueHueError)
                    else (
                        f"{self._plan.model} could not be loaded ({type(error).__name__}: {error})."
                    )
                )
                raise CannotWork(text) from error
            self._note_devices()
        return self._model

    def _reserved_bytes(self) -> int:
        """What CFM and the masker's models need of the device, which are loaded after this one."""
        tools = self.masker.reserved_bytes()
        return tools + (self._refiner.reserved_bytes() if self._refiner is not None else 0)

    def _note_devices(self) -> None:
        """Writes down where the models are, where that has changed."""
        placements = self.masker.placements()
        if self._refiner is not None:
            placements = {**self._refiner.placements(), **placements}
        if (at := getattr(self._model, "placement", None)) is not None:
            placements = {GENERATOR: (self._plan.model, at), **placements}
        if placements and placements != self._placements:
            self._placements = placements
            note_devices(self._folder.path, self._context.worker, placements)

    def _pin(self, role: str, about: Mapping[str, Any]) -> None:
        pin(self._folder.path, role, about)

    def _on_step(self, report: StepReport) -> None:
        self._context.is_stopped()


def _raise_unless_of_image(error: Exception) -> None:
    """Raises CannotWork where looking for objects fails on every image, and not on this one alone."""
    if is_out_of_memory(error):
        raise CannotWork(f"Memory ran out while looking for objects: {error}") from error
    if isinstance(error, (ModelMissing, BadModelFolder, OtherWeights)):
        raise CannotWork(str(error)) from error


def _without_frames(error: Exception) -> Exception:
    """The error without its traceback, whose frames would hold the memory."""
    cause: BaseException | None = error
    while cause is not None:
        cause.__traceback__ = None
        cause = cause.__cause__ or cause.__context__
    return error


def _failure(
    error: Exception, blank: ItemResult, label: str = "The model", tried: str = ""
) -> ItemFailed:
    """Why an image has no result, with what is known of it all the same; ``tried`` is said of
    memory that ran out."""
    seed = blank.seed
    if isinstance(error, _Seeded):
        seed, error = error.seed, error.error
    reason = (
        str(error)
        if isinstance(error, TrueHueError)
        else f"{label} failed ({type(error).__name__}: {error})."
    )
    if is_out_of_memory(error):
        reason = _NO_MEMORY.format(tried)
    known = {"seed": seed, "worker": blank.worker}
    return ItemFailed(reason, known, counts=not isinstance(error, BadInput))


class _Seeded(Exception):
    """A failure of the model, with the seed that it was asked to draw."""

    def __init__(self, error: Exception, seed: int) -> None:
        super().__init__(str(error))
        self.error, self.seed = error, seed


def check_versions(folder: RunFolder, plan: RunPlan) -> None:
    """Raises BadInput where this TrueHue would go on with other rules, another renderer or other
    Munsell samples."""
    from truehue.core.verdict.rules import rule

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


def _versions(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items()) or "no version"


def _munsell(path: str) -> MunsellSamples | None:
    return load_munsell(path) if path else None


@dataclass(frozen=True)
class ExecutionSettings(WorkerPool):
    """Who does the work (see :class:`truehue.core.batch.execute.WorkerPool`), and where weights and
    servers are."""

    sources: Sources = field(default_factory=Sources.local)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)


def execute(
    folder: RunFolder,
    crew: ExecutionSettings | None = None,
    *,
    retry_failed: bool = False,
    watch: Watch = lambda state: None,
    team: Team | None = None,
    task: ArrayTask | None = None,
    positions: np.ndarray | None = None,
) -> BatchState:
    """Does what of a run is not done yet, and returns how it ended: see
    :func:`truehue.core.batch.execute.execute`. With ``task`` it does that task's share of it alone:
    see :mod:`truehue.core.batch.array`. With ``positions`` it does these alone, and the run is
    paused as long as others have no result."""
    crew = crew or ExecutionSettings()
    settings = WorkerSettings(crew.sources, dict(crew.endpoints))
    run_work = RunWork(folder.path, settings)
    run_work.chosen = positions
    work: Work = run_work
    work.at_once = batch_of(folder.summary()["options"])
    if task is not None:
        work = begin_task(work, task)
    state = batch.execute(work, crew, retry_failed=retry_failed, watch=watch, team=team)
    if state.status == "finished" and task is None and state.done < state.total:
        state = replace(state, status="paused", message=CHOSEN_DONE)
        folder.save_state(state)
    return state
