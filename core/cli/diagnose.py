"""``python -m truehue diagnose``: the accuracy of each rule on images of known color.

Exit status 0 if all was judged, 2 for bad input (including a manifest's lines; the other lines are
still judged), 130 after Ctrl+C.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from truehue.core.color.systems import SYSTEMS
from truehue.core.command import INTERRUPTED, Command, ProgressLine, arg, flag
from truehue.core.diagnosis.colors import DEFAULT_LIGHTS, DEFAULT_SIZE_PX, MATERIALS, SET_SYSTEMS
from truehue.core.diagnosis.people import EVERY, compare_with_people, save
from truehue.core.diagnosis.people import text as people_text
from truehue.core.diagnosis.plan import manifest_tasks, read_manifest, renderer_tasks, rules_used
from truehue.core.diagnosis.records import text
from truehue.core.diagnosis.run import Progress, Watch, diagnose
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import LIGHTS, OBJECTS, TINTED_LIGHTS
from truehue.core.generation.renderer.two_materials import PATTERNED, PATTERNS
from truehue.core.verdict.rules import RULES, rule

EPILOG = """\
examples:
  python -m truehue diagnose --out diagnosis
  python -m truehue diagnose --out quick --every 10 --objects mug,car --json
  python -m truehue diagnose --out tinted --lights lamp,shade --neutral
  python -m truehue diagnose --out mine --images renders.csv --rules paper,released
"""
_SET_OPTIONS = ("objects", "lights", "systems", "seeds", "size", "every", "material")


def _single_of(names: Iterable[str], default: str) -> str:
    return f"comma separated, of {', '.join(names)} (default {default})"


def _run(options: argparse.Namespace, watch: Watch) -> tuple[int, str]:
    """Does what was asked; the exit status and what is to be printed."""
    if options.people:
        return _people(options, watch)
    every = options.every if options.every is not None else 1
    rules = rules_used(_names(options.rules, "--rules"), options.k)
    source = ""
    if options.images is not None:
        set_options = [name for name in _SET_OPTIONS if getattr(options, name) is not None]
        set_options += ["neutral"] if options.neutral else []
        if set_options:
            raise BadInput(f"--{set_options[0]} belongs to our own images; --images has its own.")
        source = Path(options.images).name
        tasks = manifest_tasks(rules, read_manifest(Path(options.images)))
    else:
        tasks = renderer_tasks(
            rules,
            _names(options.objects, "--objects")
            or (PATTERNED if options.material in PATTERNS else OBJECTS),
            _names(options.lights, "--lights") or DEFAULT_LIGHTS,
            _numbers(options.seeds) or (0,),
            _names(options.systems, "--systems") or SET_SYSTEMS,
            DEFAULT_SIZE_PX if options.size is None else options.size,
            every,
            options.material or "",
            options.neutral,
        )
    report = diagnose(
        Path(options.out),
        rules,
        tasks,
        workers=(os.cpu_count() or 1) if options.workers is None else options.workers,
        every=every,
        source=source,
        watch=watch,
    )
    shown = json.dumps(report.as_json()) + "\n" if options.json else text(report)
    return 2 if report.problems else 0, shown


def _people(options: argparse.Namespace, watch: Watch) -> tuple[int, str]:
    """The agreement with people's names, which is written to ``people.json`` of the folder."""
    not_used = [name for name in (*_SET_OPTIONS, "images", "workers") if name != "every"]
    given = [name for name in not_used if getattr(options, name) is not None]
    given += ["neutral"] if options.neutral else []
    if given:
        raise BadInput(
            f"--{given[0]} belongs to images; --people has patches of the survey's colors."
        )
    start_s = time.monotonic()

    def watch_colors(done: int, total: int) -> None:
        watch(Progress(done, total, 0, time.monotonic() - start_s))

    rules = rules_used(_names(options.rules, "--rules"), options.k)
    every = options.every if options.every is not None else EVERY
    report = compare_with_people([rule(used.id) for used in rules], every, options.k, watch_colors)
    path = Path(options.out) / "people.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    save(report, path)
    return 0, json.dumps(report.as_json()) + "\n" if options.json else people_text(report)


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


def _text(progress: Progress) -> str:
    message = f"{progress.done:,} of {progress.images:,} images"
    if progress.reused:
        message += f" ({progress.reused:,} reused)"
    message += f", {progress.images_a_second:.1f} per second"
    seconds = progress.seconds_left
    if seconds is None:
        return message
    minutes = f"about {seconds / 60:.0f} min left"
    return f"{message}, {minutes if seconds > 90 else f'{seconds:.0f} s left'}"


def _diagnose(options: argparse.Namespace) -> int:
    line = ProgressLine(terminal_s=0.5)
    try:
        with _terminated_as_interrupted():
            status, shown = _run(options, lambda progress: line.show(lambda: _text(progress)))
    finally:
        line.close()
    print(shown, end="")
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


COMMAND = Command(
    "diagnose",
    "Renders objects of exactly known color, scores each by every rule against its own color and "
    "against near ones, and reports hits and false accepts.",
    (
        arg(
            "--out DIR",
            "folder of the report; an interrupted run continues from there",
            required=True,
        ),
        flag("--json", "print the report as JSON"),
        arg("--rules IDS", _single_of((rule.id for rule in RULES), "all")),
        arg("--objects NAMES", _single_of(OBJECTS, "all")),
        arg("--lights NAMES", _single_of((*LIGHTS, *TINTED_LIGHTS), ",".join(DEFAULT_LIGHTS))),
        arg("--systems IDS", _single_of(SYSTEMS, ",".join(SET_SYSTEMS))),
        arg("--seeds NUMBERS", "views of each object (default 0)"),
        arg("--size PX", f"default {DEFAULT_SIZE_PX}", type=int),
        arg("--every N", f"only every Nth color: a quick look (--people: {EVERY})", type=int),
        arg(
            "--material",
            "all objects of metal, or with a pattern in a second color (default: plain objects of one "
            "material and of two)",
            choices=MATERIALS,
        ),
        flag("--neutral", "balance each image by its gray backdrop, as by a gray card, first"),
        arg("--k", "neighbors that paper and truehue accept too (default 0)", default=0),
        arg(
            "--workers N",
            "processes of one thread each (default: one per core)",
            type=int,
        ),
        arg(
            "--images FILE.csv",
            "measure on renders of your own instead: columns file,mask,system,color and perhaps "
            "object,light; paths are relative to the file",
        ),
        flag("--people", "the agreement of the rules with the names that people use for colors"),
    ),
    _diagnose,
    epilog=EPILOG,
    former="-m core.diagnose",
    stopped=(
        "Stopped. Finished images are saved: run the same command again to continue.",
        INTERRUPTED,
    ),
)
main = COMMAND.main
