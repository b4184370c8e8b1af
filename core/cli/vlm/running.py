"""``run``: asks a model the questions of a set, or goes on."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from truehue.core.batch.execute import WorkerPool, execute, pausing_on_interrupt
from truehue.core.batch.records import BatchState
from truehue.core.cli.work import ProgressLine, exit_status, say_problems
from truehue.core.errors import BadInput
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.evaluation.images import Version
from truehue.core.vlm.evaluation.plan import EvaluationSettings, begin
from truehue.core.vlm.evaluation.sets import read_questions
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.records import (
    DTYPES,
    LENGTHS,
    LocalSettings,
    ServedSettings,
    VisionModel,
)
from truehue.core.vlm.models.registry import model_of
from truehue.core.vlm.models.served import Budget
from truehue.core.vlm.prompting import Style, prompt_text


def add(commands: Any) -> None:
    """The command."""
    run = commands.add_parser(
        "run", help="evaluate a model on a question set; resumes if already started"
    )
    run.add_argument("set", type=Path, metavar="SET", help="folder of a question set")
    run.add_argument(
        "--model",
        required=True,
        metavar="MODEL",
        help="a folder, a Hugging Face id, a short id (see: models), a server URL, pixels or "
        "chance",
    )
    run.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="output folder for the answers"
    )
    settings = EvaluationSettings()
    how = run.add_argument_group("prompt and sampling")
    how.add_argument(
        "--style",
        choices=[str(style) for style in Style],
        default=settings.style,
        help="default %(default)s",
    )
    how.add_argument(
        "--image",
        choices=[str(version) for version in Version],
        default=str(settings.version),
        help="color, grayscale, or a blank black image of the same size (default %(default)s)",
    )
    how.add_argument(
        "--max-tokens", type=int, default=settings.max_tokens, metavar="N", help="default 512"
    )
    how.add_argument(
        "--temperature",
        type=float,
        default=0.0,
        help="0 (default) always takes the most likely token",
    )
    how.add_argument("--seed", type=int, default=0, help="used when the temperature is above 0")
    _add_local(run.add_argument_group("a model in transformers"))
    _add_served(run.add_argument_group("a model behind a server"))
    run.add_argument("--retry-failed", action="store_true", help="retry unanswered questions")
    run.set_defaults(run=_run)


def _add_local(group: Any) -> None:
    local = LocalSettings()
    group.add_argument("--dtype", choices=DTYPES, default=local.dtype, help="default auto")
    group.add_argument("--device", default=local.device, help="auto, cpu, cuda, cuda:1 or mps")
    group.add_argument(
        "--batch",
        type=int,
        default=local.batch,
        metavar="N",
        help="batch size: faster on a GPU; rounding may change an answer (default 1)",
    )
    group.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default 1)")
    group.add_argument("--threads", type=int, metavar="N", help="of each worker")
    group.add_argument(
        "--models", type=Path, metavar="DIR", help="folder that contains model folders"
    )


def _add_served(group: Any) -> None:
    served = ServedSettings("name")
    group.add_argument("--name", default="", metavar="MODEL", help="model name on the server")
    group.add_argument(
        "--key-env",
        default="",
        metavar="VARIABLE",
        help="environment variable with the API key, which is never stored",
    )
    group.add_argument(
        "--at-once",
        type=int,
        default=served.at_once,
        metavar="N",
        help="concurrent requests (default 4)",
    )
    group.add_argument(
        "--timeout", type=float, default=served.timeout_s, metavar="S", help="seconds (default 120)"
    )
    group.add_argument(
        "--length-by",
        choices=LENGTHS,
        default=served.length,
        help="name of the token limit parameter (default max_tokens)",
    )
    group.add_argument(
        "--no-temperature",
        action="store_true",
        help="send no temperature, for models that reject it",
    )
    group.add_argument("--most-requests", type=int, metavar="N", help="pause after this many")
    group.add_argument(
        "--most-tokens", type=int, metavar="N", help="pause after this many input and output tokens"
    )


def _run(options: argparse.Namespace) -> int:
    if options.workers < 1 or (options.threads is not None and options.threads < 1):
        raise BadInput("--workers and --threads are at least 1.")
    model = _model(options)
    if model.kind == "served" and options.workers > 1:
        raise BadInput("A server is used by one worker: set concurrent requests with --at-once.")
    settings = EvaluationSettings(
        options.style,
        Version(options.image),
        options.max_tokens,
        options.temperature,
        options.seed,
    )
    questions, source = read_questions(options.set)
    sources = Sources.here(options.models)
    prompt = partial(prompt_text, style=Style(options.style))
    folder = begin(options.out, questions, source, prompt, model, settings, sources)
    budget = Budget(options.most_requests, options.most_tokens)
    work = EvaluationWork(folder.path, model, budget, options.models)
    folder.set_desired_state("run")
    with pausing_on_interrupt(folder):
        state = execute(
            work,
            WorkerPool(options.workers, threads=options.threads),
            retry_failed=options.retry_failed,
            watch=ProgressLine("questions", folder.wait_message),
        )
    return _ended(work, state)


def _model(options: argparse.Namespace) -> VisionModel:
    if "://" not in options.model:
        settings = {"dtype": options.dtype, "device": options.device, "batch": options.batch}
        return model_of(options.model, settings)
    return model_of(
        options.model,
        {
            "model": options.name,
            "key_env": options.key_env,
            "timeout_s": options.timeout,
            "at_once": options.at_once,
            "length": options.length_by,
            "temperature": not options.no_temperature,
        },
    )


def _ended(work: EvaluationWork, state: BatchState) -> int:
    say_problems(state, "an answer")
    answered = state.done - state.failed
    print(f"{answered:,} of {state.total:,} questions answered, in {work.folder.path}.")
    if work.model.kind == "served":
        spent = work.spent()
        print(f"Spent so far: {spent.spent_requests:,} requests, {spent.spent_tokens:,} tokens.")
    return exit_status(state)
