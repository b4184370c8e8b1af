"""Scoring of images as long work: a few images per item, their scores by all measures in one row.

The plan names the measures with their versions, and the registered CFM if one of them needs it. So
a folder that was begun with other measures is refused and not continued.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch.folder import BatchFolder
from truehue.core.batch.records import DONE, Row, WorkNames
from truehue.core.batch.results import tables
from truehue.core.batch.shards import schema_with
from truehue.core.batch.work import CannotWork, Work, WorkerContext
from truehue.core.errors import BadInput, ImageError, TrueHueError
from truehue.core.fidelity.cfm.registration import Registration, open_registered
from truehue.core.images.load import image_id as id_of
from truehue.core.images.load import load_image
from truehue.core.scores.cfm import cfm_measures, scored_by_cfm
from truehue.core.scores.measures import MEASURES
from truehue.core.scores.records import Measure, ScoreRecord
from truehue.core.scores.scoring import score_image, unscored

PICTURES_AT_ONCE = 8
"""Images of one item, which CFM reads in one batch on a GPU."""
PICTURES = "pictures.jsonl"
_KEPT_FIELDS = (
    "item_kind",
    "item",
    "measure",
    "version",
    "value",
    "status",
    "reason",
    "parameters",
    "numbers",
    "scorer",
    "provenance",
)


@dataclass(frozen=True)
class ScoringTask:
    """An image that lacks scores: its id, where its PNG lies, its prompt ("" where none is known)
    and the ids of the measures that it lacks."""

    image_id: str
    path: str
    prompt: str
    measures: tuple[str, ...]


class ScoringFolder(BatchFolder):
    """Its plan names the measures; the images stand in a file beside it."""

    words = WorkNames("scoring", "few pictures", "few pictures")

    def plan_files(self) -> tuple[Path, ...]:
        """The plan, and its images."""
        return (*super().plan_files(), self.path / PICTURES)

    def tasks(self) -> list[ScoringTask]:
        """Every image, in the order of the plan. Raises BadInput."""
        try:
            lines = (self.path / PICTURES).read_text(encoding="utf-8").splitlines()
            return [
                ScoringTask(**{**task, "measures": tuple(task["measures"])})
                for task in map(json.loads, lines)
            ]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise BadInput(f"{self.path / PICTURES} cannot be read: {error}.") from None

    def registration(self) -> Registration | None:
        """The CFM of the plan."""
        fields = self.summary().get("cfm")
        return Registration(**fields) if fields else None


def begin_scoring(
    path: Path,
    tasks: Sequence[ScoringTask],
    measures: Iterable[Measure],
    registration: Registration | None,
) -> ScoringWork:
    """Makes the folder of a plan, and returns its work. Raises BadInput for a measure that is not
    computed, and DataFolderError."""
    chosen = list(measures)
    for measure in chosen:
        if not measure.computed or (measure.scorer and registration is None):
            raise BadInput(f"{measure.name} is not computed here: its scores come in.")
    cfm = registration if any(measure.scorer for measure in chosen) else None
    plan = {
        "total": -(-len(tasks) // PICTURES_AT_ONCE),
        "pictures": len(tasks),
        "at_once": PICTURES_AT_ONCE,
        "measures": [{"id": measure.id, "version": measure.version} for measure in chosen],
        "cfm": None if cfm is None else asdict(cfm),
    }
    lines = "".join(json.dumps(asdict(task), ensure_ascii=False) + "\n" for task in tasks)
    folder = ScoringFolder(path)
    folder.begin(plan, {PICTURES: lines.encode()})
    folder.set_desired_state("run")
    return ScoringWork(path)


class ScoringWork(Work):
    """Scores the images of a plan."""

    def __init__(self, folder: Path) -> None:
        super().__init__(ScoringFolder(folder))

    def schema(self) -> Any:
        """The scores of an item are JSON: a list of records."""
        import pyarrow as pa

        return schema_with([("scores", pa.string())])

    def check(self) -> None:
        """Measures have the versions of the plan."""
        _measures(self._folder)

    def open(self, context: WorkerContext) -> ImageScorer:
        """The doer that scores; CFM is loaded with the first image that needs it."""
        return ImageScorer(self._folder, context)

    def needs_device(self) -> bool:
        """A model is asked."""
        return self._folder.summary().get("cfm") is not None

    @property
    def images(self) -> int:
        """How many images there are."""
        return int(self._folder.summary()["pictures"])

    def pictures_of(self, items: int) -> int:
        """How many images so many items are, at most all."""
        return min(items * int(self._folder.summary()["at_once"]), self.images)

    def records(self, known: set[int] | None = None) -> Iterator[list[ScoreRecord]]:
        """The scores of each item that is done, an item at a time; positions that are ``known``
        are left out, and are known afterwards. Also while it goes on. Raises BadInput."""
        seen = set() if known is None else known
        for table in tables(self, ("position", "status", "scores")):
            for row in table.to_pylist():
                if row["status"] == DONE and row["position"] not in seen:
                    yield [ScoreRecord(**fields) for fields in json.loads(row["scores"])]
                    seen.add(row["position"])

    @property
    def _folder(self) -> ScoringFolder:
        assert isinstance(self.folder, ScoringFolder)
        return self.folder


class ImageScorer:
    """Scores a few images at a time; a step is an image by measures without a model."""

    def __init__(self, folder: ScoringFolder, context: WorkerContext) -> None:
        self._context, self._registration = context, folder.registration()
        self._measures = _measures(folder)
        self._tasks = folder.tasks()
        self._at_once = int(folder.summary()["at_once"])
        self._scorer: Any = None

    def do(self, position: int, attempt: int) -> Row:
        """The scores of an item's images."""
        start = position * self._at_once
        records: list[ScoreRecord] = []
        for_cfm: list[tuple[str, np.ndarray, str]] = []
        for task in self._tasks[start : start + self._at_once]:
            self._context.step()
            wanted = [self._measures[measure_id] for measure_id in task.measures]
            try:
                srgb8 = _pixels(task)
            except (TrueHueError, OSError) as error:
                reason = f"The picture cannot be read: {error}"
                records += [unscored(measure, task.image_id, reason) for measure in wanted]
                continue
            records += [
                score_image(measure, task.image_id, srgb8) for measure in wanted if measure.of
            ]
            if any(measure.scorer for measure in wanted):
                for_cfm.append((task.image_id, srgb8, task.prompt))
        records += self._by_cfm(for_cfm)
        retained = [{name: vars(record)[name] for name in _KEPT_FIELDS} for record in records]
        return {
            "position": position,
            "attempt": attempt,
            "status": DONE,
            "reason": "",
            "scores": json.dumps(retained, ensure_ascii=False, default=dict),
        }

    def _by_cfm(self, images: Sequence[tuple[str, np.ndarray, str]]) -> list[ScoreRecord]:
        if not images or self._registration is None:
            return []
        if self._scorer is None:
            try:
                self._scorer = open_registered(self._registration)
            except TrueHueError as error:
                raise CannotWork(str(error)) from error
        if self._scorer.device != "cpu":
            return scored_by_cfm(self._scorer, self._registration, images, len(images))
        # A batch gains nothing on a processor, and one by one it can be broken off.
        records = []
        for image in images:
            records += scored_by_cfm(self._scorer, self._registration, [image])
            self._context.step()
        return records

    def close(self) -> None:
        """Gives CFM's memory back."""
        if self._scorer is not None:
            self._scorer.unload()


def _pixels(task: ScoringTask) -> np.ndarray:
    """uint8 ``(H, W, 3)`` of a stored PNG. Raises ImageError where it is gone, broken or holds
    other pixels."""
    srgb8 = load_image(Path(task.path)).srgb8
    if id_of(srgb8) != task.image_id:
        raise ImageError("its file holds other pixels.")
    return srgb8


def _measures(folder: ScoringFolder) -> Mapping[str, Measure]:
    """The measures of the plan, by id. Raises BadInput where one is another now."""
    registration = folder.registration()
    computed = [*MEASURES, *(cfm_measures(registration) if registration else ())]
    by_id = {measure.id: measure for measure in computed}
    for wanted in folder.summary()["measures"]:
        measure = by_id.get(str(wanted["id"]))
        if measure is None or measure.version != wanted["version"]:
            raise BadInput(
                f"This scoring was begun with {wanted['id']} {wanted['version']}, which this "
                "TrueHue does not have. Begin another one."
            )
    return by_id
