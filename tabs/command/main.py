"""The command ``truehue``, in a checkout ``python -m truehue``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from truehue.core.command import Command, run_command, status_of
from truehue.core.version import VERSION
from truehue.tabs.feature import Feature
from truehue.tabs.features import FEATURES


def commands_of(features: Sequence[Feature]) -> dict[str, tuple[str, str]]:
    """The commands of ``features`` and those that serve the page: the module of each, whose
    ``COMMAND`` it is, and what it is for."""
    commands = {
        "serve": ("truehue.tabs.command.serve", "the page, at http://127.0.0.1:7860"),
        "space": ("truehue.core.cli.space", "a Hugging Face Space that serves the page"),
        "reproduce": (
            "truehue.tabs.command.reproduce",
            "a table of a paper made again, ours beside it",
        ),
    }
    for feature in features:
        commands |= feature.commands
    return commands


COMMANDS = commands_of(FEATURES)
"""The commands of ``truehue``: the page's own, and those of the features."""
FORMER = {"ask": "vlm"}
"""Former names of commands, which still work and are not listed."""
WITHOUT_PAGE = ("runs", "admin", "backup", "restore")
"""Commands that ``python app.py`` has, too."""


def truehue(
    arguments: Sequence[str] | None = None,
    features: Sequence[Feature] = FEATURES,
    teardown: bool = True,
) -> None:
    """The command ``truehue``: the first argument says which of the commands of ``features``;
    ``teardown`` is that of :func:`truehue.core.command.run_command`."""
    commands = commands_of(features)
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help"):
        lines = [f"  {command:10}{text}" for command, (_, text) in commands.items()]
        print("usage: truehue COMMAND ...\n\n" + "\n".join(lines))
        print("\ntruehue COMMAND --help describes each command.")
        return
    if name == "--version":
        print(VERSION)
        return
    name = FORMER.get(name, name)
    if name not in commands:
        from difflib import get_close_matches  # for this sentence alone

        near = get_close_matches(name, commands, 1)
        remedy = f"Did you mean truehue {near[0]}?" if near else f"It has {', '.join(commands)}."
        print(f"truehue has no command {name[:40]!r}. {remedy}", file=sys.stderr)
        sys.exit(2)
    run_command(
        lambda: status_of(
            lambda: command_of(name, features).main(rest), purpose=f"run truehue {name}"
        ),
        teardown,
    )


def command_of(name: str, features: Sequence[Feature] = FEATURES) -> Command:
    """A command by its name; its module is imported now."""
    command: Command = import_module(commands_of(features)[name][0]).COMMAND
    return command
