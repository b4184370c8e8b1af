"""``python -m truehue masks``: which vision models are here, what one lacks, and getting it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truehue.core.command import program, run_command, status_of
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.weights import (
    ROLES,
    VISION_MODELS,
    VisionEntry,
    download,
    find,
    missing,
    vision_model,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status: 0 done, 1 a model that cannot run here (of
    ``check``), 2 an error, whose message is on standard error."""
    options = _parser().parse_args(arguments)
    return status_of(lambda: int(options.run(options)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program("masks", "-m core.masks"), description=__doc__)
    parser.add_argument(
        "--models-folder", "--models", type=Path, help="folder of weights (TRUEHUE_MODELS)"
    )
    commands = parser.add_subparsers(required=True)
    listing = commands.add_parser("models", help="all vision models, and which are installed")
    listing.add_argument("--json", action="store_true", help="one JSON object a line")
    listing.set_defaults(run=_models)
    checking = commands.add_parser("check", help="one model: can it run here?")
    checking.add_argument("--json", action="store_true")
    checking.set_defaults(run=_check)
    fetching = commands.add_parser("download", help="downloads a model's files from the hub")
    fetching.add_argument("--to", type=Path, help="a models folder, in place of the hub's cache")
    fetching.set_defaults(run=_download)
    for command in (checking, fetching):
        command.add_argument("model", help="an id of the list, hub:owner/name or folder:/path")
        command.add_argument("--role", choices=ROLES, help="of a hub: or folder: id, what it does")
    return parser


def describe(entry: VisionEntry, sources: Sources) -> dict[str, Any]:
    """An entry as plain JSON, with where its files are and what is missing."""
    source, lacking = find(entry, sources), missing(entry, sources)
    return {
        **asdict(entry),
        "ready": not lacking,
        "missing": list(lacking),
        "path": str(source.path) if source else None,
        "revision": source.revision if source else None,
    }


def _models(options: argparse.Namespace) -> int:
    sources = Sources.here(options.models_folder)
    for entry in VISION_MODELS:
        about = describe(entry, sources)
        if options.json:
            print(json.dumps(about, ensure_ascii=False))
            continue
        state = "ready" if about["ready"] else "missing"
        size = f"{entry.download_gib:5.2f} GiB"
        print(f"{entry.id:<23} {entry.role:<10} {state:<8} {size}  {entry.name}; {entry.license}")
    if not options.json:
        print("What a model lacks: python -m truehue masks check MODEL")
    return 0


def _check(options: argparse.Namespace) -> int:
    entry = vision_model(options.model, options.role)
    about = describe(entry, Sources.here(options.models_folder))
    if options.json:
        print(json.dumps(about, ensure_ascii=False))
    else:
        print(f"{entry.name}: {entry.note}")
        print(f"License: {entry.license}")
        for sentence in about["missing"]:
            print(f"- {sentence}")
        if about["ready"]:
            print(f"Ready. {about['path']}")
    return 0 if about["ready"] else 1


def _download(options: argparse.Namespace) -> int:
    entry = vision_model(options.model, options.role)
    print(download(entry, Sources.here(options.models_folder), options.to))
    return 0


if __name__ == "__main__":
    run_command(main)
