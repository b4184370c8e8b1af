"""What a researcher should know of where a study's pictures are from, before making it."""

from __future__ import annotations

from truehue.core.analysis.records import RunRecord
from truehue.core.errors import BadInput
from truehue.core.generation.registry import RENDERER
from truehue.tabs.compare.sources import RUN, parse
from truehue.tabs.page.context import Context
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.sources import whole_id


def source_warnings(context: Context, form: StudyForm) -> list[str]:
    """Sentences on models that are of the same source, and on pictures that no model drew."""
    return [*_same(context, form), *_rendered(context, form)]


def _same(context: Context, form: StudyForm) -> list[str]:
    names: dict[frozenset[tuple[object, ...]], list[str]] = {}
    for model in form.models:
        names.setdefault(frozenset(_whole(context, text) for text in model.sources), []).append(
            f"“{model.name}”"
        )
    return [
        f"{', '.join(same[:-1])} and {same[-1]} have the same source, so people would compare "
        "a model with itself. Give one of them another run, set or scale "
        "(run:ID/style/guidance), unless you study chance variation of votes."
        for same in names.values()
        if len(same) > 1
    ]


def _rendered(context: Context, form: StudyForm) -> list[str]:
    runs = {run.run_id: run for run in context.storage.runs.all(hidden=True)}
    names = [
        f"“{model.name}”"
        for model in form.models
        if any(_is_rendered(context, text, runs) for text in model.sources)
    ]
    if not names:
        return []
    are = "is" if len(names) == 1 else "are"
    return [
        f"{', '.join(names)} {are} from the reference renderer, which renders shaded objects "
        "in the target colors. It is not a model: use it only to try out a study."
    ]


def _is_rendered(context: Context, text: str, runs: dict[str, RunRecord]) -> bool:
    run_id = _whole(context, text)[1] if parse(text).kind == RUN else ""
    return run_id in runs and runs[str(run_id)].model == RENDERER


def _whole(context: Context, text: str) -> tuple[object, ...]:
    """A source with its whole id, so that two ways to write it are one."""
    source = parse(text)
    try:
        return source.kind, whole_id(context, source), source.style, source.guidance
    except BadInput:
        return source.kind, source.id, source.style, source.guidance
