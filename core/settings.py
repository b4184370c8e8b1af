"""Settings of the app: command line first, then environment, then defaults."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass

from truehue.core.command import program

DEFAULT_PORT = 7860


@dataclass(frozen=True)
class Settings:
    """Where the data lies and where the app listens.

    ``public``: others reach the address, whatever ``host`` is. ``demo``: it is a demonstration,
    where everybody is a visitor with limits.
    ``warm``: what the first visitor would wait for is got ready at the start (TRUEHUE_WARM=0: not).
    ``example``: an empty data folder opens with an example, a demonstration with samples of every
    room (TRUEHUE_EXAMPLE=0: an empty stage, and no samples).
    ``backup``: the data is backed up before an update changes the layout of the database.
    """

    data: str
    host: str
    port: int
    munsell: str | None
    models: str | None
    endpoints: str | None
    runs: tuple[str, ...] = ()
    public: bool = False
    warm: bool = True
    example: bool = True
    demo: bool = False
    backup: bool = True


def read_settings(arguments: list[str] | None = None) -> Settings:
    """Reads the command line; ends the program with usage for arguments that cannot be read."""
    argument_parser = argparse.ArgumentParser(
        prog=program("serve", "app.py"),
        description="TrueHue: one workbench for color in generative models.",
        epilog="Whole runs without the page: python -m truehue runs --help. "
        "Accounts of those who sign in: python -m truehue admin --help. "
        "Backups: python -m truehue backup --help and restore --help",
    )
    argument_parser.add_argument(
        "--data",
        default=os.environ.get("TRUEHUE_DATA", "./data"),
        metavar="DIR",
        help="folder of the database and the images (default ./data)",
    )
    # A Hugging Face Space reaches the app from outside its container; a workbench does not.
    everywhere = "0.0.0.0" if os.environ.get("SPACE_ID") else "127.0.0.1"
    argument_parser.add_argument(
        "--host", default=everywhere, help=f"address to listen on ({everywhere})"
    )
    argument_parser.add_argument(
        "--port", type=_port, default=DEFAULT_PORT, help=f"port ({DEFAULT_PORT})"
    )
    argument_parser.add_argument(
        "--public",
        action="store_true",
        help="others reach this address, for "
        "instance through a proxy: they sign in (python -m truehue admin), and may not name files "
        "of this machine (always so where --host is not an address of this machine alone)",
    )
    argument_parser.add_argument(
        "--demo",
        action=argparse.BooleanOptionalAction,
        default=bool(os.environ.get("SPACE_ID")),
        help="a demonstration: everybody is a visitor with limits, nobody signs in, and there are "
        "no studies (the default in a Hugging Face Space)",
    )
    argument_parser.add_argument(
        "--munsell", metavar="FILE.csv", help="Munsell samples for the released rule"
    )
    argument_parser.add_argument(
        "--models",
        metavar="DIR",
        help="folder with models' weights, one folder each "
        "(default: TRUEHUE_MODELS, then the hub's cache)",
    )
    argument_parser.add_argument(
        "--endpoints",
        metavar="FILE.json",
        help="servers that draw through OpenAI's images API (default: TRUEHUE_ENDPOINT)",
    )
    named = [folder for folder in os.environ.get("TRUEHUE_RUNS", "").split(os.pathsep) if folder]
    argument_parser.add_argument(
        "--runs",
        action="append",
        metavar="DIR",
        help="another folder of runs, such "
        "as one that a cluster writes to: its results are imported too; may be given "
        "several times (default: TRUEHUE_RUNS)",
    )
    argument_parser.add_argument(
        "--backup",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="where an update changes the layout of the database, back the data up first",
    )
    options = argument_parser.parse_args(arguments)
    return Settings(
        options.data,
        options.host,
        options.port,
        options.munsell,
        options.models,
        options.endpoints,
        tuple(options.runs or named),
        options.public,
        os.environ.get("TRUEHUE_WARM", "1") != "0",
        os.environ.get("TRUEHUE_EXAMPLE", "1") != "0",
        options.demo,
        options.backup,
    )


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text}")
    return port
