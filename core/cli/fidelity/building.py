"""``build``: groups as CFD has them, from photographs with captions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from truehue.core.batch.execute import WorkerPool, execute
from truehue.core.cli.fidelity.numbers import numbers
from truehue.core.cli.work import ProgressLine, exit_status, say_problems
from truehue.core.errors import BadInput
from truehue.core.fidelity.building import (
    DISTORTIONS,
    FORMATS,
    SCALES,
    BuildSettings,
    begin,
    read_photographs,
    rendered_photographs,
)
from truehue.core.fidelity.groups import CATEGORIES, GUIDANCES, Group, split, write_groups


def add(commands: Any) -> None:
    """The command."""
    build = commands.add_parser(
        "build", help="groups from photographs with captions: by guidance, saturation, contrast"
    )
    build.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="of photographs")
    build.add_argument(
        "--captions",
        type=Path,
        metavar="TABLE",
        help="CSV or Parquet: file, caption and perhaps category (one of CFD's)",
    )
    build.add_argument(
        "--rendered", type=int, metavar="N", help="N renderings in place of photographs"
    )
    build.add_argument("--out", type=Path, required=True, metavar="DIR", help="the data set")
    build.add_argument(
        "--models", default="", metavar="IDS", help="with commas: who generates by rising guidance"
    )
    build.add_argument(
        "--distort",
        default="",
        metavar="NAMES",
        help=f"with commas, of {', '.join(DISTORTIONS)}: the photograph, more and more vivid",
    )
    build.add_argument(
        "--guidance", default=_text(GUIDANCES), metavar="SCALES", help="default %(default)s"
    )
    build.add_argument("--scales", default=_text(SCALES), help="of --distort, default %(default)s")
    build.add_argument("--steps", type=int, help="of a generation (default: the model's)")
    build.add_argument(
        "--width", type=int, metavar="PX", help="of a generation (default: the model's)"
    )
    build.add_argument("--height", type=int, metavar="PX", help="the same")
    build.add_argument(
        "--size",
        type=int,
        default=1024,
        metavar="PX",
        help="side of distorted photographs, at most",
    )
    build.add_argument("--seed", type=int, default=0, help="default 0")
    build.add_argument("--format", choices=FORMATS, default="jpg", help="default jpg")
    build.add_argument(
        "--test-share", type=float, default=0.15, help="of the photographs (default 0.15)"
    )
    build.add_argument("--workers", type=int, default=1, metavar="N", help="default 1")
    build.add_argument(
        "--threads", type=int, metavar="N", help="of each worker (default: the cores, shared)"
    )
    build.add_argument("--ray", action="store_true", help="workers of Ray's cluster")
    build.add_argument("--retry-failed", action="store_true", help="try those that failed again")
    build.set_defaults(run=_run)


def _text(scales: tuple[float, ...]) -> str:
    return ",".join(f"{scale:g}" for scale in scales)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _run(options: argparse.Namespace) -> int:
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
        numbers(options.guidance, "--guidance"),
        numbers(options.scales, "--scales"),
        options.steps,
        options.width,
        options.height,
        options.size,
        options.seed,
        options.format,
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
    state = execute(work, crew, retry_failed=options.retry_failed, watch=ProgressLine("groups"))
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
    say_problems(state, "a result")
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
