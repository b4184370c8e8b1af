"""``python -m truehue measure``: verdicts and colors without a screen.

Images with one mask, or a manifest with the columns ``file,mask,target,system``. Without a mask the
object is what stands out, and the line says so. Without a target color, the line is the measured
color with its names. Exit status 0 if
all was measured, 2 for bad input, with its message on standard error; the other images are still
measured.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.color.formulas import FORMULAS, SURROUNDS, ViewingConditions
from truehue.core.color.munsell import MunsellSamples, load_munsell
from truehue.core.color.people import naming_fields
from truehue.core.color.spaces import CONDITIONS, CONDITIONS_TEXT
from truehue.core.color.systems import SYSTEMS, parse_target
from truehue.core.command import JSON_LINES, Command, arg, flag, group
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.images.load import LoadedImage, load_image, mask_with_note
from truehue.core.images.white_balance import balance_white, patch_around
from truehue.core.library import ColorResult, color_of
from truehue.core.masks.marks import SALIENT
from truehue.core.masks.selection import WHOLE, select_pixels_by
from truehue.core.packages import colour_science
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.differences import verdict_differences
from truehue.core.verdict.measure import MaskCache, Measurement, TargetObject, measure
from truehue.core.verdict.nearest import note_of
from truehue.core.verdict.rules import (
    DEFAULT_RULE,
    DIFFERS,
    MATCHES,
    NO_TARGET,
    RELATIONS,
    RULES,
    Rule,
    rule,
)

_VIEWING = tuple(field.name for field in fields(ViewingConditions))
COLUMNS = ("file", "mask", "target", "system")
EPILOG = """\
examples:
  python -m truehue measure mug.png --mask mug-mask.png --target "vivid reddish orange"
  python -m truehue measure mug.png --mask mug-mask.png --target "#E83B1B" --rule released --json
  python -m truehue measure photo.jpg
  python -m truehue measure photo.jpg --target navy
  python -m truehue measure photo.jpg --box 120 80 640 560 --target navy
  python -m truehue measure photo.jpg --target navy --differences --surround dim
  python -m truehue measure --manifest run.csv > verdicts.jsonl
"""


@dataclass(frozen=True)
class MeasureItem:
    """One image to judge. ``where`` names it in messages; ``file`` and ``mask`` are as given, and
    start at ``folder``. ``problem`` says why it cannot be run.
    """

    where: str
    folder: Path
    file: str
    mask: str
    target: str
    system: str | None
    problem: str = ""


def _jobs(options: argparse.Namespace) -> Iterator[MeasureItem]:
    """The jobs in order; those of a manifest that cannot be run have a ``problem``."""
    if options.manifest is None:
        for image in options.images:
            mask = options.mask or ""
            yield MeasureItem(image, Path(), image, mask, options.target, options.system)
        return
    path = Path(options.manifest)
    try:
        file = path.open(newline="", encoding="utf-8-sig")
    except OSError as error:
        raise BadInput(f"Cannot read the manifest {path}: {error.strerror}.") from error
    with file:
        reader = csv.DictReader(file, skipinitialspace=True)
        empty = True
        try:
            reader.fieldnames = [name.strip().lower() for name in reader.fieldnames or []]
            missing = [name for name in COLUMNS[:3] if name not in reader.fieldnames]
            if missing:
                raise BadInput(
                    f"The manifest {path.name} lacks the column(s) {', '.join(missing)}. "
                    f"It needs a header line with {','.join(COLUMNS)}; system may be empty."
                )
            for row in reader:
                empty = False
                yield _manifest_job(path, reader.line_num, row, options)
        except (csv.Error, UnicodeDecodeError) as error:
            raise BadInput(f"The manifest {path.name} is no CSV in UTF-8: {error}.") from error
    if empty:
        raise BadInput(f"The manifest {path.name} has a header but no rows.")


def _manifest_job(
    path: Path, line: int, row: dict[str, Any], options: argparse.Namespace
) -> MeasureItem:
    """One row of a manifest, whose paths start at its folder."""
    file, mask, target, named = ((row.get(name) or "").strip() for name in COLUMNS)
    problem = ""
    if None in row:  # csv's key for what no column is named for
        problem = 'more values than columns; a value with commas needs quotes, as "1,2,3"'
    elif row.get("target") is None:
        problem = "fewer values than columns; where there is no target color, leave its value empty"
    elif not (file and (mask or options.masker)):
        problem = "file and mask must be given (mask: unless there is a --masker)"
    location = f"{path.name}, line {line}"
    system = named.lower() or options.system
    return MeasureItem(location, path.parent, file, mask, target, system, problem)


def _check_options(options: argparse.Namespace, by: Rule) -> None:
    """Takes the masker ``salient`` where nothing says which pixels count. Raises BadInput for options
    that are missing, or that would be read by nothing."""
    if options.manifest is None and not options.target:
        judging = {
            "--rule": by.id != DEFAULT_RULE,
            "--system": options.system,
            "--relation": options.relation != MATCHES,
            "--k": options.k,
            "--munsell": options.munsell,
            "--differences": options.differences,
        }
        if without := [name for name, given in judging.items() if given]:
            raise BadInput(f"{', '.join(without)}: a verdict needs --target NAME or HEX.")
    if sum(map(bool, (options.mask, options.box, options.masker))) > 1:
        raise BadInput("Give only one of --mask, --box and --masker.")
    if options.manifest is None and not (options.mask or options.box or options.masker):
        options.masker = SALIENT
    if options.manifest is not None and (options.mask or options.box or options.target):
        raise BadInput(
            "A manifest names mask and target itself: leave out --mask, --box and --target."
        )
    if options.manifest is not None and options.neutral:
        raise BadInput(
            "--neutral is a point of one view, and a manifest has many. Name the images."
        )
    if options.k and by.same_candidate:
        raise BadInput(f"--k belongs to the paper rules and truehue; {by.id} takes no neighbors.")
    if options.munsell and (by.reconstructed or not by.same_candidate):
        own = "has samples of its own" if by.reconstructed else "does not use it"
        raise BadInput(f"--munsell belongs to released and released-unguided; {by.id} {own}.")


def _run(
    job: MeasureItem, options: argparse.Namespace, munsell: MunsellSamples | None
) -> tuple[Measurement | ColorResult, tuple[str, ...], dict[str, Any]]:
    """The measurement, or the color where no target is given; the notes of what was converted when
    the image was loaded; and what else belongs to its line: box or masker, and of a measurement the
    sentence on its nearest name."""
    if job.problem:
        raise BadInput(job.problem + ".")
    image = load_image(job.folder / job.file)
    mask, notes, about = _mask(job, options, image)
    srgb8 = image.srgb8
    if options.neutral is not None:
        srgb8 = balance_white(srgb8, patch_around(srgb8, *options.neutral))
        x, y = options.neutral
        notes = (*notes, f"White balance was set by the pixels around ({x:g}, {y:g}).")
        about = {**about, "neutral": options.neutral}
    notes = (*image.notes, *notes)
    if not job.target:
        return color_of(srgb8, mask=mask), notes, about
    target = parse_target(job.target, job.system)
    acceptance, cache = Acceptance(options.k, munsell, job.system), MaskCache()
    measurement = measure(
        srgb8,
        mask,
        target,
        options.rule,
        acceptance=acceptance,
        target_object=TargetObject(
            options.object, options.relation, False if options.relation == DIFFERS else None
        ),
        cache=cache,
    )
    names_note = note_of(srgb8, mask, measurement, acceptance, cache)
    return measurement, notes, {**about, "names_note": names_note}


def _mask(
    job: MeasureItem, options: argparse.Namespace, image: LoadedImage
) -> tuple[np.ndarray, tuple[str, ...], dict[str, Any]]:
    """The pixels of the object, bool ``(H, W)``, what to know about them, and box or masker."""
    srgb8 = image.srgb8
    if job.mask:
        shape = (srgb8.shape[0], srgb8.shape[1])
        inside, note = mask_with_note(job.folder / job.mask, shape)
        return inside, (note,) if note else (), {}
    if options.masker:
        ways = "a mask in its row" if options.manifest else "--mask MASK, --box X0 Y0 X1 Y1"
        selection = select_pixels_by(options.masker, image, f"give {ways} or --masker {WHOLE}")
        notes = (selection.sentence, *selection.notes)
        about = {"masker": {"id": selection.maker, **selection.parameters}}
        return selection.pixels, notes, about
    # What finds objects in boxes takes time to import.
    from truehue.core.masks.from_marks import select_in_box

    return *select_in_box(srgb8, options.box, image.opaque), {"box": options.box}


def _unscored(job: MeasureItem, reason: str, by: Rule, object_name: str) -> dict[str, Any]:
    """The same keys as a measured line, without numbers."""
    nothing: dict[str, Any] = dict.fromkeys(
        (
            "target_hex",
            "lab",
            "target_lab",
            "delta_e00",
            "delta_chroma",
            "hue_deg",
            "accepted",
            "mask_px",
            *(("light", "confidence_percent") if by.lit else ()),
        )
    )
    return {
        "file": job.file,
        "mask": job.mask,
        "status": "unscored",
        "reason": reason,
        "rule": by.id,
        "version": by.version,
        "object": object_name,
        "target": job.target,
        "system": job.system,
        "parameters": {},
        **CONDITIONS,
        **naming_fields(None),
        **nothing,
        "metrics": {},
        "candidates": [],
        "accepted_count": 0,
        "names_note": "",
        "notes": [],
        "image_notes": [],
    }


def _measure(options: argparse.Namespace) -> int:
    as_json = options.json or options.manifest is not None
    by = rule(options.rule)
    failed = False
    if (options.manifest is None) == (not options.images):
        raise BadInput("Give images, or --manifest FILE.csv.")
    _check_options(options, by)
    munsell = load_munsell(options.munsell) if options.munsell else None
    viewing = _viewing(options)
    if options.target:
        parse_target(options.target, options.system)  # a wrong color is wrong for all images
    for job in _jobs(options):
        try:
            measurement, notes, about = _run(job, options, munsell)
        except TrueHueError as error:
            failed = True
            message = str(error)
            named = message.startswith(job.where)
            print(message if named else f"{job.where}: {message}", file=sys.stderr)
            if as_json:
                nothing = {} if viewing is None else {"differences": None}
                _print_json({**_unscored(job, str(error), by, options.object), **nothing})
            continue
        if isinstance(measurement, ColorResult):
            _print_color(job, measurement, notes, about if as_json else None)
        elif as_json:
            line = {
                "file": job.file,
                "mask": job.mask,
                **measurement.as_json(),
                **CONDITIONS,
                **naming_fields(measurement.verdict.lab),
                **about,
            }
            if viewing is not None:
                line["differences"] = verdict_differences(measurement, viewing)
            _print_json({**line, "image_notes": list(notes)})
        else:
            print(measurement.line(job.file), flush=True)
            for note in filter(None, (*notes, about["names_note"], *measurement.notes)):
                print(f"      {note}", flush=True)
            if viewing is not None:
                _print_differences(verdict_differences(measurement, viewing))
    return 2 if failed else 0


def _print_color(
    job: MeasureItem, color: ColorResult, notes: tuple[str, ...], about: dict[str, Any] | None
) -> None:
    """The line of an image without a target color, as JSON with ``about`` it."""
    if about is None:
        print(f"COLOR  {job.file}  {color}", *notes, sep="\n      ", flush=True)
        return
    values = {**color.to_dict(), "notes": list(color.notes), "image_notes": list(notes)}
    _print_json({"file": job.file, "mask": job.mask, "status": NO_TARGET, **values, **about})


def _viewing(options: argparse.Namespace) -> ViewingConditions | None:
    """The viewing conditions of --differences; None without it. Raises BadInput before any image is
    measured."""
    named = {name: getattr(options, name) for name in _VIEWING}
    given = {name: value for name, value in named.items() if value is not None}
    if options.differences:
        colour_science("compute differences by other formulas")
        return ViewingConditions(**given)
    if given:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise BadInput(f"{names}: viewing conditions belong to --differences.")
    return None


def _print_differences(found: dict[str, Any]) -> None:
    """The conditions, and a line for each formula: to the target, and to the color that the rule
    compared."""
    viewing = found["viewing"]
    print(
        f"      CIELAB for {CONDITIONS_TEXT}; CIE 1994 and CMC weight by the target; CAM16 for L_A "
        f"{viewing['adapting_cd_m2']:g} cd/m², Y_b {viewing['background_percent']:g}% of white, "
        f"surround {viewing['surround']}; ΔE ITP for white of {viewing['white_cd_m2']:g} cd/m²",
        flush=True,
    )
    print(f"      {'difference':<24}{'to the target':>14}{'as compared':>14}", flush=True)
    for entry in FORMULAS:
        values = (found["to_target"][entry.id], found["to_compared"][entry.id])
        texts = ("none" if value is None else f"{value:.2f}" for value in values)
        print(f"      {entry.name:<24}" + "".join(f"{text:>14}" for text in texts), flush=True)


def _print_json(line: dict[str, Any]) -> None:
    """One line, in ASCII, so that no terminal or pipe can refuse it."""
    print(json.dumps(line), flush=True)


COMMAND = Command(
    "measure",
    "Measures the color of an object in an image, and scores it against a target color.",
    (
        arg("images IMAGE", "images to measure, all with one mask", nargs="*"),
        arg("--mask", "mask image of the same size: the object is light, 128 or more"),
        arg(
            "--box",
            "instead of a mask, a box around the object, in pixels from the top left: its pixels "
            "are found by the network for salient objects, or by GrabCut; of a cut-out, its opaque ones",
            nargs=4,
            type=float,
            metavar=("X0", "Y0", "X1", "Y1"),
        ),
        arg(
            "--masker",
            "without mask and box: salient, the object that stands out (the default), or whole, all "
            "that is not transparent; of an image with transparency each takes what is not "
            "transparent; with a manifest, for rows without a mask",
            choices=(SALIENT, WHOLE),
        ),
        arg(
            "--neutral",
            "a point on something white or gray, in pixels from the top left: the image is balanced by "
            "it before it is measured, for light that the camera did not balance",
            nargs=2,
            type=float,
            metavar=("X", "Y"),
        ),
        arg(
            "--target",
            'target color for a verdict; without it the color is named: a name, "#RRGGBB", "r,g,b", '
            '"lab(52 40 30)" or "oklch(0.6 0.15 40)" '
            "(names are looked up in CSS, then ISCC-NBS levels 2, 3, 1, then people's names, unless "
            "--system says where)",
        ),
        arg(
            "--system",
            "color system of the name; with a manifest, of rows without one",
            choices=tuple(SYSTEMS),
        ),
        arg(
            "--manifest FILE.csv",
            "columns file,mask,target,system; paths are relative to the file; rows without a target "
            "have the measured color; prints JSON lines",
        ),
        arg(
            "--rule",
            f"default: {DEFAULT_RULE}",
            default=DEFAULT_RULE,
            choices=[entry.id for entry in RULES],
        ),
        arg(
            "--k",
            "paper rules and truehue: accept the k nearest names too (default 0: the paper gives "
            "no k)",
            default=0,
        ),
        arg("--object", "name of the object, for the sentence", default=""),
        arg(
            "--relation",
            "differs: the object must not have the color, and passes where it does not match "
            f"(default: {MATCHES})",
            default=MATCHES,
            choices=RELATIONS,
        ),
        arg(
            "--munsell FILE.csv",
            "released rule: Munsell samples, a CSV with the columns R,G,B,Level1,Level2,Level3",
        ),
        JSON_LINES,
        flag(
            "--differences",
            "print the color difference by other formulas too, to the target and to the color that "
            "the rule compared (needs truehue[app]); they change no verdict",
        ),
        group(
            "viewing conditions of --differences",
            arg("--adapting-cd-m2 L_A", "CAM16's adapting luminance (default: 4.07)", type=float),
            arg("--background-percent Y_B", "CAM16's background (default: 20)", type=float),
            arg("--surround", "CAM16's surround (default: average)", choices=SURROUNDS),
            arg("--white-cd-m2 L_W", "luminance of white for ΔE ITP (default: 100)", type=float),
        ),
    ),
    _measure,
    epilog=EPILOG,
    former="-m core.measure",
)
main = COMMAND.main
