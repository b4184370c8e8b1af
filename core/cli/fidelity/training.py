"""``train``: CFM from groups; ``base``: a small Qwen2-VL with random weights to try it by."""

from __future__ import annotations

import argparse
import math
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from truehue.core.checkpoints import run_folder
from truehue.core.command import ended_by_signal
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.scorer import AREA_PX, CfmReading, instruction_of
from truehue.core.fidelity.groups import Group, read_groups, split
from truehue.core.fidelity.training.model import (
    LOSSES,
    PRECISIONS,
    TAU,
    SmallSize,
    TrainSettings,
    write_small_base,
)

RUN = Path("data") / "fidelity" / "training"


def add(commands: Any) -> None:
    """The two commands."""
    base = commands.add_parser(
        "base", help="a small Qwen2-VL with random weights, to train where a large one is not"
    )
    base.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    size = SmallSize()
    base.add_argument("--width", type=int, default=size.width, help=f"default {size.width}")
    base.add_argument("--layers", type=int, default=size.layers, help=f"default {size.layers}")
    base.add_argument("--seed", type=int, default=0, help="default 0")
    base.set_defaults(run=_base)

    train = commands.add_parser("train", help="trains CFM from groups, or goes on")
    train.add_argument(
        "--groups", type=Path, required=True, nargs="+", metavar="FILE", help="to learn from"
    )
    held = train.add_mutually_exclusive_group()
    held.add_argument(
        "--held", type=Path, nargs="+", metavar="FILE", help="groups that are held out"
    )
    held.add_argument(
        "--held-share",
        type=float,
        default=0.1,
        help="share of the photographs of --groups to hold out instead (default 0.1)",
    )
    train.add_argument(
        "--base", type=Path, required=True, metavar="DIR", help="a Qwen2-VL, or a CFM to go on with"
    )
    train.add_argument(
        "--run", dest="folder", type=Path, default=RUN, metavar="DIR", help=f"default {RUN}"
    )
    train.add_argument("--out", type=Path, metavar="DIR", help="the finished CFM, as released")
    _add_learning(train.add_argument_group("what is learned"))
    _add_machine(train.add_argument_group("on this machine"))
    train.set_defaults(run=_train)


def _add_learning(group: Any) -> None:
    group.add_argument("--loss", choices=LOSSES, default="softrank", help="default softrank")
    group.add_argument("--tau", type=float, default=TAU, help=f"of softrank (default {TAU})")
    group.add_argument(
        "--no-own-term", action="store_true", help="leave out j = i from the ranks of softrank"
    )
    group.add_argument(
        "--visual-only", action="store_true", help="no text but the reward token: the ablation"
    )
    group.add_argument("--instruction", type=Path, metavar="FILE", help="another text than ours")
    group.add_argument(
        "--area", type=int, default=AREA_PX, metavar="PX", help=f"of images (default {AREA_PX:,})"
    )
    length = group.add_mutually_exclusive_group()
    length.add_argument("--epochs", type=float, default=1.0, help="default 1")
    length.add_argument("--steps", type=int, help="in all, instead of epochs")
    group.add_argument("--batch", type=int, default=32, help="groups a step (default 32)")
    group.add_argument("--rate", type=float, default=2e-6, help="learning rate (default 2e-6)")
    group.add_argument("--warmup", type=float, default=0.05, help="share of steps (default 0.05)")
    group.add_argument("--weight-decay", type=float, default=0.0, help="default 0")
    group.add_argument(
        "--lora", type=int, default=0, metavar="RANK", help="by peft; 0, the default, trains all"
    )
    group.add_argument("--seed", type=int, default=0, help="default 0")


def _add_machine(group: Any) -> None:
    group.add_argument(
        "--at-once", type=int, default=4, help="groups in one forward pass (default 4)"
    )
    group.add_argument("--precision", choices=PRECISIONS, default="float32", help="of arithmetic")
    group.add_argument(
        "--checkpointing", action="store_true", help="less memory, more time: activations twice"
    )
    group.add_argument("--cpu", action="store_true", help="even where there is a GPU")
    group.add_argument("--threads", type=int, default=1, help="of torch on the CPU (default 1)")
    group.add_argument("--report-every", type=int, default=10, metavar="STEPS", help="default 10")
    group.add_argument("--held-every", type=int, default=200, metavar="STEPS", help="default 200")
    group.add_argument("--save-every", type=int, default=200, metavar="STEPS", help="default 200")


def _base(options: argparse.Namespace) -> int:
    write_small_base(options.out, SmallSize(options.width, options.layers), options.seed)
    print(f"A small Qwen2-VL with random weights is in {options.out}.")
    return 0


def _train(options: argparse.Namespace) -> int:
    groups, held = _groups(options)
    settings = _settings(options, len(groups))
    reading = CfmReading(
        instruction_of(options.instruction), options.area, bool(options.visual_only)
    )
    for name in ("threads", "report_every", "save_every"):
        if getattr(options, name) < 1:
            raise BadInput(f"--{name.replace('_', '-')} is at least 1.")
    from truehue.core.fidelity.training.model import check_place

    if options.out is not None:
        check_place(options.out)
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

    trainee = open_trainee(options.base, reading, settings, device)
    training = Training(trainee, settings, groups, held)
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
    if options.out is not None and training.accelerator.is_main_process:
        export(training.trainee, options.out)
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
