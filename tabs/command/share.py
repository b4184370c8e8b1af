"""``truehue share``: a run or a question set as a dataset folder for the Hugging Face hub."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from truehue.core.command import Command, arg, command, data_folder, print_now
from truehue.core.runs.folder import folder_named
from truehue.core.vlm.question_set import open_set
from truehue.tabs.command.status import runs_root

EPILOG = """\
examples:
  truehue share set questions shared --id ann/color-questions --license cc-by-4.0
  truehue share run 3f2a shared --id ann/color-run --license cc-by-4.0
The folder has Parquet, a dataset card and croissant.json. Read the card before you publish it.
"""
FOLDER = arg("folder DIR", "the new folder")
ABOUT = (
    arg("--id OWNER/NAME", "the dataset's name on the hub", required=True),
    arg(
        "--license LICENSE",
        "the license under which you share the data, as the hub names it, such as cc-by-4.0",
        required=True,
    ),
)


@command(
    "run",
    "the results of a run, without its images",
    arg("name RUN", "its name, or the first characters of its id"),
    FOLDER,
    *ABOUT,
    data_folder("the app's data folder, with runs in its runs/"),
    arg("--shared DIR", "the folder of runs, where it is another one"),
)
def _share_run(options: argparse.Namespace) -> int:
    from truehue.core.export.dataset.run import share_run

    folder = Path(options.folder).expanduser()
    share_run(folder_named(runs_root(options), options.name), folder, options.id, options.license)
    return _say(options, folder)


@command(
    "set", "a question set, with eval.yaml", arg("set SET", "its folder", type=Path), FOLDER, *ABOUT
)
def _share_set(options: argparse.Namespace) -> int:
    from truehue.core.export.dataset.question_set import share_question_set

    folder = Path(options.folder).expanduser()
    share_question_set(open_set(options.set.expanduser()), folder, options.id, options.license)
    return _say(options, folder)


def _say(options: argparse.Namespace, folder: Path) -> int:
    """Says where it is, and how it is published."""
    print_now(f"{folder} has the files of a dataset. To publish it:")
    print_now(f"  hf upload {options.id} {shlex.quote(str(folder))} . --type dataset")
    return 0


COMMAND = Command(
    "share",
    "A run or a question set as a dataset folder for the Hugging Face hub.",
    (_share_run, _share_set),
    epilog=EPILOG,
)
main = COMMAND.main
