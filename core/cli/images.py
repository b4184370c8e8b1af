"""``python -m truehue images``: preview the import of a folder, without storing anything.

Exit status 0 when a report was printed, 2 for bad input, with its message on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from truehue.core.command import JSON, Command, UsageError, arg, either, flag
from truehue.core.image_sets import UNKNOWN_MODEL, plan
from truehue.core.image_sets.records import Tally, read
from truehue.core.prompts.importing import read_prompts
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import PROMPT_SETS, prompt_set

EPILOG = """\
examples:
  python -m truehue images runs/sdxl --set mini
  python -m truehue images runs/sdxl/cna_l2 --prompts cna_l2.csv --expected 4 --read
  python -m truehue images runs/sdxl --set concepts --json > report.json

A CSV file with the columns file and prompt_id or prompt at the top of the folder links the images;
without one, their names do.
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
    planned = plan(options.folder, _prompts(options), model=options.model)
    tally = Tally(planned, options.expected)
    if options.read:
        for step in read(planned):
            tally.add(step)
    report = tally.report()
    print(json.dumps(report.as_json()) if options.json else report.as_text())
    return 0


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
        arg("--expected N", "images per prompt; default 1", default=1),
        flag("--read", "open every image too, to find broken ones"),
        JSON,
    ),
    _report,
    epilog=EPILOG,
    former="-m core.image_sets",
)
main = COMMAND.main
