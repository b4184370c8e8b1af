"""``truehue vlm``: evaluate vision-language models on questions about images.

Exit status 0 on success, 2 for bad input or if ``run`` leaves questions without answers, 3 if it
ended before its last question, 130 if another part was interrupted. ``run`` saves its answers: the
same command resumes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from truehue.core.cli.vlm_judge import JUDGE
from truehue.core.cli.vlm_models import comparison_text
from truehue.core.cli.vlm_report import as_text, differences_as_json, differences_as_text, report
from truehue.core.cli.vlm_run import merge_shards, print_script, run_evaluation
from truehue.core.cli.vlm_sets import (
    ALL_NUMBERS,
    MODELS,
    chat,
    import_set,
    make_set,
    make_variants,
    masks,
)
from truehue.core.command import Command, arg, command, switch
from truehue.core.errors import BadInput, ImageError
from truehue.core.files import whole_file
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.differences import differences
from truehue.core.vlm.evaluation.log import EvaluationLog, answers_csv, read_log
from truehue.core.vlm.evaluation.pixel_baseline import PixelBaseline
from truehue.core.vlm.model_comparison import compare_models
from truehue.core.vlm.model_sizes import read_sizes
from truehue.core.vlm.model_tables import comparison_csv, comparison_json
from truehue.core.vlm.models.files import check_files, files_of
from truehue.core.vlm.models.registry import KNOWN, model_of
from truehue.core.vlm.parsing import VERSIONS
from truehue.core.vlm.records import Answer
from truehue.core.vlm.scoring import score

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
    (
        make_set,
        import_set,
        masks,
        make_variants,
        chat,
        JUDGE,
        run_evaluation,
        merge_shards,
        print_script,
        _score,
        _models,
    ),
    epilog=EPILOG,
    former="-m core.vlm",
)
main = COMMAND.main
