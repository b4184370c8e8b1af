"""``truehue vlm masks`` and ``truehue vlm chat``: what is made of a question set beside answers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from truehue.core.command import ProgressLine, arg, command
from truehue.core.errors import BadInput
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.ground import GroundingMethod
from truehue.core.masks.grounded.tools import open_detector, open_segmenter
from truehue.core.masks.grounded.variants import mask_variant
from truehue.core.masks.grounded.weights import vision_model
from truehue.core.vlm.chat_export import write_chat
from truehue.core.vlm.question_set import open_set
from truehue.core.vlm.variant_masks import (
    MIN_QUALITY,
    POINTS_A_SIDE,
    TARGETS,
    MaskCounts,
    SegmentSettings,
    read_targets,
    write_masks,
)

MODELS = arg("--models DIR", "folder that contains model folders", type=Path)
NEW_SET = arg("out OUT", "folder of the new set; must not exist", type=Path)
SET = arg("set SET", "folder of a question set", type=Path)
MAX_PROBLEMS = 10


@command(
    "masks",
    "find the masks for recolored variants by Grounded SAM: the target and the largest other "
    "segment; the same command resumes",
    SET,
    arg("out OUT", "folder of the masks, for variants --masks", type=Path),
    arg(
        "--targets FILE",
        "CSV with question_id and target (default: OUT/targets.csv, which the first call writes)",
        type=Path,
    ),
    arg("--detector MODEL", "default %(default)s", default="grounding-dino-base"),
    arg("--segmenter MODEL", "a SAM or SAM 2 (default %(default)s)", default="sam-vit-h"),
    arg("--box-threshold X", "least score of a box, 0 to 1 (default 0.3)", type=float),
    arg(
        "--points N",
        "points a side of the grid at which other segments are cut out (default %(default)s)",
        default=POINTS_A_SIDE,
    ),
    arg(
        "--quality X",
        "least quality that SAM states for another segment, 0 to 1 (default %(default)s)",
        default=MIN_QUALITY,
    ),
    MODELS,
)
def masks(options: argparse.Namespace) -> int:
    """Writes the masks of a set."""
    question_set = open_set(options.set)
    settings = SegmentSettings(options.points, options.quality)
    targets = options.targets or options.out / TARGETS
    names = read_targets(targets) if options.targets or targets.is_file() else {}
    variant = mask_variant("truehue")
    if options.box_threshold is not None:
        variant = variant.with_settings({"box_threshold": options.box_threshold})
    entry = vision_model(options.segmenter, "segmenter")
    if entry.library == "opencv":
        raise BadInput(
            f"{entry.name} cuts out no segments at points, by which the other region is found. "
            "Choose a SAM: python -m truehue masks models",
            "segmenter",
        )
    sources, line = Sources.local(options.models), ProgressLine()
    method = GroundingMethod(
        open_detector(options.detector, sources),
        open_segmenter(options.segmenter, sources),
        variant,
    )
    counts = write_masks(
        question_set,
        options.out,
        method,
        settings,
        names,
        lambda done, total: line.show(lambda: f"{done:,} of {total:,} questions"),
    )
    line.close()
    _say_counts(counts, options.out)
    if not counts.masked and not counts.had:
        raise BadInput(
            f"No mask was made. Correct the names in {options.out / TARGETS}, and run it again."
        )
    return 0


def _say_counts(counts: MaskCounts, out: Path) -> None:
    for question_id, problem in list(counts.problems.items())[:MAX_PROBLEMS]:
        print(f"{question_id}: {problem}", file=sys.stderr)
    if len(counts.problems) > MAX_PROBLEMS:
        print(f"… and {len(counts.problems) - MAX_PROBLEMS:,} more.", file=sys.stderr)
    for count, text in (
        (len(counts.problems), "questions have no mask"),
        (counts.unnamed, "questions do not name their target: write it into targets.csv"),
        (counts.had, "questions had masks before"),
        (counts.alone, "questions have no other segment: all that is not the target turns"),
    ):
        if count:
            print(f"{count:,} {text}.", file=sys.stderr)
    print(f"{counts.masked:,} questions have new masks in {out}.")


@command(
    "chat",
    "write a set for training as conversations, for fine-tuning by TRL or LLaMA-Factory",
    SET,
    arg("out OUT", "new folder of the conversations and their images", type=Path),
    arg(
        "--tests DIR",
        "question sets and evaluations whose images are left out",
        nargs="+",
        type=Path,
        default=[],
    ),
)
def chat(options: argparse.Namespace) -> int:
    """Writes the conversations of a set."""
    export = write_chat(open_set(options.set), options.out, options.tests)
    if export.left_out:
        print(
            f"{export.left_out:,} questions were left out: a test has their image.",
            file=sys.stderr,
        )
    print(
        f"{export.conversations:,} conversations about {export.images:,} images in {options.out}."
    )
    return 0
