"""Samples of a demonstration: a few data of every tab, made by the reference renderer at the start and
stored in the data folder."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from truehue.core.generation.registry import RENDERER
from truehue.core.prompts.sets import prompt_set
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.compare.example import store_ratings
from truehue.tabs.generate.examples import EXAMPLES, make_example
from truehue.tabs.generate.form import GenerateImages, start_generation
from truehue.tabs.generate.own_prompt import OwnPrompt
from truehue.tabs.generate.plan import Settings
from truehue.tabs.library.prompts import SaveSelectionRequest, save_selection
from truehue.tabs.library.service import SELECTION
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER
from truehue.tabs.runs.form import start_runs
from truehue.tabs.runs.request import RunRequest

log = logging.getLogger("truehue")

LONGEST_S = 180.0
LOOK_S = 0.1
SIZE_PX = 256
THING = "banana"
OWN_WORDS = ("A photo of a vivid reddish orange mug", "A photo of a strong green teapot")
SAMPLE = "Sample: "
RUNS: tuple[Mapping[str, Any], ...] = (
    {"set": "mini", "limit": 8, "name": SAMPLE + "as asked"},
    {"set": "mini", "limit": 8, "failure": "ignored", "name": SAMPLE + "colors ignored"},
    {"set": SELECTION + THING, "name": SAMPLE + "bananas", "rules": "truehue"},
)
"""Runs as the form of runs asks for them."""


def make_samples(context: Context, end: Callable[[], bool] = lambda: False) -> float:
    """Makes what is missing of the samples; returns the seconds that it took.

    Where there are runs of the owner's own, those are the samples, with the examples alone. It
    stops where ``end`` says so. What was made before stays as it is.
    """
    began = time.monotonic()
    names = [run.name for run in context.storage.runs.all(hidden=True)]
    if not all(name.startswith(SAMPLE) for name in names):
        steps = [_examples]
    else:
        # Runs are drawn by processes of their own, beside what this one draws.
        steps = [_begin, _examples, _distributions, _selection, _drawings, _begin_more, _finish]
    for step in steps:
        if end():
            break
        try:
            step(context, end)
        except Exception:  # the others can be shown all the same
            if not end():
                log.exception("a sample could not be made")
    return time.monotonic() - began


def _examples(context: Context, end: Callable[[], bool]) -> None:
    for example in EXAMPLES:
        make_example(context, example.key)


def _distributions(context: Context, end: Callable[[], bool]) -> None:
    store_ratings(context)


def _selection(context: Context, end: Callable[[], bool]) -> None:
    named = [
        (prompt.source, prompt.id)
        for prompt in prompt_set("concepts").prompts()
        if prompt.id.endswith("-photo") and prompt.targets[0].name == THING
    ]
    save_selection(context, OWNER, SaveSelectionRequest(name=THING, refs=tuple(named)))


def _drawings(context: Context, end: Callable[[], bool]) -> None:
    if context.storage.drawings.count():
        return
    for text in OWN_WORDS:
        how = Settings(size_px=SIZE_PX)
        job = start_generation(context, OWNER, GenerateImages(own=OwnPrompt(text), how=how))["job"]
        while not end() and not context.engine.wait(job, LOOK_S).finished:
            pass


def _begin(context: Context, end: Callable[[], bool]) -> None:
    for fields in RUNS[:-1]:
        _start(context, fields)


def _begin_more(context: Context, end: Callable[[], bool]) -> None:
    """The run of what :func:`_selection` has kept; there is a limit of how many wait."""
    _finish(context, end)
    _start(context, RUNS[-1])


def _start(context: Context, fields: Mapping[str, Any]) -> None:
    common = {"models": RENDERER, "size": SIZE_PX, "images": 1}
    start_runs(context, OWNER, RunRequest.model_validate({**common, **fields}))


def _finish(context: Context, end: Callable[[], bool]) -> None:
    supervisor = context.service(RunSupervisor)
    latest = time.monotonic() + LONGEST_S
    while supervisor.queue.waiting() and not end() and time.monotonic() < latest:
        time.sleep(LOOK_S)
    supervisor.ingest()
