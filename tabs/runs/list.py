"""The list of runs on the page, and the actions on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pydantic import Field

from truehue.core.analysis.records import Slice
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput
from truehue.core.generation.registry import name_of
from truehue.core.runs.adaptive import saved_order
from truehue.core.runs.controls import MIN_IMAGES, PREFIX, ControlSummary, controls_of
from truehue.core.runs.devices import devices_text
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import EVERY_RULE, WHOLE
from truehue.tabs.batches.jobs import BatchJobs
from truehue.tabs.batches.list import BatchJson, batch_json, unreadable_json
from truehue.tabs.batches.supervisor import Execution, RunSupervisor
from truehue.tabs.feature import AppParts
from truehue.tabs.page.actor import requires
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor, allowed, authorize
from truehue.tabs.page.shared_answers import Done
from truehue.tabs.runs import RUN
from truehue.tabs.runs.messages import facts_text, measured_text, progress_text
from truehue.tabs.runs.scored import store_verdicts

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context


class RunControls(TypedDict):
    """What a run's control images say: ``result`` in two words, and ``lines`` with the counts."""

    result: str
    lines: list[str]


class OrderedModel(TypedDict):
    """A model of an adaptive comparison: the range of its rank, and its estimated accuracy over the
    whole set with the interval."""

    name: str
    rank: str
    estimate: str
    own: bool


class RunOrder(TypedDict):
    """How sure the order of an adaptive comparison is, and its models."""

    text: str
    models: list[OrderedModel]


class RunJson(BatchJson):
    """A run; ``stored`` are its images in storage, ``refused`` rules that could not score it,
    ``warnings`` what its control images say of its masker and presence model."""

    name: str
    stored: int
    refused: list[str]
    words: str
    measures: bool
    facts: str
    failed_words: str
    warnings: list[str]
    controls: RunControls | None
    order: RunOrder | None


class RunsView(TypedDict):
    """The runs, newest first, and how many ``hidden`` ones are left out."""

    runs: list[RunJson]
    hidden: int


def runs_view(context: Context, actor: Actor, hidden: bool = False) -> RunsView:
    """All runs, newest first; hidden ones only on request."""
    stored = {record.run_id: record for record in context.storage.runs.all(hidden=True)}
    unscored = _unscored(context, {rule for record in stored.values() for rule, _ in record.rules})
    unmeasured = context.storage.profiles.unmeasured()
    supervisor = context.service(RunSupervisor)
    rows = []
    left_out = 0
    for folder in supervisor.folders():
        record = stored.get(folder.run_id)
        is_hidden = record.hidden if record else supervisor.is_hidden(folder.run_id)
        if is_hidden and not hidden:
            left_out += 1
            continue
        try:
            row = run_json(context, actor, folder)
        except Exception as error:  # of one run: the others are shown all the same
            row = _unreadable_json(supervisor, actor, folder, error)
        if record is not None:
            row |= {
                "name": record.name,
                "hidden": record.hidden,
                "stored": record.items,
                "refused": [f"{name}: {why}" for name, why in record.refused.items()],
            }
            row["words"] += _without_verdicts(context, row)
        lost = unscored.get(folder.run_id)
        if lost and record is not None:
            row["words"] += f" · unscored: {_by_rule(lost, [name for name, _ in record.rules])}"
        if count := unmeasured.get(folder.run_id):
            row["words"] += f" · {count_noun(count, 'concept image')} without colors"
        rows.append(row)
    return {"runs": rows, "hidden": left_out}


def _without_verdicts(context: Context, row: RunJson) -> str:
    """Why a run that has ended has no result; empty where a rule says something."""
    if row["moves"] or not row["stored"] or context.storage.runs.has_verdicts(row["id"]):
        return ""
    if row["measures"]:
        return " · colors measured: see Compare"
    return " · not scored: no prompt names a target color"


def run_json(context: Context, actor: Actor, folder: RunFolder) -> RunJson:
    """One run. Raises BadInput for a folder that cannot be read."""
    about, state = folder.summary(), state_of(folder)
    controls = controls_of(folder.path)
    batch = batch_json(context.service(RunSupervisor), actor, folder, state)
    # People judge a sample of all images, so of a whole run.
    batch["may"]["audit"] = (
        bool(about["rules"]) and 0 < state.total <= state.done and allowed(actor, "study")
    )
    return {
        **batch,
        "name": str(about["name"]),
        "stored": 0,
        "refused": [],
        "words": progress_text(state),
        "measures": bool(measured_text(about)),
        "facts": " · ".join(
            filter(
                None,
                (
                    facts_text(about),
                    location_text(context, folder),
                    *devices_text(folder.path),
                    _without_controls(about, state.done) if controls is None else "",
                ),
            )
        ),
        "failed_words": f"{count_noun(state.failed, 'image')} could not be generated",
        "warnings": [f"{PREFIX}{text}" for text in controls.warnings] if controls else [],
        "controls": _controls_json(controls),
        "order": _order_json(folder),
    }


def _without_controls(about: Mapping[str, Any], done: int) -> str:
    """Says of a run with scored objects that nothing tested its masks; empty for any other."""
    if not done or not about["rules"] or about["masker"]["kind"] == WHOLE:
        return ""
    few = f" (they need {MIN_IMAGES})" if int(about["total"]) < MIN_IMAGES else ""
    return f"no control images{few}: masks not tested"


def _controls_json(controls: ControlSummary | None) -> RunControls | None:
    return None if controls is None else {"result": controls.result, "lines": list(controls.lines)}


def _order_json(folder: RunFolder) -> RunOrder | None:
    """The order that adaptive rounds gave last; None for a run that is in no comparison."""
    text, models = saved_order(folder.path)
    if not text:
        return None
    rows: list[OrderedModel] = [
        {
            "name": name_of(row["model"]),
            "rank": row["rank_text"],
            "estimate": f"{row['percent']:.1f}% ({row['low']:.1f} to {row['high']:.1f})",
            "own": row["run_id"] == folder.run_id,
        }
        for row in models
    ]
    return {"text": f"{text[0].upper()}{text[1:]}.", "models": rows}


def _unreadable_json(
    supervisor: RunSupervisor, actor: Actor, folder: RunFolder, error: Exception
) -> RunJson:
    return {
        **unreadable_json(supervisor, actor, folder, error),
        "name": folder.run_id,
        "stored": 0,
        "refused": [],
        "measures": False,
        "facts": "",
        "failed_words": "",
        "warnings": [],
        "controls": None,
        "order": None,
    }


class ChangeRun(PageRequest):
    """What is to become of a run; with ``retry`` its failures come again where it goes on."""

    run_id: str
    what: Literal["pause", "cancel", "resume", "hide", "show"] = Field(title="What to do")
    retry: bool = False


@requires("cancel")
def change_run(context: Context, actor: Actor, request: ChangeRun) -> Done:
    """Pauses, cancels, resumes, hides or shows a run. A run that storage cannot ingest is hidden by
    the supervisor. Raises NotStored, and BadInput where an imported run is to go on."""
    supervisor, run_id = context.service(RunSupervisor), request.run_id
    folder = supervisor.folder(run_id)
    authorize(actor, "cancel", supervisor.resource(run_id))
    hidden = request.what == "hide"
    if request.what in ("hide", "show"):
        try:
            context.storage.runs.register(folder)
        except BadInput:
            supervisor.hide(run_id, hidden)
        else:
            context.storage.runs.hide(run_id, hidden)
    elif request.what == "resume":
        if folder.imported:  # its plan is somebody else's: what it may open here nobody has checked
            raise BadInput("An imported run stays as it came. Start a run of your own instead.")
        supervisor.when_scored(partial(store_verdicts, context.bound()))
        supervisor.resume(run_id, retry=request.retry)
    else:
        supervisor.pause(run_id, cancel=request.what == "cancel")
    return {}


def location_text(context: Context, folder: RunFolder) -> str:
    """Where a run lies that is in another folder than the app's own. Only people at this machine
    are told of its folders."""
    root = folder.path.parent
    if root == context.service(RunSupervisor).root:
        return ""
    if context.demo:
        return "a sample"
    return f"in {root if context.local else 'another folder'}"


def _unscored(context: Context, rules: Iterable[str]) -> dict[str, dict[str, int]]:
    """Pictures without a score by run and rule, but for those that could not be drawn."""
    counts: dict[str, dict[str, int]] = {}
    for by in sorted(set(rules) & set(EVERY_RULE)):
        for row in context.storage.results.unscored(Slice(rule=by)):
            if row.cause != "no-image":
                of_run = counts.setdefault(row.run_id, {})
                of_run[by] = of_run.get(by, 0) + row.count
    return counts


def _by_rule(lost: Mapping[str, int], rules: Sequence[str]) -> str:
    """``3 by every rule``, or how many by which."""
    numbers = {lost.get(name, 0) for name in rules}
    if len(rules) > 1 and len(numbers) == 1:
        return f"{numbers.pop():,} by every rule"
    return ", ".join(f"{number:,} by {name}" for name, number in lost.items())


def run_jobs(parts: AppParts) -> BatchJobs[RunFolder, Execution]:
    """Runs as long work."""
    supervisor = parts.service(RunSupervisor)
    return BatchJobs(
        RUN, supervisor, supervisor.title, progress_text, lambda folder: {"run": folder.run_id}
    )
