"""``python -m truehue.core.generation.small``: the small model's scenes, training, and pictures.

``data`` renders the scenes, ``train`` trains and exports, ``sample`` draws a sheet of prompts, and
``report`` measures the model with the app's own instruments.
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from truehue.core.checkpoints import run_folder
from truehue.core.cli.small.measuring import (
    GROUPS,
    LEVEL_1,
    asked_of,
    rows_of_model,
    rows_of_renderer,
    rows_with_refinement,
)
from truehue.core.command import status_of
from truehue.core.errors import BadInput
from truehue.core.files import png_of, replace_file
from truehue.core.generation.small.scenes import SceneBank, render_scenes
from truehue.core.generation.small.settings import (
    FOLDER,
    SceneSettings,
    Settings,
    scene_settings_from_json,
    settings_from_json,
)

DATA = Path("data") / "small" / "scenes"
RUN = Path("data") / "small" / "training"
REPORT = Path("docs") / "science" / "small_model"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status: 0 done, 2 an error, whose message is on standard
    error, 3 a training that was ended before its last step."""
    options = _parser().parse_args(arguments)
    return status_of(lambda: int(options.run(options)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m truehue.core.generation.small", description=__doc__
    )
    commands = parser.add_subparsers(required=True)
    data = commands.add_parser("data", help="renders the scenes, or those that are missing")
    training = commands.add_parser("train", help="trains, or goes on, and exports the model")
    for command in (data, training):
        command.add_argument("--data", type=Path, default=DATA, help=f"default: {DATA}")
        command.add_argument("--workers", type=int, default=2, help="processes that render")
        command.add_argument("--scenes", type=Path, help="a JSON file with which, in place of ours")
    data.set_defaults(run=_data)
    training.add_argument("--run", dest="folder", type=Path, default=RUN, help=f"default: {RUN}")
    training.add_argument(
        "--steps", type=int, help=f"in all, not from here on; default: {Settings.steps}"
    )
    training.add_argument("--threads", type=int, default=2, help="of torch; part of what is equal")
    training.add_argument("--settings", type=Path, help="a JSON file, in place of ours")
    training.add_argument(
        "--from",
        dest="start",
        type=Path,
        help=f"exported weights to go on from where there is no checkpoint, such as {FOLDER}",
    )
    training.add_argument("--out", type=Path, help="exports here, such as assets/models/small")
    training.add_argument("--save-every", type=int, default=200, help="steps between checkpoints")
    training.add_argument("--report-every", type=int, default=20, help="steps between lines")
    training.set_defaults(run=_train)
    drawing = commands.add_parser("sample", help="generates prompts side by side into a PNG file")
    drawing.add_argument("prompts", nargs="+")
    drawing.add_argument("--model", type=Path, default=FOLDER, help="the exported model")
    drawing.add_argument("--out", type=Path, required=True, help="the PNG file to write")
    drawing.add_argument("--seeds", type=int, default=1, help="images of each prompt")
    drawing.add_argument("--size", type=int, default=64, help="pixels on a side, as trained")
    drawing.add_argument("--steps", type=int, default=20)
    drawing.add_argument("--guidance", type=float, default=2.0)
    drawing.add_argument("--enlarge", type=int, default=2, help="whole times, pixel for pixel")
    drawing.set_defaults(run=_sample)
    reporting = commands.add_parser("report", help="measures the model on held-out prompts")
    reporting.add_argument("--model", type=Path, default=FOLDER, help="the exported model")
    reporting.add_argument("--data", type=Path, default=DATA, help="scenes, for the renderer's row")
    reporting.add_argument("--out", type=Path, default=REPORT, help=f"default: {REPORT}")
    reporting.add_argument("--count", type=int, default=40, help="prompts of each group")
    reporting.add_argument("--level-1", type=int, default=140, help="prompts with level 1 names")
    reporting.add_argument("--guidance", default="1,1.5,2,3,5,7.5", help="scales, by commas")
    reporting.add_argument("--strengths", default="0.5,1", help="CFR's λ, by commas")
    reporting.add_argument("--groups", default=",".join(GROUPS), help="groups, by commas")
    reporting.add_argument("--steps", type=int, default=20)
    reporting.set_defaults(run=_report)
    return parser


def _data(options: argparse.Namespace) -> int:
    _bank(options)
    return 0


def _bank(options: argparse.Namespace) -> SceneBank:
    def told(done: int, count: int) -> None:
        print(f"{done:,} of {count:,} scenes", flush=True)

    settings = SceneSettings()
    if options.scenes is not None:
        settings = scene_settings_from_json(_json(options.scenes))
    return render_scenes(options.data, settings, options.workers, told)


def _json(path: Path) -> dict[str, Any]:
    """A JSON object of a file; raises BadInput for what is none."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return dict(fields)
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(f"{path} cannot be read as a JSON object: {error}") from error


def _train(options: argparse.Namespace) -> int:
    import torch

    from truehue.core.generation.small.training import check_place

    _at_least_1(options, "threads", "workers", "save_every", "report_every")
    if options.out is not None:
        check_place(options.out)
    torch.set_num_threads(options.threads)
    settings = Settings()
    if options.settings is not None:
        settings = settings_from_json(_json(options.settings))
    if options.steps is not None:
        settings = replace(settings, steps=options.steps)
    with run_folder(options.folder):
        return _trained(options, settings)


def _trained(options: argparse.Namespace, settings: Settings) -> int:
    """The training of a folder that is held."""
    from truehue.core.generation.small.training import (
        CHECKPOINT,
        Progress,
        Training,
        train,
        write_model,
    )

    training = Training(settings)
    if (options.folder / CHECKPOINT).exists():
        training.load(options.folder)
        print(f"Going on from step {training.step:,} of {options.folder / CHECKPOINT}.", flush=True)
    elif options.start is not None:
        training.start_from(options.start)
        print(f"Going on from step {training.step:,} of {options.start}.", flush=True)
    bank = _bank(options)

    def told(progress: Progress) -> None:
        print(
            f"step {progress.step:,} of {progress.steps:,}  reading {progress.reading:.4f}  "
            f"image {progress.picture:.5f}  {progress.seconds:,.0f} s",
            flush=True,
        )

    done = train(
        training,
        bank,
        options.folder,
        settings.steps,
        told,
        save_every=options.save_every,
        report_every=options.report_every,
    )
    if not done:
        print(f"Ended at step {training.step:,}: the same command goes on from there.")
        if options.out is not None:
            print(f"Nothing is exported to {options.out} before the last step.")
        return 3
    if options.out is not None:
        write_model(training, options.out)
        print(f"Exported step {training.step:,} to {options.out}.")
    return 0


def _at_least_1(options: argparse.Namespace, *names: str) -> None:
    for name in names:
        if getattr(options, name) < 1:
            raise BadInput(f"--{name.replace('_', '-')} is at least 1.")


def _sample(options: argparse.Namespace) -> int:
    from threading import Event

    import numpy as np

    from truehue.core.generation.opening import open_model
    from truehue.core.generation.request import GenerationRequest

    _at_least_1(options, "seeds", "enlarge")
    if not options.out.parent.is_dir() or options.out.is_dir():
        raise BadInput(f"{options.out} cannot be written: give --out a file in a folder.")
    loaded = open_model(f"folder:{options.model}")
    request = GenerationRequest(
        f"folder:{options.model}",
        "",
        steps=options.steps,
        guidance=options.guidance,
        width=options.size,
        height=options.size,
    )
    columns = []
    for prompt in options.prompts:
        requests = [replace(request, text=prompt, seed=seed) for seed in range(options.seeds)]
        images = loaded.draw(requests, lambda report: None, Event())
        columns.append(np.concatenate([image.srgb8 for image in images]))
        print(prompt, flush=True)
    sheet = np.concatenate(columns, axis=1)
    sheet = sheet.repeat(options.enlarge, axis=0).repeat(options.enlarge, axis=1)
    replace_file(options.out, png_of(sheet, srgb=True))
    return 0


def _report(options: argparse.Namespace) -> int:
    from truehue.core.cli.small import report
    from truehue.core.generation.opening import open_model
    from truehue.core.generation.request import GenerationRequest
    from truehue.core.generation.small.training import about_of

    scales = _numbers(options.guidance, "Guidance scales", 1000.0)
    strengths = _numbers(options.strengths, "Strengths λ", 1.0)
    about = about_of(options.model)
    settings = settings_from_json(about["settings"])
    groups = [name.strip() for name in options.groups.split(",")]
    if set(groups) - set(GROUPS):
        raise BadInput(f"The groups of prompts are {', '.join(GROUPS)}.")
    if min(options.count, options.level_1) < 0:
        raise BadInput("--count and --level-1 are at least 0.")
    prompts = asked_of(groups, settings.held_out, options.count, options.level_1)
    if not prompts:
        raise BadInput("There are no prompts to measure: give a higher --count or --level-1.")

    def told(done: int, count: int) -> None:
        if done % 20 == 0 or done == count:
            print(f"{done:,} of {count:,}", flush=True)

    command = _command_of(options)
    rows = list(rows_of_renderer(SceneBank(options.data), prompts))
    loaded = open_model(f"folder:{options.model}")
    for scale in scales:
        print(f"Guidance {scale:g}", flush=True)
        request = GenerationRequest(
            f"folder:{options.model}",
            "",
            steps=options.steps,
            guidance=scale,
            width=settings.size_px,
            height=settings.size_px,
        )
        rows += rows_of_model(loaded, request, prompts, told)
        # After each scale: what was measured stays if the rest is not waited for.
        report.write(options.out, rows, {**about, "command": command})
    first = [prompt for prompt in prompts if prompt.group == LEVEL_1]
    for scale in sorted({report.best_guidance(rows), max(scales)}) if first else ():
        print(f"CFR at guidance {scale:g}", flush=True)
        request = replace(request, guidance=scale)
        rows += rows_with_refinement(loaded, request, first[: options.count], strengths)
        report.write(options.out, rows, {**about, "command": command})
    best = f"Level 1 is best at guidance {report.best_guidance(rows):g}. " if first else ""
    print(f"{best}See {options.out}.")
    return 0


def _command_of(options: argparse.Namespace) -> str:
    """The command that makes this report again; where it is written to plays no part."""
    parts = ["--count", options.count, "--level-1", options.level_1]
    parts += ["--guidance", options.guidance, "--strengths", options.strengths]
    parts += ["--steps", options.steps]
    for name, default in (("groups", ",".join(GROUPS)), ("model", FOLDER), ("data", DATA)):
        if getattr(options, name) != default:
            parts += [f"--{name}", getattr(options, name)]
    return f"python -m truehue.core.generation.small report {shlex.join(map(str, parts))}"


def _numbers(text: str, name: str, limit: float) -> list[float]:
    """Numbers from "1, 2.5"; raises BadInput for what is no list of numbers above 0, up to
    ``most``."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise BadInput(f"{name} are numbers with commas, not {text!r:.80}.") from error
    if not all(0 < number <= limit for number in numbers):
        raise BadInput(f"{name} are above 0, up to {limit:g}.")
    return numbers
