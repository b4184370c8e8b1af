"""Start and resume runs from the command line."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truehue.core.batch.execute import pausing_on_interrupt
from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.command import ProgressLine, print_now
from truehue.core.errors import BadInput, DatabaseBusy, DataFolderError, TrueHueError
from truehue.core.generation.backends.endpoints import configured_endpoints
from truehue.core.generation.opening import missing
from truehue.core.generation.registry import model
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks import salient
from truehue.core.masks.grounded.weights import ROLES, WITHOUT, vision_model
from truehue.core.masks.grounded.weights import missing as missing_tool
from truehue.core.runs.controls import controls_text
from truehue.core.runs.estimate import Estimate, free_bytes
from truehue.core.runs.folder import RunFolder, folder_named, run_folders
from truehue.core.runs.plan import run_id as id_of_plan
from truehue.core.runs.records import DRAWN, GROUNDED, SALIENT, STORED, RunPlan
from truehue.core.runs.worker import ExecutionSettings, WorkerSettings, execute
from truehue.tabs.batches.messages import bytes_text, time_text
from truehue.tabs.command.plans import (
    describe_masks,
    refuse_unscored,
    requested_plans,
    with_masks,
)
from truehue.tabs.command.status import full_status_json, held_text, run_command, runs_root
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import read_as
from truehue.tabs.runs.messages import (
    images_text,
    money_text,
    plan_remarks,
    progress_text,
    share_text,
    space_problem,
)
from truehue.tabs.runs.plan import about_of, default_workers, devices_remarks, sharing_text
from truehue.tabs.runs.request import Workers
from truehue.tabs.runs.trial import Trials

FINISHED, ENDED_EARLY = 0, 3

ExecuteAll = Callable[[argparse.Namespace, Sequence[RunFolder], ExecutionSettings], int]


def start(options: argparse.Namespace, execute_all: ExecuteAll | None = None) -> int:
    """Makes the plans, says what they take, and executes one after the other, or as ``execute_all``
    does."""
    inputs, run_plans = requested_plans(options)
    request = inputs.request
    if not options.estimate_only:
        refuse_unscored(run_plans[0], options.masker)
    crew = workers_of(options, about_of(run_plans[0]))
    check_folder(Path(options.data).expanduser())
    remarks = plan_remarks(inputs.request, run_plans)
    if crew.team == "local":
        remarks = [*remarks, *devices_remarks(run_plans, crew.sources)]
    if crew.team == "local" and (shared := sharing_text(crew.workers, about_of(run_plans[0]))):
        remarks = [*remarks, shared]
    if options.adaptive:
        whole = "Time and disk space are those of the whole set."
        remarks = [*remarks, share_text(run_plans, options.adaptive), whole]
    estimates = _say_estimate(options, run_plans, crew, request.price, remarks)
    if options.estimate_only:
        return FINISHED
    known = {folder.run_id for folder in run_folders(runs_root(options))}
    wanted_bytes = (
        sum(
            estimate.disk_bytes
            for plan, estimate in zip(run_plans, estimates, strict=True)
            if id_of_plan(plan) not in known
        )
        * (options.adaptive or 100.0)
        // 100.0
    )
    if problem := space_problem(wanted_bytes, free_bytes(runs_root(options)), runs_root(options)):
        raise BadInput(problem)
    if not _agreed(options):
        return FINISHED
    folders = [RunFolder.create(runs_root(options), plan) for plan in run_plans]
    if options.plan_only:
        return _say_planned(options, folders)
    return (execute_all or _execute_all)(options, folders, crew)


def _say_planned(options: argparse.Namespace, folders: Sequence[RunFolder]) -> int:
    """Prints the runs that are planned and not started."""
    if options.json:
        print_now(json.dumps({"planned": [folder.run_id for folder in folders]}))
        return FINISHED
    for folder in folders:
        print_now(f"Planned, not started: {folder.summary()['name']}, id {folder.run_id}")
        script = run_command(options, "script", folder.run_id[:8], "--slurm")
        print_now(f"  {script} > job.sh")
    return FINISHED


def resume(options: argparse.Namespace) -> int:
    """Goes on with a run."""
    folder = folder_named(runs_root(options), options.name)
    return _execute_all(options, [folder], workers_of(options, folder.summary()))


def retry(options: argparse.Namespace) -> int:
    """Goes on, with another attempt at what failed."""
    folder = folder_named(runs_root(options), options.name)
    return _execute_all(options, [folder], workers_of(options, folder.summary()), retry_failed=True)


def workers_of(options: argparse.Namespace, about: Mapping[str, Any]) -> ExecutionSettings:
    """The workers that the options ask for, by default as many as the machine has GPUs or cores."""
    workers = options.workers if options.workers is not None else default_workers(about)
    ray = getattr(options, "ray", None)  # tasks of a job array have none
    servers = configured_endpoints(Path(options.endpoints) if options.endpoints else None)
    return ExecutionSettings(
        workers=read_as(Workers, {"workers": workers}).workers,
        team="local" if ray is None else "ray",
        address=ray or "",
        sources=Sources.local(Path(options.models).expanduser() if options.models else None),
        endpoints={server.name: server for server in servers},
    )


def _say_estimate(
    options: argparse.Namespace,
    run_plans: Sequence[RunPlan],
    crew: ExecutionSettings,
    price: float | None,
    remarks: Sequence[str],
) -> list[Estimate]:
    """Says what the runs will take, and returns it, one for each."""
    trials = Trials()
    # Weights that are missing are a failure of the run; an estimate only says so.
    missing = [list_missing(plan, crew) if options.estimate_only else () for plan in run_plans]
    if not (options.no_trial or options.yes) and crew.team == "local":
        ready = [plan for plan, sentences in zip(run_plans, missing, strict=True) if not sentences]
        _try_out(options, trials, ready, crew)
    each = [trials.estimate(plan, runs_root(options), crew.workers) for plan in run_plans]
    seconds = _sum(each)
    if options.json:
        cost = None if price is None or seconds is None else seconds / 3600 * price
        rows = [asdict(estimate) for estimate in each]
        masks = (
            {"with_masks": sum(map(with_masks, run_plans))} if run_plans[0].kind == STORED else {}
        )
        print_now(
            json.dumps(
                {
                    "estimate": rows,
                    "seconds": seconds,
                    "cost": cost,
                    **masks,
                    **({"missing": sum(missing, ())} if any(missing) else {}),
                }
            )
        )
        return each
    print_now(images_text(run_plans))
    for sentence in (*remarks, *describe_masks(run_plans)):
        print_now(sentence)
    for plan, estimate, sentences in zip(run_plans, each, missing, strict=True):
        print_now(f"  {plan.name}")
        pace = estimate.seconds_a_picture
        about = "" if pace is None else f"{pace:.3g} s per image and worker. "
        print_now(f"    {about}{estimate.basis}")
        if sentences:
            print_now("    It cannot start yet:")
        for sentence in sentences:
            print_now(f"    {sentence}")
    reference_set = "" if seconds is None else f", with {count_noun(crew.workers, 'worker')}"
    print_now(f"Time: {'' if seconds is None else 'about '}{time_text(seconds)}{reference_set}")
    disk_bytes = sum(estimate.disk_bytes for estimate in each)
    print_now(f"Disk: about {bytes_text(disk_bytes)} in {runs_root(options)}")
    if price is not None:
        print_now(f"Cost: {money_text(seconds, price)}, at {price:g} per hour")
    return each


def _try_out(
    options: argparse.Namespace,
    trials: Trials,
    run_plans: Sequence[RunPlan],
    crew: ExecutionSettings,
) -> None:
    def before() -> None:
        print_now("Timing a test of 3 images …", file=sys.stderr)

    settings = WorkerSettings(crew.sources, dict(crew.endpoints))
    trials.try_out(run_plans, settings, runs_root(options), before)


def _sum(each: Sequence[Estimate]) -> float | None:
    durations_s = [estimate.seconds for estimate in each if estimate.seconds is not None]
    return sum(durations_s) if len(durations_s) == len(each) else None


def _agreed(options: argparse.Namespace) -> bool:
    """Asks, where there is somebody to answer."""
    if options.yes or options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    try:
        answer = input("Start? [Y/n] ")
    except EOFError:
        return True
    return answer.strip().lower() in ("", "y", "yes")


def _execute_all(
    options: argparse.Namespace,
    folders: Sequence[RunFolder],
    crew: ExecutionSettings,
    retry_failed: bool = False,
) -> int:
    """One run after the other; one that ends early leaves the rest for later."""
    for index, folder in enumerate(folders):
        state = _execute(options, folder, crew, retry_failed)
        if state.status != "finished":
            for other in folders[index + 1 :]:
                hint = run_command(options, "resume", other.run_id[:8])
                print_now(f"Not started: {other.summary()['name']}; {hint}", file=sys.stderr)
            return ENDED_EARLY
    return FINISHED


def _execute(
    options: argparse.Namespace, folder: RunFolder, crew: ExecutionSettings, retry_failed: bool
) -> BatchState:
    name, short = folder.summary()["name"], folder.run_id[:8]
    if not options.json:
        print_now(f"{name} ({short})", file=sys.stderr)
    line = RunProgress(options.json, folder.path)
    if state_of(folder).status != "running":
        folder.set_desired_state("run")
    try:
        with pausing_on_interrupt(folder):
            state = execute(folder, crew, retry_failed=retry_failed, watch=line)
    finally:
        line.close()
    used = ingest(options, folder)
    if options.json:
        print_now(json.dumps(full_status_json(folder)))
        return state
    print_now(f"{state.status.capitalize()}: {progress_text(state)}", file=sys.stderr)
    for sentence in (state.message, used):
        if sentence:
            print_now(sentence, file=sys.stderr)
    for text, count in state.problems[:5]:
        print_now(f"  {count:,} × {text}", file=sys.stderr)
    for sentence in held_text(folder, state):
        print_now(f"  {sentence}", file=sys.stderr)
    if state.status != "finished":
        print_now(f"Go on: {run_command(options, 'resume', short)}", file=sys.stderr)
    elif state.failed:
        hint = run_command(options, "retry", short)
        print_now(f"Try the failed ones again: {hint}", file=sys.stderr)
    return state


def ingest(options: argparse.Namespace, folder: RunFolder) -> str:
    """Puts what was done into the database, where the app does not do it itself."""
    from truehue.storage.store import Storage

    try:
        with Storage.open(options.data) as storage:
            count = storage.runs.ingest(folder)
        return (
            f"{count_noun(count, 'image')} imported into the database of {options.data}."
            if count
            else ""
        )
    except DatabaseBusy:
        if options.shared:
            return (
                f"The app has {options.data} open. Where it was started with "
                f"--runs {runs_root(options)}, it imports the results; else, when it has ended: "
                f"{run_command(options, 'import', str(folder.path))}"
            )
        return f"The app that has {options.data} open imports the results."
    except TrueHueError as error:
        return f"The results are in {folder.path}, but not in the database: {error}"


PIPE_S, JSON_S = 30.0, 1.0


class RunProgress:
    """A ``watch`` of truehue.core.runs.worker: on a terminal one line that is written over, in a
    pipe a line every 30 seconds, with ``as_json`` an object a second on standard output. The result
    of the control images in ``folder`` comes once, on standard error, unless they were there before
    and ``says_controls`` is False."""

    def __init__(self, as_json: bool, folder: Path, says_controls: bool = True) -> None:
        self._json, self._last = as_json, 0.0
        self._line = ProgressLine(PIPE_S, terminal_s=0.0)
        self._folder = folder
        self._controls_said = not says_controls and bool(controls_text(folder))

    def __call__(self, state: BatchState) -> None:
        if not self._controls_said and (sentences := controls_text(self._folder)):
            self._controls_said = True
            self._line.close()
            for sentence in sentences:
                print_now(sentence, file=sys.stderr)
        if not self._json:
            self._line.show(lambda: progress_text(state))
        elif time.monotonic() - self._last >= JSON_S:
            self._last = time.monotonic()
            print_now(json.dumps(asdict(state)))

    def close(self) -> None:
        """Leaves the line."""
        self._line.close()


def list_missing(plan: RunPlan, crew: ExecutionSettings) -> tuple[str, ...]:
    """What is missing on this machine before the plan's models can work, a sentence each."""
    problems: list[str] = []
    if plan.kind == DRAWN:
        problems += missing(model(plan.model), None, crew.sources, crew.endpoints)
    if plan.masker.kind == SALIENT and not salient.is_available(crew.sources):
        problems.append(salient.how_to_get(crew.sources))
    if plan.masker.kind == GROUNDED:
        for role in ROLES:
            if name := getattr(plan.masker, role):
                # What else could be done without it is for people at a page.
                sentences = missing_tool(vision_model(name, role), crew.sources)
                problems += [sentence for sentence in sentences if sentence != WITHOUT[role]]
    return tuple(dict.fromkeys(problems))


def check_folder(data: Path) -> None:
    """Raises DataFolderError for a data folder that can be none, before anything is estimated."""
    inside = next((path for path in (data, *data.parents) if path.exists()), data)
    if not inside.is_dir():
        raise DataFolderError(
            f"The data folder {data} cannot be used: {inside} is a file. Choose a folder."
        )
