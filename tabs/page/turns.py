"""The kinds of long work, and the turns that it takes: so much of each kind at a time, and so much
in all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock, Semaphore

from truehue.core.errors import BadInput

FULL = "Too much is under way for all visitors together. Wait a few minutes and try again."


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
        Kind(DRAWING, "Images are drawn"),
        Kind(RUN, "A run", shared=True),
        Kind("images", "A folder of images is imported", most=2),
        Kind("scoring", "Imported images are scored", most=2),
        Kind("pictures", "A set of pictures is made", most=2),
        Kind("search", "An object is looked for in an image", most=4, waits=True),
        Kind("trial", "A trial of a run"),
        Kind("export", "An export of a run", shared=True),
        Kind("import", "An archive of a run is imported", shared=True),
        Kind("diagnosis", "A diagnosis of the rules", shared=True),
        Kind("rejudge", "Stored images are judged", shared=True),
        Kind("scores", "Pictures of runs are scored", shared=True),
        Kind("cells", "Colors of concepts are extracted", shared=True),
        Kind("questions", "Questions about images are made", most=2, shared=True),
        Kind("rules", "Rules judge diagnostic renders", shared=True),
        Kind(ASKING, "Questions are asked", shared=True),
        Kind("study", "A study is made", most=2, shared=True),
        Kind("backup", "A backup is made"),
    )
}


class Turns:
    """The turns of an app, or of all desks of a demonstration, which share the machine: ``most`` is
    how much may wait and run in all of them. For any thread."""

    def __init__(self, most: int = 10_000) -> None:
        self.of = {kind.id: Semaphore(kind.most) for kind in KINDS.values()}
        self._most, self._count, self._lock = most, 0, Lock()

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
