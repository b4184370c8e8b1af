"""``truehue space create OWNER/NAME``: a Hugging Face Space that serves TrueHue."""

from __future__ import annotations

import argparse
import shlex
import tempfile
from pathlib import Path

from truehue.core.command import Command, arg, command, print_now, switch
from truehue.core.errors import TrueHueError
from truehue.core.space import BUCKET_FOLDER, CHOSEN_EXTRAS, SpaceRequest, push_space, write_space

EPILOG = """\
examples:
  hf auth login
  truehue space create ann/truehue
  truehue space create lab/colors --no-demo --bucket lab/colors-data
  truehue space create ann/truehue --folder space
The same command renews the files of a Space. Its settings, secrets and bucket stay.
The creator of a Space with accounts is its admin: docs/guides/serving.md.
"""


@command(
    "create",
    "writes the files of a Space and pushes them to the hub",
    arg("name OWNER/NAME", "the Space"),
    arg("--folder DIR", "write the files there, and push nothing"),
    arg(
        "--extra",
        "what the Space installs: app, the page without models, or all (default: %(default)s)",
        choices=CHOSEN_EXTRAS,
        default="app",
    ),
    arg("--title", "its title (default: %(default)s)", default="TrueHue"),
    switch(
        "--demo",
        "a demonstration, where everybody is a visitor; --no-demo: people sign in",
        default=True,
    ),
    arg(
        "--bucket OWNER/NAME",
        "the storage bucket that keeps the data of a Space with accounts; it is created private, "
        f"and mounted at {BUCKET_FOLDER}",
        default="",
    ),
    epilog=EPILOG,
)
def _create(options: argparse.Namespace) -> int:
    request = SpaceRequest(options.name, options.title, options.extra, options.demo, options.bucket)
    if not options.demo and not options.bucket:
        print_now("Without --bucket, this Space forgets its data at every restart.")
    if options.folder:
        folder = write_space(request, Path(options.folder).expanduser())
        print_now(f"{folder} has the files of a Space. To push them:")
        for line in how_to_push(request, folder):
            print_now(f"  {line}")
        return 0
    from huggingface_hub import HfApi

    with tempfile.TemporaryDirectory() as scratch:
        folder = write_space(request, Path(scratch) / "space")
        try:
            print_now(push_space(request, folder, HfApi()))
        except TrueHueError:
            raise
        except (
            Exception
        ) as error:  # of huggingface_hub, or of the package that it asks the hub with
            raise TrueHueError(
                f"The Space could not be pushed: {error}. Check the network, and sign in with: "
                "hf auth login"
            ) from error
    return 0


def how_to_push(request: SpaceRequest, folder: Path) -> list[str]:
    """The commands that do the same with ``hf``."""
    create = f"hf repos create {request.repo_id} --type space --space-sdk gradio --exist-ok"
    lines = []
    if request.bucket:
        lines.append(f"hf buckets create {request.bucket} --private --exist-ok")
        create += f" --volume hf://buckets/{request.bucket}:{BUCKET_FOLDER}"
    upload = f"hf upload {request.repo_id} {shlex.quote(str(folder))} . --type space"
    return [*lines, create, upload]


COMMAND = Command("space", "A Hugging Face Space that serves TrueHue.", (_create,), epilog=EPILOG)
main = COMMAND.main
