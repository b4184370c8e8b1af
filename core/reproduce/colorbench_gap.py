"""Why an evaluation's Overall is not ColorBench's printed one: each difference switched alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from truehue.core.published import table
from truehue.core.reproduce.attribution import Gap, Switch, switched_alone
from truehue.core.reproduce.colorbench_evaluations import (
    PROTOCOLS,
    evaluation_folder,
    logs_of,
    printed_name,
    run_command,
)
from truehue.core.reproduce.recipe import ReproduceContext, Step
from truehue.core.vlm.evaluation.log import EvaluationLog, read_log
from truehue.core.vlm.model_comparison import MICRO, percent_of
from truehue.core.vlm.parsing import RELEASED as RELEASED_PARSER
from truehue.core.vlm.presentation import RELEASED, TRUEHUE
from truehue.core.vlm.scoring import score

SWITCHED: Mapping[str, tuple[str, ...]] = {
    "form": ("--prompt-form", "released"),
    "codec": ("--codec", "jpeg-75"),
    "pixels": ("--image-pixels", "rgb"),
}
"""Parts of the protocol that a run of their own switches alone, by the folder's ending."""


def attribution(
    number: str, variation: str, robust: bool, context: ReproduceContext
) -> tuple[Gap, ...]:
    """Of each model's Overall why it is not the printed one: prompt form, codec, pixels and parser,
    each switched alone from TrueHue's protocol."""
    published, gaps = table(f"colorbench-table{number}"), []
    for model, logs in logs_of(context, (variation,), robust).items():
        name = printed_name(model) + (" (CoT)" if variation == "reasoned" else "")
        printed = next((row for row in published.rows if row.keys["model"] == name), None)
        log = logs[variation]
        ours = percent_of(score(log.questions, log.answers), MICRO)
        theirs = printed.values["Overall"] if printed else None
        if ours is None or theirs is None:
            continue
        keys = {"model": name, "ours": model.partition("@")[0]}
        switches = _switches(context, model, variation, robust, log)
        gaps.append(switched_alone(keys, "Overall", ours, theirs, switches))
    return tuple(gaps)


def _switches(
    context: ReproduceContext, model: str, variation: str, robust: bool, log: EvaluationLog
) -> list[Switch]:
    unknown = Switch(
        "weights and libraries",
        "The released code runs bfloat16 or float16 with flash attention and other versions.",
        "this machine's",
        "not published with the answers",
    )
    revision = Switch(
        "revision of the set",
        "The hub's set was changed after publication, and its 81st question of Proportion is not "
        "in the printed 955.",
        "the imported revision",
        "the paper's",
    )
    if (context.protocol or PROTOCOLS[0]) == RELEASED:
        return [unknown, revision]
    sentences = {
        "form": ("prompt form", "Their text and the row's own field prompt in place of ours."),
        "codec": ("image codec", "JPEG of quality 75 in place of lossless pixels."),
        "pixels": ("pixels", 'convert("RGB") in place of resolved profiles and transparency.'),
    }
    switches = [
        Switch(
            "parser",
            "The released parser reads the same answers; it counts those it cannot read as wrong.",
            log.parser,
            RELEASED_PARSER,
            partial(_percent, log.folder, RELEASED_PARSER),
        )
    ]
    for ending, (name, sentence) in sentences.items():
        folder = evaluation_folder(context, model, variation, robust, f"-{ending}")
        words = run_command(context, model, variation, folder, robust, SWITCHED[ending])
        command = Step("", words).text
        stored = (folder / "plan.json").is_file()
        evaluate: Callable[[], float | None] | None = (
            partial(_percent, folder, "") if stored else None
        )
        switches.append(Switch(name, sentence, TRUEHUE, RELEASED, evaluate, command))
    return [*switches, unknown, revision]


def _percent(folder: Path, parser: str) -> float | None:
    log = read_log(folder, parser)
    return percent_of(score(log.questions, log.answers), MICRO)
