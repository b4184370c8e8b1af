"""Scores of files by any metric, written as they are computed, so that a command can resume."""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from truehue.core.command import MODELS_FOLDER, arg, data_folder, flag
from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.fidelity.cfm.registration import (
    HOW_TO,
    Registration,
    cfm_fingerprint,
    open_registered,
    registered,
)
from truehue.core.fidelity.cfm.scorer import INSTRUCTION, READING, CfmScorer, open_cfm
from truehue.core.files import file_problem
from truehue.core.generation.weights.sources import Sources
from truehue.core.image_sets import SUFFIXES
from truehue.core.images.load import image_id, load_image
from truehue.core.machine import Placement, machine, placement
from truehue.core.scores.learned import BY_ID, LearnedMeasures
from truehue.core.scores.measures import MEASURES, measure_of
from truehue.core.scores.records import LOW, NEITHER, SCORED, Measure
from truehue.core.scores.scoring import score_image
from truehue.core.spreadsheets import unescape_formula

Scored = tuple[float, str]
"""A score, NaN where there is none, and why there is none."""


@dataclass(frozen=True)
class CfmSource:
    """What a CFM was read with: the fingerprint of its ``checkpoint``, the same as of a registered
    one; where its ``instruction`` is from and the SHA-256 of that text; how many pixels an image
    has; whether all text was left out; and whether rotary frequencies were rounded to
    bfloat16, as the authors' were."""

    checkpoint: str
    instruction: str
    instruction_sha256: str
    area_px: int
    visual_only: bool
    rounded_rotary: bool = False

    @property
    def message(self) -> str:
        """In a sentence without its end."""
        text = f"{self.instruction} (SHA-256 {self.instruction_sha256[:12]})"
        if self.visual_only:
            text = "no text but the reward token"
        rotary = "bfloat16, as the authors'" if self.rounded_rotary else "float32"
        return (
            f"checkpoint {self.checkpoint[:12]}, {text}, images of {self.area_px:,} pixels, rotary "
            f"frequencies in {rotary}"
        )


@dataclass(frozen=True)
class Metric:
    """A scorer of images. ``key`` names it with all that decides its scores; ``of`` takes an
    image, uint8 sRGB ``(H, W, 3)``, and its caption. None in place of ``of``: scores come in.
    ``cfm`` says what a CFM was read with, None for all others. Of ``learned`` ones one at a time is
    in memory: compute them one after the other (:func:`passes`)."""

    name: str
    key: str
    higher_is_better: bool
    of: Callable[[np.ndarray, str], Scored] | None = None
    cfm: CfmSource | None = None
    learned: bool = False


@dataclass(frozen=True)
class Item:
    """A file to be scored, with the caption that it was made by; "" where there is none."""

    path: Path
    caption: str


def computed_metric(measure_id: str) -> Metric:
    """A measure of the list that is computed of images. Raises BadInput for one that is not."""
    measure = measure_of(measure_id)
    if measure.of is None:
        raise BadInput(f"{measure.name} is not computed here: give its scores with --scores.")
    settings = json.dumps(dict(measure.parameters), sort_keys=True)

    def of(srgb8: np.ndarray, caption: str) -> Scored:
        return _scored(measure, srgb8)

    key = f"{measure.id} {measure.version} {settings}"
    return Metric(measure.name, key, measure.better != LOW, of)


def computed_metrics(
    measure_ids: Iterable[str], cpu: bool = False, sources: Sources | None = None
) -> list[Metric]:
    """Measures that are computed of images: of the list, or learned ones, each of which was loaded.
    Raises BadInput for one that is not, and ModelMissing with what to get."""
    loaded = _learned_measures(cpu, sources)
    metrics = [
        _learned_metric(measure_id, loaded) if measure_id in BY_ID else computed_metric(measure_id)
        for measure_id in dict.fromkeys(measure_ids)
    ]
    if sum(metric.learned for metric in metrics) > 1:
        loaded.release()
    return metrics


def _learned_measures(cpu: bool, sources: Sources | None) -> LearnedMeasures:
    return LearnedMeasures(sources or Sources.local(), local_placement(cpu).device)


def _learned_metric(measure_id: str, loaded: LearnedMeasures) -> Metric:
    measure = loaded.measure(measure_id)

    def of(srgb8: np.ndarray, caption: str) -> Scored:
        if BY_ID[measure_id].reads_prompt and not caption.strip():
            return math.nan, f"{measure.name} reads an image and its prompt."
        try:
            value = loaded.score(measure, srgb8, caption)
        except TrueHueError as error:
            return math.nan, str(error)
        return (value, "") if math.isfinite(value) else (math.nan, f"{measure.name} gave {value}.")

    key = f"{measure.id} {measure.version}"
    return Metric(measure.name, key, measure.better != LOW, of, learned=True)


def ready_metrics(
    cpu: bool = False, sources: Sources | None = None
) -> tuple[list[Metric], dict[str, str]]:
    """Every measure that is computed here and has a better end, learned ones included; and for each
    of these that is missing, or cannot be loaded, by its id, why."""
    metrics = [
        computed_metric(measure.id)
        for measure in MEASURES
        if measure.of is not None and measure.better != NEITHER
    ]
    missing = dict[str, str]()
    loaded = _learned_measures(cpu, sources)
    for measure_id in BY_ID:
        try:
            metrics.append(_learned_metric(measure_id, loaded))
        except TrueHueError as error:
            missing[measure_id] = str(error)
    loaded.release()
    return metrics, missing


def passes(metrics: Sequence[Metric]) -> list[list[Metric]]:
    """Metrics that are computed together, image by image: all but the learned ones, then each of
    these by itself."""
    together = [metric for metric in metrics if not metric.learned]
    return [*([together] if together else []), *([m] for m in metrics if m.learned)]


def _scored(measure: Measure, srgb8: np.ndarray) -> Scored:
    record = score_image(measure, "", srgb8)
    return (math.nan, record.reason) if record.value is None else (record.value, "")


CPU = flag("--cpu", "even where there is a GPU")
CFM_OPTIONS = (
    arg("--cfm DIR", "weights of a CFM", action="append", type=Path, default=[]),
    arg("--base DIR", "its Qwen2-VL, where not in --cfm", type=Path),
    arg(
        "--instruction FILE",
        "the text that every CFM reads, with {text_prompt} and <|Reward|>; published weights were "
        "trained with the authors' text, and without it their scores deviate (default: the text in "
        "the weights' folder, or else ours)",
        type=Path,
    ),
    CPU,
)
"""The options of a command that scores by CFMs."""


REGISTERED = (
    flag("--registered", "the CFM that is registered in --data too"),
    data_folder("the app's data folder, for --registered"),
    MODELS_FOLDER,
)
"""The options of a command that can score by the registered CFM."""


def models_sources(options: argparse.Namespace) -> Sources:
    """Where the weights of learned measures are."""
    return Sources.local(Path(options.models).expanduser() if options.models else None)


def registered_cfm(options: argparse.Namespace) -> list[Metric]:
    """The registered CFM, where ``--registered`` asks for it. Raises BadInput where none is."""
    if not options.registered:
        return []
    registration = registered(Path(options.data).expanduser())
    if registration is None:
        raise BadInput(HOW_TO)
    return [registered_metric(registration, local_placement(options.cpu))]


def cfm_metrics(options: argparse.Namespace) -> list[Metric]:
    """The CFMs that a command names, each loaded. Raises BadInput for an instruction alone."""
    if options.instruction is not None and not options.cfm:
        raise BadInput("--instruction is the text of a CFM: give --cfm too.")
    placement = local_placement(options.cpu)
    return [cfm_metric(item, options.base, placement, options.instruction) for item in options.cfm]


def cfm_metric(
    folder: Path, base: Path | None, placement: Placement, instruction: Path | None = None
) -> Metric:
    """CFM of a folder, its score as the published code reports it, with the instruction of a file
    or, where there is none, of its own folder."""
    scorer = open_cfm(folder, base, placement, instruction)
    reading = scorer.reading
    fingerprint = cfm_fingerprint(folder, base or folder)
    if reading.instruction == INSTRUCTION:
        source = "TrueHue's own instruction"
    elif instruction is not None:
        source = f"the instruction of {instruction.name}"
    else:
        source = f"the instruction of the checkpoint's {READING}"
    return _read_by(scorer, folder, source, fingerprint)


def registered_metric(registration: Registration, placement: Placement) -> Metric:
    """The registered CFM, loaded; see :func:`cfm_metric`."""
    scorer = open_registered(registration, placement)
    source = registration.instruction_text
    return _read_by(scorer, Path(registration.folder), source, registration.checkpoint)


def _read_by(scorer: CfmScorer, folder: Path, source: str, fingerprint: str) -> Metric:
    reading = scorer.reading
    cfm = CfmSource(
        fingerprint,
        source,
        hashlib.sha256(reading.instruction.encode()).hexdigest(),
        reading.area_px,
        reading.visual_only,
        reading.rounded_rotary,
    )

    def of(srgb8: np.ndarray, caption: str) -> Scored:
        try:
            return _score(scorer, srgb8, caption), ""
        except TrueHueError as error:
            return math.nan, str(error)

    return Metric(f"CFM ({folder.name})", f"cfm {_digest(folder, scorer)}", True, of, cfm)


def cfm_json(metrics: Iterable[Metric]) -> dict[str, dict[str, Any]]:
    """By name, what each CFM among some metrics was read with."""
    return {metric.name: asdict(metric.cfm) for metric in metrics if metric.cfm is not None}


def cfm_lines(metrics: Iterable[Metric]) -> list[str]:
    """The same, a sentence each."""
    return [f"{metric.name}: {metric.cfm.message}." for metric in metrics if metric.cfm is not None]


def _score(scorer: CfmScorer, srgb8: np.ndarray, caption: str) -> float:
    return scorer.scores([srgb8], [caption])[0].score


def _digest(folder: Path, scorer: CfmScorer) -> str:
    """Of the weights' files by name, size and time, and of how they read."""
    files = sorted(folder.glob("*.safetensors"))
    known = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(repr((known, scorer.reading)).encode()).hexdigest()[:12]


def check_direction(measure: Measure) -> None:
    """Raises BadInput for a measure of which neither more nor less is better."""
    if measure.better == NEITHER:
        raise BadInput(
            f"Of {measure.name} neither more nor less is better: it cannot order images."
        )


class ScoreFile:
    """Scores by metric, image and caption, a line each in ``scores.jsonl``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.image_ids: dict[Path, str] = {}
        """Of every file that was looked at."""
        self._begun = False
        self._values: dict[tuple[str, str, str], Scored] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take(line)

    def _take(self, line: str) -> None:
        try:
            row = json.loads(line)
            value = math.nan if row["value"] is None else float(row["value"])
            key = (str(row["metric"]), str(row["image_id"]), str(row["caption"]))
            self._values[key] = (value, str(row["reason"]))
        except (ValueError, KeyError, TypeError):
            return  # the line at which a process was killed: it is scored again

    def scores(
        self,
        metrics: Sequence[Metric],
        items: Sequence[Item],
        report_progress: Callable[[int, int], None],
    ) -> dict[Item, dict[str, Scored]]:
        """By metric's key, of every item; what is not in the file yet is computed and added.
        ``report_progress`` counts the images of each of the :func:`passes`.

        Raises ImageError for a file that is no image.
        """
        unique = list(dict.fromkeys(items))
        out: dict[Item, dict[str, Scored]] = {item: {} for item in unique}
        for together in passes(metrics):
            for number, item in enumerate(unique, start=1):
                out[item] |= self._scores_of(together, item)
                report_progress(number, len(items))
        return out

    def _scores_of(self, metrics: Sequence[Metric], item: Item) -> dict[str, Scored]:
        identity = self.image_ids.get(item.path, "")
        keys = [(metric.key, identity, item.caption) for metric in metrics]
        if identity and all(key in self._values for key in keys):
            return {key[0]: self._values[key] for key in keys}
        srgb8 = load_image(item.path, item.path.name).srgb8
        identity = self.image_ids[item.path] = image_id(srgb8)
        return {metric.key: self.score(metric, srgb8, item.caption, identity) for metric in metrics}

    def score(self, metric: Metric, srgb8: np.ndarray, caption: str, identity: str = "") -> Scored:
        """Of one image; what is not in the file yet is computed and added. ``identity`` is the
        image's id where it is known."""
        key = (metric.key, identity or image_id(srgb8), caption)
        if key not in self._values and metric.of is not None:
            self._values[key] = metric.of(srgb8, caption)
            self._add(_line(key, self._values[key]))
        return self._values.get(key, (math.nan, "no score came in"))

    def _add(self, line: str) -> None:
        try:
            if not self._begun:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                # The first line ends one that was cut.
                file.write(("" if self._begun or not file.tell() else "\n") + line)
        except OSError as error:
            raise DataFolderError(
                f"{self.path} cannot be written: {file_problem(error)}."
            ) from error
        self._begun = True


def _line(key: tuple[str, str, str], scored: Scored) -> str:
    value = None if math.isnan(scored[0]) else scored[0]
    names = dict(zip(("metric", "image_id", "caption"), key, strict=True))
    return json.dumps({**names, "value": value, "reason": scored[1]}, ensure_ascii=False) + "\n"


def imported_scores(path: Path, lower: Iterable[str]) -> dict[Metric, dict[str, float]]:
    """Scores by metric and image, from the app's export of scores (CSV or Parquet), or a table with
    ``measure``, ``value`` and ``image_id`` or ``file``, whose path is looked for beside the table.
    The key is the id, or else the whole path.

    ``lower`` are the measures beyond the app's list of which less is better. Of several scorers of
    an image the mean counts. Raises BadInput for another table.
    """
    values: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line, row in enumerate(_table(path), start=2):
        try:
            name, version = unescape_formula(str(row["measure"])), str(row.get("version") or "")
            if row.get("status", SCORED) != SCORED:
                continue
            image = str(row.get("image_id") or "") or str((path.parent / row["file"]).resolve())
            values[name, version][image].append(float(row["value"]))
        except (KeyError, ValueError, TypeError) as error:
            raise BadInput(
                f"{path.name}, line {line}: a score has measure, value and image_id or file: "
                f"{error!r:.80}"
            ) from None
    known = {measure.id: measure for measure in MEASURES}
    out = {}
    for (name, version), value in values.items():
        measure = known.get(name)
        if measure is not None:
            check_direction(measure)
        less = measure.better == LOW if measure is not None else name in set(lower)
        shown = measure.name if measure is not None else name
        versions = sum(other == name for other, _ in values)
        metric = Metric(
            f"{shown} {version}" if versions > 1 else shown, f"{name} {version}", not less
        )
        out[metric] = {image: fmean(provided) for image, provided in value.items()}
    if not out:
        raise BadInput(f"{path.name} holds no scores.")
    return out


def _table(path: Path) -> list[dict[str, Any]]:
    try:
        if path.suffix.lower() == ".parquet":
            import pyarrow.parquet as pq

            return list(pq.read_table(path).to_pylist())
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as a table: {error}") from None


_CFM_GIB = 16.0
"""Weights of CFM at two bytes a number."""


def local_placement(cpu: bool) -> Placement:
    """A GPU where there is one and ``cpu`` does not forbid it; as a whole, for CFM is not cut.
    Not in float16, in which Qwen2-VL overflows."""
    local = machine()
    if cpu or local.device == "cpu":
        return Placement("cpu", "float32", "none", "On this machine's processor.")
    device_placement = placement(_CFM_GIB, local, fp16=False)
    return Placement(local.device, device_placement.dtype, "none", device_placement.why)


def images_of(folder: Path) -> list[Path]:
    """The image files below a folder, by name, or the one file. Raises BadInput where there is
    none."""
    if folder.is_file():
        return [folder]
    if not folder.exists():
        raise BadInput(f"{folder} is not there.")
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    paths = [path for path in paths if path.is_file() and not path.name.startswith(".")]
    if not paths:
        raise BadInput(f"{folder} holds no images.")
    return paths


def make_out(folder: Path) -> None:
    """The folder of --out, before anything is computed. Raises DataFolderError where there can be
    none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFolderError(
            f"The folder {folder} cannot be made: {file_problem(error)}. Choose another --out."
        ) from error


def numbers_of(text: str, option: str) -> tuple[float, ...]:
    """Of "0.5, 1, 2". Raises BadInput, with the option's name, for what is no list of numbers."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"{option} takes numbers with commas, not {text!r:.80}.") from None
