"""Why evaluations are not a printed row of ColorBench: each difference switched alone.

The parser is switched on the stored answers. A part of the released code's settings is switched
where an evaluation of the same questions by the same model has that part alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from truehue.core.errors import BadInput
from truehue.core.published import Column, PublishedRow, table
from truehue.core.reproduce.attribution import Gap, Numbers, RowSwitch, row_gaps
from truehue.core.reproduce.colorbench_evaluations import (
    evaluation_folder,
    logs_of,
    printed_name,
    run_command,
    task_of,
)
from truehue.core.reproduce.recipe import ReproduceContext, Step
from truehue.core.vlm.evaluation.log import EvaluationLog, read_log
from truehue.core.vlm.evaluation.plan import EvaluationSettings
from truehue.core.vlm.evaluation.protocols import model_family
from truehue.core.vlm.model_comparison import percent_of
from truehue.core.vlm.parsing import RELEASED as RELEASED_PARSER
from truehue.core.vlm.presentation import RELEASED
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.released import UNLIMITED_TOKENS, family_of, family_settings
from truehue.core.vlm.scoring import score

if TYPE_CHECKING:
    from truehue.core.vlm.models.records import VisionModel

OVERALL = "Overall"
REASONED = " (CoT)"
"""How the printed names of models end that reasoned first."""


@dataclass(frozen=True)
class Part:
    """A part of the settings, and the settings in which it alone is the released code's."""

    name: str
    sentence: str
    ours: str
    theirs: str
    settings: EvaluationSettings


def parts_of(log: EvaluationLog) -> dict[str, Part]:
    """The settings that are not the released code's, by a short id, each switched alone. None for
    a model whose family has no released texts."""
    settings, presentation = log.settings, log.settings.presentation
    family = released_family(log.model)
    if not family:
        return {}
    theirs = family_settings(family, Style(settings.style))
    tokens = theirs.max_tokens or UNLIMITED_TOKENS
    form = replace(presentation, form="released", family=family)
    parts = {
        "form": Part(
            "prompt form",
            "Their text and the row's own field prompt in place of ours.",
            presentation.form,
            "released",
            replace(settings, presentation=form),
        ),
        "codec": Part(
            "image codec",
            "What the image goes through: the released code sends JPEG of quality 75 to some.",
            presentation.codec,
            theirs.codec,
            replace(settings, presentation=replace(presentation, codec=theirs.codec)),
        ),
        "pixels": Part(
            "pixels",
            'convert("RGB") in place of resolved profiles and transparency.',
            presentation.pixels,
            "rgb",
            replace(settings, presentation=replace(presentation, pixels="rgb")),
        ),
        "tokens": Part(
            "token limit",
            "An answer that is cut off has no letter, or another one.",
            f"{settings.max_tokens:,}",
            f"{tokens:,}",
            replace(settings, max_tokens=tokens),
        ),
        "temperature": Part(
            "temperature",
            "The released code takes the likeliest token.",
            f"{settings.temperature:g}",
            "0",
            replace(settings, temperature=0.0),
        ),
    }
    return {name: part for name, part in parts.items() if part.settings != settings}


def released_family(model: VisionModel) -> str:
    """The family whose texts the released code gives a model; empty where it has none."""
    try:
        return model_family(model)
    except BadInput:
        served = [model.served().model] if model.kind == "served" else []
        names = filter(None, map(printed_name, [model.id, *served]))
        try:
            return family_of(names)
        except BadInput:
            return ""


def switch_options(log: EvaluationLog, settings: EvaluationSettings) -> tuple[str, ...]:
    """The options of ``vlm run`` that make an evaluation of these settings, style and version of
    the image left out."""
    presentation, usual = settings.presentation, EvaluationSettings()
    options: list[str] = []
    if presentation.form == "released":
        options += ["--prompt-form", "released"]
        try:
            model_family(log.model)
        except BadInput:
            options += ["--family", presentation.family]
    options += ["--codec", presentation.codec] if presentation.codec != "png" else []
    options += ["--image-pixels", presentation.pixels] if presentation.pixels != "managed" else []
    tokens = settings.max_tokens
    options += ["--max-tokens", f"{tokens}"] if tokens != usual.max_tokens else []
    options += ["--temperature", f"{settings.temperature:g}"] if settings.temperature else []
    options += ["--seed", f"{settings.seed}"] if settings.seed else []
    return tuple(options)


Stored = Callable[[EvaluationLog, str], Path | None]
"""The folder of the evaluation that switches a part of a log alone; None where there is none."""
Command = Callable[[EvaluationLog, str], str]
"""The command that makes it."""


def evaluation_gaps(
    logs: Sequence[EvaluationLog],
    keys: Mapping[str, str],
    printed: PublishedRow,
    columns: Sequence[Column],
    stored: Stored,
    command: Command,
    more: Sequence[RowSwitch] = (),
) -> tuple[Gap, ...]:
    """The gaps of the mean of evaluations, which is mostly of one, to a printed row. ``more`` are
    differences that only the caller knows."""
    own = [cache(partial(_percents, log)) for log in logs]
    switches = [
        *_parser_switches(logs),
        *_part_switches(logs, own, stored, command),
        *_order_switches(logs),
        *more,
        *_UNKNOWN,
    ]
    return row_gaps(keys, _mean(own), printed, columns, lambda by: task_of(by.name), switches)


_UNKNOWN = (
    RowSwitch(
        "weights and libraries",
        "The released code runs bfloat16 or float16 with flash attention and other versions.",
        "this machine's",
        "not published with the answers",
    ),
    RowSwitch(
        "revision of the set",
        "The hub's set was changed after publication, and its 81st question of Proportion is not "
        "in the printed 955.",
        "the imported revision",
        "the paper's",
    ),
)


def _parser_switches(logs: Sequence[EvaluationLog]) -> list[RowSwitch]:
    own = sorted({log.parser for log in logs} - {RELEASED_PARSER})
    if not own:
        return []
    read_again = [partial(_stored_percents, log.folder, RELEASED_PARSER) for log in logs]
    return [
        RowSwitch(
            "parser",
            "The released parser reads the same answers; it counts those it cannot read as wrong.",
            " and ".join(own),
            RELEASED_PARSER,
            cache(partial(_mean, read_again)),
        )
    ]


def _part_switches(
    logs: Sequence[EvaluationLog],
    own: Sequence[Callable[[], Numbers]],
    stored: Stored,
    command: Command,
) -> list[RowSwitch]:
    """Each part in all evaluations at once; one that has theirs already stays as it is."""
    of_logs = [parts_of(log) for log in logs]
    switches = []
    for name in dict.fromkeys(name for parts in of_logs for name in parts):
        numbers, missing = list(own), list[EvaluationLog]()
        for index, (log, parts) in enumerate(zip(logs, of_logs, strict=True)):
            if name not in parts:
                continue
            folder = stored(log, name)
            if folder is None:
                missing.append(log)
            else:
                numbers[index] = partial(_stored_percents, folder, log.parser)
        part = next(parts[name] for parts in of_logs if name in parts)
        switches.append(
            RowSwitch(
                part.name,
                part.sentence,
                part.ours,
                part.theirs,
                None if missing else cache(partial(_mean, numbers)),
                command(missing[0], name) if missing else "",
            )
        )
    return switches


def _order_switches(logs: Sequence[EvaluationLog]) -> list[RowSwitch]:
    """The order of image and text, which no option switches alone."""
    for log in logs:
        family, ours = released_family(log.model), log.settings.presentation.image
        theirs = family and family_settings(family, Style(log.settings.style)).image
        if theirs and theirs != ours:
            sentence = f"The order of image and text; only --protocol {RELEASED} switches it."
            return [RowSwitch("image order", sentence, f"image {ours}", f"image {theirs}")]
    return []


def _mean(evaluations: Sequence[Callable[[], Numbers]]) -> Numbers:
    """The mean of evaluations' percents by task, of those that have one."""
    of_logs = [percents() for percents in evaluations]
    means: dict[str, float | None] = {}
    for task in of_logs[0]:
        known = [value for percents in of_logs if (value := percents[task]) is not None]
        means[task] = fmean(known) if known else None
    return means


def _stored_percents(folder: Path, parser: str) -> Numbers:
    return _percents(read_log(folder, parser))


def _percents(log: EvaluationLog) -> Numbers:
    """By task, of the columns of Table 1."""
    scores = score(log.questions, log.answers)
    names = (task_of(column.name) for column in table("colorbench-table1").columns)
    return {task: percent_of(scores, task) for task in names}


def attribution(
    number: str, variation: str, robust: bool, context: ReproduceContext
) -> tuple[Gap, ...]:
    """Of each model's Overall why it is not the printed one."""
    published, gaps = table(f"colorbench-table{number}"), list[Gap]()

    def folder_of(model: str, part: str) -> Path:
        return evaluation_folder(context, model, variation, robust, f"-{part}")

    for model, logs in logs_of(context, (variation,), robust).items():
        name = printed_name(model) + (REASONED if variation == "reasoned" else "")
        printed = next((row for row in published.rows if row.keys["model"] == name), None)
        if printed is None:
            continue

        def stored(log: EvaluationLog, part: str, model: str = model) -> Path | None:
            folder = folder_of(model, part)
            return folder if (folder / "plan.json").is_file() else None

        def command(log: EvaluationLog, part: str, model: str = model) -> str:
            options = switch_options(log, parts_of(log)[part].settings)
            folder = folder_of(model, part)
            words = run_command(context, model, variation, folder, robust, options)
            return Step("", words).text

        gaps += evaluation_gaps(
            [logs[variation]],
            {"model": name, "ours": model.partition("@")[0]},
            printed,
            [published.column(OVERALL)],
            stored,
            command,
        )
    return tuple(gaps)
