"""``python -m truehue fidelity``: groups of images, and metrics of color fidelity trained by them.

Exit status 0 if all is done, 2 for bad input, 3 for work that ended before its last step, 130 after
Ctrl+C. Finished images are saved: run the same command again to continue.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

from truehue.core.batch.execute import WorkerPool, execute
from truehue.core.checkpoints import run_folder
from truehue.core.cli.fidelity_captions import caption_command
from truehue.core.cli.fidelity_evaluation import evaluate_command, sweep_command
from truehue.core.cli.fidelity_scoring import (
    CPU,
    images_of,
    numbers_of,
)
from truehue.core.cli.fidelity_sets import set_command
from truehue.core.command import (
    INTERRUPTED,
    JSON,
    Command,
    arg,
    at_least_1,
    batch_progress,
    command,
    either,
    ended_by_signal,
    exit_status,
    flag,
    group,
    print_problems,
)
from truehue.core.errors import BadInput, ImageError
from truehue.core.fidelity.archives import read_archives, write_archives
from truehue.core.fidelity.building import (
    DISTORTIONS,
    FORMATS,
    SCALES,
    BuildSettings,
    begin,
    read_photographs,
    rendered_photographs,
)
from truehue.core.fidelity.cfm.released import released_instruction
from truehue.core.fidelity.cfm.scorer import AREA_PX, CfmReading, instruction_of
from truehue.core.fidelity.groups import (
    CATEGORIES,
    GUIDANCES,
    Group,
    read_groups,
    split,
    write_groups,
)
from truehue.core.fidelity.training.model import (
    LOSSES,
    OPTIMIZERS,
    PRECISIONS,
    SCHEDULES,
    TAU,
    SmallSize,
    TrainSettings,
    write_small_base,
)
from truehue.core.fidelity.vividness import (
    FEW,
    NUMBERS,
    Reference,
    read_reference,
    reference_of,
    set_vividness,
    vividness_of,
    write_reference,
)
from truehue.core.files import replace_file
from truehue.core.images.load import load_image
from truehue.core.refinement.settings import NATURAL_SATURATION

EPILOG = """\
examples:
  python -m truehue fidelity build --rendered 60 --distort saturation,contrast --out cfd
  python -m truehue fidelity caption photos --model qwen2.5-vl-7b --out photos.csv
  python -m truehue fidelity build photos --captions photos.csv --models sdxl-base-1.0 --out cfd
  python -m truehue fidelity instruction CFM --out theirs.txt
  python -m truehue fidelity base --out tiny
  python -m truehue fidelity train --groups cfd/train.json --held cfd/test.json \\
      --base tiny --out cfm
  python -m truehue fidelity evaluate --groups cfd/test.json --cfm cfm --measure delta_sat
  python -m truehue fidelity sweep photos --measure delta_sat
  python -m truehue fidelity set --run 3f2a --real photos --inception inception-2015-12-05.pt
  python -m truehue fidelity reference photos --source "ours, CC0" --out photos.json
  python -m truehue fidelity vivid renders --reference photos.json
"""
SEED = arg("--seed", "default 0", default=0)


def _text(scales: tuple[float, ...]) -> str:
    return ",".join(f"{scale:g}" for scale in scales)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@command(
    "build",
    "groups from photographs with captions: by guidance, saturation, contrast",
    arg("folder FOLDER", "of photographs", type=Path, nargs="?"),
    arg(
        "--captions TABLE",
        "CSV or Parquet: file, caption and perhaps category (one of CFD's)",
        type=Path,
    ),
    arg("--rendered N", "N renderings in place of photographs", type=int),
    arg("--out DIR", "the data set", type=Path, required=True),
    arg("--models IDS", "with commas: who generates by rising guidance", default=""),
    arg(
        "--distort NAMES",
        f"with commas, of {', '.join(DISTORTIONS)}: the photograph, more and more vivid",
        default="",
    ),
    arg("--guidance SCALES", "default %(default)s", default=_text(GUIDANCES)),
    arg("--scales", "of --distort, default %(default)s", default=_text(SCALES)),
    arg("--steps", "of a generation (default: the model's)", type=int),
    arg("--width PX", "of a generation (default: the model's)", type=int),
    arg("--height PX", "the same", type=int),
    arg("--size PX", "side of distorted photographs, at most", default=1024),
    SEED,
    arg("--format", "default jpg", choices=FORMATS, default="jpg"),
    arg("--test-share", "of the photographs (default 0.15)", default=0.15),
    arg("--workers N", "default 1", default=1),
    arg("--threads N", "of each worker (default: the cores, shared)", type=int),
    flag("--ray", "workers of Ray's cluster"),
    flag("--retry-failed", "try those that failed again"),
    flag("--one-model-each", "each photograph by one of the makers, as in the paper, not by all"),
)
def _build(options: argparse.Namespace) -> int:
    if (options.folder is None) == (options.rendered is None):
        raise BadInput("Give a folder of photographs, or --rendered.")
    if not 0 <= options.test_share <= 1:
        raise BadInput("--test-share is a number from 0 to 1.")
    unknown = [name for name in _names(options.distort) if name not in DISTORTIONS]
    if unknown:
        raise BadInput(f"{unknown[0]!r:.40} is no distortion, only {', '.join(DISTORTIONS)}.")
    makers = (*_names(options.models), *_names(options.distort))
    settings = BuildSettings(
        makers,
        numbers_of(options.guidance, "--guidance"),
        numbers_of(options.scales, "--scales"),
        options.steps,
        options.width,
        options.height,
        options.size,
        options.seed,
        options.format,
        options.one_model_each,
    )
    if options.rendered is not None:
        photographs = rendered_photographs(
            options.out / "rendered", options.rendered, seed=options.seed
        )
    elif options.captions is None:
        raise BadInput("Give the captions of the photographs: --captions TABLE.")
    else:
        photographs = read_photographs(options.folder, options.captions)
    work = begin(options.out, photographs, settings)
    work.folder.set_desired_state("run")
    if options.threads is not None and options.threads < 1:
        raise BadInput("--threads is at least 1.")
    team = "ray" if options.ray else "local"
    crew = WorkerPool(options.workers, team, threads=options.threads)
    state = execute(work, crew, retry_failed=options.retry_failed, watch=batch_progress("groups"))
    groups = list(work.groups())
    if groups:
        training, test = split(groups, options.test_share, options.seed)
        for name, part in (("groups", groups), ("train", training), ("test", test)):
            write_groups(options.out / f"{name}.json", part)
        print(f"{len(groups):,} groups in {options.out}: {len(training):,} to learn from")
        print(f"(train.json), {len(test):,} to be tested by (test.json).")
        if state.status == "finished":
            _warn(training, test, options.test_share)
        for category in ("", *CATEGORIES):
            count = sum(group.category == category for group in groups)
            if count:
                print(f"  {category or 'no category'}: {count:,}")
    print_problems(state, "a result")
    return exit_status(state)


def _warn(training: list[Group], test: list[Group], share: float) -> None:
    """Says on standard error where one side of the split has nothing, which other commands
    refuse."""
    for part, name, wanted in ((training, "train.json", share < 1), (test, "test.json", share > 0)):
        if wanted and not part:
            print(
                f"{name} has no groups: each photograph falls on one side, {share:g} of them to be "
                "tested by on average. Give more photographs, or another --test-share or --seed.",
                file=sys.stderr,
            )


@command(
    "archive",
    "groups as WebDataset archives, or archives as groups",
    arg("source SOURCE", "a file of groups, or archives (.tar)", type=Path, nargs="+"),
    arg("--out DIR", "a new folder", type=Path, required=True),
)
def _archive(options: argparse.Namespace) -> int:
    archives = [path for path in options.source if path.suffix == ".tar"]
    if archives and len(archives) < len(options.source):
        raise BadInput("Give archives, or files of groups, not both.")
    if archives:
        groups = read_archives(archives, options.out)
        print(f"{len(groups):,} groups in {options.out / 'groups.json'}.")
        return 0
    groups = [group for path in options.source for group in read_groups(path)]
    written = write_archives(options.out, groups)
    print(f"{len(groups):,} groups in {len(written):,} archives in {options.out}.")
    return 0


RUN = Path("data") / "fidelity" / "training"


_SMALL = SmallSize()


@command(
    "base",
    "a small Qwen2-VL with random weights, to train where a large one is not",
    arg("--out DIR", "a new folder", type=Path, required=True),
    arg("--width", f"default {_SMALL.width}", default=_SMALL.width),
    arg("--layers", f"default {_SMALL.layers}", default=_SMALL.layers),
    SEED,
)
def _base(options: argparse.Namespace) -> int:
    write_small_base(options.out, SmallSize(options.width, options.layers), options.seed)
    print(f"A small Qwen2-VL with random weights is in {options.out}.")
    return 0


@command(
    "instruction",
    "the authors' text around the prompt, from a checkout of ZhengyaoFang/CFM",
    arg("checkout CHECKOUT", "its folder", type=Path),
    arg("--out FILE", "for --instruction", type=Path, required=True),
)
def _instruction(options: argparse.Namespace) -> int:
    text = released_instruction(options.checkout)
    replace_file(options.out, text.encode())
    print(f"{len(text):,} characters in {options.out}, SHA-256 {sha256(text.encode()).hexdigest()}")
    return 0


@command(
    "train",
    "trains CFM from groups, or resumes",
    arg("--groups FILE", "to learn from", type=Path, required=True, nargs="+"),
    either(
        arg("--held FILE", "groups that are held out", type=Path, nargs="+"),
        arg(
            "--held-share",
            "share of the photographs of --groups to hold out instead (default 0.1)",
            default=0.1,
        ),
    ),
    arg("--base DIR", "a Qwen2-VL, or a CFM to go on with", type=Path, required=True),
    arg("--run DIR", f"default {RUN}", dest="folder", default=RUN),
    arg("--out DIR", "the finished CFM, as released", type=Path),
    group(
        "what is learned",
        arg("--loss", "default softrank", choices=LOSSES, default="softrank"),
        arg("--tau", f"of softrank (default {TAU})", default=TAU),
        flag("--no-own-term", "leave out j = i from the ranks of softrank"),
        flag("--visual-only", "no text but the reward token: the ablation"),
        flag("--rounded-rotary", "rotary frequencies in bfloat16, as the authors' training"),
        arg("--instruction FILE", "another text than ours", type=Path),
        arg("--area PX", f"of images (default {AREA_PX:,})", default=AREA_PX),
        either(
            arg("--epochs", "default 1", default=1.0),
            arg("--steps", "in all, instead of epochs", type=int),
        ),
        arg("--batch", "groups a step (default 32)", default=32),
        arg("--rate", "learning rate (default 2e-6)", default=2e-6),
        arg("--warmup", "share of steps (default 0.05)", default=0.05),
        arg("--weight-decay", "default 0", default=0.0),
        arg(
            "--schedule",
            "of the rate after the warm-up: linear to 0, or constant as released",
            choices=SCHEDULES,
            default="linear",
        ),
        flag(
            "--frozen-embeddings",
            "of the word embeddings train the reward token alone, as released",
        ),
        arg("--lora RANK", "by peft; 0, the default, trains all", default=0),
        SEED,
    ),
    group(
        "on this machine",
        arg("--at-once", "groups in one forward pass (default 4)", default=4),
        arg("--precision", "of arithmetic", choices=PRECISIONS, default="float32"),
        flag("--checkpointing", "less memory, more time: activations twice"),
        flag(
            "--fsdp", "with accelerate launch: weights spread over the processes, no equal copies"
        ),
        arg(
            "--optimizer",
            "adamw8bit of bitsandbytes keeps moments in one byte a number",
            choices=OPTIMIZERS,
            default="adamw",
        ),
        CPU,
        arg("--threads", "of torch on the CPU (default 1)", default=1),
        arg("--report-every STEPS", "default 10", default=10),
        arg("--held-every STEPS", "default 200", default=200),
        arg("--save-every STEPS", "default 200", default=200),
    ),
)
def _train(options: argparse.Namespace) -> int:
    groups, held = _groups(options)
    settings = _settings(options, len(groups))
    reading = CfmReading(
        instruction_of(options.instruction),
        options.area,
        bool(options.visual_only),
        bool(options.rounded_rotary),
    )
    at_least_1(options, "threads", "report_every", "save_every")
    from truehue.core.fidelity.training.model import check_folder

    if options.out is not None:
        check_folder(options.out)
    # Of the equal processes of one training the first writes, and holds the folder for all.
    first = os.environ.get("RANK", "0") == "0"
    with run_folder(options.folder) if first else nullcontext():
        return _trained(options, settings, reading, groups, held)


def _trained(
    options: argparse.Namespace,
    settings: TrainSettings,
    reading: CfmReading,
    groups: list[Group],
    held: list[Group],
) -> int:
    """The training of a folder that is held."""
    import torch

    from truehue.core.fidelity.training.model import export, open_trainee
    from truehue.core.fidelity.training.training import CHECKPOINT, Progress, Training, Watch, train

    torch.set_num_threads(options.threads)
    device = "cpu"
    if torch.cuda.is_available() and not options.cpu:
        device = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"

    def watched(progress: Progress) -> None:
        print(_line(progress), flush=True)

    # Weights that are spread go to a GPU layer by layer.
    at_first = "cpu" if options.fsdp else device
    trainee = open_trainee(options.base, reading, settings, at_first)
    training = Training(trainee, settings, groups, held, options.fsdp, device == "cpu")
    with ended_by_signal() as end:
        try:
            if (options.folder / CHECKPOINT).exists():
                training.load(options.folder)
                print(f"Going on from step {training.step:,} of {options.folder}.", flush=True)
            watch = Watch(watched, options.report_every, options.held_every, options.save_every)
            done = train(training, options.folder, watch, end)
        finally:
            training.close()
    if not done:
        print(f"Ended at step {training.step:,}: the same command goes on from there.")
        return 3
    writes = training.accelerator.is_main_process
    if options.out is not None and (writes or options.fsdp):
        export(training.trainee, options.out, writes)
        if writes:
            print(f"The CFM of step {training.step:,} is in {options.out}.")
    return 0


def _groups(options: argparse.Namespace) -> tuple[list[Group], list[Group]]:
    groups = [group for path in options.groups for group in read_groups(path)]
    if options.held is None:
        return split(groups, options.held_share)
    held = [group for path in options.held for group in read_groups(path)]
    shared = {group.photograph.resolve() for group in groups} & {
        group.photograph.resolve() for group in held
    }
    if shared:
        raise BadInput(
            f"{len(shared):,} photographs to learn from are held out too, such as "
            f"{sorted(shared)[0].name}: a group is either learned from or tested by."
        )
    return groups, held


def _settings(options: argparse.Namespace, count: int) -> TrainSettings:
    if not options.epochs > 0:
        raise BadInput("--epochs is above 0.")
    steps = options.steps
    if steps is None:
        steps = max(1, math.ceil(options.epochs * count / max(options.batch, 1)))
    return TrainSettings(
        steps=steps,
        loss=options.loss,
        tau=options.tau,
        own_term=not options.no_own_term,
        batch=options.batch,
        at_once=options.at_once,
        rate=options.rate,
        warmup=options.warmup,
        weight_decay=options.weight_decay,
        lora_rank=options.lora,
        precision=options.precision,
        checkpointing=options.checkpointing,
        seed=options.seed,
        schedule=options.schedule,
        frozen_embeddings=options.frozen_embeddings,
        optimizer=options.optimizer,
    )


def _line(progress: Any) -> str:
    text = f"step {progress.step:,} of {progress.steps:,}"
    if progress.loss is not None:
        text += f"  loss {progress.loss:.4f}"
    if progress.adjacent is not None:
        text += (
            f"  held out, right order: adjacent {progress.adjacent:.1f}%, SynPairs "
            f"{progress.syn_pairs:.1f}%, Real&Syn {progress.real_syn:.1f}%"
        )
    return text


def _measured(paths: list[Path]) -> tuple[dict[Path, dict[str, float]], int]:
    """The numbers of each image, and how many could not be read; those are named."""
    partial_type, bad = {}, 0
    for number, path in enumerate(paths, start=1):
        try:
            partial_type[path] = vividness_of(load_image(path, path.name).srgb8)
        except ImageError as error:
            print(f"{path}: {error}", file=sys.stderr)
            bad += 1
        if number % 100 == 0:
            print(f"{number:,} of {len(paths):,} images", file=sys.stderr, flush=True)
    return partial_type, bad


@command(
    "reference",
    "saturation, chroma and contrast of a folder of photographs, as numbers",
    arg("folder FOLDER", "of real photographs", type=Path),
    arg("--source TEXT", "which, and whose license", required=True),
    arg("--out FILE.json", type=Path, required=True),
)
def _reference(options: argparse.Namespace) -> int:
    results, bad = _measured(images_of(options.folder))
    reference = reference_of(results.values(), options.source)
    write_reference(options.out, reference)
    print(f"{reference.photographs:,} photographs in {options.out}.")
    if reference.photographs < FEW:
        print(f"That is few: fewer than {FEW} say little of photographs at large.")
    return 2 if bad else 0


@command(
    "vivid",
    "an image, or a folder, against photographs",
    arg("images IMAGE", "or folders of them", type=Path, nargs="+"),
    arg("--reference FILE.json", "made by reference", type=Path),
    JSON,
)
def _vivid(options: argparse.Namespace) -> int:
    reference = None if options.reference is None else read_reference(options.reference)
    paths = dict.fromkeys(path for image in options.images for path in images_of(image))
    results, bad = _measured(list(paths))
    if options.json:
        print(json.dumps(_vivid_json(results, reference), ensure_ascii=False))
    else:
        _print_vivid(results, reference)
    return 2 if bad else 0


def _vivid_json(
    results: dict[Path, dict[str, float]], reference: Reference | None
) -> dict[str, Any]:
    of_images = []
    for path, numbers in results.items():
        fields: dict[str, Any] = {"file": str(path), **numbers}
        fields["delta_sat"] = abs(numbers["saturation"] - NATURAL_SATURATION)
        if reference is not None:
            fields["percentiles"] = {
                name: distribution.percentile(numbers[name])
                for name, distribution in reference.distributions.items()
            }
        of_images.append(fields)
    out: dict[str, Any] = {"published_saturation": NATURAL_SATURATION, "images": of_images}
    if results:
        of_set = set_vividness([record["saturation"] for record in results.values()])
        out["delta_sat_of_mean"] = of_set.delta_sat_of_mean
        out["mean_delta_sat"] = of_set.mean_delta_sat
        out["means"] = {
            name: fmean(record[name] for record in results.values()) for name in NUMBERS
        }
    if reference is not None and results:
        out["reference"] = {
            "source": reference.source,
            "photographs": reference.photographs,
            "means": {
                name: distribution.mean for name, distribution in reference.distributions.items()
            },
            "wasserstein": {
                name: distribution.distance([numbers[name] for numbers in results.values()])
                for name, distribution in reference.distributions.items()
            },
        }
    return out


def _print_vivid(results: dict[Path, dict[str, float]], reference: Reference | None) -> None:
    for path, numbers in results.items():
        parts = []
        for name, value in numbers.items():
            text = f"{name} {value:.{3 if name == 'saturation' else 1}f}"
            if reference is not None:
                share = reference.distributions[name].percentile(value)
                text += f" (above {share:.0f}% of photographs)"
            parts.append(text)
        print(f"{path}: {', '.join(parts)}")
    if not results:
        return
    of_set = set_vividness([record["saturation"] for record in results.values()])
    print(
        f"{len(results):,} images: mean saturation {of_set.mean_saturation:.3f}, of photographs "
        f"{NATURAL_SATURATION:g} as published. ΔSat of the mean {of_set.delta_sat_of_mean:.3f}, as "
        f"in the paper's Table 3; mean of the images' ΔSat {of_set.mean_delta_sat:.3f}."
    )
    if reference is None:
        return
    for name, distribution in reference.distributions.items():
        values = [numbers[name] for numbers in results.values()]
        digits = 3 if name == "saturation" else 1
        print(
            f"  {name}: mean {fmean(values):.{digits}f}, of the {reference.photographs:,} "
            f"photographs {distribution.mean:.{digits}f}; Wasserstein distance "
            f"{distribution.distance(values):.{digits}f}"
        )


COMMAND = Command(
    "fidelity",
    "Groups of images by falling color fidelity, and metrics trained and tested by them: the "
    "protocol of “Too Vivid to Be Real?”.",
    (
        caption_command,
        _build,
        _archive,
        _base,
        _instruction,
        _train,
        evaluate_command,
        sweep_command,
        set_command,
        _reference,
        _vivid,
    ),
    epilog=EPILOG,
    former="-m core.fidelity",
    stopped=(
        "Stopped. Finished images are saved: run the same command again to continue.",
        INTERRUPTED,
    ),
)
main = COMMAND.main
