"""``python -m truehue images``: what an import of a folder would find, without storing anything.

Exit status 0 when a report was printed, 2 for bad input, with its message on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from truehue.core.command import program, run_command
from truehue.core.errors import TrueHueError
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


def parser() -> argparse.ArgumentParser:
    """The command line."""
    argument_parser = argparse.ArgumentParser(
        prog=program("images", "-m core.image_sets"),
        description="Links the images of a folder to prompts and reports the result of an import.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    argument_parser.add_argument("folder", type=Path, metavar="FOLDER")
    prompts = argument_parser.add_mutually_exclusive_group()
    ids = ", ".join(prompt_set.id for prompt_set in PROMPT_SETS)
    prompts.add_argument("--set", metavar="SET", help=f"a built-in set: {ids}")
    prompts.add_argument("--prompts", type=Path, metavar="FILE", help="a file of prompts")
    argument_parser.add_argument(
        "--model", default=UNKNOWN_MODEL, help="the model that generated the images"
    )
    argument_parser.add_argument(
        "--expected", type=int, default=1, metavar="N", help="images per prompt; default 1"
    )
    argument_parser.add_argument(
        "--read", action="store_true", help="open every image too, to find broken ones"
    )
    argument_parser.add_argument("--json", action="store_true", help="print one JSON object")
    return argument_parser


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


def main(arguments: list[str] | None = None, stream: TextIO | None = None) -> int:
    """Runs the command; returns the exit status."""
    stream = stream or sys.stdout
    command = parser()
    options = command.parse_args(arguments)
    if options.expected < 1:
        command.error(f"--expected is 1 or more, not {options.expected}.")
    try:
        planned = plan(options.folder, _prompts(options), model=options.model)
        tally = Tally(planned, options.expected)
        if options.read:
            for step in read(planned):
                tally.add(step)
        report = tally.report()
    except TrueHueError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(report.as_json()) if options.json else report.as_text(), file=stream)
    stream.flush()
    return 0


if __name__ == "__main__":
    run_command(main)
