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
    models = commands.add_parser("models", help="models by short ids: what is here, what is not")
    models.add_argument("--models", type=Path, metavar="DIR", help="a folder of models' folders")
    models.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    sources = Sources.here(options.models)
    for known in KNOWN:
        model = model_of(known.id)
        try:
            source = files_of(model, sources)
            check_files(source, known.id)
            words = f"here: {source.folder}"
        except BadInput as error:
            words = str(error)
        print(f"{known.id}  {known.repo}, {known.parameters_b:g} billion weights\n  {words}")
    print(
        "Any other model of transformers that reads images goes by its id of the hub or its\n"
        "folder, and any OpenAI-compatible server by its URL."
    )
    return 0
