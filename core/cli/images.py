"""``python -m truehue images``: preview the import of a folder, or measure its images, without storing
anything.

Exit status 0 when a report was printed, 2 for bad input, with its message on standard error.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from truehue.core.color.systems import SYSTEMS
from truehue.core.command import JSON, Command, UsageError, arg, either, flag
from truehue.core.errors import BadInput
from truehue.core.image_sets import UNKNOWN_MODEL, plan
from truehue.core.image_sets.records import FolderPlan, Tally, read
from truehue.core.masks.marks import SALIENT
from truehue.core.masks.selection import MASKERS, SALIENT_OR_WHOLE, WHOLE
from truehue.core.prompts.importing import read_prompts
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import PROMPT_SETS, prompt_set
from truehue.core.spreadsheets import cell
from truehue.core.verdict.rules import DEFAULT_RULE, FAIL, RULES, UNSCORED

EPILOG = """\
examples:
  python -m truehue images runs/sdxl --set mini
  python -m truehue images runs/sdxl/cna_l2 --prompts cna_l2.csv --expected 4 --read
  python -m truehue images runs/sdxl --set concepts --json > report.json
  python -m truehue images photos --measure > colors.csv
  python -m truehue images photos --measure --json > colors.json

A CSV file with the columns file and prompt_id or prompt at the top of the folder links the images;
without one, their names do. --measure prints the verdict on each object that a target color is given
for, and the measured color of every other image with the name that people use most.
"""
SHOWN = 5


def _prompts(options: argparse.Namespace) -> Sequence[Prompt]:
    """The prompts that were named; what a file holds besides goes to standard error."""
    if options.set is not None:
        return prompt_set(options.set).prompts()
    if options.prompts is None:
        return ()
    reading = read_prompts(options.prompts)
    sentences = list(reading.notes)
    sentences += [f"line {problem.line}: {problem.why}" for problem in reading.problems[:SHOWN]]
    if len(reading.problems) > SHOWN:
        sentences.append(
            f"… and {len(reading.problems) - SHOWN:,} more lines that were not imported"
        )
    for sentence in sentences:
        print(f"{options.prompts.name}: {sentence}", file=sys.stderr)
    return reading.prompts


def _report(options: argparse.Namespace) -> int:
    if options.expected < 1:
        raise UsageError(f"--expected is 1 or more, not {options.expected}.")
    if not options.measure and options.rule != DEFAULT_RULE:
        raise UsageError("--rule belongs to --measure.")
    if not options.measure and options.masker != SALIENT:
        raise UsageError("--masker belongs to --measure.")
    planned = plan(
        options.folder, _prompts(options), model=options.model, system=options.system or None
    )
    if options.measure:
        _say_missing_network(options.masker)
        rows = _measured(planned, options.rule, options.masker)
        (_print_json if options.json else _print_csv)(rows)
        return 0
    tally = Tally(planned, options.expected)
    if options.read:
        for step in read(planned):
            tally.add(step)
    report = tally.report()
    print(json.dumps(report.as_json()) if options.json else report.as_text())
    return 0


def _say_missing_network(masker: str) -> None:
    """Says on standard error where nothing finds the object in an image without transparency."""
    from truehue.core.masks import salient  # it takes time to import

    if masker != WHOLE and not salient.is_available():
        print(
            f"Only images with transparency are measured. {salient.how_to_get()}", file=sys.stderr
        )


def _measured(planned: FolderPlan, rule_id: str, masker: str) -> Iterator[dict[str, Any]]:
    """The rows of the images, as soon as each is measured; what is left out, and how many rows have
    no result, goes to standard error. Raises BadInput where there is no image."""
    from truehue.core.image_sets.measured import measured_rows, named_so_note

    for remark in (*planned.extra, *planned.problems):
        print(f"{remark.where}: {remark.why}", file=sys.stderr)
    if not planned.found:
        raise BadInput(f"There is no image to measure in {planned.folder.name}.")
    counts: Counter[str] = Counter()
    fails: list[dict[str, Any]] = []
    for step in read(planned):
        for row in measured_rows(step, rule_id, masker):
            yield row
            counts[row["status"]] += 1
            fails += [row] if row["status"] == FAIL else []
    print(f"{counts.total():,} rows, {counts[UNSCORED]:,} of them unscored.", file=sys.stderr)
    if note := named_so_note(fails):
        print(note, file=sys.stderr)


def _print_csv(rows: Iterable[dict[str, Any]]) -> None:
    table: csv.DictWriter[str] | None = None
    for row in rows:
        if table is None:
            table = csv.DictWriter(sys.stdout, list(row), lineterminator="\n")
            table.writeheader()
        table.writerow({name: cell(value) for name, value in row.items()})
        sys.stdout.flush()


def _print_json(rows: Iterable[dict[str, Any]]) -> None:
    """One JSON array, a row a line, each as soon as it is there."""
    separator = "["
    for row in rows:
        print(f"{separator}{json.dumps(row)}", end="", flush=True)
        separator = ",\n"
    print("]")


COMMAND = Command(
    "images",
    "Links the images of a folder to prompts and reports the result of an import.",
    (
        arg("folder FOLDER", type=Path),
        either(
            arg("--set SET", f"a built-in set: {', '.join(entry.id for entry in PROMPT_SETS)}"),
            arg("--prompts FILE", "a file of prompts", type=Path),
        ),
        arg("--model", "the model that generated the images", default=UNKNOWN_MODEL),
        arg(
            "--system",
            "color system whose names the folder's CSV uses, such as people for the names that most "
            "people use (default: the first that has a name, CSS before the others)",
            default="",
            choices=["", *SYSTEMS],
        ),
        arg("--expected N", "images per prompt; default 1", default=1),
        flag("--read", "open every image too, to find broken ones"),
        flag(
            "--measure",
            "instead of the report, measure what stands out in every image, and print a CSV table, or "
            "JSON: verdicts, or colors with the name that people use most",
        ),
        arg(
            "--masker",
            f"with --measure: salient (default), what stands out; {SALIENT_OR_WHOLE}, the whole image "
            "where nothing does; or whole, all that is not transparent, as for patches and textures. Of an "
            "image with transparency each takes what is not transparent",
            default=SALIENT,
            choices=MASKERS,
        ),
        arg(
            "--rule",
            f"with --measure; default: {DEFAULT_RULE}",
            default=DEFAULT_RULE,
            choices=[entry.id for entry in RULES],
        ),
        JSON,
    ),
    _report,
    epilog=EPILOG,
    former="-m core.image_sets",
)
main = COMMAND.main
