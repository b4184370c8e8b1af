"""``fidelity caption``: captions and categories of photographs by a local vision-language model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from truehue.core.batch.locks import hold_lock
from truehue.core.cli.fidelity_scoring import images_of, models_sources
from truehue.core.command import MODELS_FOLDER, arg, command, ended_by_signal, flag, print_now
from truehue.core.errors import BadInput
from truehue.core.fidelity.captioning import CaptionSettings, CaptionTable, captions
from truehue.core.vlm.models.files import with_dtype
from truehue.core.vlm.models.opening import open_model
from truehue.core.vlm.models.records import (
    BASELINES,
    DTYPES,
    Answerer,
    EvaluationStopped,
    LocalSettings,
    Stop,
)
from truehue.core.vlm.models.registry import fingerprint, model_of

_LOCAL, _DEFAULT = LocalSettings(), CaptionSettings()
_REPORTED = 10


@command(
    "caption",
    "captions and categories of photographs by a local vision-language model, for build",
    arg("folder PHOTOS", "a folder of photographs", type=Path),
    arg("--model MODEL", "a short id of truehue vlm, an id of the hub, or a folder", required=True),
    arg(
        "--out TABLE.csv",
        "file, caption and category; it grows row by row",
        type=Path,
        required=True,
    ),
    arg("--instruction FILE", "another text than ours, which asks for a caption", type=Path),
    flag("--no-categories", "captions alone"),
    arg("--size PX", "side of photographs, at most (default 1024)", default=_DEFAULT.size_px),
    arg("--max-tokens N", "of a caption (default 256)", default=_DEFAULT.max_tokens),
    arg("--dtype", "default auto", choices=DTYPES, default=_LOCAL.dtype),
    arg("--device", "auto, cpu, cuda, cuda:1 or mps", default=_LOCAL.device),
    arg(
        "--batch N",
        "questions in one pass: faster on a GPU; rounding may change a caption (default 1)",
        default=_LOCAL.batch,
    ),
    MODELS_FOLDER,
)
def caption_command(options: argparse.Namespace) -> int:
    if not options.folder.is_dir():
        raise BadInput(f"{options.folder} is no folder of photographs.")
    settings = CaptionSettings(
        _instruction(options.instruction),
        not options.no_categories,
        options.size,
        options.max_tokens,
    )
    local = {"dtype": options.dtype, "device": options.device, "batch": options.batch}
    if "://" in options.model or options.model in BASELINES:
        raise BadInput(f"{options.model} is no model with weights on this machine.")
    sources = models_sources(options)
    model = with_dtype(model_of(options.model, local), sources)
    files = [path.relative_to(options.folder).as_posix() for path in images_of(options.folder)]
    table = CaptionTable(options.out, model.id, settings.version(fingerprint(model, sources)))
    if not options.out.parent.is_dir():
        raise BadInput(f"There is no folder {options.out.parent}.")
    lock = options.out.with_name(f".{options.out.name}.lock")
    with hold_lock(lock, f"Another process writes {options.out}."), ended_by_signal() as end:
        done = table.begin()
        left = [file for file in files if file not in done]
        if done:
            print_now(f"{len(files) - len(left):,} of {len(files):,} have captions already.")
        answerer = open_model(model, sources) if left else None
        try:
            if answerer is not None and not _write(
                table, answerer, options.folder, left, settings, end.is_set
            ):
                print_now("Ended early: the same command goes on from there.")
                return 3
        finally:
            if answerer is not None:
                answerer.close()
        lacking = len(files) - len(table.begin() & set(files))
    print_now(f"{len(files) - lacking:,} captions in {options.out}.")
    if lacking:
        print_now(f"{lacking:,} without a caption: the same command tries again.")
    return 2 if lacking else 0


def _write(
    table: CaptionTable,
    answerer: Answerer,
    folder: Path,
    files: Sequence[str],
    settings: CaptionSettings,
    stop: Stop,
) -> bool:
    """Writes the rows, and names on standard error what is missing; whether all had their turn."""
    try:
        results = captions(answerer, folder, files, settings, stop)
        for number, result in enumerate(results, start=1):
            if result.problem:
                print_now(f"{result.file}: {result.problem}", file=sys.stderr)
            else:
                table.add(result)
                if result.category_problem:
                    print_now(f"{result.file}: {result.category_problem}", file=sys.stderr)
            if number % _REPORTED == 0:
                print_now(f"{number:,} of {len(files):,} photographs", file=sys.stderr)
    except EvaluationStopped:
        return False
    return True


def _instruction(path: Path | None) -> str:
    if path is None:
        return _DEFAULT.instruction
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as UTF-8 text: {error}") from None
