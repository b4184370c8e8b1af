"""``truehue vlm run``, ``merge`` and ``script``: an evaluation, alone or as a job array."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from truehue.core.batch.array import array_task, begin_task
from truehue.core.batch.execute import WorkerPool, execute, merge, pausing_on_interrupt
from truehue.core.batch.records import BatchState
from truehue.core.batch.work import Work
from truehue.core.cli.slurm import SCRIPT_OPTIONS, ArrayJob, make_output_folder, sbatch_script
from truehue.core.cli.vlm_sets import MODELS, SET
from truehue.core.command import (
    arg,
    batch_progress,
    command,
    exit_status,
    flag,
    group,
    print_problems,
    typed,
)
from truehue.core.errors import BadInput
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.evaluation.plan import EvaluationSettings, Version, begin, read_questions
from truehue.core.vlm.evaluation.protocols import model_family, prompt_of, released_preset
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.records import (
    ATTENTIONS,
    DEVICE_MAPS,
    DTYPES,
    LENGTHS,
    LocalSettings,
    ServedSettings,
    VisionModel,
)
from truehue.core.vlm.models.registry import model_of
from truehue.core.vlm.models.served import Budget
from truehue.core.vlm.presentation import (
    CODECS,
    FORMS,
    PIXELS,
    PROTOCOLS,
    RELEASED,
    TRUEHUE,
    Presentation,
)
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.question_set import select_questions
from truehue.core.vlm.released import families

_DEFAULTS, _LOCAL, _SERVED = EvaluationSettings(), LocalSettings(), ServedSettings("name")


EVALUATION = (
    SET,
    arg(
        "--model MODEL",
        "a folder, a Hugging Face id, a short id (see: models), a server URL, pixels or chance",
        required=True,
    ),
    arg("--out DIR", "output folder for the answers", type=Path, required=True),
    group(
        "part of the set",
        arg("--tasks TASK", "only these tasks", nargs="+", default=[]),
        arg("--limit N", "at most N questions of each task", type=int),
        flag("--no-variants", "leave out robustness: recolored variants and their originals"),
    ),
    group(
        "prompt and sampling",
        arg(
            "--style",
            "default %(default)s",
            choices=[str(style) for style in Style],
            default=_DEFAULTS.style,
        ),
        arg(
            "--image",
            "color, grayscale, or a blank black image of the same size (default %(default)s)",
            choices=[str(version) for version in Version],
            default=str(_DEFAULTS.version),
        ),
        arg("--max-tokens N", f"default {_DEFAULTS.max_tokens}", type=int),
        arg(
            "--temperature",
            "0 (default) always takes the most likely token",
            default=0.0,
        ),
        arg("--seed", "used when the temperature is above 0", default=0),
    ),
    group(
        "protocol",
        arg(
            "--protocol",
            "all settings of a published evaluation at once (default %(default)s)",
            choices=PROTOCOLS,
            default=TRUEHUE,
        ),
        arg(
            "--family",
            f"whose released texts the model gets (default: by its name): {', '.join(families())}",
            default="",
        ),
        arg("--prompt-form", "switch the prompt alone (default truehue)", choices=FORMS),
        arg("--codec", "switch the image codec alone (default png)", choices=CODECS),
        arg(
            "--image-pixels",
            'switch the pixels alone: color-managed (default), or as convert("RGB") gives them',
            choices=PIXELS,
        ),
    ),
    group(
        "a model in transformers",
        arg("--dtype", "default auto", choices=DTYPES, default=_LOCAL.dtype),
        arg("--device", "auto, cpu, cuda, cuda:1 or mps", default=_LOCAL.device),
        arg(
            "--batch N",
            "batch size: faster on a GPU; rounding may change an answer (default 1)",
            default=_LOCAL.batch,
        ),
        arg(
            "--device-map",
            "spread over all GPUs: auto (default) where one cannot hold the model, balanced, none",
            choices=DEVICE_MAPS,
            default=_LOCAL.device_map,
        ),
        arg("--attention", "default: transformers' choice", choices=ATTENTIONS[1:], default=""),
        arg("--workers N", "processes (default 1)", default=1),
        arg("--threads N", "of each worker", type=int),
        MODELS,
    ),
    group(
        "a model behind a server",
        arg("--name MODEL", "model name on the server", default=""),
        arg(
            "--key-env VARIABLE",
            "environment variable with the API key, which is never stored",
            default="",
        ),
        arg("--at-once N", "concurrent requests (default 4)", default=_SERVED.at_once),
        arg("--timeout S", "seconds (default 120)", type=float, default=_SERVED.timeout_s),
        arg(
            "--length-by",
            "name of the token limit parameter (default max_tokens)",
            choices=LENGTHS,
            default=_SERVED.length,
        ),
        flag("--no-temperature", "send no temperature, for models that reject it"),
        arg(
            "--with JSON",
            'further fields of each request, such as {"reasoning_effort": "low"}',
            dest="extra",
            default="",
        ),
        arg("--max-side PX", "make images smaller whose longer side is longer", type=int),
        flag("--letter-probabilities", "ask for logprobs, for the probabilities of letters"),
        arg("--most-requests N", "pause after this many", type=int),
        arg("--most-tokens N", "pause after this many input and output tokens", type=int),
    ),
)


SHARE = (
    arg(
        "--shard K/N",
        "answer one share alone, as a task of a job array: 3/16 is the third of 16 (see: script)",
        default="",
    ),
    flag("--resume", "with --shard: lift an earlier pause of the whole evaluation"),
)


@command(
    "run",
    "evaluate a model on a question set; resumes if already started",
    *EVALUATION,
    *SHARE,
    flag("--retry-failed", "retry unanswered questions"),
)
def run_evaluation(options: argparse.Namespace) -> int:
    """Evaluates a model, or resumes."""
    if options.workers < 1 or (options.threads is not None and options.threads < 1):
        raise BadInput("--workers and --threads are at least 1.")
    model = _model(options)
    if model.kind == "served" and options.workers > 1:
        raise BadInput("A server is used by one worker: set concurrent requests with --at-once.")
    task = array_task(options.shard) if options.shard else None
    if task is not None and model.kind == "served":
        raise BadInput("A server answers several questions at once: --shard is for local models.")
    model, settings, protocol = _protocol(options, model)
    if options.limit is not None and options.limit < 1:
        raise BadInput("--limit is at least 1.")
    images, source = read_questions(options.set, settings.presentation.pixels == "rgb")
    chosen = select_questions(
        (question for question, _ in images), options.tasks, options.limit, not options.no_variants
    )
    ids = {question.question_id for question in chosen}
    questions = [item for item in images if item[0].question_id in ids]
    sources = Sources.local(options.models)
    prompt = prompt_of(settings)
    folder = begin(options.out, questions, source, prompt, model, settings, sources, protocol)
    budget = Budget(options.most_requests, options.most_tokens)
    evaluation = EvaluationWork(folder.path, model, budget, options.models)
    if task is None or options.resume:
        folder.set_desired_state("run")
    if folder.desired_state() != "run":
        raise BadInput(
            f"{folder.path} was paused or cancelled. To go on: add --resume to one task, then start "
            "the others."
        )
    work: Work = evaluation if task is None else begin_task(evaluation, task)
    work.folder.set_desired_state("run")
    with pausing_on_interrupt(work.folder):
        state = execute(
            work,
            WorkerPool(options.workers, threads=options.threads),
            retry_failed=options.retry_failed,
            watch=batch_progress("questions", folder.wait_message),
        )
    return _ended(evaluation, state)


def _protocol(
    options: argparse.Namespace, model: VisionModel
) -> tuple[VisionModel, EvaluationSettings, str]:
    """Model and settings as the protocol has them, and the preset's name, empty for ours."""
    settings = EvaluationSettings(
        options.style,
        Version(options.image),
        _DEFAULTS.max_tokens if options.max_tokens is None else options.max_tokens,
        options.temperature,
        options.seed,
    )
    switches = (options.prompt_form, options.codec, options.image_pixels)
    if options.family and options.protocol != RELEASED and options.prompt_form != "released":
        raise BadInput(
            "--family says whose released texts the model gets, and here it gets none. Add "
            f"--prompt-form released or --protocol {RELEASED}, or leave out --family.",
            "family",
        )
    if options.protocol == RELEASED:
        if any(switches) or options.max_tokens is not None:
            raise BadInput(
                f"{RELEASED} decides the prompt, the codec, the pixels and the most tokens. Leave "
                "out --prompt-form, --codec, --image-pixels and --max-tokens."
            )
        return *released_preset(model, settings, options.family), RELEASED
    form, codec, pixels = switches
    family = model_family(model, options.family) if form == "released" else ""
    presentation = Presentation(
        form or "truehue", family, codec or "png", pixels or "managed", "first"
    )
    return model, replace(settings, presentation=presentation), ""


def _model(options: argparse.Namespace) -> VisionModel:
    if "://" not in options.model:
        settings: dict[str, Any] = {
            "dtype": options.dtype,
            "device": options.device,
            "batch": options.batch,
        }
        for name in ("device_map", "attention"):
            if getattr(options, name) != getattr(_LOCAL, name):
                settings[name] = getattr(options, name)
        return model_of(options.model, settings)
    more = {
        "extra": _extra(options.extra),
        "max_side_px": options.max_side,
        "logprobs": options.letter_probabilities,
    }
    return model_of(
        options.model,
        {
            "model": options.name,
            "key_env": options.key_env,
            "timeout_s": options.timeout,
            "at_once": options.at_once,
            "length": options.length_by,
            "temperature": not options.no_temperature,
            **{name: value for name, value in more.items() if value},
        },
    )


def _extra(text: str) -> dict[str, Any]:
    """The further fields of a request. Raises BadInput for what is no JSON object."""
    try:
        fields = json.loads(text or "{}")
    except ValueError as error:
        raise BadInput(f"--with takes a JSON object: {error}.") from None
    if not isinstance(fields, dict):
        raise BadInput(f"--with takes a JSON object, not {text!r:.60}.")
    return fields


def _ended(work: EvaluationWork, state: BatchState) -> int:
    print_problems(state, "an answer")
    answered = state.done - state.failed
    print(f"{answered:,} of {state.total:,} questions answered, in {work.folder.path}.")
    if work.model.kind == "served":
        spent = work.spent()
        print(f"Spent so far: {spent.spent_requests:,} requests, {spent.spent_tokens:,} tokens.")
    return exit_status(state)


@command(
    "merge",
    "count what the tasks of a job array answered; says what is missing",
    arg("folder DIR", "folder of the evaluation", type=Path),
)
def merge_shards(options: argparse.Namespace) -> int:
    """Counts what the tasks of a job array answered."""
    work = EvaluationWork(options.folder)
    return _ended(work, merge(work))


@command(
    "script",
    "print a file for Slurm's sbatch that evaluates a model as a job array",
    *EVALUATION,
    SCRIPT_OPTIONS,
)
def print_script(options: argparse.Namespace) -> int:
    """Prints the file for sbatch."""
    model = _model(options)
    if model.kind == "served":
        raise BadInput("A server answers several questions at once: run the command itself.")
    program = [sys.executable, "-m", "truehue", "vlm"]
    job = ArrayJob(
        f"An evaluation of {model.id} on {options.set}",
        "truehue-vlm",
        [*program, "run", *typed(EVALUATION, options)],
        [*program, "merge", str(options.out)],
        options.out,
        model.kind == "local",
    )
    text = sbatch_script(job, options)
    make_output_folder(job)
    print(text, end="")
    return 0
