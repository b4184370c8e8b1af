"""The kinds of long work, and the turns that it takes: so much of each kind at a time, and so much
in all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock, Semaphore

from truehue.core.errors import BadInput

FULL = "Too many jobs of visitors are running. Wait a few minutes and try again."


@dataclass(frozen=True)
class Kind:
    """A kind of long work: ``title`` is what others are told of it, ``most`` how many of it run at
    a time. Further ones wait where it ``waits``, else they are refused. Of what is ``shared`` all
    are told all: it changes what everybody sees."""

    id: str
    title: str
    most: int = 1
    waits: bool = False
    shared: bool = False


DRAWING, RUN, ASKING = "drawing", "run", "asking"
KINDS: Mapping[str, Kind] = {
    kind.id: kind
    for kind in (
        Kind(DRAWING, "Generating images"),
        Kind(RUN, "A run", shared=True),
        Kind("images", "Importing a folder of images", most=2),
        Kind("scoring", "Scoring imported images", most=2),
        Kind("pictures", "Creating an image set", most=2),
        Kind("search", "Finding an object in an image", most=4, waits=True),
        Kind("trial", "Timing test for a run"),
        Kind("export", "Exporting a run", shared=True),
        Kind("import", "Importing a run archive", shared=True),
        Kind("diagnosis", "Measuring rule accuracy", shared=True),
        Kind("rejudge", "Scoring stored images", shared=True),
        Kind("scores", "Scoring images of runs", shared=True),
        Kind("cells", "Extracting colors of concepts", shared=True),
        Kind("questions", "Generating a question set", most=2, shared=True),
        Kind("rules", "Scoring diagnostic renders", shared=True),
        Kind(ASKING, "Evaluating a model", shared=True),
        Kind("study", "Creating a study", most=2, shared=True),
        Kind("backup", "Backing up"),
    )
}


class ConcurrencyLimits:
    """The turns of an app, or of all desks of a demonstration, which share the machine: ``most`` is
    how much may wait and run in all of them. For any thread."""

    def __init__(self, limit: int = 10_000) -> None:
        self.of = {kind.id: Semaphore(kind.most) for kind in KINDS.values()}
        self._most, self._count, self._lock = limit, 0, Lock()

    def enter(self) -> None:
        """One more is under way. Raises BadInput where that is too much."""
        with self._lock:
            if self._count >= self._most:
                raise BadInput(FULL)
            self._count += 1

    def leave(self) -> None:
        """One has ended."""
        with self._lock:
            self._count -= 1
