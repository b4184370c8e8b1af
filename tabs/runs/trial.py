"""The time per image: from earlier runs, or from a trial of a few in a separate process."""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Event
from typing import Any

from truehue.core.batch.local_team import follow_parent
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.request import Cancelled
from truehue.core.runs.estimate import Estimate, by_trial, estimate, trial
from truehue.core.runs.records import RunPlan
from truehue.core.runs.worker import WorkerSettings

log = logging.getLogger("truehue")

LOOK_S = 0.1


class Trials:
    """What trials have told since the app began, by what decides how long a picture takes.

    Any thread may call it.
    """

    def __init__(self) -> None:
        self._known: dict[Any, Estimate] = {}

    def estimate(self, plan: RunPlan, root: Path, workers: int) -> Estimate:
        """What the plan would take: by earlier runs, else by a trial that was made, else without a
        time."""
        result = estimate(plan, root, workers)
        tried = self._known.get(_key(plan))
        if result.seconds is not None or tried is None or tried.seconds_a_picture is None:
            return result
        return by_trial(plan, tried, workers)

    def try_out(
        self,
        plans: Sequence[RunPlan],
        settings: WorkerSettings,
        root: Path,
        before: Callable[[], None] = lambda: None,
        stop: Event | None = None,
    ) -> None:
        """Draws and judges a few pictures of each plan that nothing is known of, and throws them
        away. ``before`` is called before the first. Raises TrueHueError, such as for weights that
        are missing, and Cancelled once ``stop`` is set."""
        for plan in plans:
            if stop is not None and stop.is_set():
                raise Cancelled
            if self.estimate(plan, root, 1).seconds is None:
                before()
                self._known[_key(plan)] = in_process(plan, settings, stop)


def in_process(plan: RunPlan, settings: WorkerSettings, stop: Event | None = None) -> Estimate:
    """A trial in a process that ends with it: models leave no memory behind. Once ``stop`` is set
    the process is ended, and Cancelled raised."""
    spawning = get_context("spawn")
    ours, theirs = spawning.Pipe(duplex=False)
    # The folder is ours: a process that is ended clears nothing away.
    with tempfile.TemporaryDirectory(prefix="truehue-trials-") as location, ours:
        process = spawning.Process(
            target=_serve,
            args=(theirs, plan, settings, location),
            name="truehue-trial",
            daemon=True,
        )
        process.start()
        theirs.close()
        try:
            while not wait([ours, process.sentinel], LOOK_S):
                if stop is not None and stop.is_set():
                    raise Cancelled
            answer = ours.recv()
        except EOFError:
            raise BadInput(
                "The trial's process was ended, perhaps for want of memory. Choose a smaller size."
            ) from None
        finally:
            process.kill()
            process.join()
    if isinstance(answer, Estimate):
        return answer
    raise answer


def _serve(pipe: Connection, plan: RunPlan, settings: WorkerSettings, location: str) -> None:
    """The life of a trial's process: it sends an estimate, or the error that came instead."""
    follow_parent()
    tempfile.tempdir = location
    answer: Estimate | Exception
    try:
        answer = trial(plan, settings)
    except TrueHueError as error:
        # Not as it is: some of ours cannot be sent whole.
        answer = (BadInput if isinstance(error, BadInput) else TrueHueError)(str(error))
    except Exception as error:
        log.exception("a trial broke")
        answer = RuntimeError(f"{type(error).__name__}: {error}")
    pipe.send(answer)


def _key(plan: RunPlan) -> Any:
    """What decides how long one picture takes."""
    return (
        plan.model,
        plan.kind,
        plan.size_px,
        plan.steps,
        plan.guidance,
        plan.masker,
        plan.rules,
        plan.guidances,
        plan.set_name,
        plan.keep_images,
        json.dumps(plan.options, sort_keys=True),
    )
