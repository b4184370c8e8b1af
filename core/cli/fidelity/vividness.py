"""``reference``: how vivid photographs are, as numbers; ``vivid``: images against that."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

from truehue.core.cli.fidelity.folders import images_of
from truehue.core.errors import ImageError
from truehue.core.fidelity.vividness import (
    FEW,
    NUMBERS,
    Reference,
    read_reference,
    reference_of,
    set_vividness,
    vividness_of,
    write_reference,
)
from truehue.core.images.load import load_image
from truehue.core.refinement.settings import NATURAL_SATURATION


def add(commands: Any) -> None:
    """The two commands."""
    build = commands.add_parser(
        "reference", help="saturation, chroma and contrast of a folder of photographs, as numbers"
    )
    build.add_argument("folder", type=Path, metavar="FOLDER", help="of real photographs")
    build.add_argument("--source", required=True, metavar="TEXT", help="which, and whose license")
    build.add_argument("--out", type=Path, required=True, metavar="FILE.json")
    build.set_defaults(run=_reference)
    vivid = commands.add_parser("vivid", help="an image, or a folder, against photographs")
    vivid.add_argument("images", type=Path, nargs="+", metavar="IMAGE", help="or folders of them")
    vivid.add_argument("--reference", type=Path, metavar="FILE.json", help="made by reference")
    vivid.add_argument("--json", action="store_true", help="one JSON object")
    vivid.set_defaults(run=_vivid)


def _measured(paths: list[Path]) -> tuple[dict[Path, dict[str, float]], int]:
    """The numbers of each image, and how many could not be read; those are named."""
    partial_type, bad = {}, 0
    for number, path in enumerate(paths, start=1):
        try:
            partial_type[path] = vividness_of(load_image(path, path.name).srgb8)
        except ImageError as error:
            print(f"{path}: {error}", file=sys.stderr)
            bad += 1
        if number % 100 == 0:
            print(f"{number:,} of {len(paths):,} images", file=sys.stderr, flush=True)
    return partial_type, bad


def _reference(options: argparse.Namespace) -> int:
    results, bad = _measured(images_of(options.folder))
    reference = reference_of(results.values(), options.source)
    write_reference(options.out, reference)
    print(f"{reference.photographs:,} photographs in {options.out}.")
    if reference.photographs < FEW:
        print(f"That is few: fewer than {FEW} say little of photographs at large.")
    return 2 if bad else 0


def _vivid(options: argparse.Namespace) -> int:
    reference = None if options.reference is None else read_reference(options.reference)
    paths = dict.fromkeys(path for image in options.images for path in images_of(image))
    results, bad = _measured(list(paths))
    if options.json:
        print(json.dumps(_json(results, reference), ensure_ascii=False))
    else:
        _print(results, reference)
    return 2 if bad else 0


def _json(results: dict[Path, dict[str, float]], reference: Reference | None) -> dict[str, Any]:
    of_images = []
    for path, numbers in results.items():
        fields: dict[str, Any] = {"file": str(path), **numbers}
        fields["delta_sat"] = abs(numbers["saturation"] - NATURAL_SATURATION)
        if reference is not None:
            fields["percentiles"] = {
                name: distribution.percentile(numbers[name])
                for name, distribution in reference.distributions.items()
            }
        of_images.append(fields)
    out: dict[str, Any] = {"published_saturation": NATURAL_SATURATION, "images": of_images}
    if results:
        of_set = set_vividness([record["saturation"] for record in results.values()])
        out["delta_sat_of_mean"] = of_set.delta_sat_of_mean
        out["mean_delta_sat"] = of_set.mean_delta_sat
        out["means"] = {
            name: fmean(record[name] for record in results.values()) for name in NUMBERS
        }
    if reference is not None and results:
        out["reference"] = {
            "source": reference.source,
            "photographs": reference.photographs,
            "means": {
                name: distribution.mean for name, distribution in reference.distributions.items()
            },
            "wasserstein": {
                name: distribution.distance([numbers[name] for numbers in results.values()])
                for name, distribution in reference.distributions.items()
            },
        }
    return out


def _print(results: dict[Path, dict[str, float]], reference: Reference | None) -> None:
    for path, numbers in results.items():
        parts = []
        for name, value in numbers.items():
            text = f"{name} {value:.{3 if name == 'saturation' else 1}f}"
            if reference is not None:
                share = reference.distributions[name].percentile(value)
                text += f" (above {share:.0f}% of photographs)"
            parts.append(text)
        print(f"{path}: {', '.join(parts)}")
    if not results:
        return
    of_set = set_vividness([record["saturation"] for record in results.values()])
    print(
        f"{len(results):,} images: mean saturation {of_set.mean_saturation:.3f}, of photographs "
        f"{NATURAL_SATURATION:g} as published. ΔSat of the mean {of_set.delta_sat_of_mean:.3f}, as "
        f"in the paper's Table 3; mean of the images' ΔSat {of_set.mean_delta_sat:.3f}."
    )
    if reference is None:
        return
    for name, distribution in reference.distributions.items():
        values = [numbers[name] for numbers in results.values()]
        digits = 3 if name == "saturation" else 1
        print(
            f"  {name}: mean {fmean(values):.{digits}f}, of the {reference.photographs:,} "
            f"photographs {distribution.mean:.{digits}f}; Wasserstein distance "
            f"{distribution.distance(values):.{digits}f}"
        )
