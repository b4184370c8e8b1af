"""The recipes of ColorBench (arXiv:2504.10514): Tables 1 to 4, 8 and 9, Figures 4 and 5.

Evaluations are folders of ``truehue vlm run`` below ``reproduce/colorbench`` of the data folder. A
model is a name that ``vlm run`` takes, or ``NAME@URL`` for one behind a server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from truehue.core.errors import BadInput
from truehue.core.published import Column, PublishedRow, PublishedTable, bibtex, table
from truehue.core.reproduce.attribution import Gap, Switch, switched_alone
from truehue.core.reproduce.needs import Need
from truehue.core.reproduce.recipe import Kind, Recipe, ReproduceContext, Step
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable, make_table
from truehue.core.runs.estimate import free_bytes
from truehue.core.vlm.evaluation.log import EvaluationLog, read_log
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.model_comparison import (
    MICRO,
    ROBUST,
    ModelComparison,
    compare_models,
    correlations,
    gray_effects,
    percent_of,
    reasoning_effects,
    tally_named,
)
from truehue.core.vlm.model_sizes import ModelSize, published_sizes, size_of
from truehue.core.vlm.models.files import check_files, files_of
from truehue.core.vlm.models.registry import KNOWN, model_of
from truehue.core.vlm.parsing import RELEASED as RELEASED_PARSER
from truehue.core.vlm.presentation import RELEASED, TRUEHUE
from truehue.core.vlm.published import HUB_ID
from truehue.core.vlm.published_scores import task_columns
from truehue.core.vlm.question_set import MANIFEST
from truehue.core.vlm.scoring import score
from truehue.core.vlm.tasks import ROBUSTNESS

PAPER = "colorbench"
PROTOCOLS = (RELEASED, TRUEHUE)
GIB = 2**30
DOWNLOAD_GIB = 16
"""Of the set as PNG, and its Parquet files."""
VARIATIONS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "reasoned": ("--style", "reasoned"),
    "gray": ("--image", "gray"),
    "black": ("--image", "black"),
}
INPUTS = {"Text-only": "black", "Gray+Text": "gray", "RGB+Text": "plain"}
SWITCHED: Mapping[str, tuple[str, ...]] = {
    "form": ("--prompt-form", "released"),
    "codec": ("--codec", "jpeg-75"),
    "pixels": ("--image-pixels", "rgb"),
}
"""Parts of the protocol that a run of their own switches alone, by the folder's ending."""
_DATED = r"(-\d{4}-\d{2}-\d{2}|-\d+)?"
_SERVED = {
    f"gpt-4o{_DATED}": "GPT-4o",
    f"gemini-2(\\.0)?-flash{_DATED}": "Gemini-2-flash",
    f"(gpt-)?o3{_DATED}": "GPT-o3 (API)",
}
"""Patterns of the whole name: gpt-4o-mini is another model."""
_TABLE_4 = {"Gemini-2-flash": "Gemini-2"}


def folder_of(context: ReproduceContext) -> Path:
    """Where all of the paper's evaluations lie."""
    return context.data / "reproduce" / PAPER


def set_of(context: ReproduceContext) -> Path:
    """The question set: the one that is named, else the imported one."""
    return Path(context.set).expanduser() if context.set else folder_of(context) / "set"


def models_of(context: ReproduceContext) -> tuple[str, ...]:
    """Those that were chosen, else the models of Table 1 that have a short id."""
    names = {row.keys["model"] for row in table("colorbench-table1").rows}
    return context.models or tuple(
        known.id for known in KNOWN if (size := size_of([known.id])) and size.model in names
    )


def printed_name(model: str) -> str:
    """The paper's name of a model; empty where it has none."""
    name = model.partition("@")[0].lower()
    size = size_of([name])
    if size is not None:
        return size.model
    name = name.rpartition("/")[2]
    return next((text for pattern, text in _SERVED.items() if re.fullmatch(pattern, name)), "")


def evaluation_folder(
    context: ReproduceContext, model: str, variation: str, robust: bool, ending: str = ""
) -> Path:
    """Of one model's answers. Without robustness the folder of all questions is taken where there
    is one."""
    name = model.partition("@")[0]
    name = Path(name).name if name.startswith(("/", "~", ".")) else name
    slug = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")
    protocol = context.protocol or PROTOCOLS[0]
    limit = "" if context.limit is None else f"-limit{context.limit}"
    name = f"{slug}-{protocol}-{variation}{ending}{limit}-{_set_id(context)}"
    whole = folder_of(context) / "answers" / name
    return whole if robust or whole.exists() else whole.with_name(f"{name}-without-robustness")


def steps(
    context: ReproduceContext, variations: Sequence[str], robust: bool = True
) -> tuple[Step, ...]:
    """The import of the set where its files are there, then an evaluation for each model and
    variation."""
    made: list[Step] = []
    download = folder_of(context) / "download"
    target = set_of(context)
    if not target.exists() and not context.set and any(download.glob("**/*.parquet")):
        made.append(Step("The published set", ("vlm", "import", str(download), str(target))))
    elif not target.exists():
        return ()
    for model in models_of(context):
        for variation in variations:
            folder = evaluation_folder(context, model, variation, robust)
            command = run_command(context, model, variation, folder, robust)
            made.append(Step(f"Answers of {model.partition('@')[0]}, {variation}", command))
    return tuple(made)


def run_command(
    context: ReproduceContext,
    model: str,
    variation: str,
    folder: Path,
    robust: bool,
    switched: Sequence[str] = (),
) -> tuple[str, ...]:
    """The words of ``vlm run``."""
    name, _, url = model.partition("@")
    command = ["vlm", "run", str(set_of(context)), "--out", str(folder)]
    command += ["--model", url, "--name", name] if url else ["--model", name]
    command += ["--protocol", context.protocol or PROTOCOLS[0], *VARIATIONS[variation]]
    command += [] if robust or not folder.name.endswith("without-robustness") else ["--no-variants"]
    command += [] if context.limit is None else ["--limit", str(context.limit)]
    models = context.sources.models_folder
    command += ["--models", str(models)] if models and not url else []
    command += ["--workers", str(context.workers)] if context.workers and not url else []
    return (*command, *switched, *context.options)


def needs(
    context: ReproduceContext, variations: Sequence[str], robust: bool = True
) -> tuple[Need, ...]:
    """Data, weights, hours and disk."""
    target, download = set_of(context), folder_of(context) / "download"
    files = any(download.glob("**/*.parquet"))
    command = f"hf download {HUB_ID} --repo-type dataset --local-dir {download}"
    detail = str(target) if target.exists() else "its files are here" if files else "3.5 GB"
    available = target.exists() or (files and not context.set)
    found = [Need("data", "ColorBench", available, detail, "" if available else command)]
    for model in models_of(context):
        found.append(_model_need(context, model))
    found.append(_hours(context, variations, robust))
    free = free_bytes(context.data) if context.data.exists() else 0
    if not target.exists():
        detail = f"about {DOWNLOAD_GIB} GiB, {free / GIB:,.1f} GiB are free"
        found.append(Need("disk", str(context.data), free > DOWNLOAD_GIB * GIB, detail))
    return tuple(found)


def logs_of(
    context: ReproduceContext, variations: Sequence[str], robust: bool = True
) -> dict[str, dict[str, EvaluationLog]]:
    """What is stored, by model and variation."""
    out: dict[str, dict[str, EvaluationLog]] = {}
    for model in models_of(context):
        for variation in variations:
            folder = evaluation_folder(context, model, variation, robust)
            if (folder / "plan.json").is_file():
                out.setdefault(model, {})[variation] = read_log(folder)
    return out


def score_cells(
    log: EvaluationLog | None, printed: PublishedRow | None, columns: Sequence[Column]
) -> dict[str, ReproducedCell]:
    """Accuracies beside the printed ones."""
    scores = score(log.questions, log.answers) if log else None
    cells = {}
    for column in columns:
        published = printed.values.get(column.name) if printed else None
        tally = tally_named(scores, task_of(column.name)) if scores else None
        if tally is None or tally.percent is None:
            cells[column.name] = ReproducedCell(published=published, unit=column.unit)
            continue
        low, high = tally.interval or (None, None)
        cells[column.name] = ReproducedCell(
            tally.percent, low, high, tally.total, tally.unanswered, published, column.unit
        )
    return cells


def task_of(column: str) -> str:
    """Our name of a printed column."""
    return {**task_columns(), "Overall": MICRO, "C'Robust": ROBUST}.get(column, column)


def _scores_table(
    number: str, variation: str, robust: bool, context: ReproduceContext
) -> ReproducedTable:
    """Tables 1 and 8: a row a model."""
    published = table(f"colorbench-table{number}")
    rows = []
    for model, logs in logs_of(context, (variation,), robust).items():
        name = printed_name(model) + (" (CoT)" if variation == "reasoned" else "")
        printed = next((row for row in published.rows if row.keys["model"] == name), None)
        keys = dict(printed.keys) if printed else dict.fromkeys(published.keys, "")
        cells = score_cells(logs[variation], printed, published.columns)
        rows.append(ReproducedRow({**keys, "ours": model.partition("@")[0]}, cells))
    return _make_table(context, published, rows)


def _table_2(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table2")
    percents, sizes = _percents(context)
    ours = {(row.size_of, row.task): row for row in correlations(percents, sizes)}
    rows = []
    for row in published.rows:
        found = ours.get((row.keys["size_of"], task_of(row.keys["task"])))
        values = {
            "Spearman": found.rho if found else None,
            "p ≤ 0.05": None if not found or found.p is None else float(found.p <= 0.05),
        }
        cells = {
            column.name: ReproducedCell(
                values[column.name],
                n=found.n if found else None,
                published=row.values[column.name],
                unit=column.unit,
            )
            for column in published.columns
        }
        rows.append(ReproducedRow(row.keys, cells))
    return _make_table(
        context, published, rows, ("Sizes are those of assets/vlm/model_sizes.csv.",)
    )


def _table_3(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table3")
    percents, _ = _percents(context)
    rows = []
    for row in published.rows:
        task = task_of(row.keys["measure"])
        of_group = {
            model: percent
            for model, values in percents.items()
            if (percent := values.get(task)) is not None and _group(model) == row.keys["group"]
        }
        best = max(of_group, key=lambda model: of_group[model], default="")
        cell = ReproducedCell(
            of_group.get(best), n=len(of_group), published=row.values["Best"], unit="percent"
        )
        rows.append(ReproducedRow({**row.keys, "ours": best}, {"Best": cell}))
    return _make_table(context, published, rows, ("n counts our models of the group.",))


def _table_4(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table4")
    comparison = _comparison(context, ("plain", "reasoned"))
    effects = {e.task: e for e in reasoning_effects(comparison)} if comparison else {}
    models = [model.name for model in comparison.models] if comparison else []
    rows = []
    for model in [*models, "Average"]:
        name = printed_name(model) or model
        printed = next(
            (row for row in published.rows if row.keys["model"] == _TABLE_4.get(name, name)), None
        )
        cells = {}
        for column in published.columns:
            effect = effects.get(task_of(column.name))
            value = (
                None
                if effect is None
                else effect.mean
                if model == "Average"
                else effect.by_model.get(model)
            )
            cells[column.name] = ReproducedCell(
                value,
                n=len(effect.by_model) if effect and model == "Average" else None,
                published=printed.values[column.name] if printed else None,
                unit=column.unit,
            )
        keys = {"model": printed.keys["model"] if printed else "", "ours": model}
        rows.append(ReproducedRow(keys, cells))
    return _make_table(context, published, rows, ("n of Average counts models.",))


def _table_9(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table9")
    logs = logs_of(context, tuple(INPUTS.values()), robust=False)
    rows = []
    for row in published.rows:
        variation = INPUTS[row.keys["input"]]
        of_group = [
            score(log.questions, log.answers)
            for model, of_model in logs.items()
            if (log := of_model.get(variation)) is not None and _group(model) == row.keys["group"]
        ]
        cells = {}
        for column in published.columns:
            values = [percent_of(scores, task_of(column.name)) for scores in of_group]
            known = [value for value in values if value is not None]
            cells[column.name] = ReproducedCell(
                fmean(known) if known else None,
                n=len(known) or None,
                published=row.values[column.name],
                unit=column.unit,
            )
        rows.append(ReproducedRow(row.keys, cells))
    return _make_table(
        context, published, rows, ("Means over the models of a size; n counts them.",)
    )


def _figure_4(context: ReproduceContext) -> ReproducedTable:
    printed = {row.keys["model"]: row for row in table("colorbench-table1").rows}
    published = table("colorbench-table1")
    columns = tuple(published.column(name) for name in ("Overall", "C'Robust"))
    families = {size.model: size.family for size in published_sizes()}
    rows = []
    for model, logs in logs_of(context, ("plain",)).items():
        name = printed_name(model)
        keys = {"family": families.get(name, ""), "model": name, "ours": model.partition("@")[0]}
        rows.append(ReproducedRow(keys, score_cells(logs["plain"], printed.get(name), columns)))
    rows.sort(key=lambda row: (row.keys["family"], _language_b(row.keys["ours"])))
    return ReproducedTable(
        "Figure 4: Performance by size within a family",
        published.source,
        ("family", "model"),
        columns,
        context.protocol or PROTOCOLS[0],
        tuple(rows),
        _methods(context),
        bibtex([published.id]),
        ("The figure prints no numbers; those beside ours are of Table 1.",),
    )


def _figure_5(context: ReproduceContext) -> ReproducedTable:
    published = table("colorbench-table1")
    comparison = _comparison(context, ("plain", "gray"), robust=False)
    effects = {e.task: e for e in gray_effects(comparison)} if comparison else {}
    columns = tuple(column for column in published.columns if column.name != "C'Robust")
    rows = []
    for model in [*([m.name for m in comparison.models] if comparison else []), "Median"]:
        cells = {}
        for column in columns:
            effect = effects.get(task_of(column.name))
            value = (
                None
                if effect is None
                else effect.median
                if model == "Median"
                else effect.by_model.get(model)
            )
            cells[column.name] = ReproducedCell(
                None if value is None else 100.0 * value, unit="percent"
            )
        rows.append(ReproducedRow({"model": printed_name(model), "ours": model}, cells))
    return ReproducedTable(
        "Figure 5: Change of accuracy in grayscale, (color − gray) / color",
        published.source.replace(published.number, "Figure 5"),
        ("model",),
        columns,
        context.protocol or PROTOCOLS[0],
        tuple(rows),
        _methods(context),
        bibtex([published.id]),
        ("The figure prints no numbers.",),
    )


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


def _percents(
    context: ReproduceContext,
) -> tuple[dict[str, dict[str, float | None]], dict[str, ModelSize | None]]:
    """In color without reasoning, by model and task; and the models' sizes."""
    percents: dict[str, dict[str, float | None]] = {}
    names = [*task_columns().values(), MICRO, ROBUST]
    for model, logs in logs_of(context, ("plain",)).items():
        scores = score(logs["plain"].questions, logs["plain"].answers)
        percents[model] = {name: percent_of(scores, name) for name in names}
    return percents, {model: size_of([model.partition("@")[0]]) for model in percents}


def _comparison(
    context: ReproduceContext, variations: Sequence[str], robust: bool = True
) -> ModelComparison | None:
    logs = [
        log
        for of_model in logs_of(context, variations, robust).values()
        for log in of_model.values()
    ]
    return compare_models(logs) if logs else None


def _group(model: str) -> str:
    """The paper's group of a model."""
    size = size_of([model.partition("@")[0]])
    return size.group if size else "Proprietary" if printed_name(model) else ""


def _language_b(model: str) -> float:
    size = size_of([model])
    return (size.language_b or 0.0) if size else 0.0


def _set_id(context: ReproduceContext) -> str:
    """Eight characters of what is in the set."""
    try:
        manifest = json.loads((set_of(context) / MANIFEST).read_text(encoding="utf-8"))
        return str(manifest["sha256"])[:8]
    except (OSError, ValueError, KeyError):
        return "no-set"


def _model_need(context: ReproduceContext, model: str) -> Need:
    name, _, url = model.partition("@")
    if url:
        return Need("weights", name, None, f"behind {url}")
    chosen = model_of(name)
    try:
        source = files_of(chosen, context.sources)
        check_files(source, name)
    except BadInput as error:
        return Need("weights", name, False, str(error), f"hf download {chosen.location}")
    return Need("weights", name, True, str(source.folder))


def _hours(context: ReproduceContext, variations: Sequence[str], robust: bool) -> Need:
    """By the seconds of the answers that are stored; unknown before the first."""
    seconds, left = [], 0
    for model in models_of(context):
        for variation in variations:
            folder = evaluation_folder(context, model, variation, robust)
            if not (folder / "plan.json").is_file():
                left += 1
                continue
            work = EvaluationWork(folder)
            answers = list(work.answers())
            seconds += [item.seconds for item in answers if item.seconds is not None]
            left += len(answers) < work.total
    if not left:
        return Need("hours", "time", True, "all evaluations are finished")
    if not seconds:
        detail = f"not known for {left} evaluations: no stored answer tells the pace"
        return Need("hours", "time", None, detail, "the same command with --limit 5")
    hours = left * _questions(context, robust) * fmean(seconds) / 3600
    detail = f"at most {hours:,.1f} h for {left} evaluations, by {len(seconds):,} stored answers"
    return Need("hours", "time", True, detail)


def _questions(context: ReproduceContext, robust: bool) -> int:
    """How many questions an evaluation asks at most."""
    try:
        manifest = json.loads((set_of(context) / MANIFEST).read_text(encoding="utf-8"))
        counts = {str(task): int(count) for task, count in manifest["counts"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return 5814 if robust else 956
    if not robust:
        counts.pop(ROBUSTNESS, None)
    if context.limit is not None:
        counts = {task: min(count, context.limit) for task, count in counts.items()}
    return sum(counts.values())


def _methods(context: ReproduceContext) -> str:
    protocol = context.protocol or PROTOCOLS[0]
    how = (
        "prompts, pixels, JPEG codec, token limits and parser are those of ColorBench's released "
        "code at 3079d46"
        if protocol == RELEASED
        else "the prompt is that of the paper's Appendix F, images are lossless, and TrueHue's "
        "parser reads the answers"
    )
    part = "" if context.limit is None else f" At most {context.limit} questions of each task."
    return (
        f"Models answered the multiple-choice questions of ColorBench (protocol {protocol}: {how}); "
        "the likeliest token was taken. Overall is the micro average over perception and reasoning, "
        "C'Robust the share of seeds that are right with all their variants. Unreadable and missing "
        f"answers count as incorrect. Intervals are Wilson's 95%.{part}"
    )


def _make_table(
    context: ReproduceContext,
    published: PublishedTable,
    rows: Sequence[ReproducedRow],
    notes: Sequence[str] = (),
) -> ReproducedTable:
    return make_table(
        published,
        context.protocol or PROTOCOLS[0],
        rows,
        methods=_methods(context),
        citations=bibtex([published.id]),
        notes=[*notes, *published.notes],
    )


def _recipe(
    number: str,
    title: str,
    made: Callable[[ReproduceContext], ReproducedTable],
    variations: Sequence[str],
    robust: bool = True,
    kind: Kind = "table",
    reason: Callable[[ReproduceContext], tuple[Gap, ...]] = lambda context: (),
) -> Recipe:
    return Recipe(
        PAPER,
        number,
        title,
        PROTOCOLS,
        partial(needs, variations=variations, robust=robust),
        partial(steps, variations=variations, robust=robust),
        made,
        reason,
        kind,
    )


RECIPES: tuple[Recipe, ...] = (
    _recipe(
        "1",
        "ColorBench, Table 1: models on all tasks",
        partial(_scores_table, "1", "plain", True),
        ("plain",),
        reason=partial(attribution, "1", "plain", True),
    ),
    _recipe("2", "ColorBench, Table 2: rank correlation with size", _table_2, ("plain",)),
    _recipe("3", "ColorBench, Table 3: the best model of each size", _table_3, ("plain",)),
    _recipe("4", "ColorBench, Table 4: what reasoning adds", _table_4, ("plain", "reasoned")),
    _recipe(
        "8",
        "ColorBench, Table 8: models that reason",
        partial(_scores_table, "8", "reasoned", False),
        ("reasoned",),
        robust=False,
        reason=partial(attribution, "8", "reasoned", False),
    ),
    _recipe(
        "9",
        "ColorBench, Table 9: text only, gray and color",
        _table_9,
        tuple(INPUTS.values()),
        robust=False,
    ),
    _recipe("4", "ColorBench, Figure 4: size in a family", _figure_4, ("plain",), kind="figure"),
    _recipe(
        "5",
        "ColorBench, Figure 5: accuracy without color",
        _figure_5,
        ("plain", "gray"),
        robust=False,
        kind="figure",
    ),
)
