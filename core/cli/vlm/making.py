"""``make`` and ``import``: sets of questions, drawn here or as they were published."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from truehue.core.vlm.generators import (
    GENERATORS,
    VERSION,
    Difficulty,
    GeneratedSettings,
    generated,
)
from truehue.core.vlm.published import (
    HUB_ID,
    SkippedRow,
    import_settings,
    read_published,
)
from truehue.core.vlm.question_set import QuestionSet, write_set


def add(commands: Any) -> None:
    """The two commands."""
    make = commands.add_parser("make", help="generate a question set whose answers are known")
    make.add_argument("out", type=Path, metavar="OUT", help="folder of the new set; must not exist")
    make.add_argument(
        "--count", type=int, default=20, metavar="N", help="questions per task (default 20)"
    )
    make.add_argument("--seed", type=int, default=0, metavar="S", help="default 0")
    make.add_argument(
        "--difficulty",
        choices=[str(difficulty) for difficulty in Difficulty],
        default=str(Difficulty.MEDIUM),
        help="default %(default)s",
    )
    make.add_argument(
        "--tasks",
        nargs="+",
        choices=list(GENERATORS),
        default=list(GENERATORS),
        metavar="TASK",
        help=f"all by default: {', '.join(GENERATORS)}",
    )
    make.set_defaults(run=_make)
    published = commands.add_parser(
        "import", help="make a question set from ColorBench's published Parquet files"
    )
    published.add_argument(
        "source",
        type=Path,
        metavar="FILE_OR_FOLDER",
        help=f"a Parquet file, or a folder of them (hf download {HUB_ID} --repo-type dataset)",
    )
    published.add_argument(
        "out", type=Path, metavar="OUT", help="folder of the new set; must not exist"
    )
    published.add_argument(
        "--strict", action="store_true", help="reject the files if any row is not a question"
    )
    published.set_defaults(run=_import)


def _make(options: argparse.Namespace) -> int:
    difficulty = Difficulty(options.difficulty)
    settings = GeneratedSettings(
        dict.fromkeys(options.tasks, options.count), difficulty, options.seed
    )
    made = {
        "generator_version": VERSION,
        "counts": dict(settings.counts),
        "difficulty": str(difficulty),
        "seed": settings.seed,
    }
    name = f"Generated, {difficulty}, seed {settings.seed}"
    return said(write_set(options.out, generated(settings), name, made))


def _import(options: argparse.Namespace) -> int:
    published_set = read_published(options.source, options.strict)
    for note in published_set.notes:
        print(note, file=sys.stderr)
    made = import_settings(published_set)
    skipped: list[str] = made["skipped"]

    def skip(row: SkippedRow) -> None:
        skipped.append(str(row))

    items = published_set.illustrated(None if options.strict else skip)
    written = write_set(options.out, items, "ColorBench", made)
    for line in skipped:
        print(f"Skipped {line}", file=sys.stderr)
    status = said(written)
    if skipped:
        print(f"{len(skipped):,} rows are not questions and were skipped.")
    return status


def said(made: QuestionSet) -> int:
    """What is in a set that was made; the exit status."""
    width = max(map(len, made.counts))
    for task, count in made.counts.items():
        print(f"{task:{width}}  {count:6,}")
    print(
        f"{made.questions_count:,} questions about {made.images_count:,} images in {made.folder}, "
        f"SHA-256 {made.sha256}."
    )
    return 0
