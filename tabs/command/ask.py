"""What ``python app.py runs`` says of runs, and telling one to stop: run folders alone are read."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.export.summary import look, unscored_words
from core.runs.folder import RunFolder, run_folders
from core.runs.records import RunState
from tabs.page.errors import many
from tabs.runs.supervisor import status_of, stop
from tabs.runs.words import STATUS_WORDS, facts_words, progress_words


def found(root: Path, name: str) -> RunFolder:
    """The run of that name or beginning of an id. Raises BadInput for none, and for several."""
    every = run_folders(root)
    fitting = [one for one in every if one.run_id == name]
    fitting = fitting or [one for one in every if name_in(one) == name]
    fitting = fitting or [one for one in every if one.run_id.startswith(name.lower())]
    if len(fitting) == 1:
        return fitting[0]
    if not every:
        raise BadInput(f"There is no run in {root}.")
    shown = "\n".join(f"  {one.run_id}  {name_in(one)}" for one in (fitting or every)[:10])
    if fitting:
        raise BadInput(
            f"{many(len(fitting), 'run')} fit {name[:80]!r}: write more of the id.\n{shown}"
        )
    raise BadInput(f"There is no run {name[:80]!r} in {root}. The newest are:\n{shown}")


def status(asked: argparse.Namespace) -> int:
    """Prints one run in full, or all of them, a line each."""
    if asked.name:
        folder = found(asked.root, asked.name)
        print(json.dumps(told_in_full(folder)) if asked.json else "\n".join(_lines(folder)))
        return 0
    every = run_folders(asked.root)
    if asked.json:
        print(json.dumps([_told(one) for one in every]))
        return 0
    if not every:
        print(f"There is no run in {asked.root}. Begin one: python app.py runs start --help")
    for one in every:
        try:
            print(_line(one))
        except BadInput as error:
            print(f"{one.run_id}  {'unreadable':<12} {error}")
    return 0


def pause(asked: argparse.Namespace) -> int:
    """Tells a run to stop, and does not wait until it has."""
    return _stop(asked, cancel=False)


def cancel(asked: argparse.Namespace) -> int:
    """The same for good."""
    return _stop(asked, cancel=True)


def told(folder: RunFolder) -> dict[str, Any]:
    """A run as plain JSON: its plan without prompts, and how far it is."""
    return {"folder": str(folder.path), **folder.summary(), **asdict(folder.state())}


def told_in_full(folder: RunFolder) -> dict[str, Any]:
    """The same, with ``present``, the pictures whose results are there, and ``unscored``, how many
    by rule and cause; none of both where a result cannot be read, then ``problem`` says why."""
    try:
        seen = look(folder)
    except BadInput as error:
        return {**told(folder), "problem": str(error)}
    return {**told(folder), "present": seen.done, "unscored": seen.unscored}


def held_words(folder: RunFolder, state: RunState) -> list[str]:
    """What the results say beyond the state: some are gone, or have no score."""
    try:
        seen = look(folder)
    except BadInput as error:
        return [str(error)]
    out = unscored_words(seen, len(folder.summary()["rules"]))
    if state.status != "running" and seen.done != state.done:
        rest = "" if folder.summary().get("imported") else ": resume draws the rest"
        lost = f", not {state.done:,}{rest if seen.done < state.total else ''}."
        out.insert(0, f"{seen.done:,} of {many(state.total, 'picture')} have a result here{lost}")
    return out


def _stop(asked: argparse.Namespace, cancel: bool) -> int:
    folder = found(asked.root, asked.name)
    running = stop(folder, cancel)
    if asked.json:
        print(json.dumps(told(folder)))
    elif running:
        print("It stops after the pictures that are in work now.")
    else:
        print(f"It is {STATUS_WORDS[folder.state().status]}.")
    return 0


def name_in(folder: RunFolder) -> str:
    """What people call a run; empty for a folder that cannot be read."""
    try:
        return str(folder.summary()["name"])
    except BadInput:
        return ""


def _told(folder: RunFolder) -> dict[str, Any]:
    try:
        return told(folder)
    except BadInput as error:
        return {
            "folder": str(folder.path),
            "run_id": folder.run_id,
            "status": "unreadable",
            "message": str(error),
        }


def _line(folder: RunFolder) -> str:
    state = folder.state()
    failed = f"  {state.failed:,} failed" if state.failed else ""
    return (
        f"{folder.run_id}  {_word(folder):<12} {state.done:>9,} of {state.total:>9,}  "
        f"{name_in(folder)}{failed}"
    )


def _word(folder: RunFolder) -> str:
    return status_of(folder, folder.state(), None)


def _lines(folder: RunFolder) -> list[str]:
    about, state = folder.summary(), folder.state()
    out = [
        str(about["name"]),
        f"  {_word(folder)}: {progress_words(state)}",
        f"  {facts_words(about)}",
        f"  id {folder.run_id}, in {folder.path}",
    ]
    if state.message:
        out.append(f"  {state.message}")
    for text, count in state.problems:
        out.append(f"  {count:,} × {text}")
    held = held_words(folder, state)
    out += [f"  {sentence}" for sentence in held]
    if _word(folder) == "imported":
        return out
    lost = any("resume" in sentence for sentence in held)
    if lost or state.status in ("paused", "interrupted", "cancelled", "planned"):
        out.append(f"  go on: python app.py runs resume {folder.run_id[:8]}")
    if state.failed:
        out.append(f"  try the failed ones again: python app.py runs retry {folder.run_id[:8]}")
    return out
