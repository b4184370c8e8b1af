"""Beginning runs, and going on with them, from the command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.color.munsell import load_munsell
from core.errors import BadInput, DatabaseBusy, TrueHueError
from core.generation.backends.endpoints import endpoints_here
from core.generation.registry import RENDERER
from core.generation.weights.sources import Sources
from core.runs.estimate import Estimate
from core.runs.execute import ExecutionSettings, execute, pausing_on_interrupt
from core.runs.folder import RunFolder
from core.runs.records import STORED, RunPlan, RunState
from core.runs.worker import WorkerSettings
from tabs.command.ask import found, held_words, told_in_full
from tabs.command.before import check_folder, lacking, mask_words, with_masks
from tabs.command.line import Line, say
from tabs.command.sets import gathered
from tabs.page.errors import many
from tabs.page.requests import read_as
from tabs.runs.machine import about_of, default_workers
from tabs.runs.plan import plans
from tabs.runs.request import RunRequest, Workers
from tabs.runs.trial import Trials
from tabs.runs.words import (
    bytes_words,
    money_words,
    pictures_words,
    progress_words,
    time_words,
    told_before,
)

FINISHED, ENDED_EARLY = 0, 3


def start(asked: argparse.Namespace) -> int:
    """Makes the plans, says what they take, and executes one after the other."""
    if asked.images_of and (asked.model or asked.images_from):
        raise BadInput("--images-of scores what is stored: leave out --model and --images-from.")
    if asked.images_from and len(asked.model or ()) != 1:
        raise BadInput("Say with one --model who made the pictures of --images-from.")
    stored = bool(asked.images_of or asked.images_from)
    wanted = read_as(RunRequest, _given(asked, stored))
    wish, price = wanted.wish(), wanted.price
    if asked.munsell:
        load_munsell(asked.munsell)
    got = gathered(asked, wish)
    munsell = str(Path(asked.munsell).resolve()) if asked.munsell else ""
    made = plans(got.wish, got.prompts, got.title, got.set_name, munsell, got.items)
    crew = _crew(asked, about_of(made[0]))
    check_folder(Path(asked.data).expanduser())
    _say_estimate(asked, made, crew, price, told_before(got.wish, made))
    if asked.estimate_only or not _agreed(asked):
        return FINISHED
    folders = [RunFolder.create(asked.root, plan) for plan in made]
    return _execute_all(asked, folders, crew)


def resume(asked: argparse.Namespace) -> int:
    """Goes on with a run."""
    folder = found(asked.root, asked.name)
    return _execute_all(asked, [folder], _crew(asked, folder.summary()))


def retry(asked: argparse.Namespace) -> int:
    """Goes on, with another attempt at what failed."""
    folder = found(asked.root, asked.name)
    return _execute_all(asked, [folder], _crew(asked, folder.summary()), retry_failed=True)


def _given(asked: argparse.Namespace, stored: bool) -> dict[str, Any]:
    """The options as the form's fields."""
    names = (
        "set",
        "task",
        "system",
        "limit",
        "images",
        "seed",
        "size",
        "steps",
        "guidance",
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
    models = [asked.images_of] if asked.images_of else asked.model or [RENDERER]
    return {
        **{name: getattr(asked, name) for name in names},
        "kind": "stored" if stored else "drawn",
        "models": models,
        "price": asked.price_per_hour,
        "workers": asked.workers,
    }


def _crew(asked: argparse.Namespace, about: Mapping[str, Any]) -> ExecutionSettings:
    workers = asked.workers if asked.workers is not None else default_workers(about)
    servers = endpoints_here(Path(asked.endpoints) if asked.endpoints else None)
    return ExecutionSettings(
        workers=read_as(Workers, {"workers": workers}).workers,
        team="local" if asked.ray is None else "ray",
        address=asked.ray or "",
        sources=Sources.here(Path(asked.models).expanduser() if asked.models else None),
        endpoints={server.name: server for server in servers},
    )


def _say_estimate(
    asked: argparse.Namespace,
    made: Sequence[RunPlan],
    crew: ExecutionSettings,
    price: float | None,
    told: Sequence[str],
) -> None:
    trials = Trials()
    # Weights that are missing are a failure of the run; an estimate only says so.
    missing = [lacking(one, crew) if asked.estimate_only else () for one in made]
    if not (asked.no_trial or asked.yes) and crew.team == "local":
        ready = [one for one, said in zip(made, missing, strict=True) if not said]
        _try_out(asked, trials, ready, crew)
    each = [trials.estimate(plan, asked.root, crew.workers) for plan in made]
    seconds = _sum(each)
    if asked.json:
        cost = None if price is None or seconds is None else seconds / 3600 * price
        rows = [asdict(one) for one in each]
        masks = {"with_masks": sum(map(with_masks, made))} if made[0].kind == STORED else {}
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
        return
    say(pictures_words(made))
    for sentence in (*told, *mask_words(made)):
        say(sentence)
    for plan, one, said in zip(made, each, missing, strict=True):
        say(f"  {plan.name}")
        pace = one.seconds_a_picture
        about = "" if pace is None else f"{pace:.3g} s a picture and worker. "
        say(f"    {about}{one.basis}")
        if said:
            say("    It cannot begin here yet:")
        for sentence in said:
            say(f"    {sentence}")
    crowd = "" if seconds is None else f", with {many(crew.workers, 'worker')}"
    say(f"Time: {'' if seconds is None else 'about '}{time_words(seconds)}{crowd}")
    say(f"Disk: about {bytes_words(sum(one.disk_bytes for one in each))} in {asked.root}")
    if price is not None:
        say(f"Cost: {money_words(seconds, price)}, at {price:g} an hour")


def _try_out(
    asked: argparse.Namespace, trials: Trials, made: Sequence[RunPlan], crew: ExecutionSettings
) -> None:
    def before() -> None:
        say("Drawing three pictures to see how long one takes …", file=sys.stderr)

    settings = WorkerSettings(crew.sources, dict(crew.endpoints))
    trials.try_out(made, settings, asked.root, before)


def _sum(each: Sequence[Estimate]) -> float | None:
    known = [one.seconds for one in each if one.seconds is not None]
    return sum(known) if len(known) == len(each) else None


def _agreed(asked: argparse.Namespace) -> bool:
    """Asks, where there is somebody to answer."""
    if asked.yes or asked.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    try:
        answer = input("Begin? [Y/n] ")
    except EOFError:
        return True
    return answer.strip().lower() in ("", "y", "yes")


def _execute_all(
    asked: argparse.Namespace,
    folders: Sequence[RunFolder],
    crew: ExecutionSettings,
    retry_failed: bool = False,
) -> int:
    """One run after the other; one that ends early leaves the rest for later."""
    for at, folder in enumerate(folders):
        state = _execute(asked, folder, crew, retry_failed)
        if state.status != "finished":
            for other in folders[at + 1 :]:
                say(
                    f"Not begun: {other.summary()['name']}; python app.py runs resume "
                    f"{other.run_id[:8]}",
                    file=sys.stderr,
                )
            return ENDED_EARLY
    return FINISHED


def _execute(
    asked: argparse.Namespace, folder: RunFolder, crew: ExecutionSettings, retry_failed: bool
) -> RunState:
    name, short = folder.summary()["name"], folder.run_id[:8]
    if not asked.json:
        say(f"{name} ({short})", file=sys.stderr)
    line = Line(sys.stdout, sys.stderr, asked.json)
    if folder.state().status != "running":
        folder.set_desired_state("run")
    try:
        with pausing_on_interrupt(folder):
            state = execute(folder, crew, retry_failed=retry_failed, watch=line)
    finally:
        line.close()
    taken = _taken_in(asked, folder)
    if asked.json:
        say(json.dumps(told_in_full(folder)))
        return state
    say(f"{state.status.capitalize()}: {progress_words(state)}", file=sys.stderr)
    for sentence in (state.message, taken):
        if sentence:
            say(sentence, file=sys.stderr)
    for text, count in state.problems[:5]:
        say(f"  {count:,} × {text}", file=sys.stderr)
    for sentence in held_words(folder, state):
        say(f"  {sentence}", file=sys.stderr)
    if state.status != "finished":
        say(f"Go on: python app.py runs resume {short}", file=sys.stderr)
    elif state.failed:
        say(f"Try the failed ones again: python app.py runs retry {short}", file=sys.stderr)
    return state


def _taken_in(asked: argparse.Namespace, folder: RunFolder) -> str:
    """Puts what was done into the database, where the app does not do it itself."""
    from storage.store import Storage

    try:
        with Storage.open(asked.data) as storage:
            count = storage.runs.ingest(folder)
        return f"{many(count, 'picture')} taken into the database of {asked.data}." if count else ""
    except DatabaseBusy:
        if asked.shared:
            return (
                f"The app has {asked.data} open. Where it was started with --runs {asked.root}, "
                "it takes the results in; else, when it has ended: "
                f"python app.py runs import {folder.path}"
            )
        return f"The app that has {asked.data} open takes the results in."
    except TrueHueError as error:
        return f"The results are in {folder.path}, but not in the database: {error}"
