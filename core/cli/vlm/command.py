"""``truehue vlm``: evaluate vision-language models on questions about images.

Exit status 0 when all went well, 2 for bad input or where ``run`` leaves questions without answers,
3 where it was ended before its last question, 130 where another part was interrupted. What
``run`` has done is kept: the same command goes on from there.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from truehue.core.cli.vlm import judging, listing, making, running, scoring, variants
from truehue.core.command import program, status_of

EPILOG = """\
examples:
  python -m truehue vlm make questions --count 20 --difficulty easy
  python -m truehue vlm variants questions turned --shifts 90,180,270 --masks masks
  python -m truehue vlm models
  python -m truehue vlm run questions --model qwen2.5-vl-3b --out answers/qwen
  python -m truehue vlm run questions --model ./InternVL3-1B-hf --image gray --out gray
  python -m truehue vlm run questions --model http://127.0.0.1:8000/v1 --name MODEL \\
      --key-env MY_KEY --at-once 8 --most-tokens 2000000 --out answers/served
  python -m truehue vlm judge make judged --system l2 --count 58
  python -m truehue vlm judge report answers/judged
  python -m truehue vlm score answers/qwen gray --answers answers.csv
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    argument_parser = argparse.ArgumentParser(
        prog=program("vlm", "-m core.vlm"),
        description="Evaluates vision-language models on questions about images, and scores their "
        "answers.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = argument_parser.add_subparsers(required=True, metavar="COMMAND")
    for part in (making, variants, judging, running, scoring, listing):
        part.add(commands)
    return argument_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status."""
    options = parser().parse_args(arguments)
    return status_of(lambda: int(options.run(options)))
