"""``python -m truehue models``: installed and missing generators, their download, and a first image.
Exit status 1 of ``check`` for a model that cannot run on this machine."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event
from typing import Any

from truehue.core.color.systems import parse_target
from truehue.core.command import JSON_LINES, Command, arg, command, flag
from truehue.core.errors import BadInput
from truehue.core.fidelity.two_passes import generate_twice, painted_map
from truehue.core.generation.opening import missing, open_model
from truehue.core.generation.registry import MODELS, RELEASED, ModelEntry, model
from truehue.core.generation.request import GenerationRequest, StepReport
from truehue.core.generation.weights.download import download
from truehue.core.generation.weights.sources import Sources, find
from truehue.core.machine import Machine, machine
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.refinement.settings import (
    MAPPED,
    PREDICTED,
    VARIANTS,
    Refinement,
    refinement_of,
    rows_of,
)

SATURATION = "saturation"
TO = arg("--to", "a models folder, in place of the hub's cache", type=Path)


def describe(entry: ModelEntry, local_machine: Machine, sources: Sources) -> dict[str, Any]:
    """An entry as plain JSON, with where its weights are and what is missing."""
    source = find(entry, sources) if entry.kind in ("diffusers", "transformers") else None
    lacking = missing(entry, local_machine, sources)
    return {
        **asdict(entry),
        "ready": not lacking,
        "missing": list(lacking),
        "folder": str(source.folder) if source else None,
        "revision": source.revision if source else None,
    }


def settings_lines(entry: ModelEntry, sources: bool = False) -> list[str]:
    """The model's own settings, and those of GenColorBench's code; with ``sources`` who says so."""
    lines = []
    for name, settings in (("own settings", entry.defaults), (RELEASED, entry.released)):
        if settings is None or entry.kind in ("renderer", "folder"):
            continue
        parts = [
            f"{settings.steps} steps" if settings.steps is not None else "",
            f"guidance {settings.guidance:g}" if settings.guidance is not None else "",
            f"{settings.width} × {settings.height}",
        ]
        source = f" ({settings.source})" if sources else ""
        lines.append(f"{name}: {', '.join(filter(None, parts))}{source}")
    return lines


@command("models", "all models, and what each lacks on this machine", JSON_LINES)
def _models(options: argparse.Namespace) -> int:
    local_machine, sources = machine(), Sources.local(options.models_folder)
    if not options.json:
        print(
            f"{local_machine.name} ({local_machine.device}), {local_machine.memory_bytes / 2**30:.0f} GiB"
        )
    for entry in MODELS:
        about = describe(entry, local_machine, sources)
        if options.json:
            print(json.dumps(about, ensure_ascii=False))
            continue
        state = "ready" if about["ready"] else "import its images" if entry.needs else "missing"
        size = f"{entry.download_gib:5.1f} GiB" if entry.download_gib else " " * 9
        print(f"{entry.id:<20} {state:<18} {size}  {entry.name}; {entry.license}")
        if text := " · ".join(settings_lines(entry)):
            print(f"{'':<20} {text}")
    if not options.json:
        print("What a model lacks: python -m truehue models check MODEL")
    return 0


@command(
    "check", "check whether one model can generate on this machine", arg("model"), flag("--json")
)
def _check(options: argparse.Namespace) -> int:
    entry = model(options.model)
    about = describe(entry, machine(), Sources.local(options.models_folder))
    if options.json:
        print(json.dumps(about, ensure_ascii=False))
    else:
        print(f"{entry.name}: {entry.note}")
        print(f"License: {entry.license}")
        for line in settings_lines(entry, sources=True):
            print(line)
        for sentence in about["missing"]:
            print(f"- {sentence}")
        if about["ready"]:
            print("Ready to generate." + (f" {about['folder']}" if about["folder"] else ""))
    return 0 if about["ready"] else 1


@command("download", "downloads a model's weights from the hub", arg("model"), TO)
def _download(options: argparse.Namespace) -> int:
    print(download(model(options.model), Sources.local(options.models_folder), options.to))
    return 0


@command(
    "draw",
    "generates one image into a PNG file",
    arg("model"),
    arg("prompt", "not for the reference renderer", nargs="?", default=""),
    arg("--out", "the PNG file to write", type=Path, required=True),
    arg("--negative", "the negative prompt", default=""),
    arg("--object", "for the reference renderer, which reads no prompt: what", default=""),
    arg("--color", "its color: a name such as css:crimson, a hex, or an rgb value", default=""),
    arg("--seed", default=0),
    arg("--steps", type=int),
    arg("--guidance", type=float),
    arg("--width", type=int),
    arg("--height", type=int),
    arg(
        "--cfr STRENGTH",
        "generates again with guidance lowered where colors are too vivid, by 0 to 1",
        type=float,
    ),
    arg(
        "--cfr-map MAP",
        "where: saturation (of the first image), predicted (in one pass), or an image file in "
        "which white is most",
        default=SATURATION,
    ),
    arg("--cfr-variant", "the ablation's", default="full", choices=VARIANTS),
    arg("--before", "with --cfr: a PNG file for the first image", type=Path),
)
def _draw(options: argparse.Namespace) -> int:
    # The engine stands above this package: only here is one of its modules wanted.
    from truehue.core.engine.limits import checked
    from truehue.core.images.load import encode_png

    request = GenerationRequest(
        options.model,
        options.prompt,
        options.seed,
        options.steps,
        options.guidance,
        options.width,
        options.height,
        options.negative,
        targets=_targets(options.object, options.color),
    )
    if model(options.model).kind == "renderer" and not request.targets:
        raise BadInput(
            "The reference renderer reads no prompt. Say what to render: "
            "--object mug --color css:crimson"
        )
    if not request.targets and not request.text.strip():
        raise BadInput("Give a prompt after the model.")
    refinement = _refinement(options)
    if refinement is not None and options.cfr_map == PREDICTED:
        request = replace(request, options={"cfr": refinement.to_json()})
    checked(request)
    files = [options.out, *([options.before] if options.before else [])]
    for path in files:
        _make_folder(path)
    drawing = open_model(options.model, Sources.local(options.models_folder))
    try:
        if refinement is None or options.cfr_map == PREDICTED:
            generated_images = [drawing.draw([request], _show, Event())[0]]
        else:
            both = generate_twice(drawing, request, refinement, _show, Event())
            generated_images = [both.after, both.before]
    finally:
        drawing.unload()
    for path, stored in zip(files, generated_images, strict=False):
        try:
            path.write_bytes(encode_png(stored.srgb8))
        except OSError as error:
            raise BadInput(f"{path} cannot be written ({error.strerror}).") from error
    image = generated_images[0]
    for note in image.notes:
        print(note, file=sys.stderr)
    origin = dict(image.origin)
    if sys.stdout.isatty():
        origin = _shortened(origin)
    print(json.dumps(origin, ensure_ascii=False))
    return 0


def _shortened(origin: dict[str, Any]) -> dict[str, Any]:
    """For eyes: the cells of a map are counted; what goes to a file or a program has them."""
    cfr = origin.get("cfr")
    if isinstance(cfr, dict) and isinstance(cfr.get("map"), list):
        rows = cfr["map"]
        return {**origin, "cfr": {**cfr, "map": f"{len(rows[0]) // 2} × {len(rows)} cells"}}
    return origin


def _refinement(options: argparse.Namespace) -> Refinement | None:
    """The settings of --cfr; raises BadInput for what goes with it and has no meaning without."""
    if options.cfr is None:
        if options.before or options.cfr_map != SATURATION or options.cfr_variant != "full":
            raise BadInput("--cfr-map, --cfr-variant and --before need --cfr with a strength.")
        return None
    if options.before and options.before.resolve() == options.out.resolve():
        raise BadInput("--before and --out are one file: the first image would be lost.")
    if options.cfr_map == PREDICTED and options.before:
        raise BadInput("In one pass there is no image before: leave --before out.")
    settings: dict[str, Any] = {"strength": options.cfr, "variant": options.cfr_variant}
    if options.cfr_map not in (SATURATION, PREDICTED) and options.cfr_variant in MAPPED:
        settings |= {"map": rows_of(painted_map(Path(options.cfr_map))), "source": "painted"}
    return refinement_of({"cfr": settings})


def _targets(name: str, color: str) -> tuple[ObjectTarget, ...]:
    """One target, or none where neither is given. Raises BadInput for a color without an object,
    UnknownColor for one that cannot be read."""
    if not name.strip():
        if color:
            raise BadInput("A color needs an object that has it: add --object mug.")
        return ()
    return (ObjectTarget(name.strip(), parse_target(color) if color else None),)


def _make_folder(path: Path) -> None:
    """The folder of the image, before anything is drawn. Raises BadInput where there can be none,
    or where the image would take the place of a folder."""
    label = f"The folder {path.parent} cannot be made"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        label = f"{path} cannot be written"
        is_folder = path.is_dir()
    except OSError as error:
        raise BadInput(f"{label} ({error.strerror}). Choose another --out.") from error
    if is_folder:
        raise BadInput(f"{path} is a folder. Give --out the name of a PNG file in it.")


def _show(report: StepReport) -> None:
    print(f"step {report.step} of {report.steps}", file=sys.stderr)


COMMAND = Command(
    "models",
    "Generators: installed, missing, getting one, and a first image.",
    (
        arg("--models-folder", "folder of weights (TRUEHUE_MODELS)", type=Path),
        _models,
        _check,
        _download,
        _draw,
    ),
    former="-m core.generation",
)
main = COMMAND.main
