"""``python -m truehue runs``: whole runs without the page.

Works on run folders alone; the database is asked for sets and pictures that only it knows, and
imports the results at the end where the app does not have it open.

Exit status 0 when a run is finished, 3 when it was paused or cancelled, 2 for bad input, with its
message on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from truehue.core.color.systems import SYSTEMS
from truehue.core.command import program
from truehue.core.errors import TrueHueError
from truehue.core.generation.registry import RELEASED_SEED
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.masks.grounded.variants import VARIANTS
from truehue.core.prompts.prompt import TASKS
from truehue.core.prompts.sets import PROMPT_SETS
from truehue.core.verdict.rules import RULES
from truehue.tabs.command import export, start, status
from truehue.tabs.runs.request import (
    DEFAULT_IMAGES,
    DEFAULT_RULES,
    DETECTOR,
    MASKERS,
    SEGMENTER,
    SETTINGS,
)

EPILOG = """\
examples:
  python -m truehue runs start --set mini --model sdxl-base-1.0 --images 4
  python -m truehue runs start --set mini --limit 200 --size 256 --yes
  python -m truehue runs start --set mini --model sd3-medium --estimate-only --price-per-hour 2.5
  python -m truehue runs start --set mini --images-of sdxl-base-1.0 --masker grounded
  python -m truehue runs start --set mini --images-from ~/renders --model my-model --masker grounded
  python -m truehue runs start --set concepts --model sdxl-base-1.0 --images 5 --guidance 3,5,7,9
  python -m truehue runs status
  python -m truehue runs resume 3f2a
  python -m truehue runs export 3f2a --format zip --with-images
  python -m truehue runs export 3f2a --out report.html
  python -m truehue runs import a-run.truehue.zip
A run is named by its name or by the first characters of its id. Ctrl+C pauses it; nothing is done
twice and nothing is lost, whatever ends it.
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    root_parser = argparse.ArgumentParser(
        prog=program("runs", "app.py runs"),
        epilog=EPILOG,
        description="Generates images for a set of prompts, selects objects and scores the images.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--data",
        default=os.environ.get("TRUEHUE_DATA", "./data"),
        metavar="DIR",
        help="the app's data folder (default ./data); runs are in runs/ of it",
    )
    common.add_argument(
        "--shared",
        metavar="DIR",
        help="the folder of runs, where it is another one that several machines see",
    )
    common.add_argument("--json", action="store_true", help="JSON, for programs")
    crew = argparse.ArgumentParser(add_help=False)
    _crew(crew)
    commands = root_parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    begin = commands.add_parser(
        "start",
        parents=[common, crew],
        help="starts a run, or resumes the one of the same plan",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _start(begin)
    begin.set_defaults(run=start.start)
    for name, text, run in (
        ("resume", "resumes a run", start.resume),
        ("retry", "resumes a run, and retries failed images", start.retry),
    ):
        command = commands.add_parser(name, parents=[common, crew], help=text)
        command.add_argument(
            "name", metavar="RUN", help="its name, or the first characters of its id"
        )
        command.set_defaults(run=run)
    for name, text, run in (
        ("pause", "stops a run after the images in work, wherever it is executed", status.pause),
        ("cancel", "cancels it; finished images stay, and resume still works", status.cancel),
    ):
        command = commands.add_parser(name, parents=[common], help=text)
        command.add_argument(
            "name", metavar="RUN", help="its name, or the first characters of its id"
        )
        command.set_defaults(run=run)
    status_command = commands.add_parser(
        "status", parents=[common], help="progress of one run, or of all"
    )
    status_command.add_argument("name", metavar="RUN", nargs="?", help="without it: all runs")
    status_command.set_defaults(run=status.status)
    listing = commands.add_parser("list", parents=[common], help="all runs, a line each")
    listing.set_defaults(run=status.status, name=None)
    export.add_to(commands, common)
    return root_parser


def _crew(subparser: argparse.ArgumentParser) -> None:
    subparser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="worker processes (default: one per GPU, or per core without weights)",
    )
    subparser.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="work on Ray's cluster at this address; without one, on RAY_ADDRESS or this machine",
    )
    subparser.add_argument(
        "--models",
        metavar="DIR",
        help="folder with models' weights, one folder each "
        "(default: TRUEHUE_MODELS, then the hub's cache)",
    )
    subparser.add_argument(
        "--endpoints",
        metavar="FILE.json",
        help="servers that generate through OpenAI's images API (default: TRUEHUE_ENDPOINT)",
    )


def _start(subparser: argparse.ArgumentParser) -> None:
    sets = ", ".join(prompt_set.id for prompt_set in PROMPT_SETS)
    label = subparser.add_argument_group("prompts")
    label.add_argument(
        "--set",
        default="mini",
        metavar="SET",
        help=f"{sets}, selection:NAME, an imported set, or a file of prompts (default mini)",
    )
    label.add_argument("--task", default="", help=_single_of(TASKS))
    label.add_argument("--system", default="", help=_single_of(SYSTEMS))
    label.add_argument(
        "--concepts",
        default="",
        metavar="WORDS",
        help="of a set of concepts these alone, comma separated: banana, rotten banana; "
        "'banana *' for an object with all its modifiers",
    )
    label.add_argument(
        "--limit",
        metavar="N",
        help="at most N prompts, evenly spaced: "
        "every task and system keeps its share; concepts object by object, each with "
        "its modifiers; the same N is the same prompts",
    )
    argument_group = subparser.add_argument_group("images")
    argument_group.add_argument(
        "--model",
        action="append",
        metavar="ID",
        help="the model; several are one "
        "run each (default reference-renderer; python -m truehue models models "
        "lists them)",
    )
    argument_group.add_argument(
        "--images-of",
        metavar="MODEL",
        help="score the stored images of this model, or of run:RUN, and generate none",
    )
    argument_group.add_argument(
        "--images-from",
        metavar="FOLDER",
        help="import this folder of images that --model made, then score them",
    )
    argument_group.add_argument(
        "--images",
        default=DEFAULT_IMAGES,
        metavar="N",
        help=f"images a prompt (and guidance scale), with one seed each (default {DEFAULT_IMAGES})",
    )
    argument_group.add_argument(
        "--settings",
        default="",
        metavar="NAME",
        help=f"steps, guidance and size of a benchmark's public code: {_single_of(SETTINGS)} "
        "(default: each model's own)",
    )
    argument_group.add_argument(
        "--seed",
        default="",
        metavar="N",
        help=f"the first seed (default 0; {RELEASED_SEED} with --settings)",
    )
    argument_group.add_argument("--size", metavar="PX", help="side (default: the model's own)")
    argument_group.add_argument("--steps", metavar="N", help="default: the model's own")
    argument_group.add_argument(
        "--guidance",
        metavar="X[,X…]",
        help="one, or several scales: every seed "
        "is generated with each of them (default: the model's own)",
    )
    argument_group.add_argument("--negative", default="", metavar="TEXT", help="negative prompt")
    argument_group.add_argument("--light", default="studio", help=f"renderer: {_single_of(LIGHTS)}")
    argument_group.add_argument(
        "--failure", default="none", help=f"renderer: {_single_of(FAILURES)}"
    )
    judging = subparser.add_argument_group("judging")
    judging.add_argument(
        "--masker",
        help=f"{_single_of(MASKERS)}: masks that came with the image; "
        "the whole image; found by a detector and a segmenter (default: exact "
        "for the renderer and stored images, else grounded)",
    )
    judging.add_argument("--detector", metavar="ID", help=f"default {DETECTOR}")
    judging.add_argument("--segmenter", metavar="ID", help=f"default {SEGMENTER}")
    judging.add_argument(
        "--presence",
        metavar="ID",
        help="model of the presence check (default: none)",
    )
    variants = _single_of(variant.id for variant in VARIANTS)
    judging.add_argument("--variant", help=f"{variants} (default paper)")
    judging.add_argument(
        "--rules",
        default=",".join(DEFAULT_RULES),
        metavar="IDS",
        help="not used for concepts, whose colors are measured; comma separated, "
        f"of {_single_of(by.id for by in RULES)} "
        f"(default {','.join(DEFAULT_RULES)})",
    )
    judging.add_argument(
        "--k",
        default=0,
        metavar="N",
        help="neighbors that paper and truehue accept too (default 0)",
    )
    judging.add_argument("--munsell", metavar="FILE.csv", help="samples for the released rule")
    subparser.add_argument("--name", default="", help="name of the run")
    subparser.add_argument(
        "--estimate-only", action="store_true", help="print the estimate and stop"
    )
    subparser.add_argument(
        "--price-per-hour", metavar="X", help="machine cost per hour, for the estimate of the cost"
    )
    subparser.add_argument(
        "--no-trial",
        action="store_true",
        help="do not time a 3-image test where no earlier run gives an estimate",
    )
    subparser.add_argument(
        "--yes",
        action="store_true",
        help="start without confirmation or test; without a terminal there is no confirmation",
    )


def _single_of(names: Iterable[str]) -> str:
    return ", ".join(names)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns the exit status."""
    options = parser().parse_args(arguments)
    options.root = Path(options.shared or Path(options.data) / "runs").expanduser()
    try:
        return int(options.run(options))
    except TrueHueError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped before anything began.", file=sys.stderr)
        return 3
