"""``truehue ask``: questions about images asked of vision-language models.

Exit status 0 when every question has an answer, 2 for bad input or where some have none, 3 for work
that was ended before its last question. What is done is kept: the same command goes on from there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from core.cli.ask import listing, running
from core.command import program
from core.errors import TrueHueError

EPILOG = """\
examples:
  python -m core.vision_language models
  python -m core.vision_language run questions --model qwen2.5-vl-3b --out answers/qwen
  python -m core.vision_language run questions --model ./InternVL3-1B-hf --image gray --out gray
  python -m core.vision_language run questions --model http://127.0.0.1:8000/v1 --name MODEL \\
      --key-env MY_KEY --at-once 8 --most-tokens 2000000 --out answers/served
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    argument_parser = argparse.ArgumentParser(
        prog=program("ask", "-m core.vision_language"),
        description="Asks vision-language models questions about images, and keeps their words.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = argument_parser.add_subparsers(required=True, metavar="COMMAND")
    for part in (running, listing):
        part.add(commands)
    return argument_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except TrueHueError as error:
        print(error, file=sys.stderr)
        return 2
