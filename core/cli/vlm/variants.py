"""``variants``: a set with its robustness variants, where no hue decides the answer."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from truehue.core.cli.vlm.making import said
from truehue.core.errors import BadInput
from truehue.core.vlm.question_set import open_set, write_set
from truehue.core.vlm.robustness import WORDS, Counts, with_variants
from truehue.core.vlm.variants import REGIONS, TURNS_DEG


def add(commands: Any) -> None:
    """The command."""
    variants = commands.add_parser(
        "variants", help="make a set with recolored variants: hues shifted in up to three regions"
    )
    variants.add_argument("set", type=Path, metavar="SET", help="folder of a question set")
    variants.add_argument(
        "out", type=Path, metavar="OUT", help="folder of the new set; must not exist"
    )
    variants.add_argument(
        "--regions",
        default=",".join(WORDS[region] for region in REGIONS),
        metavar="NAMES",
        help="comma-separated: whole, target, other (default %(default)s)",
    )
    variants.add_argument(
        "--shifts",
        default=",".join(map(str, TURNS_DEG)),
        metavar="DEGREES",
        help="hue shifts in HSV, comma-separated (default %(default)s)",
    )
    variants.add_argument(
        "--masks",
        type=Path,
        metavar="DIR",
        help="QUESTION_ID.png is the target; QUESTION_ID.other.png is the other region (default: "
        "all that is not the target)",
    )
    variants.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    question_set, counts = open_set(options.set), Counts()
    regions, turns_deg = _regions(options.regions), _turns(options.shifts)
    made = {
        "variants_of": question_set.sha256,
        "regions": [WORDS[region] for region in regions],
        "shifts_deg": list(turns_deg),
        "masks": options.masks is not None,
        "settings": dict(question_set.settings),
    }
    items = with_variants(question_set, counts, regions, turns_deg, options.masks)
    try:
        written = write_set(options.out, items, f"{question_set.name}, hues shifted", made)
    except BadInput:
        if counts.varied or not counts.sentences():
            raise
        message = " ".join(counts.sentences())
        raise BadInput(f"No question of {options.set} takes variants. {message}") from None
    for sentence in counts.sentences():
        print(sentence, file=sys.stderr)
    parts = ", ".join(f"{count:,} {region}" for region, count in counts.variants.items())
    print(f"{counts.varied:,} questions have variants: {parts or 'none'}.")
    return said(written)


def _regions(text: str) -> tuple[str, ...]:
    names = {word: region for region, word in WORDS.items()}
    requested = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [name for name in requested if name not in names]
    if unknown or not requested:
        raise BadInput(f"--regions takes {', '.join(names)}, comma-separated, not {text!r:.60}.")
    return tuple(region for region in REGIONS if WORDS[region] in requested)


def _turns(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise BadInput(
            f"--shifts takes whole degrees, comma-separated, not {text!r:.60}."
        ) from None
