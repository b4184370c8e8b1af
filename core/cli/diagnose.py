"""``python -m truehue diagnose``: how often each rule is right, on pictures of known color.

Exit status 0 when all was judged, 2 for bad input (also of lines of a manifest; the others are
judged all the same), 130 when it was stopped with Ctrl+C.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TextIO

from truehue.core.color.systems import SYSTEMS
from truehue.core.command import program
from truehue.core.diagnosis.colors import DEFAULT_LIGHTS, DEFAULT_SIZE_PX, SET_SYSTEMS
from truehue.core.diagnosis.plan import manifest_tasks, read_manifest, renderer_tasks, rules_used
from truehue.core.diagnosis.records import text
from truehue.core.diagnosis.run import Progress, Watch, diagnose
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.renderer import LIGHTS, OBJECTS
from truehue.core.verdict.rules import RULES

EPILOG = """\
examples:
  python -m truehue diagnose --out diagnosis
  python -m truehue diagnose --out quick --every 10 --objects mug,car --json
  python -m truehue diagnose --out mine --images renders.csv --rules paper,released
"""
_SET_OPTIONS = ("objects", "lights", "systems", "seeds", "size", "every")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    argument_parser = argparse.ArgumentParser(
        prog=program("diagnose", "-m core.diagnose"),
        description="Renders objects of exactly known color, scores each by every rule against its "
        "own color and against near ones, and reports hits and false accepts.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    argument_parser.add_argument(
        "--out",
        required=True,
        metavar="DIR",
        help="folder of the report; an interrupted run continues from there",
    )
    argument_parser.add_argument("--json", action="store_true", help="print the report as JSON")
    argument_parser.add_argument(
        "--rules", metavar="IDS", help=_single_of((r.id for r in RULES), "all")
    )
    argument_parser.add_argument("--objects", metavar="NAMES", help=_single_of(OBJECTS, "all"))
    argument_parser.add_argument(
        "--lights", metavar="NAMES", help=_single_of(LIGHTS, ",".join(DEFAULT_LIGHTS))
    )
    argument_parser.add_argument(
        "--systems", metavar="IDS", help=_single_of(SYSTEMS, ",".join(SET_SYSTEMS))
    )
    argument_parser.add_argument(
        "--seeds", metavar="NUMBERS", help="views of each object (default 0)"
    )
    argument_parser.add_argument(
        "--size", type=int, metavar="PX", help=f"default {DEFAULT_SIZE_PX}"
    )
    argument_parser.add_argument(
        "--every", type=int, metavar="N", help="only every Nth color: a quick look"
    )
    argument_parser.add_argument(
        "--k", type=int, default=0, help="neighbors that paper and truehue accept too (default 0)"
    )
    argument_parser.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes of one thread each (default: one per core)",
    )
    argument_parser.add_argument(
        "--images",
        metavar="FILE.csv",
        help="measure on renders of your own instead: "
        "columns file,mask,system,color and perhaps object,light; paths are relative "
        "to the file",
    )
    return argument_parser


def _single_of(names: Iterable[str], default: str) -> str:
    return f"comma separated, of {', '.join(names)} (default {default})"


def _run(options: argparse.Namespace, watch: Watch) -> tuple[int, str]:
    """Does what was asked; the exit status and what is to be printed."""
    every = options.every if options.every is not None else 1
    rules = rules_used(_names(options.rules, "--rules"), options.k)
    source = ""
    if options.images is not None:
        set_options = [name for name in _SET_OPTIONS if getattr(options, name) is not None]
        if set_options:
            raise BadInput(f"--{set_options[0]} belongs to our own images; --images has its own.")
        source = Path(options.images).name
        tasks = manifest_tasks(rules, read_manifest(Path(options.images)))
    else:
        tasks = renderer_tasks(
            rules,
            _names(options.objects, "--objects") or OBJECTS,
            _names(options.lights, "--lights") or DEFAULT_LIGHTS,
            _numbers(options.seeds) or (0,),
            _names(options.systems, "--systems") or SET_SYSTEMS,
            DEFAULT_SIZE_PX if options.size is None else options.size,
            every,
        )
    report = diagnose(
        Path(options.out),
        rules,
        tasks,
        workers=options.workers,
        every=every,
        source=source,
        watch=watch,
    )
    shown = json.dumps(report.as_json()) + "\n" if options.json else text(report)
    return 2 if report.problems else 0, shown


def _names(text: str | None, option: str) -> tuple[str, ...]:
    """The names of an option, each once; none where it was not given."""
    if text is None:
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise BadInput(f"{option} names nothing.")
    return names


def _numbers(text: str | None) -> tuple[int, ...]:
    try:
        return tuple(int(name) for name in _names(text, "--seeds"))
    except ValueError:
        raise BadInput(f"--seeds takes whole numbers with commas, not {text!r}.") from None


class _Line:
    """One line on a terminal that is written over; elsewhere a line every ten seconds."""

    def __init__(self, err: TextIO) -> None:
        self.err = err
        self.terminal = err.isatty()
        self.last = time.perf_counter() if not self.terminal else 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.perf_counter()
        if now - self.last < (0.5 if self.terminal else 10.0):
            return
        self.last = now
        seconds = progress.seconds_left
        message = f"{progress.done:,} of {progress.images:,} images"
        if progress.reused:
            message += f" ({progress.reused:,} reused)"
        message += f", {progress.images_a_second:.1f} per second"
        if seconds is not None:
            message += (
                f", about {seconds / 60:.0f} min left"
                if seconds > 90
                else f", {seconds:.0f} s left"
            )
        end = "" if self.terminal else "\n"
        print(f"\r{message:<78}" if self.terminal else message, end=end, file=self.err, flush=True)

    def close(self) -> None:
        """Leaves the line."""
        if self.terminal and self.last:
            print(file=self.err)


def main(
    arguments: list[str] | None = None, stream: TextIO | None = None, err: TextIO | None = None
) -> int:
    """Runs the command; returns the exit status."""
    stream, err = stream or sys.stdout, err or sys.stderr
    options = parser().parse_args(arguments)
    line = _Line(err)
    try:
        with _terminated_as_interrupted():
            status, shown = _run(options, line)
    except TrueHueError as error:
        line.close()
        print(error, file=err)
        return 2
    except KeyboardInterrupt:
        line.close()
        print(
            "Stopped. Finished images are saved: run the same command again to continue.", file=err
        )
        return 130
    line.close()
    stream.write(shown)
    stream.flush()
    return status


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM, which a scheduler sends, ends the run as Ctrl+C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread may answer signals.
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
