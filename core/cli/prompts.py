"""``python -m truehue prompts``: the built-in prompt sets, counted or listed, and color words.

Exit status 0 when something was printed, 2 for bad input, with its message on standard error.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from truehue.core.color.systems import SYSTEMS
from truehue.core.command import JSON, Command, arg, command, flag
from truehue.core.errors import BadInput
from truehue.core.prompts.color_words import MODIFIERS, NUMERIC, count_color_words, read_captions
from truehue.core.prompts.prompt import TASKS, Prompt
from truehue.core.prompts.sets import PROMPT_SETS, counts, prompt_set, table

EPILOG = """\
examples:
  python -m truehue prompts counts
  python -m truehue prompts list --set mini --task moc --system l2 --jsonl > prompts.jsonl
  python -m truehue prompts list --set concepts --limit 20
  python -m truehue prompts colors captions.parquet --system css --json
"""


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


@command("counts", "prompts by task and system, compared with the paper", JSON)
def _counts(options: argparse.Namespace) -> int:
    tables = counts()
    print(json.dumps(tables) if options.json else "\n".join(table(tables)))
    return 0


@command(
    "list",
    "the prompts of a set, one per line",
    arg("--set SET", f"one of {', '.join(entry.id for entry in PROMPT_SETS)}", required=True),
    flag("--jsonl", "one JSON object per line, not the text"),
    arg("--task", f"only this task: {', '.join(TASKS)}"),
    arg("--system", f"only this color system: {', '.join(SYSTEMS)}"),
    arg("--limit", "maximum number of prompts", type=int),
)
def _list(options: argparse.Namespace) -> int:
    for prompt in _prompt_selection(options):
        print(json.dumps(prompt.as_json()) if options.jsonl else prompt.text)
    return 0


@command(
    "colors",
    "how many captions of a file name each color of a system",
    arg("file FILE", "Parquet, CSV or TSV with a column of captions, or text, a caption a line"),
    arg(
        "--system",
        f"one of {', '.join(SYSTEMS)}; or {NUMERIC}, colors as hex or rgb; or {MODIFIERS}: light, "
        "dark, -ish",
        choices=(*SYSTEMS, NUMERIC, MODIFIERS),
        default="l2",
    ),
    arg(
        "--column NAME", "of the captions (default: caption, text, prompt, TEXT or txt)", default=""
    ),
    JSON,
)
def _colors(options: argparse.Namespace) -> int:
    captions = read_captions(Path(options.file).expanduser(), options.column)
    found = count_color_words(captions, options.system)
    if not found.captions:
        raise BadInput(f"{options.file} has no captions.")
    if options.json:
        colors = [{"color": name, "captions": count} for name, count in found.counts]
        rest = {"system": options.system, "captions": found.captions, "naming": found.naming}
        print(json.dumps({**rest, "colors": colors}))
        return 0
    share = 100 * found.naming / found.captions
    print(f"{found.naming:,} of {found.captions:,} captions ({share:.2g}%) name a color.")
    for name, count in found.counts:
        print(f"{count:>12,}  {100 * count / found.captions:8.4f}%  {name}")
    return 0


COMMAND = Command(
    "prompts",
    "Counts or lists the built-in prompt sets, and counts color words in captions.",
    (_counts, _list, _colors),
    epilog=EPILOG,
    former="-m core.prompts",
)
main = COMMAND.main
