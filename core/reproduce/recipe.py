"""What is known of a table's reproduction: its needs, the commands that make it, and its rows."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from truehue.core.batch.folder import PLAN
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput
from truehue.core.generation.registry import model as registered
from truehue.core.generation.weights.sources import Sources
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import run_id
from truehue.core.runs.protocols import protocol as preset

if TYPE_CHECKING:
    import numpy as np

    from truehue.core.concepts.records import ConceptCell
    from truehue.core.generation.backends.endpoints import Endpoint
    from truehue.core.reproduce.attribution import Gap
    from truehue.core.reproduce.needs import Need
    from truehue.core.reproduce.table import ReproducedTable
    from truehue.core.runs.records import RunPlan

Kind = Literal["table", "figure"]
SERVED = "served:"
"""How the ids of servers begin."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command of ``truehue`` that makes a part of the table; run again, it resumes.
    ``command`` are its words after ``truehue``; ``done`` where its result is stored, ``note`` what
    that result lacks."""

    title: str
    command: tuple[str, ...]
    done: bool = False
    note: str = ""

    @property
    def text(self) -> str:
        """As it is typed."""
        return shlex.join(("truehue", *self.command))


class RunImages(NamedTuple):
    """How many images of a run are ``done``, and how many of these ``failed``."""

    done: int = 0
    failed: int = 0

    @property
    def stored(self) -> int:
        """Those that there are."""
        return self.done - self.failed


@dataclass(frozen=True)
class ReproduceContext:
    """What a recipe may look at.

    ``data`` is the app's data folder, ``models`` the ids to run (none: those of the table),
    ``limit`` prompts or questions at most, ``protocol`` a preset's id (empty: the recipe's first),
    ``set`` another set of prompts or questions than the recipe's own, ``workers`` processes (0: the
    command's default). ``shared`` are folders of runs beside that of ``data``, the first of them for
    new runs where ``new_in_shared``. ``storage`` is the database
    (truehue.storage.store.Storage), None where there is none; ``plans`` gives the plans of a step
    that starts runs. ``options`` are further words for each step's command, which change what it
    does and so belong into the step. ``servers`` are those that are set up, by name. ``people`` gives
    the name of the people that concepts are compared with and their distributions ``(71,)`` by
    concept id, ``other_people`` those of all others that are here by name, ``cells`` the
    distributions of runs, which it extracts where they are missing.
    """

    data: Path
    models: tuple[str, ...] = ()
    limit: int | None = None
    protocol: str = ""
    set: str = ""
    workers: int = 0
    sources: Sources = field(default_factory=Sources.local)
    storage: Any = None
    plans: Callable[[Step], Sequence[RunPlan]] = lambda step: ()
    options: tuple[str, ...] = ()
    servers: Mapping[str, Endpoint] = field(default_factory=dict)
    people: Callable[[], tuple[str, Mapping[str, np.ndarray]]] = lambda: ("", {})
    other_people: Callable[[], Mapping[str, Mapping[str, np.ndarray]]] = dict
    cells: Callable[[Sequence[str]], Sequence[ConceptCell]] = lambda runs: ()
    shared: tuple[Path, ...] = ()
    new_in_shared: bool = False

    @property
    def runs(self) -> Path:
        """The folder of runs."""
        return self.data / "runs"

    @property
    def run_roots(self) -> tuple[Path, ...]:
        """All folders of runs, the one that new runs go to first."""
        own = (*self.shared, self.runs) if self.new_in_shared else (self.runs, *self.shared)
        return tuple(dict.fromkeys(own))

    def run_folder(self, run: str) -> RunFolder | None:
        """The folder of a run by its id; None where none of the folders has it."""
        paths = (root / run for root in self.run_roots)
        return next((RunFolder(path) for path in paths if (path / PLAN).is_file()), None)

    def images_in_database(self, run: str) -> RunImages:
        """The images of a run that have come in."""
        records = () if self.storage is None else self.storage.runs.all(hidden=True)
        counts = (RunImages(by.items, by.failed) for by in records if by.run_id == run)
        return next(counts, RunImages())

    def images_in_folder(self, run: str) -> RunImages:
        """The images of a run in its folder, wherever that lies."""
        folder = self.run_folder(run)
        state = state_of(folder) if folder else None
        return RunImages(state.done, state.failed) if state else RunImages()

    def run_images(self, run: str) -> RunImages:
        """The images of a run, in its folder or in the database: where more are done."""
        pair = self.images_in_folder(run), self.images_in_database(run)
        return max(pair, key=lambda images: (images.done, images.stored))


def generator_of(context: ReproduceContext, model_id: str) -> str:
    """The id of what generates a model's images here: for a model that only its authors' code runs,
    the server that is set up under its id, where there is one. The released code's settings are of
    the models that it names."""
    entry = registered(model_id)
    released = bool(context.protocol) and preset(context.protocol).released
    is_served = entry.kind == "folder" and entry.id in context.servers and not released
    return f"{SERVED}{entry.id}" if is_served else entry.id


def listed_id(model_id: str) -> str:
    """The model that a server of its name stands for; any other id as it is."""
    return model_id.removeprefix(SERVED)


def imported_runs(
    context: ReproduceContext, protocol: str, models: Sequence[str], set_name: str
) -> dict[str, str]:
    """Of each of these models that does not generate here, by its id, the run of its images that were
    imported, or came from a server of its name: by the same protocol on the same set, the one with
    most prompts, then the newest. Empty where there is none yet."""
    protocol = context.protocol or protocol
    found = {name: "" for name in models if registered(name).kind == "folder"}
    runs = () if context.storage is None else context.storage.runs.all()
    for run in sorted(runs, key=lambda run: (run.summary.get("prompts", 0), run.created_at)):
        of_set = context.set or run.summary.get("set_name") == set_name
        fits = of_set and run.summary.get("protocol") == protocol
        if listed_id(run.model) in found and run.items and fits:
            found[listed_id(run.model)] = run.run_id
    return found


@dataclass(frozen=True)
class Recipe:
    """How one table or figure is made again.

    ``paper`` is the name that people type, ``number`` the paper's own, ``protocols`` the presets
    that it can be made by, the paper's own first. ``needs`` looks at the machine, ``steps`` are
    the commands in their order, ``table`` reads what they have stored, also when only a part is
    there, and ``attribution`` compares it with the printed table.
    """

    paper: str
    number: str
    title: str
    protocols: tuple[str, ...]
    needs: Callable[[ReproduceContext], tuple[Need, ...]]
    steps: Callable[[ReproduceContext], tuple[Step, ...]]
    table: Callable[[ReproduceContext], ReproducedTable]
    attribution: Callable[[ReproduceContext], tuple[Gap, ...]] = lambda context: ()
    kind: Kind = "table"

    def protocol(self, context: ReproduceContext) -> str:
        """The preset that is used. Raises BadInput for one that this is not made by."""
        if context.protocol and context.protocol not in self.protocols:
            known = ", ".join(self.protocols)
            raise BadInput(f"{self.title} is made by {known}, not {context.protocol!r:.60}.")
        return context.protocol or self.protocols[0]


def located_steps(steps: Sequence[Step], context: ReproduceContext) -> tuple[Step, ...]:
    """The steps as they are to be executed: a run that is finished is done, or is imported where the
    database lacks images of it; one that lies in another folder of runs continues there."""
    words = {word for step in steps if not step.done for word in step.command}
    return tuple(_located(step, words, context) for step in steps)


def _located(step: Step, words: Collection[str], context: ReproduceContext) -> Step:
    plans = context.plans(step)
    if not plans or step.done:
        return step
    folders = [folder for plan in plans if (folder := context.run_folder(run_id(plan)))]
    if all(_is_in_database(plan, words, context) for plan in plans):
        return replace(step, done=True, note=_failed_text(plans, context))
    of_folders = [context.images_in_folder(folder.run_id) for folder in folders]
    if len(plans) == len(folders) == 1 and of_folders[0].done >= plans[0].total:
        return Step(step.title, ("runs", "import", str(folders[0].path)))
    roots = {folder.path.parent for folder in folders}
    root = roots.pop() if len(roots) == 1 else context.run_roots[0]
    if root == context.runs or shared_of(step.command):
        return step
    return replace(step, command=(*step.command, "--shared", str(root)))


def _is_in_database(plan: RunPlan, words: Collection[str], context: ReproduceContext) -> bool:
    """Whether the database has all images of a run that are there; a later step that names the run
    reads its folder."""
    run = run_id(plan)
    known, found = context.images_in_database(run), context.images_in_folder(run)
    whole = known.done >= plan.total and known.stored >= found.stored
    return whole and (run not in words or context.run_folder(run) is not None)


def _failed_text(plans: Sequence[RunPlan], context: ReproduceContext) -> str:
    """That images of finished runs failed; empty where none did."""
    failed = sum(context.images_in_database(run_id(plan)).failed for plan in plans)
    return f"{failed:,} of its images failed." if failed else ""


def shared_of(command: Sequence[str]) -> str:
    """The folder of runs that a command names with ``--shared``; empty where it names none."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--shared", default="")
    return str(parser.parse_known_args(command)[0].shared)


def trial_of(steps: Sequence[Step]) -> str:
    """The command that times a few images of the first step that starts a run; or nothing."""
    starts = (step for step in steps if step.command[:2] == ("runs", "start"))
    return next((f"{step.text} --estimate-only" for step in starts), "")


def find(recipes: Sequence[Recipe], paper: str, kind: Kind, number: str) -> Recipe:
    """The recipe of a paper's table or figure. Raises BadInput, naming those there are."""
    of_paper = [recipe for recipe in recipes if recipe.paper == paper]
    if not of_paper:
        papers = ", ".join(dict.fromkeys(recipe.paper for recipe in recipes))
        raise BadInput(f"There is no recipe of {paper[:40]!r}. There is: {papers}.")
    for recipe in of_paper:
        if (recipe.kind, recipe.number) == (kind, number):
            return recipe
    known = ", ".join(f"--{recipe.kind} {recipe.number}" for recipe in of_paper)
    raise BadInput(f"There is no recipe of {kind} {number} of {paper}. There is: {known}.")
