"""``truehue reproduce``: a table of a paper, from what is missing to ours beside the printed row.

Every step is a command of ``truehue``, called in this process: a second call resumes.

Exit status 0 if the table was made, 3 if a step ended early or something is missing, 2 for bad
input.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from truehue.core.command import (
    ENDPOINTS,
    Command,
    arg,
    data_folder,
    default_data_folder,
    either,
    flag,
    print_now,
)
from truehue.core.concepts.records import EXTRACTED, ConceptCell
from truehue.core.errors import BadInput, DatabaseBusy
from truehue.core.generation.backends.endpoints import configured_endpoints
from truehue.core.generation.weights.sources import Sources
from truehue.core.reproduce.needs import KINDS, Need, lacking
from truehue.core.reproduce.recipe import (
    Kind,
    Recipe,
    ReproduceContext,
    Step,
    find,
    located_steps,
)
from truehue.core.reproduce.recipes import RECIPES
from truehue.core.reproduce.table import FORMATS
from truehue.core.runs.records import RunPlan

if TYPE_CHECKING:
    import numpy as np

    from truehue.storage.store import Storage

FINISHED, INCOMPLETE = 0, 3
EPILOG = """\
examples:
  truehue reproduce
  truehue reproduce gencolorbench --table 4 --estimate-only
  truehue reproduce gencolorbench --table 4 --models sd3-medium,flux.1-dev --out table4.tex
  truehue reproduce gencolorbench --table 4 --models reference-renderer --limit 200 --yes
Ctrl+C pauses; the same command again resumes. A table is printed of what is there so far.
"""


def reproduce(options: argparse.Namespace) -> int:
    """Lists the recipes; or says what one needs, runs it, and prints its table."""
    if not options.paper:
        return _list(options)
    kind: Kind = "figure" if options.figure else "table"
    number = options.figure or options.table
    if not number:
        numbers = ", ".join(
            f"--{recipe.kind} {recipe.number}"
            for recipe in RECIPES
            if recipe.paper == options.paper
        )
        raise BadInput(f"Say which: {numbers or 'truehue reproduce lists them'}.")
    recipe = find(RECIPES, options.paper, kind, number)
    context = make_context(options)
    recipe.protocol(context)
    needs, steps = _needs(options, recipe, context)
    _print_needs(options, recipe, needs, steps)
    if options.estimate_only:
        return FINISHED
    ended = _run(options, steps) if _agreed(options) else INCOMPLETE
    _write(options, recipe, context)
    return ended or (INCOMPLETE if lacking(needs) else FINISHED)


def make_context(options: argparse.Namespace) -> ReproduceContext:
    """What the recipes look at, without the database."""
    models = tuple(name.strip() for name in options.models.split(",") if name.strip())
    weights = Path(options.weights).expanduser() if options.weights else None
    extra = ["--data", str(options.data), *(["--models", str(weights)] if weights else [])]

    @cache
    def plans(step: Step) -> Sequence[RunPlan]:
        from truehue.tabs.command.plans import requested_plans
        from truehue.tabs.command.runs import COMMAND

        if step.command[:2] != ("runs", "start"):
            return ()
        return requested_plans(COMMAND.parser().parse_args([*step.command[1:], *extra]))[1]

    step_options = tuple(shlex.split(options.step_options))
    servers = configured_endpoints(Path(options.endpoints) if options.endpoints else None)
    return ReproduceContext(
        Path(options.data).expanduser(),
        models,
        options.limit,
        options.protocol,
        options.set,
        options.workers or 0,
        Sources.local(weights),
        plans=plans,
        options=step_options,
        servers={server.name: server for server in servers},
        shared=_shared_folders(options.shared, step_options),
        new_in_shared=bool(options.shared),
    )


def _shared_folders(shared: str, step_options: Sequence[str]) -> tuple[Path, ...]:
    """The folders of runs beside that of the data folder: those that are named, and those of
    TRUEHUE_RUNS."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--shared", default="")
    of_steps = parser.parse_known_args(step_options)[0].shared
    known = os.environ.get("TRUEHUE_RUNS", "").split(os.pathsep)
    named = (folder for folder in (shared, of_steps, *known) if folder)
    return tuple(Path(folder).expanduser() for folder in named)


def _run(options: argparse.Namespace, steps: Sequence[Step]) -> int:
    """The steps, one after the other; one that ends early does not keep the others from beginning,
    unless somebody ended it."""
    from truehue.tabs.command.main import command_of

    ended = FINISHED
    for number, step in enumerate(steps, 1):
        text = _typed(options, step)
        print_now(f"Step {number} of {len(steps)}: {step.title}\n  {text}", file=sys.stderr)
        if step.done:
            print_now(f"  Done: {step.note or 'its result is stored.'}", file=sys.stderr)
            continue
        name, *rest = step.command
        added = [*_folders(options, step), *(["--yes"] if rest[0] == "start" else [])]
        with redirect_stdout(sys.stderr):  # standard output is the table's
            status = command_of(name).main([*rest, *added])
        if status == INCOMPLETE:
            return INCOMPLETE
        ended = ended or (INCOMPLETE if status else FINISHED)
    return ended


def _folders(options: argparse.Namespace, step: Step) -> list[str]:
    """The options of folders that a step about runs is executed with; others have their own."""
    if step.command[0] != "runs":
        return []
    given = {"--models": options.weights, "--endpoints": options.endpoints}
    if "start" not in step.command:
        given = {}
    of_start = [word for pair in given.items() if pair[1] for word in pair]
    return ["--data", str(options.data), *of_start]


def _typed(options: argparse.Namespace, step: Step) -> str:
    """A step as it is typed by hand, with the folders that are not the defaults."""
    return shlex.join(("truehue", *step.command, *_other_folders(options, step)))


def _other_folders(options: argparse.Namespace, step: Step) -> list[str]:
    """The options of folders that are not the defaults."""
    folders = _folders(options, step)
    return folders[2:] if folders[:2] == ["--data", default_data_folder()] else folders


def _write(options: argparse.Namespace, recipe: Recipe, context: ReproduceContext) -> None:
    """Prints the table of what is stored, or writes it into a file."""
    from truehue.storage.store import Storage

    try:
        with Storage.open(options.data) as storage:
            stored = _with_storage(options, context, storage)
            table, gaps = recipe.table(stored), recipe.attribution(stored)
    except DatabaseBusy:
        raise BadInput(
            f"The app has {options.data} open. Its results are stored; end the app, and run this "
            "command again to print the table."
        ) from None
    path = Path(options.out).expanduser() if options.out else None
    endings = {".csv": "csv", ".tex": "latex"}
    format = options.format or (endings.get(path.suffix, "text") if path else "text")
    text = FORMATS[format](table, gaps)
    if path is None:
        print_now(text, end="")
        return
    path.write_text(text, encoding="utf-8")
    print_now(f"Written: {path}", file=sys.stderr)


def _needs(
    options: argparse.Namespace, recipe: Recipe, context: ReproduceContext
) -> tuple[tuple[Need, ...], tuple[Step, ...]]:
    """What a recipe needs, and its steps; what only the database knows is unknown where the app has
    it open."""
    from truehue.storage.store import Storage

    def known(by: ReproduceContext) -> tuple[tuple[Need, ...], tuple[Step, ...]]:
        return recipe.needs(by), located_steps(recipe.steps(by), by)

    if not any(context.data.glob("*.duckdb")):
        return known(context)
    try:
        with Storage.open(options.data) as storage:
            return known(_with_storage(options, context, storage))
    except DatabaseBusy:
        return known(context)


def _with_storage(
    options: argparse.Namespace, context: ReproduceContext, storage: Storage
) -> ReproduceContext:
    """What the recipes may look at, with the database."""
    from truehue.tabs.compare.tables.cells import ALL_SCALES, run_cells
    from truehue.tabs.compare.tables.reference_sets import ReferenceSets
    from truehue.tabs.page.jobs import job_alone
    from truehue.tabs.shell.compose import make_context as make_app_context

    app = make_app_context(storage, str(options.data))

    sets = ReferenceSets(app)

    @cache
    def people() -> tuple[str, Mapping[str, np.ndarray]]:
        crowds = sets.crowds()
        named = [entry for entry in crowds if options.people in (entry.id, entry.name)]
        if options.people and not named:
            known = ", ".join(entry.name for entry in crowds) or "none"
            raise BadInput(f"There are no people {options.people[:60]!r} here. There are: {known}.")
        if not crowds:
            return "", {}
        chosen = sets.of((named or list(crowds))[0])
        return chosen.crowd.name, chosen.weights

    def other_people() -> dict[str, Mapping[str, np.ndarray]]:
        name = people()[0]
        return {entry.name: sets.of(entry).weights for entry in sets.crowds() if entry.name != name}

    def cells(run_ids: Sequence[str]) -> list[ConceptCell]:
        stored = {run.run_id for run in storage.runs.all()}
        available = [run_id for run_id in dict.fromkeys(run_ids) if run_id in stored]
        run_cells(app, available, EXTRACTED, ALL_SCALES, job_alone("cells"))
        return [cell for run_id in available for cell in storage.profiles.cells(run_id, EXTRACTED)]

    return replace(context, storage=storage, people=people, other_people=other_people, cells=cells)


def _agreed(options: argparse.Namespace) -> bool:
    """Asks, where there is somebody to answer."""
    if options.yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print_now("Start? [Y/n] ", end="", file=sys.stderr)
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


def _print_needs(
    options: argparse.Namespace, recipe: Recipe, needs: Sequence[Need], steps: Sequence[Step]
) -> None:
    print_now(f"{recipe.title}: what it needs on this machine", file=sys.stderr)
    for line in need_lines(options, needs):
        print_now(line, file=sys.stderr)
    for step in steps:
        text = _typed(options, step)
        print_now(f"  {'done' if step.done else 'then'}: {text}", file=sys.stderr)


def need_lines(options: argparse.Namespace, needs: Sequence[Need]) -> list[str]:
    """A line a need, and below it the command that gets it."""
    marks = {True: "available", False: "missing", None: "unknown"}
    lines = []
    for need in needs:
        detail = f": {need.detail}" if need.detail else ""
        lines.append(f"  {marks[need.available]:10}{need.kind:8} {need.name}{detail}")
        if need.command and need.available is not True:
            program, *words = need.command.split()
            step = Step(need.name, tuple(words) if program == "truehue" else ("",))
            folders = shlex.join(_other_folders(options, step))
            lines.append(f"{'':18}{need.command} {folders}".rstrip())
    return lines


def _list(options: argparse.Namespace) -> int:
    """All recipes, and what each lacks here."""
    context = make_context(options)
    for recipe in RECIPES:
        print_now(f"truehue reproduce {recipe.paper} --{recipe.kind} {recipe.number}")
        print_now(f"  {recipe.title}; protocols: {', '.join(recipe.protocols)}")
        missing = [need for need in _needs(options, recipe, context)[0] if not need.available]
        by_kind = {kind: [need for need in missing if need.kind == kind] for kind in KINDS}
        for kind, needs in by_kind.items():
            if needs:
                names = ", ".join(need.name for need in needs)
                mark = "unknown" if needs[0].available is None else "missing"
                print_now(f"  {mark} {kind}: {names}")
        if not missing:
            print_now("  nothing is missing")
    return FINISHED


COMMAND = Command(
    "reproduce",
    "Makes a table of a paper again, and prints ours beside the printed row.",
    (
        arg("paper PAPER", "without it: every table, and what is missing here", nargs="?"),
        either(
            arg("--table N", "the paper's number", default=""),
            arg("--figure N", "the paper's number", default=""),
        ),
        arg("--models IDS", "comma separated (default: those of the table)", default=""),
        arg("--protocol NAME", "a preset (default: the recipe's first)", default=""),
        arg(
            "--set SET",
            "other prompts or questions than the recipe's: a set, or a file",
            default="",
        ),
        arg(
            "--people NAME",
            "the people that concepts are compared with (default: stored colorings, else the first "
            "imported)",
            default="",
        ),
        arg("--limit N", "at most N prompts or questions, evenly spaced", type=int),
        data_folder(),
        arg(
            "--weights DIR",
            "folder with models' weights (default: TRUEHUE_MODELS, the hub's cache)",
        ),
        ENDPOINTS,
        arg("--workers N", "worker processes of a run (default: as of runs start)", type=int),
        arg(
            "--shared DIR",
            "a folder of runs that several machines see: runs are looked for there too, and new ones "
            "made there (default: looked for in TRUEHUE_RUNS, made in the data folder)",
            default="",
        ),
        arg(
            "--step-options OPTIONS",
            "further options of each step's command, in quotes: '--size 256 --images 1'",
            default="",
        ),
        flag("--estimate-only", "say what is needed and stop"),
        flag("--yes", "start without confirmation"),
        arg("--format", "default: by the ending of --out, else text", choices=tuple(FORMATS)),
        arg("--out FILE", "write the table there (.csv, .tex, else text)"),
    ),
    reproduce,
    epilog=EPILOG,
    former="-m truehue reproduce",
    stopped=("Stopped. The same command again resumes.", INCOMPLETE),
)
main = COMMAND.main
