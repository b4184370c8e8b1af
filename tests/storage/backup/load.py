"""A data folder that everybody stores something in at once, and what of it must not be lost.

Threads store images with masks and verdicts, delete some and put some back, save selections, judge,
vote in a study, write a run's results as its workers do, and evaluate a baseline on new questions.
What each has confirmed is noted. ``lost`` opens a data folder and says what of that it lacks.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tests.core.batch.here import team_here
from tests.storage.run_samples import sample_plan, sample_result
from tests.storage.samples import brushed, picture, verdict
from tests.storage.studies.people import answer, person
from tests.storage.verdicts.test_judgments import MUG
from truehue.core.batch.execute import WorkerPool, execute
from truehue.core.batch.journal import Journal, seal_left_over
from truehue.core.batch.results import tables
from truehue.core.errors import NotStored, TrueHueError
from truehue.core.images.pixels import Mask
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.shards import row_of, schema
from truehue.core.runs.worker import RunWork
from truehue.core.vlm.evaluation.log import read_log
from truehue.core.vlm.evaluation.plan import EvaluationSettings, QuestionSource, begin
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.generators import GeneratedSettings, generated
from truehue.core.vlm.models.records import PIXELS
from truehue.core.vlm.models.registry import model_of
from truehue.core.vlm.prompting import Style, prompt_text
from truehue.storage import Storage

ROWS_A_SHARD = 12


@dataclass(frozen=True)
class Confirmed:
    """Something that was confirmed: what it is, where it belongs to, and its id or its number."""

    kind: str
    of: str
    id: str | int


class Load:
    """The threads, from the begin of a ``with`` to its end; what one raises ends that."""

    def __init__(self, storage: Storage, prompts: int = 60) -> None:
        self._storage, self._prompts = storage, prompts
        self._end, self._going = threading.Event(), threading.Event()
        self._confirmed: list[Confirmed] = []
        self._errors: list[BaseException] = []
        works = (self._images, self._deletions, self._selections, self._judgments, self._votes)
        self._threads = [
            threading.Thread(target=partial(self._run, work))
            for work in (*works, self._draws, self._evaluations)
        ]

    def confirmed(self) -> list[Confirmed]:
        """All that was confirmed until now."""
        return list(self._confirmed)

    def wait(self, each: int) -> None:
        """Until of every kind so many more were confirmed."""
        kinds = ("image", "deleted", "selection", "judgment", "vote", "result", "evaluation")
        start = len(self._confirmed)
        for kind in kinds:
            wanted = 1 if kind == "evaluation" else each
            while sum(item.kind == kind for item in self._confirmed[start:]) < wanted:
                if self._errors:
                    raise self._errors[0]
                self._end.wait(0.02)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A block in which nothing new is begun."""
        self._going.clear()
        try:
            yield
        finally:
            self._going.set()

    def __enter__(self) -> Load:
        self._going.set()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()
        if self._errors and error[0] is None:
            raise self._errors[0]

    def _run(self, work: Callable[[], Iterator[Confirmed]]) -> None:
        try:
            for item in work():
                self._confirmed.append(item)
                self._going.wait()
                if self._end.wait(0.002):
                    return
        except BaseException as error:
            self._errors.append(error)

    def _images(self) -> Iterator[Confirmed]:
        for n in itertools.count(1):
            image = self._storage.images.add(picture(n, 24, 24), str(n), "upload")
            yield Confirmed("image", "", image.image_id)
            mask = self._storage.masks.add(image.image_id, mask_of(n))
            yield Confirmed("mask", "", mask.mask_id)
            evidence = self._storage.evidence.add(verdict(image.image_id, mask.mask_id))
            yield Confirmed("evidence", "", evidence.evidence_id)

    def _deletions(self) -> Iterator[Confirmed]:
        for n in itertools.count(1):
            image = self._storage.images.add(picture(10**6 + n, 24, 24), str(n), "upload")
            yield Confirmed("deleted", "", image.image_id)
            record = self._storage.trash.move("image", [image.image_id])
            yield Confirmed("deleted", "", image.image_id)
            if n % 2:
                self._storage.trash.restore(record.trash_id)

    def _selections(self) -> Iterator[Confirmed]:
        for n in itertools.count(1):
            record = self._storage.selections.save("basket", [("gencolorbench", f"cna-{n}")])
            yield Confirmed("selection", "basket", record.version)

    def _judgments(self) -> Iterator[Confirmed]:
        for n in itertools.count(1):
            record = self._storage.judgments.add(replace(MUG, object_name=f"mug {n}"))
            yield Confirmed("judgment", "", record.judgment_id)

    def _votes(self) -> Iterator[Confirmed]:
        someone = person(self._storage)
        for n in itertools.count(1):
            (event,) = self._storage.study_events.append(someone.id, [answer(n)])
            yield Confirmed("vote", someone.id, event.id)

    def _draws(self) -> Iterator[Confirmed]:
        for seed in itertools.count(1):
            plan = replace(sample_plan(prompts=self._prompts, images=1), seed=seed)
            folder = RunFolder.create(self._storage.data_dir / "runs", plan)
            self._storage.runs.register(folder)
            journal = Journal(folder.journal, folder.shard_folder, "w0", schema())
            for position in range(plan.total):
                journal.add(row_of(sample_result(folder, plan, position)))
                yield Confirmed("result", folder.run_id, position)
                if position % ROWS_A_SHARD == ROWS_A_SHARD - 1:
                    journal.seal()
                    self._storage.runs.ingest(folder)
            journal.seal()
            self._storage.runs.ingest(folder)

    def _evaluations(self) -> Iterator[Confirmed]:
        for seed in itertools.count(1):
            items = generated(GeneratedSettings({"color_extraction": 2}, seed=seed))
            sets = self._storage.question_sets
            source = sets.open(sets.add(items, f"Two {seed}", {"seed": seed})[0])
            settings = EvaluationSettings()
            folder = begin(
                self._storage.data_dir / "askings" / f"{seed:032x}",
                ((question, source.image_path(question)) for question in source.questions()),
                QuestionSource(str(source.folder), source.sha256),
                partial(prompt_text, style=Style(settings.style)),
                model_of(PIXELS),
                settings,
            )
            work = EvaluationWork(folder.path)
            state = execute(work, WorkerPool(), team=team_here(work, 1))
            assert state.status == "finished"
            yield Confirmed("evaluation", folder.path.name, state.total)


def mask_of(n: int) -> Mask:
    """A mask of an image of 24 × 24 pixels, another one for every number."""
    mask = brushed(n=n)
    pixels = picture(n, 24, 24)[..., 0] > 127
    return replace(mask, pixels=pixels)


def lost(data: Path, confirmed: list[Confirmed]) -> list[str]:
    """Opens a data folder, and says what of that is not there, or not whole; takes runs up as
    resuming them does."""
    results = []
    with Storage.open(data) as storage:
        results += list(storage.losses.words().values())
        for entry in confirmed:
            try:
                if not _is_there(storage, entry):
                    results.append(f"{entry} is gone")
            except TrueHueError as error:
                results.append(f"{entry}: {error}")
        done = {path.name: positions_of(path) for path in (data / "runs").glob("*/")}
        results += [
            f"{item} is gone"
            for item in confirmed
            if item.kind == "result" and item.id not in done.get(item.of, ())
        ]
        for name in done:
            folder = RunFolder(data / "runs" / name)
            work = RunWork(folder.path)
            seal_left_over(folder.journal, folder.shard_folder, work.schema(), fitted=work.fitted)
            storage.runs.ingest(folder)
            results += [f"{name}: {why}" for why in storage.runs.refused(name).values()]
            held = storage.runs.get(name).items
            if held != len(done[name]):
                results.append(f"{name} has {held} rows of {len(done[name])} results")
        results += storage.check()
    return results


def positions_of(folder: Path) -> set[int]:
    """Which positions of a run have a result, in shards or journals."""
    parts = tables(RunWork(folder), ["position"])
    return {int(position) for table in parts for position in table["position"].to_pylist()}


def _is_there(storage: Storage, confirmed: Confirmed) -> bool:
    if confirmed.kind == "image":
        return storage.images.srgb8(str(confirmed.id)).shape == (24, 24, 3)
    if confirmed.kind == "mask":
        return storage.masks.pixels(str(confirmed.id)).shape == (24, 24)
    if confirmed.kind == "evidence":
        return storage.evidence.get(str(confirmed.id)).status == "pass"
    if confirmed.kind == "deleted":
        return _is_kept(storage, str(confirmed.id))
    if confirmed.kind == "selection":
        return storage.selections.get(confirmed.of).version >= int(confirmed.id)
    if confirmed.kind == "judgment":
        return storage.judgments.get(str(confirmed.id)).answer == "pass"
    if confirmed.kind == "vote":
        return confirmed.id in {event.id for event in storage.study_events.of(confirmed.of)}
    if confirmed.kind == "evaluation":
        answers = read_log(storage.data_dir / "askings" / confirmed.of).answers
        return len(answers) == confirmed.id
    return confirmed.kind == "result"  # runs are looked into all at once


def _is_kept(storage: Storage, image_id: str) -> bool:
    """Whether an image is stored, or was deleted and can be put back with its file."""
    try:
        return storage.images.srgb8(image_id).shape == (24, 24, 3)
    except NotStored:
        folders = [storage.data_dir / "trash" / item.trash_id for item in storage.trash.all()]
        return any((folder / f"images-{image_id}.png").is_file() for folder in folders)


@contextmanager
def loaded(data: Path, prompts: int = 60) -> Iterator[tuple[Storage, Load]]:
    """A data folder under load."""
    with Storage.open(data) as storage, Load(storage, prompts) as load:
        yield storage, load
