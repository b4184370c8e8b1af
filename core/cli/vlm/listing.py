"""``models``: the short ids, and which of their files are here."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.models.files import check_files, files_of
from truehue.core.vlm.models.registry import KNOWN, model_of


def add(commands: Any) -> None:
    """The command."""
    models = commands.add_parser(
        "models", help="list models by short id, and whether they are installed"
    )
    models.add_argument(
        "--models", type=Path, metavar="DIR", help="folder that contains model folders"
    )
    models.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    sources = Sources.here(options.models)
    for known in KNOWN:
        model = model_of(known.id)
        try:
            source = files_of(model, sources)
            check_files(source, known.id)
            text = f"installed: {source.folder}"
        except BadInput as error:
            text = str(error)
        print(f"{known.id}  {known.repo}, {known.parameters_b:g} billion weights\n  {text}")
    print(
        "Name any other image-text model of transformers by its Hugging Face id or its\n"
        "folder, and any OpenAI-compatible server by its URL."
    )
    return 0
