"""``fidelity set``: measures of a whole set of images, such as FID, beside each other."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from truehue.core.cli.fidelity_scoring import (
    CFM_OPTIONS,
    Item,
    Metric,
    ScoreFile,
    cfm_metrics,
    computed_metric,
    computed_metrics,
    images_of,
    local_placement,
    models_sources,
    ready_metrics,
    registered_metric,
)
from truehue.core.command import JSON, MODELS_FOLDER, arg, command, data_folder, flag
from truehue.core.errors import BadInput, ImageError
from truehue.core.fidelity.building import read_photographs
from truehue.core.fidelity.cfm.registration import registered
from truehue.core.fidelity.cfm.scorer import INSTRUCTION
from truehue.core.fidelity.frechet import (
    FEW,
    Gaussian,
    Inception,
    frechet_distance,
    gaussian_of,
)
from truehue.core.images.load import image_id, load_image
from truehue.core.refinement.settings import NATURAL_SATURATION
from truehue.core.runs.folder import folder_named
from truehue.core.scores.learned import BY_ID
from truehue.core.scores.sets import (
    CATEGORIES,
    FOLDER,
    SetImage,
    SetNumber,
    category_means,
    cfm_key,
    images_of_run,
    mean_over_prompts,
    read_set,
    saturation_numbers,
    set_number,
    write_set,
)


@command(
    "set",
    "FID, CLIPScore, ΔSat, CFM and others of a set of images: a row of the paper's Table 3",
    arg(
        "--run RUN", "a run's name, or the first characters of its id", dest="run_name", default=""
    ),
    arg(
        "--shared DIR",
        "of --run: the folder of runs, where it is another one than that of --data",
        type=Path,
    ),
    arg("--images FOLDER", "a folder of images instead", type=Path),
    arg("--captions TABLE", "of --images: file and caption", type=Path),
    arg(
        "--measure ID",
        "of truehue score --list or clip_score, pick_score, image_reward, hpsv3, clip_iqa, musiq, "
        "maniqa, liqe; several times (default: all that can be computed here)",
        action="append",
        default=[],
    ),
    *CFM_OPTIONS,
    flag("--no-registered", "leave out the CFM that is registered in --data"),
    flag("--own-instruction", "read it with our text, to see what the text changes"),
    flag("--float32-rotary", "read it without rounded frequencies, to see what these change"),
    arg("--real FOLDER", "photographs that FID compares with", type=Path),
    arg("--inception FILE", "weights of FID, inception-2015-12-05.pt", type=Path),
    arg("--out FILE", "default: fidelity/sets/ID.json in the data folder", type=Path),
    data_folder("the app's data folder, with runs in its runs/"),
    MODELS_FOLDER,
    JSON,
)
def set_command(options: argparse.Namespace) -> int:
    if bool(options.run_name) == (options.images is not None):
        raise BadInput("Name a set: --run or --images.")
    data = Path(options.data).expanduser()
    if (options.real is None) != (options.inception is None):
        raise BadInput("FID needs both --real and --inception.")
    images, name, key = _images(options, data)
    out = options.out or data / FOLDER / f"{key}.json"
    metrics, left_out = _metrics(options, data)
    saturation = computed_metric("mean_saturation")

    def report_progress(done: int, count: int) -> None:
        if done % 100 == 0 or done == count:
            print(f"{done:,} of {count:,} images", file=sys.stderr, flush=True)

    items = [Item(image.path, image.prompt) for image in images]
    scores = ScoreFile(out.parent / f"{out.stem}-scores.jsonl").scores(
        [saturation, *metrics], items, report_progress
    )
    numbers = saturation_numbers(
        images, [scores[item][saturation.key][0] for item in items], NATURAL_SATURATION
    )
    for metric in metrics:
        pairs = [scores[item][metric.key] for item in items]
        of_set = images, [value for value, _ in pairs], [reason for _, reason in pairs]
        mean = mean_over_prompts(*of_set)
        about: dict[str, Any] = {"metric": metric.name, "key": metric.key}
        if by_category := category_means(*of_set):
            about[CATEGORIES] = by_category
        if metric.cfm is not None:
            about["cfm"] = asdict(metric.cfm)
        numbers[_key(metric)] = set_number(mean, about)
    stored = read_set(out)
    for measure_id, reason in left_out.items():
        if measure_id not in stored or stored[measure_id].mean is None:
            numbers[measure_id] = SetNumber(None, None, None, 0, len(images), {"reason": reason})
    if options.real is not None:
        device = local_placement(options.cpu).device
        inception = Inception(options.inception, device)
        numbers["fid"] = _fid(inception, [image.path for image in images], options.real)
    write_set(out, name, numbers)
    if options.json:
        print(json.dumps({key: asdict(value) for key, value in read_set(out).items()}))
    else:
        for key, number in numbers.items():
            print(f"{key}: {_text(number)}")
        print(f"See {out}.")
    return 0


def _images(options: argparse.Namespace, data: Path) -> tuple[list[SetImage], str, str]:
    """The images, what they are called, and the name of their file."""
    if options.run_name:
        folder = folder_named(options.shared or data / "runs", options.run_name)
        return images_of_run(folder), str(folder.summary()["name"]), folder.path.name
    if options.captions is not None:
        photographs = read_photographs(options.images, options.captions)
        listed = [(by.path, by.caption, by.category) for by in photographs]
    else:
        listed = [(path, "", "") for path in images_of(options.images)]
    images = [
        SetImage(path, text, number, category)
        for number, (path, text, category) in enumerate(listed)
    ]
    folder = options.images.resolve()
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:8]  # two folders may have one name
    return images, str(options.images), f"{folder.name}-{digest}"


def _metrics(options: argparse.Namespace, data: Path) -> tuple[list[Metric], dict[str, str]]:
    """The metrics to compute; what is missing here is said on standard error. Of learned ones whose
    package is here and that still cannot be loaded, by id, why."""
    sources, left_out = models_sources(options), dict[str, str]()
    if options.measure:
        others = [name for name in options.measure if name not in ("mean_saturation", "delta_sat")]
        metrics = computed_metrics(others, options.cpu, sources)
    else:
        ready, missing = ready_metrics(options.cpu, sources)
        metrics = [metric for metric in ready if not metric.key.startswith("delta_sat ")]
        for sentence in missing.values():
            print(f"left out: {sentence}", file=sys.stderr)
        left_out = {key: text for key, text in missing.items() if BY_ID[key].is_local(sources)}
    metrics += cfm_metrics(options)
    registration = None if options.no_registered or options.cfm else registered(data)
    if registration is not None:
        if options.own_instruction:
            registration = replace(registration, instruction=INSTRUCTION, instruction_name="")
        if options.float32_rotary:
            registration = replace(registration, rotary="")
        metrics.append(registered_metric(registration, local_placement(options.cpu)))
    return metrics, left_out


def _key(metric: Metric) -> str:
    """The measure's id; of a CFM also what it was read with."""
    if metric.cfm is None:
        return metric.key.split(" ", 1)[0]
    source = metric.cfm
    return cfm_key(source.checkpoint, source.instruction_sha256, source.rounded_rotary)


def _fid(inception: Inception, images: Sequence[Path], real: Path) -> SetNumber:
    photographs = images_of(real)

    def gaussian(paths: Sequence[Path]) -> tuple[Gaussian, str]:
        """With the digest of the images, whatever their files are called."""
        features, ids = [], []
        for number, path in enumerate(paths, start=1):
            try:
                srgb8 = load_image(path, path.name).srgb8
                features.append(inception.features(srgb8))
                ids.append(image_id(srgb8))
            except ImageError as error:
                raise BadInput(f"{path}: {error}") from None
            if number % 100 == 0:
                print(f"FID: {number:,} of {len(paths):,} images", file=sys.stderr, flush=True)
        return gaussian_of(features), hashlib.sha256("".join(sorted(ids)).encode()).hexdigest()

    (generated, _), (reference, digest) = gaussian(images), gaussian(photographs)
    about = {
        "inception_sha256": inception.sha256,
        "resize": "clean-fid: bicubic on floats",
        "photographs": reference.images,
        "photographs_sha256": digest,
        "biased": min(generated.images, reference.images) < FEW,
    }
    return SetNumber(frechet_distance(generated, reference), None, None, generated.images, 0, about)


def _text(number: SetNumber) -> str:
    if number.mean is None:
        return f"no score of {number.images + number.unscored:,} images"
    text = f"{number.mean:.3f}"
    if number.low is not None and number.high is not None:
        text += f" ({number.low:.3f} to {number.high:.3f})"
    text += f", n {number.images:,}"
    return text + (f", {number.unscored:,} unscored" if number.unscored else "")
