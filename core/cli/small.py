"""``python -m truehue.core.generation.small``: the small model's scenes, training, and images.

``data`` renders the scenes, ``train`` trains and exports, ``sample`` generates a sheet of prompts,
and ``report`` measures the model with TrueHue's masks and verdicts.
"""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from truehue.core.checkpoints import run_folder
from truehue.core.cli.small_report import (
    GROUPS,
    LEVEL_1,
    held_out_prompts,
    rows_of_model,
    rows_of_renderer,
    rows_with_refinement,
)
from truehue.core.command import Command, arg, at_least_1, command
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


DATA_FOLDER = arg("--data", "default: %(default)s", default=DATA)
WORKERS = arg("--workers", "processes that render", default=2)
SCENES = arg("--scenes", "a JSON file with which, in place of ours", type=Path)
MODEL = arg("--model", "the exported model", default=FOLDER)
STEPS = arg("--steps", default=20)


@command("data", "renders the scenes, or those that are missing", DATA_FOLDER, WORKERS, SCENES)
def _data(options: argparse.Namespace) -> int:
    _bank(options)
    return 0


def _bank(options: argparse.Namespace) -> SceneBank:
    def report_progress(done: int, count: int) -> None:
        print(f"{done:,} of {count:,} scenes", flush=True)

    settings = SceneSettings()
    if options.scenes is not None:
        settings = scene_settings_from_json(_json(options.scenes))
    return render_scenes(options.data, settings, options.workers, report_progress)


def _json(path: Path) -> dict[str, Any]:
    """A JSON object of a file; raises BadInput for what is none."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return dict(fields)
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(f"{path} cannot be read as a JSON object: {error}") from error


@command(
    "train",
    "trains, or resumes, and exports the model",
    DATA_FOLDER,
    WORKERS,
    SCENES,
    arg("--run", "default: %(default)s", dest="folder", default=RUN),
    arg("--steps", f"in all, not from here on; default: {Settings.steps}", type=int),
    arg("--threads", "of torch; part of what is equal", default=2),
    arg("--settings", "a JSON file, in place of ours", type=Path),
    arg(
        "--from",
        f"exported weights to go on from where there is no checkpoint, such as {FOLDER}",
        dest="start",
        type=Path,
    ),
    arg("--out", "exports here, such as assets/models/small", type=Path),
    arg("--save-every", "steps between checkpoints", default=200),
    arg("--report-every", "steps between lines", default=20),
)
def _train(options: argparse.Namespace) -> int:
    import torch

    from truehue.core.generation.small.training import check_folder

    at_least_1(options, "threads", "workers", "save_every", "report_every")
    if options.out is not None:
        check_folder(options.out)
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

    def report_progress(progress: Progress) -> None:
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
        report_progress,
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


@command(
    "sample",
    "generates prompts side by side into a PNG file",
    arg("prompts", nargs="+"),
    MODEL,
    arg("--out", "the PNG file to write", type=Path, required=True),
    arg("--seeds", "images of each prompt", default=1),
    arg("--size", "pixels on a side, as trained", default=64),
    STEPS,
    arg("--guidance", default=2.0),
    arg("--enlarge", "whole times, pixel for pixel", default=2),
)
def _sample(options: argparse.Namespace) -> int:
    from threading import Event

    import numpy as np

    from truehue.core.generation.opening import open_model
    from truehue.core.generation.request import GenerationRequest

    at_least_1(options, "seeds", "enlarge")
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


@command(
    "report",
    "measures the model on held-out prompts",
    MODEL,
    arg("--data", "scenes, for the renderer's row", default=DATA),
    arg("--out", "default: %(default)s", default=REPORT),
    arg("--count", "prompts of each group", default=40),
    arg("--level-1", "prompts with level 1 names", default=140),
    arg("--guidance", "scales, by commas", default="1,1.5,2,3,5,7.5"),
    arg("--strengths", "CFR's λ, by commas", default="0.5,1"),
    arg("--groups", "groups, by commas", default=",".join(GROUPS)),
    STEPS,
)
def _report(options: argparse.Namespace) -> int:
    from truehue.core.cli import small_report as report
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
    prompts = held_out_prompts(groups, settings.held_out, options.count, options.level_1)
    if not prompts:
        raise BadInput("There are no prompts to measure: give a higher --count or --level-1.")

    def report_progress(done: int, count: int) -> None:
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
        rows += rows_of_model(loaded, request, prompts, report_progress)
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
    ``limit``."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise BadInput(f"{name} are numbers with commas, not {text!r:.80}.") from error
    if not all(0 < number <= limit for number in numbers):
        raise BadInput(f"{name} are above 0, up to {limit:g}.")
    return numbers


COMMAND = Command(
    "small",
    "The small model's scenes, its training, images and report.",
    (_data, _train, _sample, _report),
    former="-m truehue.core.generation.small",
)
main = COMMAND.main
