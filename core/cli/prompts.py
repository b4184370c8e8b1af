"""``python -m truehue prompts``: the built-in prompt sets, counted or listed.

Exit status 0 when something was printed, 2 for bad input, with its message on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import islice
from typing import TextIO

from truehue.core.color.systems import SYSTEMS
from truehue.core.command import program, run_command
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.prompts.prompt import TASKS, Prompt
from truehue.core.prompts.sets import PROMPT_SETS, counts, prompt_set, table

EPILOG = """\
examples:
  python -m truehue prompts counts
  python -m truehue prompts list --set mini --task moc --system l2 --jsonl > prompts.jsonl
  python -m truehue prompts list --set concepts --limit 20
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    argument_parser = argparse.ArgumentParser(
        prog=program("prompts", "-m core.prompts"),
        description="Counts or lists the built-in prompt sets.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = argument_parser.add_subparsers(dest="command", required=True)
    count = commands.add_parser(
        "counts", help="prompts by task and system, compared with the paper"
    )
    count.add_argument("--json", action="store_true", help="print one JSON object")
    show = commands.add_parser("list", help="the prompts of a set, one per line")
    ids = ", ".join(prompt_set.id for prompt_set in PROMPT_SETS)
    show.add_argument("--set", required=True, metavar="SET", help=f"one of {ids}")
    show.add_argument("--jsonl", action="store_true", help="one JSON object per line, not the text")
    show.add_argument("--task", help=f"only this task: {', '.join(TASKS)}")
    show.add_argument("--system", help=f"only this color system: {', '.join(SYSTEMS)}")
    show.add_argument("--limit", type=int, help="maximum number of prompts")
    return argument_parser


def _prompt_selection(options: argparse.Namespace) -> Iterator[Prompt]:
    """The prompts that were asked for. Raises BadInput for a wrong name or where there is none."""
    chosen = prompt_set(options.set)
    for name, value, allowed in (
        ("task", options.task, TASKS),
        ("system", options.system, SYSTEMS),
    ):
        if value is not None and value not in allowed:
            raise BadInput(f'There is no {name} "{value[:60]}". It is one of {", ".join(allowed)}.')
    if options.limit is not None and options.limit < 1:
        raise BadInput(f"--limit is 1 or more, not {options.limit}.")
    fitting = [
        prompt
        for prompt in chosen.prompts()
        if options.task in (None, prompt.task) and options.system in (None, prompt.system)
    ]
    if not fitting:
        filters = {"task": options.task, "system": options.system}
        text = " and ".join(f"{name} {value}" for name, value in filters.items() if value)
        raise BadInput(f"The set {chosen.id} has no prompt of {text}.")
    return islice(fitting, options.limit)


def main(arguments: list[str] | None = None, stream: TextIO | None = None) -> int:
    """Runs the command; returns the exit status."""
    stream = stream or sys.stdout
    options = parser().parse_args(arguments)
    try:
        if options.command == "counts":
            tables = counts()
            print(json.dumps(tables) if options.json else "\n".join(table(tables)), file=stream)
        else:
            for prompt in _prompt_selection(options):
                print(json.dumps(prompt.as_json()) if options.jsonl else prompt.text, file=stream)
        stream.flush()
    except TrueHueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    run_command(main)
