"""``python -m truehue fidelity``: groups of images, and metrics of color fidelity trained by them.

Exit status 0 when all is done, 2 for bad input, 3 for work that was ended before its last step, 130
when it was stopped with Ctrl+C. Finished images are saved: run the same command again to continue.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from truehue.core.cli.fidelity import building, evaluation, sweeping, training, vividness
from truehue.core.command import program, status_of

EPILOG = """\
examples:
  python -m truehue fidelity build --rendered 60 --distort saturation,contrast --out cfd
  python -m truehue fidelity build photos --captions photos.csv --models sdxl-base-1.0 --out cfd
  python -m truehue fidelity base --out tiny
  python -m truehue fidelity train --groups cfd/train.json --held cfd/test.json \\
      --base tiny --out cfm
  python -m truehue fidelity evaluate --groups cfd/test.json --cfm cfm --measure delta_sat
  python -m truehue fidelity sweep photos --measure delta_sat
  python -m truehue fidelity reference photos --source "ours, CC0" --out photos.json
  python -m truehue fidelity vivid renders --reference photos.json
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    argument_parser = argparse.ArgumentParser(
        prog=program("fidelity", "-m core.fidelity"),
        description="Groups of images by falling color fidelity, and metrics trained and tested by "
        "them: the protocol of “Too Vivid to Be Real?”.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = argument_parser.add_subparsers(required=True, metavar="COMMAND")
    for part in (building, training, evaluation, sweeping, vividness):
        part.add(commands)
    return argument_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status."""
    options = parser().parse_args(arguments)
    return status_of(
        lambda: int(options.run(options)),
        "Stopped. Finished images are saved: run the same command again to continue.",
    )
