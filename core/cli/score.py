"""``python -m truehue score``: scores of images by all measures, without a screen, and the choice of
the CFM among them.

Exit status 0 if every image was scored by every measure, 2 if one could not be read or is unscored,
with the reason on standard error; the other images are still scored.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from truehue.core.cli.fidelity_scoring import (
    Metric,
    computed_metric,
    computed_metrics,
    local_placement,
    passes,
    ready_metrics,
    registered_metric,
)
from truehue.core.command import JSON_LINES, Command, UsageError, arg, data_folder, flag
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.fidelity.building import read_photographs
from truehue.core.fidelity.cfm.registration import (
    HOW_TO,
    Registration,
    forget,
    open_registered,
    register,
    registered,
)
from truehue.core.fidelity.cfm.scorer import CfmScorer
from truehue.core.images.load import image_id, load_image
from truehue.core.scores.cfm import cfm_measures, scored_by_cfm
from truehue.core.scores.learned import BY_ID, LEARNED
from truehue.core.scores.measures import add_measures, all_measures, measure_of
from truehue.core.scores.records import Measure, ScoreRecord
from truehue.core.scores.scoring import score_image
from truehue.core.spreadsheets import escape_formula

EPILOG = """\
examples:
  python -m truehue score --list
  python -m truehue score mug.png
  python -m truehue score photographs/*.jpg --json > scores.jsonl
  python -m truehue score --table images.csv > scores.csv
  python -m truehue score --register CFM_7B --base Qwen2-VL-7B --instruction theirs.txt
  python -m truehue score market.png --measure cfm --prompt "a market in the rain"
"""


def _score(options: argparse.Namespace) -> int:
    data = Path(options.data).expanduser()
    try:
        if options.register or options.forget:
            print(_registered(options, data))
            return 0
        registration = registered(data)
        add_measures("cfm", () if registration is None else cfm_measures(registration))
        if options.list:
            for measure in all_measures():
                print(f"{measure.id} {measure.version}  {measure.name}: {_about(measure)}")
            for learned in LEARNED:
                print(
                    f"{learned.id}  {learned.name}: {learned.formula}. {learned.source}. With "
                    f"--table. {learned.how_to}"
                )
            return 0
        if options.table is not None:
            return _table(options, data)
        if not options.images:
            raise UsageError("name at least one image, --table, or --list")
        measures = [measure_of(measure_id) for measure_id in options.measure]
        measures = measures or [measure for measure in all_measures() if measure.of is not None]
        of_table = [measure.name for measure in measures if measure.id in BY_ID]
        if of_table:
            raise BadInput(f"{', '.join(of_table)} reads images of a table with prompts: --table.")
        elsewhere = [measure.name for measure in measures if not measure.computed]
        if elsewhere:
            raise BadInput(f"{', '.join(elsewhere)} is not computed here.")
        by_cfm = any(measure.scorer for measure in measures)
        if by_cfm and not options.prompt.strip():
            raise BadInput("CFM reads an image and its prompt: give --prompt.")
        cfm = (
            _Cfm(registration, open_registered(registration), options.prompt)
            if by_cfm and registration
            else None
        )
    except TrueHueError as error:
        raise BadInput(f"error: {error}") from error
    whole = [_scored(path, measures, cfm, options.json) for path in options.images]
    return 0 if all(whole) else 2


def _table(options: argparse.Namespace, data: Path) -> int:
    """Scores the images of a table, each with its prompt, and prints CSV or JSON lines; those of
    each learned measure after all others."""
    if options.images or options.prompt:
        raise UsageError("--table names the images and their prompts: leave those out")
    photographs = read_photographs(options.table.parent, options.table)
    metrics = _metrics(options, data)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    if not options.json:
        writer.writerow(("file", "prompt", "image_id", "measure", "version", "value", "reason"))
    bad: set[int] = set()
    whole = True
    for together in passes(metrics):
        for number, photograph in enumerate(photographs):
            if number in bad:
                continue
            try:
                srgb8 = load_image(photograph.path).srgb8
            except TrueHueError as error:
                print(f"{photograph.path}: {error}", file=sys.stderr)
                bad.add(number)
                continue
            file = photograph.path.relative_to(options.table.parent.resolve()).as_posix()
            named = {"file": file, "prompt": photograph.caption, "image_id": image_id(srgb8)}
            for metric in together:
                assert metric.of is not None  # computed ones alone
                value, reason = metric.of(srgb8, photograph.caption)
                whole &= not math.isnan(value)
                measure_id, _, version = metric.key.partition(" ")
                fields = {
                    **named,
                    "measure": measure_id,
                    "version": version,
                    "value": None if math.isnan(value) else value,
                    "reason": reason,
                }
                if options.json:
                    print(json.dumps(fields, ensure_ascii=False), flush=True)
                else:
                    cells = ["" if cell is None else cell for cell in fields.values()]
                    writer.writerow([escape_formula(c) if isinstance(c, str) else c for c in cells])
    return 0 if whole and not bad else 2


def _metrics(options: argparse.Namespace, data: Path) -> list[Metric]:
    """Those that were named, or all that can be computed here; what is missing is said."""
    registration = registered(data)
    names = list(dict.fromkeys(options.measure))
    if not names:
        metrics, missing = ready_metrics()
        metrics.insert(0, computed_metric("mean_saturation"))
        for sentence in missing.values():
            print(f"left out: {sentence}", file=sys.stderr)
        if registration is not None:
            metrics.append(registered_metric(registration, local_placement(cpu=False)))
        return metrics
    if "cfm" in names and registration is None:
        raise BadInput(HOW_TO)
    metrics = computed_metrics(name for name in names if name != "cfm")
    if "cfm" in names and registration is not None:
        metrics.append(registered_metric(registration, local_placement(cpu=False)))
    return metrics


@dataclass(frozen=True)
class _Cfm:
    """A CFM in memory, and what the images are of."""

    registration: Registration
    scorer: CfmScorer
    prompt: str

    def records(self, srgb8: np.ndarray) -> dict[str, ScoreRecord]:
        images = [("", srgb8, self.prompt)]
        records = scored_by_cfm(self.scorer, self.registration, images)
        return {record.measure: record for record in records}


def _registered(options: argparse.Namespace, data: Path) -> str:
    """Registers or forgets a CFM; what was done, in words."""
    if options.forget:
        gone = forget(data)
        return f"{data} takes no CFM any more." if gone else f"No CFM was registered in {data}."
    registration = register(data, options.register, options.base, options.instruction)
    return (
        f"{data} takes {registration.name} now, version {registration.version}, with "
        f"{registration.instruction_text}. Its measures: cfm, cfm_logit."
    )


def _scored(path: str, measures: Sequence[Measure], cfm: _Cfm | None, as_json: bool) -> bool:
    """Prints the scores of one image; whether it has all of them."""
    try:
        image = load_image(path)
    except TrueHueError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return False
    whole = True
    by_cfm = {} if cfm is None else cfm.records(image.srgb8)
    for measure in measures:
        record = by_cfm.get(measure.id) or score_image(measure, "", image.srgb8)
        whole &= record.value is not None
        if as_json:
            print(json.dumps(_json(path, measure, record), ensure_ascii=False))
        elif record.value is None:
            print(f"{path}: {measure.name} unscored: {record.reason}", file=sys.stderr)
        else:
            print(f"{path}: {measure.name} {measure.text(record.value)}")
    return whole


def _json(path: str, measure: Measure, record: ScoreRecord) -> dict[str, object]:
    return {
        "file": path,
        "measure": measure.id,
        "version": measure.version,
        "parameters": dict(record.parameters),
        "value": record.value,
        "unit": measure.unit,
        "status": record.status,
        "reason": record.reason,
        "numbers": dict(record.numbers),
    }


def _about(measure: Measure) -> str:
    better = f", {measure.better} is better" if measure.better else ""
    location = "" if measure.computed else " Scores come in."
    return f"{measure.formula} ({measure.bounds_text}{better}). {measure.source}.{location}"


COMMAND = Command(
    "score",
    "Scores metrics of whole images, such as how vivid they are.",
    (
        arg("images IMAGE", "images to score", nargs="*"),
        arg(
            "--measure ID",
            "a measure of --list, may be given several times; without it all that are computed",
            action="append",
            default=[],
        ),
        arg("--prompt TEXT", "the images' prompt, which CFM reads", default=""),
        arg(
            "--table FILE",
            "CSV or Parquet of file and prompt: all measures that can be computed here, learned ones "
            "included, as CSV with image_id, measure and value",
            type=Path,
        ),
        data_folder("the app's data folder, where CFM is registered"),
        arg(
            "--register MODEL",
            "take this CFM: a folder, or an id of the hub whose files are here",
        ),
        arg(
            "--base MODEL",
            "configuration and tokenizer of the Qwen2-VL that it was made from, where its folder "
            "has none",
            default="",
        ),
        arg(
            "--instruction FILE",
            "the text around the prompt, with {text_prompt} and <|Reward|>; the checkpoint's own, "
            "or else ours",
            type=Path,
        ),
        flag("--forget", "take no CFM any more; its scores stay"),
        flag("--list", "say what measures there are"),
        JSON_LINES,
    ),
    _score,
    epilog=EPILOG,
    former="-m core.score",
)
main = COMMAND.main
