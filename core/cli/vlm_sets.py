"""``truehue vlm make``, ``import``, ``variants``, ``masks`` and ``chat``: question sets."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from truehue.core.command import ProgressLine, arg, command, flag
from truehue.core.errors import BadInput
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.ground import GroundingMethod
from truehue.core.masks.grounded.tools import open_detector, open_segmenter
from truehue.core.masks.grounded.variants import mask_variant
from truehue.core.masks.grounded.weights import vision_model
from truehue.core.vlm.chat_export import write_chat
from truehue.core.vlm.generators import (
    GENERATORS,
    VERSION,
    Difficulty,
    GeneratedSettings,
    generated,
)
from truehue.core.vlm.generators.draws import TRAINING_SEEDS
from truehue.core.vlm.published import HUB_ID, SkippedRow
from truehue.core.vlm.question_set import QuestionSet, open_set, write_set
from truehue.core.vlm.robustness import WORDS, Counts, with_variants
from truehue.core.vlm.table_import import read_import
from truehue.core.vlm.variant_masks import (
    MIN_QUALITY,
    POINTS_A_SIDE,
    TARGETS,
    MaskCounts,
    SegmentSettings,
    read_targets,
    write_masks,
)
from truehue.core.vlm.variants import REGIONS, TURNS_DEG

ALL_NUMBERS = flag("--json", "one JSON object with all numbers")
MODELS = arg("--models DIR", "folder that contains model folders", type=Path)
NEW_SET = arg("out OUT", "folder of the new set; must not exist", type=Path)
SET = arg("set SET", "folder of a question set", type=Path)
MAX_PROBLEMS = 10


@command(
    "make",
    "generate a question set whose answers are known",
    NEW_SET,
    arg("--count N", "questions per task (default 20)", default=20),
    arg("--seed S", "default 0", default=0),
    arg(
        "--difficulty",
        "default %(default)s",
        choices=[str(difficulty) for difficulty in Difficulty],
        default=str(Difficulty.MEDIUM),
    ),
    arg(
        "--tasks TASK",
        f"all by default: {', '.join(GENERATORS)}",
        nargs="+",
        choices=list(GENERATORS),
        default=list(GENERATORS),
    ),
    flag("--training", "a set to train on, from seeds that no test has (see: chat)"),
)
def make_set(options: argparse.Namespace) -> int:
    """Writes a set of generated questions."""
    difficulty, seed = Difficulty(options.difficulty), options.seed
    if options.training:
        if not 0 <= seed < len(TRAINING_SEEDS):
            raise BadInput(f"With --training a seed is 0 to {len(TRAINING_SEEDS) - 1}.", "seed")
        seed = TRAINING_SEEDS[seed]
    settings = GeneratedSettings(dict.fromkeys(options.tasks, options.count), difficulty, seed)
    made = {
        "generator_version": VERSION,
        "counts": dict(settings.counts),
        "difficulty": str(difficulty),
        "seed": settings.seed,
    }
    kind = "Generated for training" if options.training else "Generated"
    name = f"{kind}, {difficulty}, seed {settings.seed}"
    return say_set(write_set(options.out, generated(settings), name, made))


@command(
    "import",
    "make a question set from a CSV, TSV, JSONL or Parquet table, or from ColorBench's Parquet files",
    arg(
        "source FILE_OR_FOLDER",
        "a table with VLMEvalKit's columns (index, question, A, B, …, answer, image or image_path, "
        "category), a Parquet file of ColorBench, or a folder of them "
        f"(hf download {HUB_ID} --repo-type dataset)",
        type=Path,
    ),
    NEW_SET,
    flag("--strict", "reject the files if any row is not a question"),
)
def import_set(options: argparse.Namespace) -> int:
    """Writes a set of imported questions, and names the rows that are none."""
    imported = read_import(options.source, options.strict)
    for note in imported.notes:
        print(note, file=sys.stderr)
    made = imported.settings()
    skipped: list[str] = made["skipped"]

    def skip(row: SkippedRow) -> None:
        skipped.append(str(row))

    items = imported.illustrated(None if options.strict else skip)
    written = write_set(options.out, items, imported.name, made)
    for line in skipped:
        print(f"Skipped {line}", file=sys.stderr)
    status = say_set(written)
    if skipped:
        print(f"{len(skipped):,} rows are not questions and were skipped.")
    return status


def say_set(made: QuestionSet) -> int:
    """Print the contents of a new set; returns the exit status."""
    width = max(map(len, made.counts))
    for task, count in made.counts.items():
        print(f"{task:{width}}  {count:6,}")
    print(
        f"{made.questions_count:,} questions about {made.images_count:,} images in {made.folder}, "
        f"SHA-256 {made.sha256}."
    )
    return 0


@command(
    "variants",
    "make a set with recolored variants: hues shifted in up to three regions",
    SET,
    NEW_SET,
    arg(
        "--regions NAMES",
        "comma-separated: whole, target, other (default %(default)s)",
        default=",".join(WORDS[region] for region in REGIONS),
    ),
    arg(
        "--shifts DEGREES",
        "hue shifts in HSV, comma-separated (default %(default)s)",
        default=",".join(map(str, TURNS_DEG)),
    ),
    arg(
        "--masks DIR",
        "QUESTION_ID.png is the target; QUESTION_ID.other.png is the other region (default: all "
        "that is not the target)",
        type=Path,
    ),
)
def make_variants(options: argparse.Namespace) -> int:
    """Writes a set with recolored variants."""
    question_set, counts = open_set(options.set), Counts()
    regions, turns_deg = _regions(options.regions), _turns(options.shifts)
    made = {
        "variants_of": question_set.sha256,
        "regions": [WORDS[region] for region in regions],
        "shifts_deg": list(turns_deg),
        "masks": options.masks is not None,
        "settings": dict(question_set.settings),
    }
    items = with_variants(question_set, counts, regions, turns_deg, options.masks)
    try:
        written = write_set(options.out, items, f"{question_set.name}, hues shifted", made)
    except BadInput:
        if counts.varied or not counts.sentences():
            raise
        message = " ".join(counts.sentences())
        raise BadInput(f"No question of {options.set} takes variants. {message}") from None
    for sentence in counts.sentences():
        print(sentence, file=sys.stderr)
    parts = ", ".join(f"{count:,} {region}" for region, count in counts.variants.items())
    print(f"{counts.varied:,} questions have variants: {parts or 'none'}.")
    return say_set(written)


def _regions(text: str) -> tuple[str, ...]:
    names = {word: region for region, word in WORDS.items()}
    requested = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [name for name in requested if name not in names]
    if unknown or not requested:
        raise BadInput(f"--regions takes {', '.join(names)}, comma-separated, not {text!r:.60}.")
    return tuple(region for region in REGIONS if WORDS[region] in requested)


def _turns(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise BadInput(
            f"--shifts takes whole degrees, comma-separated, not {text!r:.60}."
        ) from None


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
