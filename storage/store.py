"""The entry point of storage: one data folder with its database and its files."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from truehue.core.errors import DataFolderError, NotStored
from truehue.core.files import ReportProgress, file_problem, ignore_progress, sweep
from truehue.core.studies import EventKind
from truehue.storage.accounts import Accounts
from truehue.storage.backup.backup import (
    BackupReport,
    BackupSource,
    back_up_before_migration,
    write_backup,
)
from truehue.storage.checks import dangling, missing_files
from truehue.storage.colorings import ColoringLayers, ColoringMarks, Colorings
from truehue.storage.concept_images.images import Images, Masks
from truehue.storage.concept_images.sets import ConceptImages, GeneratedImages, ImageProfiles
from truehue.storage.database.confirmed import Loss
from truehue.storage.database.connection import DATABASE_NAME, Clock, Database, aware, utc_now
from truehue.storage.database.migrations import FeatureTables
from truehue.storage.distributions import DistributionSets
from truehue.storage.jobs import Jobs
from truehue.storage.makers import Makers
from truehue.storage.prompts import PromptSets, Selections
from truehue.storage.results.queries import Results
from truehue.storage.runs.profiles import Profiles
from truehue.storage.runs.prompt_images import RunImages
from truehue.storage.runs.runs import Runs
from truehue.storage.scores.scores import Scores
from truehue.storage.sketches import Sketches
from truehue.storage.studies.events import StudyEvents
from truehue.storage.studies.participants import Participants
from truehue.storage.studies.publications import Publications
from truehue.storage.studies.studies import Invitations, Studies
from truehue.storage.trash import Trash
from truehue.storage.verdicts.agreement import Agreements
from truehue.storage.verdicts.evidence import Evidence
from truehue.storage.verdicts.generations import Generations
from truehue.storage.verdicts.judgments import Judgments
from truehue.storage.verdicts.object_colors import ObjectColors
from truehue.storage.vlm.evaluations import Evaluations
from truehue.storage.vlm.sets import QuestionSets

T = TypeVar("T", bound=FeatureTables)

log = logging.getLogger("truehue")

_CLOCK_AHEAD = timedelta(hours=1)


@dataclass(frozen=True)
class Totals:
    """How much is stored: rows, and the bytes of the database with its log. ``answers`` are those
    of participants, ``judgments`` what people said of verdicts."""

    images: int
    verdicts: int
    answers: int
    judgments: int
    database_bytes: int


class Losses:
    """The detected losses; each is reported until somebody has read it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def unread(self) -> list[Loss]:
        """Those that nobody has marked as read, oldest first."""
        rows = self._database.rows(
            "SELECT number, writes, since, until, replaced, log_copy FROM losses "
            "ANTI JOIN losses_read USING (number) ORDER BY number"
        )
        return [Loss(*row) for row in rows]

    def words(self) -> dict[int, str]:
        """What :meth:`unread` holds, in words, by number."""
        return {loss.number: loss.words(self._database.path) for loss in self.unread()}

    def read(self, number: int) -> None:
        """Tell a loss no more. Raises :class:`NotStored`."""
        if not self._database.rows("SELECT 1 FROM losses WHERE number = ?", [number]):
            raise NotStored(f"No loss is stored under the number {number}.")
        self._database.insert(
            "INSERT INTO losses_read VALUES (?, ?) ON CONFLICT DO NOTHING",
            [number, self._database.now()],
        )


class Storage:
    """A data folder: ``truehue.duckdb``, lossless PNGs below ``images/``, ``masks/``,
    ``sketches/`` and ``colorings/``, and sets of questions below ``questions/``.

    ``images``, ``masks``, ``evidence``, ``object_colors``, ``drawings``, ``generated_images``,
    ``prompt_sets``, ``selections``, ``agreement``, ``runs``, ``results``, ``run_pictures``,
    ``profiles``, ``distributions``, ``picture_sets``, ``picture_profiles``, ``trash``,
    ``judgments``, ``scores``, ``question_sets``, ``evaluations``, ``jobs``, ``makers``, ``accounts``,
    ``studies``, ``invitations``, ``publications``,
    ``participants``, ``study_events``, ``sketches``, ``colorings``, ``coloring_marks`` and
    ``coloring_layers`` hold the calls, ``losses`` what was found missing at a start. Any thread may
    use them; one process owns a folder at a time. It is a context manager that closes itself.
    """

    def __init__(self, data_dir: Path, database: Database) -> None:
        self.data_dir = data_dir
        self._database = database
        self._tables: dict[type, Any] = {}
        self._image_folder = data_dir / "images"
        self._mask_folder = data_dir / "masks"
        self._sketch_folder = data_dir / "sketches"
        self._coloring_folder = data_dir / "colorings"
        self.images = Images(database, self._image_folder)
        self.masks = Masks(database, self._mask_folder, self.images)
        self.evidence = Evidence(database, self.images, self.masks)
        self.object_colors = ObjectColors(database, self.images, self.masks)
        self.drawings = Generations(database)
        self.generated_images = GeneratedImages(database)
        self.prompt_sets = PromptSets(database)
        self.selections = Selections(database)
        self.agreement = Agreements(database)
        self.runs = Runs(database, self._image_folder, self._mask_folder)
        self.results = Results(database, self.runs)
        self.run_pictures = RunImages(database, self.runs)
        self.distributions = DistributionSets(database)
        self.image_profiles = ImageProfiles(database, self.images, self.masks)
        self.picture_sets = ConceptImages(database, self.images, self.masks, self.image_profiles)
        self.profiles = Profiles(database, self.runs)
        self.losses = Losses(database)
        self.trash = Trash(database, data_dir)
        self.judgments = Judgments(database)
        self.scores = Scores(database)
        self.question_sets = QuestionSets(data_dir / "questions")
        self.evaluations = Evaluations(database)
        self.jobs = Jobs(database)
        self.makers = Makers(database)
        self.accounts = Accounts(database)
        self.studies = Studies(database)
        self.invitations = Invitations(database)
        self.publications = Publications(database)
        self.sketches = Sketches(database, self._sketch_folder)
        self.colorings = Colorings(database)
        self.coloring_marks = ColoringMarks(database)
        self.coloring_layers = ColoringLayers(database, self._coloring_folder)
        self.participants = Participants(database, self.coloring_layers)
        self.study_events = StudyEvents(database)

    @classmethod
    def open(cls, data_dir: Path | str, clock: Clock = utc_now, *, back_up: bool = True) -> Storage:
        """Open the data folder, making it and its database where they are missing.

        ``clock`` returns the time with its zone. A file that is refused is left untouched. The
        folder is backed up before steps change a database that has rows, unless ``back_up`` is
        false. Raises :class:`DataFolderError` for a folder that cannot be written, or without room
        for that, :class:`DatabaseNewer`, :class:`DatabaseDamaged` (also for a file that is not
        ours) and :class:`DatabaseBusy`.
        """
        folder = prepare_folder(data_dir)

        def before_migration(step: int) -> None:
            if back_up:
                path = back_up_before_migration(folder, step).path
                log.warning("The data of before this update is backed up: %s", path)

        database = Database.open(folder / DATABASE_NAME, clock, before_migration=before_migration)
        opened = cls(folder, database)
        # The folder is ours alone now: what a killed process was writing has no use.
        for index in (folder, *opened._image_folders, opened.question_sets.root):
            with suppress(OSError):
                sweep(index)
        try:
            opened._database.not_before(opened.evidence.newest_time())
            opened._warn_of_clock()
            opened.trash.settle()
        except BaseException:
            opened.close()
            raise
        return opened

    def _warn_of_clock(self) -> None:
        """Write a line to the log where rows are newer than the machine's clock says it is."""
        newest, now = self._database.newest_row(), self._database.machine_time()
        if newest > now + _CLOCK_AHEAD:
            log.warning(
                "The newest row of %s was stored at %s UTC, and this machine's clock says %s UTC. "
                "One of the clocks was or is wrong: set this one if it is. Until it has caught up, "
                "new rows can have the same time. Sessions go by this machine's clock.",
                self.data_dir,
                f"{newest:%Y-%m-%d %H:%M:%S}",
                f"{now:%Y-%m-%d %H:%M:%S}",
            )

    def check(self) -> list[str]:
        """Return one sentence for each reference or file that is missing; empty if all is well."""
        return [
            *dangling(self._database),
            *missing_files(
                self._database, self._image_folder, self._mask_folder, self._sketch_folder
            ),
        ]

    @property
    def _image_folders(self) -> tuple[Path, ...]:
        return self._image_folder, self._mask_folder, self._sketch_folder, self._coloring_folder

    def counts(self, without_source: str) -> tuple[int, int]:
        """Return how many images there are, but for those of one source, and how many verdicts, on
        images that were added here and in runs; in one question."""
        ((images, verdicts),) = self._database.rows(
            "SELECT (SELECT count(*) FROM images WHERE source <> ?), "
            "(SELECT count(*) FROM evidence) + (SELECT count(*) FROM run_verdicts)",
            [without_source],
        )
        return int(images), int(verdicts)

    def totals(self) -> Totals:
        """Return how much is stored."""
        ((images, verdicts, answers, judgments),) = self._database.rows(
            "SELECT (SELECT count(*) FROM images), "
            "(SELECT count(*) FROM evidence) + (SELECT count(*) FROM run_verdicts), "
            "(SELECT count(*) FROM study_events WHERE kind = ?), "
            "(SELECT count(*) FROM verdict_judgments)",
            [EventKind.ANSWER],
        )
        return Totals(images, verdicts, answers, judgments, self._database.size_bytes())

    def require_answering(self) -> None:
        """Return if the database answers. Raises as :meth:`require_installed`, and
        :class:`StorageError`."""
        self.require_installed()
        self._database.tally()

    def require_installed(self) -> None:
        """Return if the data folder is the one that was opened; nothing can be stored otherwise.

        Raises :class:`DataFolderError` where it was deleted, moved or unmounted meanwhile.
        """
        self._database.require_installed()

    def seal(self) -> None:
        """From now on only look: every call that stores something raises
        :class:`StorageError`."""
        self._database.seal()

    def tables(self, kind: type[T]) -> T:
        """Return the tables of a feature, made in the database or brought to their last step when
        they are first asked for; see :class:`truehue.storage.database.migrations.FeatureTables`.

        Raises :class:`DatabaseNewer` where a newer version of the feature changed them.
        """
        if kind not in self._tables:
            self._database.migrate_feature(kind.name, kind.steps)
            self._tables[kind] = kind(self._database)
        return self._tables[kind]

    def copy_to(self, folder: Path) -> None:
        """Make the new data folder ``folder`` with what is stored now.

        PNGs, which are never changed, get a second name without a second copy where the disk can do
        that. Raises OSError where it cannot be written; then a part of it may be there.
        """
        self.require_installed()
        folder.mkdir(parents=True)
        self._database.copy_to(folder)
        for picture_folder in self._image_folders:
            if picture_folder.is_dir():
                shutil.copytree(
                    picture_folder, folder / picture_folder.name, copy_function=_second_name
                )

    def copy_database(self, folder: Path) -> None:
        """Copy the database's files, while nobody changes them, into the empty ``folder``, and with
        them what was deleted until then: later it may be put back or gone for good.

        Raises :class:`DataFolderError` where the data folder is gone, and OSError.
        """
        with self.trash.still() as deleted:
            self._database.copy_to(folder)
            if deleted.is_dir():
                shutil.copytree(deleted, folder / deleted.name, copy_function=_second_name)

    def write_backup(
        self, path: Path, *, replace: bool = False, progress: ReportProgress = ignore_progress
    ) -> BackupReport:
        """Back the data folder up to the file ``path``, while others go on; see
        :func:`truehue.storage.backup.backup.write_backup`."""
        source = BackupSource(self.data_dir, self.copy_database, self.data_dir)
        return write_backup(source, path, replace=replace, progress=progress)

    def snapshot(self) -> AbstractContextManager[None]:
        """A block in which this thread reads one moment (:meth:`Database.snapshot`)."""
        return self._database.snapshot()

    def now(self) -> datetime:
        """The time, UTC, as the next row would have it: never before that of an earlier one."""
        return aware(self._database.now())

    def close(self) -> None:
        """Close the database; closing twice is fine. Later calls raise :class:`StorageError`."""
        self.study_events.close()
        self._database.close()

    def __enter__(self) -> Storage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _second_name(source: str, goal: str) -> str:
    try:
        os.link(source, goal)
    except OSError:
        shutil.copyfile(source, goal)
    return goal


def prepare_folder(folder: Path | str) -> Path:
    """Make ``folder``, try that it can be written, and return its absolute path.

    Raises :class:`DataFolderError` where that cannot be done.
    """
    try:
        path = Path(folder).expanduser().resolve()
        path.mkdir(parents=True, exist_ok=True)
        # Permissions do not tell the truth everywhere (read-only mounts, network folders, the
        # administrator), so write something and see.
        trial = path / f".trial-{secrets.token_hex(8)}"
        trial.touch(exist_ok=False)
        trial.unlink()
    except (OSError, RuntimeError) as error:
        raise DataFolderError(
            f"The data folder {folder} cannot be used: {file_problem(error)}. "
            "Choose a folder that you may write to, or change its permissions."
        ) from error
    return path
