"""Tables 3 and 5 of "Too Vivid to Be Real?": sets of images, with and without CFR."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from truehue.core.batch.folder import PLAN
from truehue.core.fidelity.frechet import WEIGHTS, WEIGHTS_URL
from truehue.core.generation.registry import model as entry_of
from truehue.core.generation.registry import name_of
from truehue.core.published import Column, PublishedRow, bibtex, counterpart, table
from truehue.core.reproduce.attribution import Gap, Switch, switched_alone
from truehue.core.reproduce.fidelity_data import (
    PAPER,
    PAPER_ID,
    PRESET,
    cfm_need,
    file_of,
    own_options,
    registered_key,
    registration_of,
    table_id,
)
from truehue.core.reproduce.needs import Need, model_need, run_needs
from truehue.core.reproduce.recipe import Recipe, ReproduceContext, Step, shared_of
from truehue.core.reproduce.stored import partly_text, plans_with_images
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable, make_table
from truehue.core.runs.plan import run_id
from truehue.core.scores.learned import BY_ID, CLIP_B32, hub_folder
from truehue.core.scores.sets import CFM, FOLDER, MEAN_DELTA_SAT, SetNumber, read_set

if TYPE_CHECKING:
    from truehue.core.runs.records import RunPlan

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


def captions_of(context: ReproduceContext) -> str:
    """The set of prompts; empty where there is none."""
    if context.set:
        return context.set
    path = file_of(context, "captions.csv")
    return str(path) if path.is_file() else ""


def _models(context: ReproduceContext, number: str) -> tuple[str, ...]:
    if context.models:
        return tuple(entry_of(name).id for name in context.models)
    printed = (
        ["SD3.5"] if number == "5" else [row.keys["model"] for row in table(table_id(number)).rows]
    )
    ids = (counterpart(PAPER_ID, name).ids for name in printed)
    return tuple(dict.fromkeys(found[0] for found in ids if found))


def _settings(number: str) -> Mapping[str, tuple[str, ...]]:
    return SETTINGS if number == "3" else VARIANTS


def _run_steps(context: ReproduceContext, number: str) -> list[tuple[str, str, Step]]:
    """(model, setting, step) of every run that can be made here."""
    captions, steps = captions_of(context), []
    if not captions:
        return []
    for model_id in _models(context, number):
        for setting, cfr in _settings(number).items():
            if "cfm" in cfr and registration_of(context) is None:
                continue
            steps.append((model_id, setting, run_step(context, captions, model_id, setting, cfr)))
    return steps


def run_step(
    context: ReproduceContext, captions: str, model_id: str, setting: str, cfr: Sequence[str] = ()
) -> Step:
    """One image of each caption by a model."""
    command = ["runs", "start", "--set", captions, "--model", model_id, "--images", "1"]
    command += ["--masker", "whole", "--rules", "paper", *cfr]
    command += ["--lambda", f"{STRENGTH:g}"] if cfr else []
    command += [] if context.limit is None else ["--limit", str(context.limit)]
    command += ["--workers", str(context.workers)] if context.workers else []
    command += context.options if cfr else _without_strength(context.options)
    return Step(f"{name_of(model_id)}, {setting}", tuple(command))


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
    fid, clip = _fid_options(context), _has_clip(context)
    measures = ("--measure", "delta_sat", *(("--measure", "clip_score") if clip else ()))
    out: list[Step] = []
    for model_id, setting, step in _run_steps(context, number):
        out.append(step)
        for plan in context.plans(step):
            command = ("fidelity", "set", "--run", run_id(plan), *measures, *fid)
            command += (*own_options(context), *shared_option(context, step, plan))
            done = _are_stored(context, plan, bool(fid), clip)
            out.append(Step(f"Numbers of {name_of(model_id)}, {setting}", command, done))
    return tuple(out)


def _fid_options(context: ReproduceContext) -> tuple[str, ...]:
    """The options of FID; none without its photographs and weights."""
    photographs, inception = file_of(context, "photographs"), file_of(context, WEIGHTS)
    if not (photographs.is_dir() and inception.is_file()):
        return ()
    return ("--real", str(photographs), "--inception", str(inception))


def _are_stored(context: ReproduceContext, plan: RunPlan, fid: bool, clip: bool) -> bool:
    """Whether every number that can be computed now is stored, over all images of a finished run.
    Other photographs, or other weights of FID, are another FID."""
    images, path = context.run_images(run_id(plan)), numbers_file(context, plan)
    if images.done < plan.total or not path.is_file():
        return False
    keys = [SETS["ΔSat."], *([SETS["CLIPScore"]] if clip else [])]
    registration = registration_of(context)
    keys += [registered_key(registration)] if registration is not None else []
    if fid:
        keys.append(SETS["FID"])
        photographs, inception = file_of(context, "photographs"), file_of(context, WEIGHTS)
        sources = (inception, photographs, *photographs.rglob("*"))
        if max(source.stat().st_mtime_ns for source in sources) > path.stat().st_mtime_ns:
            return False
    numbers = read_set(path)
    return all(
        key in numbers and numbers[key].images + numbers[key].unscored == images.stored
        for key in keys
    )


def shared_option(context: ReproduceContext, step: Step, plan: RunPlan) -> tuple[str, ...]:
    """The option of the folder of runs that a run lies in, or will by its step."""
    run, named = run_id(plan), shared_of(step.command)
    folder, own = context.run_folder(run), Path(named).expanduser()
    is_finished = folder is not None and context.run_images(run).done >= plan.total
    if named and (not is_finished or (own / run / PLAN).is_file()):
        root = own
    else:
        root = folder.path.parent if folder else context.run_roots[0]
    return () if root == context.runs else ("--shared", str(root))


def _has_clip(context: ReproduceContext) -> bool:
    try:
        hub_folder(CLIP_B32, context.sources)
    except Exception:
        return False
    return True


def _set_needs(context: ReproduceContext, number: str) -> tuple[Need, ...]:
    plans = [plan for *_, step in _run_steps(context, number) for plan in context.plans(step)]
    photographs, inception = file_of(context, "photographs"), file_of(context, WEIGHTS)
    return (
        *image_needs(context, _models(context, number), plans, "(id, text)"),
        Need(
            "weights",
            "CLIP for CLIPScore",
            _has_clip(context),
            BY_ID["clip_score"].license,
            f"hf download {CLIP_B32}",
        ),
        Need("data", "photographs for FID", photographs.is_dir(), f"a folder {photographs}"),
        Need(
            "weights",
            WEIGHTS,
            inception.is_file(),
            f"at {inception}, under Nvidia's license",
            shlex.join(("curl", "--create-dirs", "-o", str(inception), WEIGHTS_URL)),
        ),
    )


def image_needs(
    context: ReproduceContext, models: Sequence[str], plans: Sequence[RunPlan], columns: str
) -> tuple[Need, ...]:
    """The models' weights, hours and disk, captions of these columns, and CFM."""
    captions = captions_of(context)
    runs = run_needs(
        plans,
        context.run_roots,
        context.sources,
        context.workers or 1,
        run_images=context.run_images,
    )
    if not captions:
        detail = "not known before there are captions: every one is an image of each row"
        weights = [model_need(model_id, context.sources) for model_id in models]
        runs = (*weights, Need("hours", "time", None, detail))
    detail = captions or (
        f"12,000 captions of the paper are not public. Put yours into "
        f"{file_of(context, 'captions.csv')} {columns}, or give --set"
    )
    return (*runs, Need("data", "captions", bool(captions), detail), cfm_need(context))


def numbers_of(context: ReproduceContext, step: Step) -> dict[str, SetNumber]:
    """What is stored of the run that a step starts."""
    for plan in context.plans(step):
        return read_set(numbers_file(context, plan))
    return {}


def numbers_file(context: ReproduceContext, plan: RunPlan) -> Path:
    """What is stored of the images of a run as a set."""
    return context.data / FOLDER / f"{run_id(plan)}.json"


def cfm_name(context: ReproduceContext, numbers: Mapping[str, SetNumber]) -> str:
    """The number by the registered CFM, else the first by any."""
    registration = registration_of(context)
    if registration is not None and (key := registered_key(registration)) in numbers:
        return key
    return next((key for key in numbers if key.startswith(f"{CFM} ")), "")


def _set_table(context: ReproduceContext, number: str) -> ReproducedTable:
    published = table(table_id(number))
    rows = []
    for model_id, setting, step in _run_steps(context, number):
        printed = _printed(number, model_id, setting)
        numbers = numbers_of(context, step)
        cells = {}
        for column in published.columns:
            key = SETS.get(column.name) or cfm_name(context, numbers)
            cells[column.name] = number_cell(numbers.get(key), printed, column)
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
        citations=bibtex([table_id(number)]),
        notes=notes,
    )


def _printed(number: str, model_id: str, setting: str) -> PublishedRow | None:
    for row in table(table_id(number)).find(setting=setting):
        named = row.keys.get("model", "SD3.5")
        if model_id in counterpart(PAPER_ID, named).ids:
            return row
    return None


def number_cell(
    number: SetNumber | None, printed: PublishedRow | None, column: Column
) -> ReproducedCell:
    """A number of a set beside the printed one."""
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
    steps = _run_steps(context, number)
    plans = plans_with_images(context, [plan for *_, step in steps for plan in context.plans(step)])
    if not plans:
        return ""
    names = ", ".join(dict.fromkeys(name_of(plan.model) for plan in plans))
    keys = {key for *_, step in steps for key, by in numbers_of(context, step).items() if by.images}
    sentences = [
        f"{names} generated one image for each of {len(plans[0].prompts):,} prompts of "
        f"{plans[0].set_name}, seed {plans[0].seed}.{partly_text(context, plans)}",
        *_cfr_sentences(plans),
    ]
    registration = registration_of(context)
    if registration is not None and any(key.startswith(f"{CFM} ") for key in keys):
        sentences.append(
            f"CFM is {registration.name}, checkpoint {registration.version}, read with "
            f"{registration.instruction_text}, rotary frequencies in "
            f"{registration.rotary or 'float32'}."
        )
    sentences += [text for key, text in _MEASURED.items() if key in keys]
    return " ".join(sentences)


_MEASURED = {
    SETS["ΔSat."]: "ΔSat is |mean HSV saturation of the set − 0.33|.",
    SETS["FID"]: "FID has clean-fid's resize.",
    SETS["CLIPScore"]: "CLIPScore is 100 times the cosine by CLIP ViT-B/32, its interval 95% over "
    "prompts.",
}
"""What is said of a number of a set that is stored."""


def _cfr_sentences(plans: Sequence[RunPlan]) -> list[str]:
    """How guidance was lowered, where a run with CFR has images."""
    maps = {by.get("map") for plan in plans if (by := plan.options.get("cfr"))}
    if not maps:
        return []
    of_cfm = " with the map of CFM over a first pass of the same noise" if "cfm" in maps else ""
    return [f"CFR lowers guidance by equations 10 and 11{of_cfm}."]


def _set_gaps(context: ReproduceContext, number: str) -> tuple[Gap, ...]:
    """Where a row has a printed one: ΔSat of the other kind, CFM by another text and rounding."""
    gaps = []
    for model_id, setting, step in _run_steps(context, number):
        printed, numbers = _printed(number, model_id, setting), numbers_of(context, step)
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
    number = numbers.get(SETS.get(column) or cfm_name(context, numbers))
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
    parts = cfm_name(context, numbers).split()
    if len(parts) != 4:
        return []
    _, checkpoint, text, rotary = parts
    (plan,) = context.plans(step)
    options = (*own_options(context), *shared_option(context, step, plan))
    command = shlex.join(("truehue", "fidelity", "set", "--run", run_id(plan), *options))
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


def set_recipe(number: str) -> Recipe:
    """The recipe of Table 3 or 5."""
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
