"""The status of runs for ``python -m truehue runs``, and stopping one: reads run folders alone."""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truehue.core.batch.health import state_of
from truehue.core.batch.records import BatchState
from truehue.core.command import default_data_folder
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.export.source import look, unscored_text
from truehue.core.runs.adaptive import saved_order
from truehue.core.runs.controls import controls_text
from truehue.core.runs.devices import devices_text
from truehue.core.runs.folder import RunFolder, folder_named, name_in, run_folders
from truehue.tabs.batches.messages import STATUS_LABELS
from truehue.tabs.batches.queue import status_of, stop
from truehue.tabs.page.errors import count_noun
from truehue.tabs.runs.messages import facts_text, progress_text


def runs_root(options: argparse.Namespace) -> Path:
    """The folder of runs that a command is to use."""
    return Path(options.shared or Path(options.data) / "runs").expanduser()


def run_command(options: argparse.Namespace, *words: str) -> str:
    """A command on the same runs as it is typed: with the folders of ``options`` that are not the
    defaults."""
    folders = ["--shared", str(options.shared)] if options.shared else []
    data = str(options.data)
    folders += ["--data", data] if data != default_data_folder() else []
    return shlex.join(("python", "-m", "truehue", "runs", *words, *folders))


def status(options: argparse.Namespace) -> int:
    """Prints one run in full, or all of them, a line each."""
    if not options.name:
        return list_runs(options)
    folder = folder_named(runs_root(options), options.name)
    lines = [] if options.json else _lines(options, folder)
    print(json.dumps(full_status_json(folder)) if options.json else "\n".join(lines))
    return 0


def list_runs(options: argparse.Namespace) -> int:
    """Prints all runs, a line each."""
    root = runs_root(options)
    every = run_folders(root)
    if options.json:
        print(json.dumps([_listing_json(folder) for folder in every]))
        return 0
    if not every:
        print(f"There is no run in {root}. Start one: python -m truehue runs start --help")
    for run_folder in every:
        try:
            print(_line(run_folder))
        except TrueHueError as error:
            print(f"{run_folder.run_id}  {'unreadable':<18} {error}")
    return 0


def pause(options: argparse.Namespace) -> int:
    """Tells a run to stop, and does not wait until it has."""
    return _stop(options, cancel=False)


def cancel(options: argparse.Namespace) -> int:
    """Ends a run; only who asks for it by name makes it go on."""
    return _stop(options, cancel=True)


def status_json(folder: RunFolder) -> dict[str, Any]:
    """A run as plain JSON: its plan without prompts, and how far it is."""
    devices = list(devices_text(folder.path))
    controls = list(controls_text(folder.path))
    order, _ = saved_order(folder.path)
    return {
        "folder": str(folder.path),
        **folder.summary(),
        **asdict(state_of(folder)),
        **({"devices": devices} if devices else {}),
        **({"controls": controls} if controls else {}),
        **({"order": order} if order else {}),
    }


def full_status_json(folder: RunFolder) -> dict[str, Any]:
    """The same, with ``present``, the pictures whose results are there, and ``unscored``, how many
    by rule and cause; none of both where a result cannot be read, then ``problem`` says why."""
    try:
        seen = look(folder)
    except BadInput as error:
        return {**status_json(folder), "problem": str(error)}
    return {**status_json(folder), "present": seen.done, "unscored": seen.unscored}


def held_text(folder: RunFolder, state: BatchState) -> list[str]:
    """What the results say beyond the state: some are gone, or have no score."""
    try:
        seen = look(folder)
    except BadInput as error:
        return [str(error)]
    sentences = unscored_text(seen, len(folder.summary()["rules"]))
    if state.status != "running" and seen.done != state.done:
        rest = "" if folder.summary().get("imported") else ": resume generates the rest"
        lost = f", not {state.done:,}{rest if seen.done < state.total else ''}."
        sentences.insert(
            0, f"{seen.done:,} of {count_noun(state.total, 'image')} have a result here{lost}"
        )
    return sentences


def _stop(options: argparse.Namespace, cancel: bool) -> int:
    folder = folder_named(runs_root(options), options.name)
    running = stop(folder, cancel)
    if options.json:
        print(json.dumps(status_json(folder)))
    elif running:
        print("It stops after the images that are in work now.")
    else:
        print(f"It is {STATUS_LABELS[state_of(folder).status]}.")
    return 0


def _listing_json(folder: RunFolder) -> dict[str, Any]:
    try:
        return status_json(folder)
    except TrueHueError as error:
        return {
            "folder": str(folder.path),
            "run_id": folder.run_id,
            "status": "unreadable",
            "message": str(error),
        }


def _line(folder: RunFolder) -> str:
    state = state_of(folder)
    failed = f"  {state.failed:,} failed" if state.failed else ""
    return (
        f"{folder.run_id}  {_word(folder):<18} {state.done:>9,} of {state.total:>9,}  "
        f"{name_in(folder)}{failed}"
    )


def _word(folder: RunFolder) -> str:
    status = status_of(folder, state_of(folder), None)
    return STATUS_LABELS[status] if status in ("chosen", "awaiting") else status


def status_label(folder: RunFolder, state: BatchState) -> str:
    """How a run is, to begin a line."""
    return STATUS_LABELS[status_of(folder, state, None)].capitalize()


def _lines(options: argparse.Namespace, folder: RunFolder) -> list[str]:
    about, state = folder.summary(), state_of(folder)
    lines = [
        str(about["name"]),
        f"  {_word(folder)}: {progress_text(state)}",
        f"  {facts_text(about)}",
        f"  id {folder.run_id}, in {folder.path}",
        *(f"  {text}" for text in devices_text(folder.path)),
        *(f"  {text}" for text in controls_text(folder.path)),
        *(f"  {text}" for text in saved_order(folder.path)[:1] if text),
    ]
    if state.message:
        lines.append(f"  {state.message}")
    for text, count in state.problems:
        lines.append(f"  {count:,} × {text}")
    held = held_text(folder, state)
    lines += [f"  {sentence}" for sentence in held]
    if _word(folder) == "imported":
        return lines
    lost = any("resume" in sentence for sentence in held)
    if lost or state.status in ("paused", "interrupted", "cancelled", "planned"):
        lines.append(f"  go on: {run_command(options, 'resume', folder.run_id[:8])}")
    if state.failed:
        lines.append(f"  retry the failed ones: {run_command(options, 'retry', folder.run_id[:8])}")
    return lines
