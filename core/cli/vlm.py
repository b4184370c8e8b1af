"""``truehue vlm``: evaluate vision-language models on questions about images.

Exit status 0 on success, 2 for bad input or if ``run`` leaves questions without answers, 3 if it
ended before its last question, 130 if another part was interrupted. ``run`` saves its answers: the
same command resumes.
"""

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
from truehue.core.cli.vlm_models import comparison_text
from truehue.core.cli.vlm_report import (
    as_text,
    differences_as_json,
    differences_as_text,
    judge_text,
    report,
)
from truehue.core.cli.vlm_sets import MODELS, NEW_SET, SET, chat, masks
from truehue.core.command import (
    Command,
    ProgressLine,
    arg,
    batch_progress,
    command,
    exit_status,
    flag,
    group,
    print_problems,
    switch,
    typed,
)
from truehue.core.diagnosis.colors import DEFAULT_SIZE_PX
from truehue.core.errors import BadInput, ImageError
from truehue.core.files import whole_file
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.color_judge.question_set import (
    DEFAULT_RENDERS,
    JudgeSettings,
    judge_questions,
)
from truehue.core.vlm.color_judge.questions import SYSTEM_NAMES
from truehue.core.vlm.color_judge.report import judge_report
from truehue.core.vlm.differences import differences
from truehue.core.vlm.evaluation.log import EvaluationLog, answers_csv, read_log
from truehue.core.vlm.evaluation.pixel_baseline import PixelBaseline
from truehue.core.vlm.evaluation.plan import EvaluationSettings, Version, begin, read_questions
from truehue.core.vlm.evaluation.protocols import model_family, prompt_of, released_preset
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.generators import (
    GENERATORS,
    VERSION,
    Difficulty,
    GeneratedSettings,
    generated,
)
from truehue.core.vlm.generators.draws import TRAINING_SEEDS
from truehue.core.vlm.model_comparison import compare_models
from truehue.core.vlm.model_sizes import read_sizes
from truehue.core.vlm.model_tables import comparison_csv, comparison_json
from truehue.core.vlm.models.files import check_files, files_of
from truehue.core.vlm.models.records import (
    ATTENTIONS,
    DEVICE_MAPS,
    DTYPES,
    LENGTHS,
    LocalSettings,
    ServedSettings,
    VisionModel,
)
from truehue.core.vlm.models.registry import KNOWN, model_of
from truehue.core.vlm.models.served import Budget
from truehue.core.vlm.parsing import VERSIONS
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
from truehue.core.vlm.published import HUB_ID, SkippedRow
from truehue.core.vlm.question_set import QuestionSet, open_set, select_questions, write_set
from truehue.core.vlm.records import Answer
from truehue.core.vlm.released import families
from truehue.core.vlm.robustness import WORDS, Counts, with_variants
from truehue.core.vlm.scoring import score
from truehue.core.vlm.table_import import read_import
from truehue.core.vlm.variants import REGIONS, TURNS_DEG

EPILOG = """\
examples:
  python -m truehue vlm make questions --count 20 --difficulty easy
  python -m truehue vlm masks questions masks
  python -m truehue vlm variants questions turned --shifts 90,180,270 --masks masks
  python -m truehue vlm models
  python -m truehue vlm run questions --model qwen2.5-vl-3b --out answers/qwen
  python -m truehue vlm run questions --model ./InternVL3-1B-hf --image gray --out gray
  python -m truehue vlm run questions --model http://127.0.0.1:8000/v1 --name MODEL \\
      --key-env MY_KEY --at-once 8 --most-tokens 2000000 --out answers/served
  python -m truehue vlm script questions --model qwen2.5-vl-7b --out answers/qwen --slurm
  python -m truehue vlm merge answers/qwen
  python -m truehue vlm import mine.tsv mine
  python -m truehue vlm run mine --model pixels --tasks color_counting --limit 50 --out part
  python -m truehue vlm make plates --tasks color_blindness --count 500 --training
  python -m truehue vlm chat plates conversations --tests questions answers/qwen
  python -m truehue vlm judge make judged --system l2 --count 58
  python -m truehue vlm judge report answers/judged
  python -m truehue vlm score answers/qwen gray --answers answers.csv
  python -m truehue vlm models answers/*
"""
_DEFAULTS, _LOCAL, _SERVED = EvaluationSettings(), LocalSettings(), ServedSettings("name")
ALL_NUMBERS = flag("--json", "one JSON object with all numbers")


@command(
    "make",
    "generate a question set whose answers are known",
    NEW_SET,
    arg("--count N", "questions per task (default 20)", default=20),
    arg("--seed S", "default 0", default=0),
    arg(
        "--difficulty",
        "default %(default)s",
        choices=[str(difficulty) for difficulty in Difficulty],
        default=str(Difficulty.MEDIUM),
    ),
    arg(
        "--tasks TASK",
        f"all by default: {', '.join(GENERATORS)}",
        nargs="+",
        choices=list(GENERATORS),
        default=list(GENERATORS),
    ),
    flag("--training", "a set to train on, from seeds that no test has (see: chat)"),
)
def _make(options: argparse.Namespace) -> int:
    difficulty, seed = Difficulty(options.difficulty), options.seed
    if options.training:
        if not 0 <= seed < len(TRAINING_SEEDS):
            raise BadInput(f"With --training a seed is 0 to {len(TRAINING_SEEDS) - 1}.", "seed")
        seed = TRAINING_SEEDS[seed]
    settings = GeneratedSettings(dict.fromkeys(options.tasks, options.count), difficulty, seed)
    made = {
        "generator_version": VERSION,
        "counts": dict(settings.counts),
        "difficulty": str(difficulty),
        "seed": settings.seed,
    }
    kind = "Generated for training" if options.training else "Generated"
    name = f"{kind}, {difficulty}, seed {settings.seed}"
    return _say_set(write_set(options.out, generated(settings), name, made))


@command(
    "import",
    "make a question set from a CSV, TSV or JSONL table, or from ColorBench's Parquet files",
    arg(
        "source FILE_OR_FOLDER",
        "a table with VLMEvalKit's columns (index, question, A, B, …, answer, image or image_path, "
        "category), a Parquet file of ColorBench, or a folder of them "
        f"(hf download {HUB_ID} --repo-type dataset)",
        type=Path,
    ),
    NEW_SET,
    flag("--strict", "reject the files if any row is not a question"),
)
def _import(options: argparse.Namespace) -> int:
    imported = read_import(options.source, options.strict)
    for note in imported.notes:
        print(note, file=sys.stderr)
    made = imported.settings()
    skipped: list[str] = made["skipped"]

    def skip(row: SkippedRow) -> None:
        skipped.append(str(row))

    items = imported.illustrated(None if options.strict else skip)
    written = write_set(options.out, items, imported.name, made)
    for line in skipped:
        print(f"Skipped {line}", file=sys.stderr)
    status = _say_set(written)
    if skipped:
        print(f"{len(skipped):,} rows are not questions and were skipped.")
    return status


def _say_set(made: QuestionSet) -> int:
    """Print the contents of a new set; returns the exit status."""
    width = max(map(len, made.counts))
    for task, count in made.counts.items():
        print(f"{task:{width}}  {count:6,}")
    print(
        f"{made.questions_count:,} questions about {made.images_count:,} images in {made.folder}, "
        f"SHA-256 {made.sha256}."
    )
    return 0


@command(
    "variants",
    "make a set with recolored variants: hues shifted in up to three regions",
    SET,
    NEW_SET,
    arg(
        "--regions NAMES",
        "comma-separated: whole, target, other (default %(default)s)",
        default=",".join(WORDS[region] for region in REGIONS),
    ),
    arg(
        "--shifts DEGREES",
        "hue shifts in HSV, comma-separated (default %(default)s)",
        default=",".join(map(str, TURNS_DEG)),
    ),
    arg(
        "--masks DIR",
        "QUESTION_ID.png is the target; QUESTION_ID.other.png is the other region (default: all "
        "that is not the target)",
        type=Path,
    ),
)
def _variants(options: argparse.Namespace) -> int:
    question_set, counts = open_set(options.set), Counts()
    regions, turns_deg = _regions(options.regions), _turns(options.shifts)
    made = {
        "variants_of": question_set.sha256,
        "regions": [WORDS[region] for region in regions],
        "shifts_deg": list(turns_deg),
        "masks": options.masks is not None,
        "settings": dict(question_set.settings),
    }
    items = with_variants(question_set, counts, regions, turns_deg, options.masks)
    try:
        written = write_set(options.out, items, f"{question_set.name}, hues shifted", made)
    except BadInput:
        if counts.varied or not counts.sentences():
            raise
        message = " ".join(counts.sentences())
        raise BadInput(f"No question of {options.set} takes variants. {message}") from None
    for sentence in counts.sentences():
        print(sentence, file=sys.stderr)
    parts = ", ".join(f"{count:,} {region}" for region, count in counts.variants.items())
    print(f"{counts.varied:,} questions have variants: {parts or 'none'}.")
    return _say_set(written)


def _regions(text: str) -> tuple[str, ...]:
    names = {word: region for region, word in WORDS.items()}
    requested = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [name for name in requested if name not in names]
    if unknown or not requested:
        raise BadInput(f"--regions takes {', '.join(names)}, comma-separated, not {text!r:.60}.")
    return tuple(region for region in REGIONS if WORDS[region] in requested)


def _turns(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise BadInput(
            f"--shifts takes whole degrees, comma-separated, not {text!r:.60}."
        ) from None


@command(
    "make",
    "generate a question set from GenColorBench's Appendix E, with our own renders",
    NEW_SET,
    arg("--system", "default l2", choices=list(SYSTEM_NAMES), default="l2"),
    arg(
        "--count N",
        f"renders, of 9 questions on css and 6 on l2 (default {DEFAULT_RENDERS}; 2058 and 406 are "
        "every object in every color, as in the paper)",
        default=DEFAULT_RENDERS,
    ),
    arg("--seed S", "default 0", default=0),
    arg(
        "--near N",
        "for Q2, offer the correct name and its N nearest instead of the whole list",
        type=int,
    ),
    arg("--size PX", "default %(default)s", default=DEFAULT_SIZE_PX),
)
def _make_judge(options: argparse.Namespace) -> int:
    settings = JudgeSettings(
        options.system, options.count, options.seed, options.size, options.near
    )
    name = f"Appendix E, {SYSTEM_NAMES[settings.system]}, seed {settings.seed}"
    return _say_set(write_set(options.out, judge_questions(settings), name, settings.as_json()))


@command(
    "report",
    "compare a model's answers with those of every rule",
    arg("folder DIR", "folder of the evaluation", type=Path),
    ALL_NUMBERS,
)
def _report_judge(options: argparse.Namespace) -> int:
    line = ProgressLine()

    def report_progress(done: int, total: int) -> None:
        line.show(lambda: f"{done:,} of {total:,} renders scored")

    results = judge_report(read_log(options.folder), report_progress)
    print(json.dumps(results, ensure_ascii=False) if options.json else judge_text(results))
    return 0


_JUDGE = Command(
    "judge", "color naming on renders, compared with the pixel rules", (_make_judge, _report_judge)
)


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
def _run(options: argparse.Namespace) -> int:
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
def _merge(options: argparse.Namespace) -> int:
    work = EvaluationWork(options.folder)
    return _ended(work, merge(work))


@command(
    "script",
    "print a file for Slurm's sbatch that evaluates a model as a job array",
    *EVALUATION,
    SCRIPT_OPTIONS,
)
def _script(options: argparse.Namespace) -> int:
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


@command(
    "score",
    "score the answers in a folder",
    arg(
        "folders DIR",
        "folder with answers; if there are several, each is compared with the first",
        nargs="+",
        type=Path,
    ),
    ALL_NUMBERS,
    arg("--answers FILE", "CSV with the answer, reading, outcome and reason", type=Path),
    switch(
        "--pixels",
        "show the pixel reader for each task; it reads a set once, and photographs only with "
        "--pixels",
        default=None,
    ),
    arg(
        "--parser",
        "parser version for the answers (default: the version each evaluation started with)",
        choices=VERSIONS,
        default="",
    ),
)
def _score(options: argparse.Namespace) -> int:
    all_asked = [read_log(folder, options.parser) for folder in options.folders]
    first, pixels = all_asked[0], _pixels(all_asked[0], options)
    reports, differing = [], []
    for evaluation_log in all_asked:
        same_questions = evaluation_log.questions == first.questions
        alike = same_questions and evaluation_log.protocol == first.protocol
        scores = score(evaluation_log.questions, evaluation_log.answers)
        reports.append(
            report(
                evaluation_log,
                scores,
                pixels if same_questions else _pixels(evaluation_log, options),
            )
        )
        if evaluation_log is first:
            continue
        if alike:
            between = differences(first.questions, first.answers, evaluation_log.answers)
            differing.append(differences_as_json(first, evaluation_log, between))
        else:
            what = "protocols" if same_questions else "questions"
            print(
                f"{first.folder} and {evaluation_log.folder} have different {what} and cannot be "
                "compared.",
                file=sys.stderr,
            )
    if options.answers:
        lines = answers_csv((str(log.folder), log) for log in all_asked)
        with whole_file(options.answers) as file:
            file.write(lines.encode())
    if options.json:
        print(json.dumps({"scores": reports, "differences": differing}, ensure_ascii=False))
    else:
        texts = [*map(as_text, reports), *map(differences_as_text, differing)]
        print("\n\n".join(texts))
    return 0


def _pixels(log: EvaluationLog, options: argparse.Namespace) -> list[Answer] | None:
    """None, and a sentence, where images are gone or were not to be read: the scores need none."""
    if options.pixels is False:
        return None
    baseline = PixelBaseline(log)
    if baseline.missing:
        count = f"{len(baseline.missing):,} questions"
        if options.pixels is None and not baseline.is_generated:
            print(
                f"The pixel reader is not shown: it has not read the photographs of {count} yet. "
                "Use --pixels to read them once for the set; this can take minutes.",
                file=sys.stderr,
            )
            return None
        try:
            baseline.compute()
        except ImageError as error:
            print(f"The pixel reader is not shown: {error}", file=sys.stderr)
            return None
        stored = baseline.unstored or "The answers are stored with the set."
        print(f"The pixel reader read {count}. {stored}", file=sys.stderr)
    return baseline.answers()


@command(
    "models",
    "list models by short id; with folders of answers, compare these models by size and family",
    arg("folders DIR", "folders with answers to one set", nargs="*", type=Path),
    arg("--sizes FILE", "CSV of your own: model, family, language_b, vision_b", type=Path),
    arg("--parser", "parser version for the answers", choices=VERSIONS, default=""),
    arg("--csv FILE", "write a line for every model and task", type=Path),
    ALL_NUMBERS,
    MODELS,
)
def _models(options: argparse.Namespace) -> int:
    if options.folders:
        return _compare_models(options)
    sources = Sources.local(options.models)
    for known in KNOWN:
        model = model_of(known.id)
        try:
            source = files_of(model, sources)
            check_files(source, known.id)
            text = f"installed: {source.folder}"
        except BadInput as error:
            text = str(error)
        print(f"{known.id}  {known.repo}, {known.parameters_b:g} billion weights\n  {text}")
    print(
        "Name any other image-text model of transformers by its Hugging Face id or its\n"
        "folder, and any OpenAI-compatible server by its URL."
    )
    return 0


def _compare_models(options: argparse.Namespace) -> int:
    own = read_sizes(options.sizes) if options.sizes else ()
    logs = [read_log(folder, options.parser) for folder in options.folders]
    details = comparison_json(compare_models(logs, own))
    if options.csv:
        with whole_file(options.csv) as file:
            file.write(comparison_csv(details).encode())
    print(json.dumps(details, ensure_ascii=False) if options.json else comparison_text(details))
    return 0


COMMAND = Command(
    "vlm",
    "Evaluates vision-language models on questions about images, and scores their answers.",
    (_make, _import, masks, _variants, chat, _JUDGE, _run, _merge, _script, _score, _models),
    epilog=EPILOG,
    former="-m core.vlm",
)
main = COMMAND.main
