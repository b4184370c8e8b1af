"""Beginning runs, and going on with them, from the command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truehue.core.batch.execute import pausing_on_interrupt
from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.color.munsell import load_munsell
from truehue.core.errors import BadInput, DatabaseBusy, TrueHueError
from truehue.core.generation.backends.endpoints import configured_endpoints
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.weights.sources import Sources
from truehue.core.runs.estimate import Estimate, room_bytes
from truehue.core.runs.execute import ExecutionSettings, execute
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.plan import run_id as id_of_plan
from truehue.core.runs.records import STORED, RunPlan
from truehue.core.runs.worker import WorkerSettings
from truehue.tabs.batches.messages import bytes_text, time_text
from truehue.tabs.command.before import (
    check_folder,
    lacking,
    mask_words,
    refuse_unscored,
    with_masks,
)
from truehue.tabs.command.line import Line, say
from truehue.tabs.command.sets import plan_inputs
from truehue.tabs.command.status import folder_named, full_status_json, held_text
from truehue.tabs.page.errors import counted
from truehue.tabs.page.requests import read_as
from truehue.tabs.runs.machine import about_of, default_workers, sharing_text
from truehue.tabs.runs.messages import (
    images_text,
    money_text,
    plan_remarks,
    progress_text,
    space_problem,
)
from truehue.tabs.runs.plan import plans
from truehue.tabs.runs.request import RunRequest, Workers
from truehue.tabs.runs.trial import Trials

FINISHED, ENDED_EARLY = 0, 3


def start(options: argparse.Namespace) -> int:
    """Makes the plans, says what they take, and executes one after the other."""
    if options.images_of and (options.model or options.images_from):
        raise BadInput("--images-of scores what is stored: leave out --model and --images-from.")
    if options.settings and (options.images_of or options.images_from):
        raise BadInput("--settings is for images that are generated: leave it out.")
    if options.images_from and len(options.model or ()) != 1:
        raise BadInput("Say with one --model who made the images of --images-from.")
    stored = bool(options.images_of or options.images_from)
    request = read_as(RunRequest, _fields(options, stored))
    spec, price = request.spec(), request.price
    if options.munsell:
        load_munsell(options.munsell)
    inputs = plan_inputs(options, spec)
    munsell = str(Path(options.munsell).resolve()) if options.munsell else ""
    run_plans = plans(
        inputs.spec, inputs.prompts, inputs.title, inputs.set_name, munsell, inputs.items
    )
    if not options.estimate_only:
        refuse_unscored(run_plans[0], options.masker)
    crew = _crew(options, about_of(run_plans[0]))
    check_folder(Path(options.data).expanduser())
    remarks = plan_remarks(inputs.spec, run_plans)
    if crew.team == "local" and (shared := sharing_text(crew.workers, about_of(run_plans[0]))):
        remarks = [*remarks, shared]
    estimates = _say_estimate(options, run_plans, crew, price, remarks)
    if options.estimate_only:
        return FINISHED
    known = {folder.run_id for folder in run_folders(options.root)}
    wanted_bytes = sum(
        estimate.disk_bytes
        for plan, estimate in zip(run_plans, estimates, strict=True)
        if id_of_plan(plan) not in known
    )
    if problem := space_problem(wanted_bytes, room_bytes(options.root), options.root):
        raise BadInput(problem)
    if not _agreed(options):
        return FINISHED
    folders = [RunFolder.create(options.root, plan) for plan in run_plans]
    return _execute_all(options, folders, crew)


def resume(options: argparse.Namespace) -> int:
    """Goes on with a run."""
    folder = folder_named(options.root, options.name)
    return _execute_all(options, [folder], _crew(options, folder.summary()))


def retry(options: argparse.Namespace) -> int:
    """Goes on, with another attempt at what failed."""
    folder = folder_named(options.root, options.name)
    return _execute_all(options, [folder], _crew(options, folder.summary()), retry_failed=True)


def _fields(options: argparse.Namespace, stored: bool) -> dict[str, Any]:
    """The options as the form's fields."""
    names = (
        "set",
        "task",
        "system",
        "concepts",
        "limit",
        "images",
        "seed",
        "size",
        "steps",
        "guidance",
        "settings",
        "negative",
        "light",
        "failure",
        "masker",
        "detector",
        "segmenter",
        "presence",
        "variant",
        "rules",
        "k",
        "name",
    )
    models = [options.images_of] if options.images_of else options.model or [RENDERER]
    return {
        **{name: getattr(options, name) for name in names},
        "kind": "stored" if stored else "drawn",
        "models": models,
        "price": options.price_per_hour,
        "workers": options.workers,
    }


def _crew(options: argparse.Namespace, about: Mapping[str, Any]) -> ExecutionSettings:
    workers = options.workers if options.workers is not None else default_workers(about)
    servers = configured_endpoints(Path(options.endpoints) if options.endpoints else None)
    return ExecutionSettings(
        workers=read_as(Workers, {"workers": workers}).workers,
        team="local" if options.ray is None else "ray",
        address=options.ray or "",
        sources=Sources.here(Path(options.models).expanduser() if options.models else None),
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
    missing = [lacking(plan, crew) if options.estimate_only else () for plan in run_plans]
    if not (options.no_trial or options.yes) and crew.team == "local":
        ready = [plan for plan, sentences in zip(run_plans, missing, strict=True) if not sentences]
        _try_out(options, trials, ready, crew)
    each = [trials.estimate(plan, options.root, crew.workers) for plan in run_plans]
    seconds = _sum(each)
    if options.json:
        cost = None if price is None or seconds is None else seconds / 3600 * price
        rows = [asdict(estimate) for estimate in each]
        masks = (
            {"with_masks": sum(map(with_masks, run_plans))} if run_plans[0].kind == STORED else {}
        )
        say(
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
    say(images_text(run_plans))
    for sentence in (*remarks, *mask_words(run_plans)):
        say(sentence)
    for plan, estimate, sentences in zip(run_plans, each, missing, strict=True):
        say(f"  {plan.name}")
        pace = estimate.seconds_a_picture
        about = "" if pace is None else f"{pace:.3g} s per image and worker. "
        say(f"    {about}{estimate.basis}")
        if sentences:
            say("    It cannot start yet:")
        for sentence in sentences:
            say(f"    {sentence}")
    reference_set = "" if seconds is None else f", with {counted(crew.workers, 'worker')}"
    say(f"Time: {'' if seconds is None else 'about '}{time_text(seconds)}{reference_set}")
    disk_bytes = sum(estimate.disk_bytes for estimate in each)
    say(f"Disk: about {bytes_text(disk_bytes)} in {options.root}")
    if price is not None:
        say(f"Cost: {money_text(seconds, price)}, at {price:g} per hour")
    return each


def _try_out(
    options: argparse.Namespace,
    trials: Trials,
    run_plans: Sequence[RunPlan],
    crew: ExecutionSettings,
) -> None:
    def before() -> None:
        say("Timing a test of 3 images …", file=sys.stderr)

    settings = WorkerSettings(crew.sources, dict(crew.endpoints))
    trials.try_out(run_plans, settings, options.root, before)


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
                say(
                    f"Not started: {other.summary()['name']}; python -m truehue runs resume "
                    f"{other.run_id[:8]}",
                    file=sys.stderr,
                )
            return ENDED_EARLY
    return FINISHED


def _execute(
    options: argparse.Namespace, folder: RunFolder, crew: ExecutionSettings, retry_failed: bool
) -> BatchState:
    name, short = folder.summary()["name"], folder.run_id[:8]
    if not options.json:
        say(f"{name} ({short})", file=sys.stderr)
    line = Line(sys.stdout, sys.stderr, options.json)
    if state_of(folder).status != "running":
        folder.set_desired_state("run")
    try:
        with pausing_on_interrupt(folder):
            state = execute(folder, crew, retry_failed=retry_failed, watch=line)
    finally:
        line.close()
    used = _taken_in(options, folder)
    if options.json:
        say(json.dumps(full_status_json(folder)))
        return state
    say(f"{state.status.capitalize()}: {progress_text(state)}", file=sys.stderr)
    for sentence in (state.message, used):
        if sentence:
            say(sentence, file=sys.stderr)
    for text, count in state.problems[:5]:
        say(f"  {count:,} × {text}", file=sys.stderr)
    for sentence in held_text(folder, state):
        say(f"  {sentence}", file=sys.stderr)
    if state.status != "finished":
        say(f"Go on: python -m truehue runs resume {short}", file=sys.stderr)
    elif state.failed:
        say(f"Try the failed ones again: python -m truehue runs retry {short}", file=sys.stderr)
    return state


def _taken_in(options: argparse.Namespace, folder: RunFolder) -> str:
    """Puts what was done into the database, where the app does not do it itself."""
    from truehue.storage.store import Storage

    try:
        with Storage.open(options.data) as storage:
            count = storage.runs.ingest(folder)
        return (
            f"{counted(count, 'image')} imported into the database of {options.data}."
            if count
            else ""
        )
    except DatabaseBusy:
        if options.shared:
            return (
                f"The app has {options.data} open. Where it was started with "
                f"--runs {options.root}, it imports the results; else, when it has ended: "
                f"python -m truehue runs import {folder.path}"
            )
        return f"The app that has {options.data} open imports the results."
    except TrueHueError as error:
        return f"The results are in {folder.path}, but not in the database: {error}"
