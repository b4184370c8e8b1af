"""The command ``truehue``, in a checkout ``python -m truehue``."""

from __future__ import annotations

import sys
from importlib import import_module

from truehue.core.command import run_command
from truehue.core.version import VERSION

COMMANDS = {
    "serve": ("truehue.tabs.command.serve", "the page, at http://127.0.0.1:7860"),
    "runs": ("truehue.tabs.command.runs", "runs: start, watch, pause, resume, export"),
    "admin": ("truehue.tabs.command.admin", "accounts of those who sign in"),
    "backup": (
        "truehue.tabs.command.backup",
        "the data folder as one file, also while the app runs",
    ),
    "restore": ("truehue.tabs.command.restore", "a backup as a data folder"),
    "measure": ("truehue.core.cli.measure", "the verdict on an image with its mask"),
    "score": ("truehue.core.cli.score", "metrics of whole images, such as how vivid they are"),
    "fidelity": (
        "truehue.core.cli.fidelity.command",
        "groups and metrics of color fidelity: train, test",
    ),
    "compare": ("truehue.core.cli.compare.command", "two distributions of color"),
    "vlm": (
        "truehue.core.cli.vlm.command",
        "evaluate vision-language models on questions about images",
    ),
    "diagnose": (
        "truehue.core.cli.diagnose",
        "how often each rule is right (rule accuracy)",
    ),
    "models": (
        "truehue.core.cli.models",
        "generators: installed, missing, a first image",
    ),
    "masks": ("truehue.core.cli.masks", "detectors and segmenters: installed, missing"),
    "prompts": ("truehue.core.cli.prompts", "the built-in prompt sets"),
    "images": ("truehue.core.cli.images", "preview the import of a folder of images"),
}
"""The module of each command of ``truehue``, whose ``main`` it calls, and what it is for."""
FORMER = {"ask": "vlm"}
"""Former names of commands, which still work and are not listed."""
WITHOUT_PAGE = ("runs", "admin", "backup", "restore")
"""Commands that ``python app.py`` has, too."""


def truehue() -> None:
    """The command ``truehue``: the first argument says which of :data:`COMMANDS`."""
    name, arguments = (sys.argv[1:] or ["--help"])[0], sys.argv[2:]
    if name in ("-h", "--help"):
        lines = [f"  {command:10}{text}" for command, (_, text) in COMMANDS.items()]
        print("usage: truehue COMMAND ...\n\n" + "\n".join(lines))
        print("\ntruehue COMMAND --help describes each command.")
        return
    if name == "--version":
        print(VERSION)
        return
    name = FORMER.get(name, name)
    if name not in COMMANDS:
        sys.exit(f"truehue has no command {name[:40]!r}, only {', '.join(COMMANDS)}.")
    run_command(
        lambda: int(import_module(COMMANDS[name][0]).main(arguments)), teardown=name != "serve"
    )
