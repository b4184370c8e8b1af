"""The recipes of "Too Vivid to Be Real?": Tables 1 to 5, and Figure 1, the saturation sweep.

Its photographs, captions and ratings are not public, so every recipe takes data of one's own below
``fidelity/`` of the data folder. What is there and what is missing is said before anything runs.
"""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import HOW_TO, Registration, registered
from truehue.core.fidelity.frechet import HOW_TO as FID_HOW_TO
from truehue.core.fidelity.frechet import WEIGHTS
from truehue.core.generation.registry import model as entry_of
from truehue.core.generation.registry import name_of
from truehue.core.published import Column, PublishedRow, bibtex, counterpart, paper, table
from truehue.core.reproduce.attribution import Gap, Switch, switched_alone
from truehue.core.reproduce.needs import Need, run_needs
from truehue.core.reproduce.recipe import Recipe, ReproduceContext, Step
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable, make_table
from truehue.core.runs.plan import run_id
from truehue.core.scores.learned import BY_ID, CLIP_B32, hub_folder
from truehue.core.scores.sets import CFM, FOLDER, MEAN_DELTA_SAT, SetNumber, cfm_key, read_set

PAPER, PRESET = "fidelity", "cfd"
PAPER_ID = "cfd"
STRENGTH = 0.7
"""λ where ``--step-options`` says no other: the paper states none."""
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "CFR_CFM": ("--cfr", "full", "--cfr-map", "cfm"),
}
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "Baseline (s_0)": (),
    "Temporal-only": ("--cfr", "temporal"),
    "Spatial-only": ("--cfr", "spatial", "--cfr-map", "cfm"),
    "Full (ours)": ("--cfr", "full", "--cfr-map", "cfm"),
}
SETS = {"FID": "fid", "CLIPScore": "clip_score", "ΔSat.": "delta_sat_of_mean"}
METRICS = {
    "MUSIQ": "MUSIQ",
    "CLIPQA": "CLIP-IQA",
    "ImageReward": "ImageReward",
    "PickScore": "PickScore",
    "HPSv3": "HPSv3",
    "Ours": "CFM",
}
"""By the printed name, the beginning of ours."""
TRAINED = {
    "Pairwise loss": ("pairwise", ("--loss", "pairwise")),
    "Visual-only": ("visual", ("--visual-only",)),
    "Ours": ("softrank", ()),
}


def _file(context: ReproduceContext, name: str) -> Path:
    return context.data / "fidelity" / name


def _own(context: ReproduceContext) -> list[str]:
    """The options of the data folder and of the models' folder."""
    models = context.sources.models_folder
    return ["--data", str(context.data), *(["--models", str(models)] if models else [])]


def _registered(context: ReproduceContext) -> Registration | None:
    try:
        return registered(context.data)
    except BadInput:
        return None


# ── Tables 3 and 5: sets of images ───────────────────────────────────────────────────────────────


def _captions(context: ReproduceContext) -> str:
    if context.set:
        return context.set
    path = _file(context, "captions.csv")
    return str(path) if path.is_file() else ""


def _models(context: ReproduceContext, number: str) -> tuple[str, ...]:
    if context.models:
        return tuple(entry_of(name).id for name in context.models)
    printed = ["SD3.5"] if number == "5" else [row.keys["model"] for row in table(_id(number)).rows]
    ids = (counterpart(PAPER_ID, name).ids for name in printed)
    return tuple(dict.fromkeys(found[0] for found in ids if found))


def _id(number: str) -> str:
    return f"cfd-table{number}"


def _settings(number: str) -> Mapping[str, tuple[str, ...]]:
    return SETTINGS if number == "3" else VARIANTS


def _run_steps(context: ReproduceContext, number: str) -> list[tuple[str, str, Step]]:
    """(model, setting, step) of every run that can be made here."""
    captions, steps = _captions(context), []
    if not captions:
        return []
    for model_id in _models(context, number):
        for setting, cfr in _settings(number).items():
            if "cfm" in cfr and _registered(context) is None:
                continue
            command = ["runs", "start", "--set", captions, "--model", model_id, "--images", "1"]
            command += ["--masker", "whole", "--rules", "paper", *cfr]
            command += ["--lambda", f"{STRENGTH:g}"] if cfr else []
            command += [] if context.limit is None else ["--limit", str(context.limit)]
            command += ["--workers", str(context.workers)] if context.workers else []
            command += context.options if cfr else _without_strength(context.options)
            steps.append(
                (model_id, setting, Step(f"{name_of(model_id)}, {setting}", tuple(command)))
            )
    return steps


def _without_strength(options: Sequence[str]) -> list[str]:
    """The options without λ, which only CFR has."""
    others, words = list[str](), iter(options)
    for word in words:
        if word == "--lambda":
            next(words, None)
        elif not word.startswith("--lambda="):
            others.append(word)
    return others


def _set_steps(context: ReproduceContext, number: str) -> tuple[Step, ...]:
    fid = []
    photographs, inception = _file(context, "photographs"), _file(context, WEIGHTS)
    if photographs.is_dir() and inception.is_file():
        fid = ["--real", str(photographs), "--inception", str(inception)]
    out: list[Step] = []
    for model_id, setting, step in _run_steps(context, number):
        out.append(step)
        measures = ["--measure", "delta_sat"]
        measures += ["--measure", "clip_score"] if _has_clip(context) else []
        for plan in context.plans(step):
            command = ("fidelity", "set", "--run", run_id(plan), *measures, *fid, *_own(context))
            out.append(Step(f"Numbers of {name_of(model_id)}, {setting}", command))
    return tuple(out)


def _has_clip(context: ReproduceContext) -> bool:
    try:
        hub_folder(CLIP_B32, context.sources)
    except Exception:
        return False
    return True


def _set_needs(context: ReproduceContext, number: str) -> tuple[Need, ...]:
    plans = [plan for *_, step in _run_steps(context, number) for plan in context.plans(step)]
    runs = run_needs(plans, context.runs, context.sources, context.workers or 1)
    photographs, inception = _file(context, "photographs"), _file(context, WEIGHTS)
    return (
        *runs,
        Need(
            "data",
            "captions",
            bool(_captions(context)),
            f"12,000 captions of the paper are not public. Put yours into "
            f"{_file(context, 'captions.csv')} (id, text), or give --set",
        ),
        _cfm_need(context),
        Need(
            "weights",
            "CLIP for CLIPScore",
            _has_clip(context),
            BY_ID["clip_score"].license,
            f"hf download {CLIP_B32}",
        ),
        Need("data", "photographs for FID", photographs.is_dir(), f"a folder {photographs}"),
        Need(
            "weights", WEIGHTS, inception.is_file(), f"at {inception}", FID_HOW_TO.split(": ", 1)[1]
        ),
    )


def _cfm_need(context: ReproduceContext) -> Need:
    registration = _registered(context)
    if registration is None:
        return Need("weights", "CFM", False, HOW_TO, "truehue score --register CFM_7B")
    return Need("weights", "CFM", True, f"{registration.name}, {registration.instruction_text}")


def _numbers(context: ReproduceContext, step: Step) -> dict[str, SetNumber]:
    for plan in context.plans(step):
        return read_set(context.data / FOLDER / f"{run_id(plan)}.json")
    return {}


def _cfm_name(context: ReproduceContext, numbers: Mapping[str, SetNumber]) -> str:
    """The number by the registered CFM, else the first by any."""
    registration = _registered(context)
    if registration is not None:
        key = cfm_key(
            registration.checkpoint, registration.instruction_sha256, bool(registration.rotary)
        )
        if key in numbers:
            return key
    return next((key for key in numbers if key.startswith(f"{CFM} ")), "")


def _set_table(context: ReproduceContext, number: str) -> ReproducedTable:
    published = table(_id(number))
    rows = []
    for model_id, setting, step in _run_steps(context, number):
        printed = _printed(number, model_id, setting)
        numbers = _numbers(context, step)
        cells = {}
        for column in published.columns:
            key = SETS.get(column.name) or _cfm_name(context, numbers)
            cells[column.name] = _cell(numbers.get(key), printed, column)
        keys = dict(printed.keys) if printed else {"setting": setting}
        rows.append(ReproducedRow({**keys, "ours": model_id}, cells))
    notes = [
        *published.notes,
        f"The paper states no λ; ours is {STRENGTH:g} unless --step-options says another.",
        "ΔSat is of the mean saturation of the set; the paper does not say of which.",
        *(
            ["CFR by HPSv3's map is not implemented: the paper does not say what that map is."]
            if number == "3"
            else []
        ),
    ]
    return make_table(
        published,
        "one image a caption, each model's own guidance",
        rows,
        methods=_methods(context, number),
        citations=bibtex([_id(number)]),
        notes=notes,
    )


def _printed(number: str, model_id: str, setting: str) -> PublishedRow | None:
    for row in table(_id(number)).find(setting=setting):
        named = row.keys.get("model", "SD3.5")
        if model_id in counterpart(PAPER_ID, named).ids:
            return row
    return None


def _cell(number: SetNumber | None, printed: PublishedRow | None, column: Column) -> ReproducedCell:
    published = printed.values[column.name] if printed else None
    if number is None:
        return ReproducedCell(published=published, unit=column.unit)
    return ReproducedCell(
        number.mean,
        number.low,
        number.high,
        number.images,
        number.unscored,
        published,
        column.unit,
    )


def _methods(context: ReproduceContext, number: str) -> str:
    plans = [plan for *_, step in _run_steps(context, number) for plan in context.plans(step)]
    if not plans:
        return ""
    names = ", ".join(dict.fromkeys(name_of(plan.model) for plan in plans))
    registration = _registered(context)
    cfm = (
        f"CFM is {registration.name}, checkpoint {registration.version}, read with "
        f"{registration.instruction_text}, rotary frequencies in {registration.rotary or 'float32'}."
        if registration is not None
        else "No CFM was registered."
    )
    return (
        f"{names} generated one image for each of {len(plans[0].prompts):,} prompts of "
        f"{plans[0].set_name}, seed {plans[0].seed}. CFR lowers guidance by equations 10 and 11 with "
        f"the map of CFM over a first pass of the same noise. {cfm} ΔSat is |mean HSV saturation of "
        "the set − 0.33|. FID has clean-fid's resize, CLIPScore is 100 times the cosine by CLIP "
        "ViT-B/32. Intervals are 95% over prompts."
    )


def _set_gaps(context: ReproduceContext, number: str) -> tuple[Gap, ...]:
    """Where a row has a printed one: ΔSat of the other kind, CFM by another text and rounding."""
    gaps = []
    for model_id, setting, step in _run_steps(context, number):
        printed, numbers = _printed(number, model_id, setting), _numbers(context, step)
        if printed is None or not numbers:
            continue
        keys = {**printed.keys, "ours": model_id}
        gaps += [
            gap
            for column, switches in (
                ("ΔSat.", [_of_images(numbers)]),
                ("CFM", _cfm_switches(context, numbers, step)),
            )
            if (gap := _gap(context, keys, column, numbers, printed, switches)) is not None
        ]
    return tuple(gaps)


def _gap(
    context: ReproduceContext,
    keys: Mapping[str, str],
    column: str,
    numbers: Mapping[str, SetNumber],
    printed: PublishedRow,
    switches: Sequence[Switch],
) -> Gap | None:
    number = numbers.get(SETS.get(column) or _cfm_name(context, numbers))
    published = printed.values[column]
    if number is None or number.mean is None or published is None:
        return None
    unit = table("cfd-table3").column(column).unit
    return switched_alone(keys, column, number.mean, published, switches, unit)


def _value(numbers: Mapping[str, SetNumber], key: str) -> float | None:
    number = numbers.get(key)
    return None if number is None else number.mean


def _of_images(numbers: Mapping[str, SetNumber]) -> Switch:
    return Switch(
        "Mean of the images' ΔSat",
        "ours is the ΔSat of the set's mean; the paper may have the mean of the images' own",
        "ΔSat of the mean",
        "mean of the images' ΔSat",
        lambda: _value(numbers, MEAN_DELTA_SAT),
    )


def _cfm_switches(
    context: ReproduceContext, numbers: Mapping[str, SetNumber], step: Step
) -> list[Switch]:
    """The CFM read with another text or other frequencies, where such a number is stored."""
    parts = _cfm_name(context, numbers).split()
    if len(parts) != 4:
        return []
    _, checkpoint, text, rotary = parts
    (plan,) = context.plans(step)
    command = shlex.join(("truehue", "fidelity", "set", "--run", run_id(plan), *_own(context)))
    other_rotary = "float32" if rotary == "bfloat16" else "bfloat16"
    other_text = next(
        (
            key
            for key in numbers
            if key.startswith(f"{CFM} {checkpoint} ")
            and key.split()[3] == rotary
            and key.split()[2] != text
        ),
        "",
    )
    return [
        Switch(
            "Rotary frequencies",
            f"rounded to bfloat16 in the authors' training; ours are {rotary}",
            rotary,
            other_rotary,
            lambda: _value(numbers, f"{CFM} {checkpoint} {text} {other_rotary}"),
            f"{command} --float32-rotary" if other_rotary == "float32" else "",
        ),
        Switch(
            "Instruction",
            "the text around the prompt belongs to the weights; another text is another score",
            text,
            "another text",
            lambda: _value(numbers, other_text),
            f"{command} --own-instruction",
        ),
    ]


# ── Tables 1, 2 and 4: metrics on groups ─────────────────────────────────────────────────────────


def _groups(context: ReproduceContext) -> Path:
    return Path(context.set) if context.set else _file(context, "groups.json")


def _evaluation(context: ReproduceContext, number: str) -> Path:
    # Tables 1 and 2 read one report.
    return _file(context, "reproduce") / ("ablation" if number == "4" else "metrics")


def _ratings(context: ReproduceContext) -> Path | None:
    return next(
        (
            path
            for name in ("ratings.csv", "ratings.zip")
            if (path := _file(context, name)).is_file()
        ),
        None,
    )


def _group_steps(context: ReproduceContext, number: str) -> tuple[Step, ...]:
    groups, ratings = _groups(context), _ratings(context)
    if not groups.is_file():
        return ()
    out = ["--out", str(_evaluation(context, number))]
    command = ["fidelity", "evaluate", "--groups", str(groups), *out]
    command += ["--ratings", str(ratings)] if ratings else []
    steps: list[Step] = []
    if number == "4":
        if not _training(context).is_file() or not _file(context, "base").is_dir():
            return ()
        for name, (folder, options) in TRAINED.items():
            steps.append(Step(f"Training: {name}", _train(context, folder, options)))
            command += ["--cfm", str(_file(context, f"cfm-{folder}"))]
    else:
        command += ["--all", *_own(context)]
        command += ["--registered"] if _registered(context) is not None else []
    return (*steps, Step("The metrics on groups", tuple(command)))


def _training(context: ReproduceContext) -> Path:
    return _file(context, "train.json")


def _train(context: ReproduceContext, folder: str, options: Sequence[str]) -> tuple[str, ...]:
    return (
        *("fidelity", "train", "--groups", str(_training(context))),
        *("--held", str(_groups(context)), "--base", str(_file(context, "base"))),
        *("--run", str(_file(context, f"training-{folder}"))),
        *("--out", str(_file(context, f"cfm-{folder}")), *options, *context.options),
    )


def _group_needs(context: ReproduceContext, number: str) -> tuple[Need, ...]:
    groups, ratings = _groups(context), _ratings(context)
    build = "truehue fidelity build PHOTOS --captions TABLE --models sdxl-base-1.0 --out cfd"
    needs = [
        Need(
            "data",
            "groups",
            groups.is_file(),
            f"CFD-Test is not public. Build your own groups, and put test.json to {groups}",
            build,
        )
    ]
    if number == "4":
        training, base = _training(context), _file(context, "base")
        needs += [
            Need(
                "data",
                "groups to learn from",
                training.is_file(),
                f"train.json at {training}",
                build,
            ),
            Need(
                "weights",
                "Qwen2-VL to train",
                base.is_dir(),
                f"a folder {base}",
                f"hf download Qwen/Qwen2-VL-7B-Instruct --local-dir {base}",
            ),
        ]
    else:
        needs.append(_cfm_need(context))
    if number in ("2", "4"):
        detail = "CFD-Human is not public. A study “Realism of color” makes ratings: export it to "
        needs.append(
            Need(
                "people",
                "ratings",
                ratings is not None,
                detail + str(_file(context, "ratings.zip")),
            )
        )
    return tuple(needs)


def _report(context: ReproduceContext, number: str) -> dict[str, Mapping[str, Any]]:
    """By name, what the report says of each metric."""
    path = _evaluation(context, number) / "report.json"
    if not path.is_file():
        return {}
    try:
        metrics = json.loads(path.read_text(encoding="utf-8"))["metrics"]
        return {str(metric["metric"]): metric for metric in metrics}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is no report of an evaluation: {error!r:.100}") from None


_READ = {
    "CFD-SynPairs": ("syn_pairs", ""),
    "CFD-Real&Syn": ("real_syn", ""),
    "SynPairs": ("syn_pairs", ""),
    "Real&Syn": ("real_syn", ""),
    "Spearman": ("agreement", "spearman"),
    "Pearson": ("agreement", "pearson"),
    "Kendall": ("agreement", "kendall"),
}


def _group_table(context: ReproduceContext, number: str) -> ReproducedTable:
    published = table(_id(number))
    report = _report(context, number)
    key = "variant" if number == "4" else "metric"
    taken: set[str] = set()
    rows = []
    for row in published.rows:
        name = row.keys[key]
        wanted = f"CFM (cfm-{TRAINED[name][0]})" if number == "4" else METRICS.get(name, name)
        ours = next((item for item in report if item == wanted), "")
        if not ours and number != "4":
            ours = next((item for item in report if item.startswith(wanted)), "")
        if ours:
            taken.add(ours)
            rows.append(_group_row(published.columns, row, row.keys, report[ours], ours))
    for name in report:
        if name not in taken:
            keys = dict.fromkeys(published.keys, "")
            rows.append(_group_row(published.columns, None, keys, report[name], name))
    notes = list(published.notes)
    if number == "2" and not any(metric.get("agreement") for metric in report.values()):
        notes.append("No ratings were given, so there are no correlations of ours.")
    return make_table(
        published,
        PRESET,
        rows,
        methods=_group_methods(report),
        citations=bibtex([_id(number)]),
        notes=notes,
    )


def _group_row(
    columns: Sequence[Column],
    printed: PublishedRow | None,
    keys: Mapping[str, str],
    metric: Mapping[str, Any],
    ours: str,
) -> ReproducedRow:
    cells = {}
    for column in columns:
        part, inner = _READ[column.name]
        published = printed.values[column.name] if printed else None
        fields = metric.get(part) or {}
        if inner:
            value = fields.get(inner) or {}
            scale, number, count = 100, value.get("value"), fields.get("images")
            low, high = value.get("low"), value.get("high")
        else:
            scale, number, count = 1, fields.get("percent"), fields.get("pairs")
            low, high = fields.get("low"), fields.get("high")
        scaled: list[float | None] = [
            None if item is None or not count else scale * item for item in (number, low, high)
        ]
        cells[column.name] = ReproducedCell(
            scaled[0],
            scaled[1],
            scaled[2],
            count,
            fields.get("unscored"),
            published,
            column.unit,
        )
    return ReproducedRow({**keys, "ours": ours}, cells)


def _group_methods(report: Mapping[str, Mapping[str, Any]]) -> str:
    if not report:
        return ""
    pairs = next(iter(report.values()))["syn_pairs"]["pairs"]
    return (
        f"Of groups of a photograph and images of rising guidance, {pairs:,} pairs of neighbors "
        "(SynPairs) and each photograph with the first image (Real&Syn) were ordered by each "
        "metric; ties count half. Correlations are with the mean rating of each image, times 100. "
        "Intervals are 95% over groups."
    )


# ── Figure 1: the saturation sweep ───────────────────────────────────────────────────────────────


def _table_of_photographs(context: ReproduceContext) -> Path:
    return Path(context.set) if context.set else _file(context, "photographs.csv")


def _sweep_steps(context: ReproduceContext) -> tuple[Step, ...]:
    photographs, captions = _file(context, "photographs"), _table_of_photographs(context)
    if not photographs.is_dir():
        return ()
    command = ["fidelity", "sweep", str(photographs), "--all", *_own(context)]
    command += ["--out", str(_file(context, "reproduce") / "sweep")]
    if captions.is_file():
        command += ["--captions", str(captions)]
        command += ["--registered"] if _registered(context) is not None else []
    return (Step("Photographs at other saturations", (*command, *context.options)),)


def _sweep_needs(context: ReproduceContext) -> tuple[Need, ...]:
    photographs, captions = _file(context, "photographs"), _table_of_photographs(context)
    return (
        Need("data", "photographs", photographs.is_dir(), f"a folder {photographs}"),
        Need(
            "data",
            "captions of photographs",
            captions.is_file(),
            f"file and caption at {captions}, for CFM, CLIPScore and others that read prompts",
        ),
        _cfm_need(context),
    )


_SWEEP_COLUMNS = tuple(
    Column(name, meaning, unit, better, "", MappingProxyType({}))
    for name, meaning, unit, better in (
        ("best scale", "the saturation with the best mean", "times", "nearest to 1"),
        ("best at 1", "photographs that are best as they are", "percent", "higher"),
    )
)


def _sweep_table(context: ReproduceContext) -> ReproducedTable:
    folder = _file(context, "reproduce") / "sweep"
    path = folder / "sweep.csv"
    by_metric: dict[str, list[Mapping[str, str]]] = {}
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                by_metric.setdefault(row["metric"], []).append(row)
    rows = []
    for name, lines in by_metric.items():
        count, unscored = int(lines[0]["photographs"]), int(lines[0]["unscored"])
        best = next(float(line["scale"]) for line in lines if line["best"] == "1")
        at_1 = next(int(line["best_of"]) for line in lines if float(line["scale"]) == 1)
        numbers = (best, 100 * at_1 / count)
        cells = {
            column.name: ReproducedCell(number, None, None, count, unscored, None, column.unit)
            for column, number in zip(_SWEEP_COLUMNS, numbers, strict=True)
        }
        rows.append(ReproducedRow({"metric": name}, cells))
    notes = [
        "The figure prints no numbers. By it, CFM is best at 1 and the other metrics above it."
    ]
    if rows:
        notes.append(f"The curves are drawn in {folder / 'sweep.svg'}.")
    return ReproducedTable(
        "Figure 1, A.2: what saturation each metric prefers",
        f"{paper(PAPER_ID).title}, Figure 1",
        ("metric",),
        _SWEEP_COLUMNS,
        "photographs of one's own",
        tuple(rows),
        "The HSV saturation of photographs was set to 0.4 to 2.0 times their own, and each image "
        "scored. Color space and scales are ours; the paper names none.",
        bibtex([_id("3")]),
        tuple(notes),
    )


def _set_recipe(number: str) -> Recipe:
    return Recipe(
        PAPER,
        number,
        f"Too Vivid to Be Real?, Table {number}",
        (PRESET,),
        lambda context: _set_needs(context, number),
        lambda context: _set_steps(context, number),
        lambda context: _set_table(context, number),
        lambda context: _set_gaps(context, number),
    )


def _group_recipe(number: str) -> Recipe:
    return Recipe(
        PAPER,
        number,
        f"Too Vivid to Be Real?, Table {number}",
        (PRESET,),
        lambda context: _group_needs(context, number),
        lambda context: _group_steps(context, number),
        lambda context: _group_table(context, number),
    )


RECIPES = (
    _group_recipe("1"),
    _group_recipe("2"),
    _set_recipe("3"),
    _group_recipe("4"),
    _set_recipe("5"),
    Recipe(
        PAPER,
        "1",
        "Too Vivid to Be Real?, Figure 1",
        (PRESET,),
        _sweep_needs,
        _sweep_steps,
        _sweep_table,
        kind="figure",
    ),
)
