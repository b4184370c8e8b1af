"""The command line: declarations of commands, their exit status, and progress of long work.

A command is a :class:`Command`: a function with the declarations of its options. Its ``main`` reads
the arguments, and turns errors and Ctrl+C into a message and an exit status.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import truehue
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.packages import missing_package

if TYPE_CHECKING:
    from truehue.core.batch.records import BatchState
    from truehue.core.files import ReportProgress

PERCENT_STEP = 5
INTERRUPTED = 128 + signal.SIGINT
"""The exit status of a command that Ctrl+C ended."""
LINE_S = 10.0
"""Seconds between two lines of progress in a pipe."""


class UsageError(Exception):
    """Arguments that do not go together."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong with arguments in two lines: the usage of some commands has twenty."""

    _intermixed = False

    def error(self, message: str) -> NoReturn:
        """Ends the program with the status 2."""
        self.exit(2, f"{self.prog}: {message}\nSee {self.prog} --help.\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does; where a command takes any number of files, options may stand between
        them too."""
        several = any(action.nargs in ("*", "+") for action in self._get_positional_actions())
        # Behind a "--" everything is a file, and argparse loses that where it takes them mixed.
        if not several or self._intermixed or "--" in (sys.argv[1:] if args is None else args):
            return super().parse_known_args(args, namespace)
        self._intermixed = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._intermixed = False


@dataclass(frozen=True)
class Argument:
    """The names of an argument and of its value, as in ``--out DIR`` or ``file
    FILE``; the rest are settings of ``add_argument``. A ``default`` may be a function; one that is
    a number or a path says the type."""

    spec: str
    settings: Mapping[str, Any]

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Adds it to a parser."""
        words, settings = self.spec.split(), dict(self.settings)
        names = [word for word in words if word.startswith("-")] or words[:1]
        if len(words) > len(names):
            settings["metavar"] = words[-1]
        default = settings.get("default")
        if callable(default):
            settings["default"] = default()
        elif isinstance(default, int | float | Path) and "action" not in settings:
            settings.setdefault("type", type(default))
        parser.add_argument(*names, **settings)


@dataclass(frozen=True)
class Group:
    """Arguments below a title; without one, at most one of them may be given."""

    title: str
    arguments: tuple[Argument | Group, ...]

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Adds them to a parser."""
        group: argparse._ActionsContainer = (
            parser.add_argument_group(self.title)
            if self.title
            else parser.add_mutually_exclusive_group()
        )
        for argument in self.arguments:
            argument.add_to(group)


def arg(spec: str, help: str = "", **settings: Any) -> Argument:
    """An argument with a value."""
    return Argument(spec, {"help": help or None, **settings})


def flag(spec: str, help: str = "") -> Argument:
    """A switch that is off."""
    return arg(spec, help, action="store_true")


def switch(spec: str, help: str, default: Any) -> Argument:
    """A switch with its opposite, as ``--backup`` and ``--no-backup``."""
    return arg(spec, help, action=argparse.BooleanOptionalAction, default=default)


def group(title: str, *arguments: Argument | Group) -> Group:
    """Arguments below a title."""
    return Group(title, arguments)


def either(*arguments: Argument) -> Group:
    """Arguments of which at most one may be given."""
    return Group("", arguments)


@dataclass(frozen=True)
class Command:
    """A command, or with commands among its ``parts`` a family of them.

    ``help`` describes it in a list. ``former`` is how it is called without ``truehue``, such as
    ``-m core.measure``. Ctrl+C ends it with the sentence and the exit status ``stopped``.
    """

    name: str
    help: str
    parts: tuple[Argument | Group | Command, ...] = ()
    run: Callable[[argparse.Namespace], int] | None = None
    description: str = ""
    epilog: str = ""
    former: str = ""
    stopped: tuple[str, int] = ("Stopped.", INTERRUPTED)

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Runs the command; returns the exit status."""
        parser = self.parser()
        options = parser.parse_args(arguments)
        try:
            purpose = f"run truehue {self.name}"
            return status_of(lambda: int(options.run(options)), *self.stopped, purpose=purpose)
        except UsageError as error:
            parser.error(str(error))

    def parser(self) -> Parser:
        """The parser of its arguments."""
        parser = Parser(
            prog=program(self.name, self.former), **self._texts(self.description or self.help)
        )
        self._fill(parser)
        return parser

    def _texts(self, description: str) -> dict[str, Any]:
        texts: dict[str, Any] = {"description": description or None, "epilog": self.epilog or None}
        if "\n" in self.epilog:
            texts["formatter_class"] = argparse.RawDescriptionHelpFormatter
        return texts

    def _fill(self, parser: argparse.ArgumentParser) -> None:
        parser.set_defaults(run=self.run)
        commands = None
        for part in self.parts:
            if isinstance(part, Command):
                commands = commands or parser.add_subparsers(required=True, metavar="COMMAND")
                texts = part._texts(part.description)
                part._fill(commands.add_parser(part.name, help=part.help, **texts))
            else:
                part.add_to(parser)


def command(
    name: str, help: str, *parts: Argument | Group, **settings: Any
) -> Callable[[Callable[[argparse.Namespace], int]], Command]:
    """Makes a command of a function of its options."""
    return lambda run: Command(name, help, parts, run, **settings)


def typed(parts: Sequence[Argument | Group | Command], options: argparse.Namespace) -> list[str]:
    """The arguments that give these options, for a command that is written down: positional ones
    first, and of the others those that are not at their default."""
    parser = Parser(add_help=False)
    for part in parts:
        if not isinstance(part, Command):
            part.add_to(parser)
    words: list[str] = []
    for action in parser._actions:
        value = getattr(options, action.dest)
        if not action.option_strings:
            words.insert(0, str(value))
        elif value == action.default:
            continue
        elif action.nargs == 0:
            words.append(action.option_strings[-1])
        else:
            several = value if isinstance(value, list) else [value]
            words += [action.option_strings[-1], *map(str, several)]
    return words


def at_least_1(options: argparse.Namespace, *names: str) -> None:
    """Raises BadInput for a number below 1."""
    for name in names:
        if getattr(options, name) < 1:
            raise BadInput(f"--{name.replace('_', '-')} is at least 1.")


def default_data_folder() -> str:
    """``TRUEHUE_DATA``; else ``./data`` in a checkout, and the user's folder of data where TrueHue
    is installed: ``XDG_DATA_HOME/truehue``, by default ``~/.local/share/truehue``, and
    ``~/Library/Application Support/truehue`` on macOS."""
    if folder := os.environ.get("TRUEHUE_DATA"):
        return folder
    if not (Path(truehue.__file__).parent / "core").is_dir():
        return "./data"
    if sys.platform == "darwin":
        return str(Path.home() / "Library" / "Application Support" / "truehue")
    return str(Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "truehue")


def data_folder(help: str = "the app's data folder") -> Argument:
    """The option ``--data``."""
    default = "default ./data; of an installed TrueHue, ~/.local/share/truehue"
    return arg("--data DIR", f"{help} ({default})", default=default_data_folder)


JSON = flag("--json", "print one JSON object")
JSON_LINES = flag("--json", "one JSON object a line")
MODELS_FOLDER = arg(
    "--models DIR",
    "folder with models' weights, one folder each (default: TRUEHUE_MODELS, then the hub's cache)",
)
ENDPOINTS = arg(
    "--endpoints FILE.json",
    "servers that generate through OpenAI's images API (default: TRUEHUE_ENDPOINT)",
)


def run_command(main: Callable[[], int], teardown: bool = True) -> NoReturn:
    """Runs ``main`` and ends the program with its exit status.

    A terminal without Greek letters shows \\u0394 instead of ending the run; a reader who has gone
    (``| head``) ends it with status 1 and no traceback.

    Without ``teardown`` the process is left when Python has joined its threads and called what is
    registered for its end, before it takes itself apart: a thread that then comes back from native
    code (a model's, the database's) can keep it from ever ending. Such a program calls this before
    it imports anything that registers something for its end.
    """
    status = 1

    def leave() -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)

    if not teardown:
        atexit.register(leave)  # the first to be registered is the last to be called
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered goes nowhere, or Python would complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
    except KeyboardInterrupt:
        status = INTERRUPTED
        raise
    sys.exit(status)


def status_of(
    run: Callable[[], int],
    stopped: str = "Stopped.",
    stopped_status: int = INTERRUPTED,
    purpose: str = "use this",
) -> int:
    """The exit status of what a command does: 2 for an error of ours and for a package that an
    extra would bring for ``purpose``, ``stopped_status`` for Ctrl+C, each with its sentence on
    standard error."""
    try:
        return run()
    except TrueHueError as error:
        print(error, file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if not (text := missing_package(error, purpose)):
            raise
        print(text, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(stopped, file=sys.stderr)
        return stopped_status


def program(command: str, former: str) -> str:
    """How a command was called, for its help: ``truehue measure``, ``python -m truehue measure`` or
    ``python -m core.measure``."""
    called = Path(sys.argv[0])
    if called.stem == "truehue":
        return f"truehue {command}"
    if (called.parent.name, called.name) == ("truehue", "__main__.py"):
        return f"python -m truehue {command}"
    return f"python {former}"


@contextlib.contextmanager
def ended_by_signal() -> Iterator[threading.Event]:
    """An event that SIGTERM and SIGINT set while it lasts, for work that ends between two steps;
    outside the main thread, which alone may answer signals, nothing sets it."""
    end = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield end
        return
    names = (signal.SIGTERM, signal.SIGINT)
    before = {name: signal.signal(name, lambda *_: end.set()) for name in names}
    try:
        yield end
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def print_now(text: str = "", *, file: TextIO | None = None, end: str = "\n") -> None:
    """Prints at once. A reader who has gone (``| head``) hears no more, and the work goes on."""
    stream = file or sys.stdout
    try:
        print(text, end=end, file=stream, flush=True)
    except BrokenPipeError:
        # What is still buffered goes nowhere, or Python would complain at its end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class ProgressLine:
    """Progress on standard error: a line every ``every_s`` seconds; with ``terminal_s``, on a
    terminal, one line that is written over as often as that."""

    def __init__(self, every_s: float = LINE_S, terminal_s: float | None = None) -> None:
        self._over = terminal_s is not None and sys.stderr.isatty()
        self._every_s = terminal_s if self._over and terminal_s is not None else every_s
        self._last = 0.0 if self._over else time.monotonic()
        self._width = 0

    def show(self, text: Callable[[], str]) -> None:
        """Says the text, if it is time."""
        if time.monotonic() - self._last < self._every_s:
            return
        self._last = time.monotonic()
        message = text()
        if self._over:
            print_now(f"\r{message:<{self._width}}", end="", file=sys.stderr)
            self._width = len(message)
        else:
            print_now(message, file=sys.stderr)

    def close(self) -> None:
        """Leaves the line."""
        if self._width:
            print_now(file=sys.stderr)


def batch_progress(items: str, waits: Callable[[], str] = str) -> Callable[[BatchState], None]:
    """A line now and then of how many ``items`` of a batch are done, with what ``waits`` returns, a
    sentence or nothing."""
    line = ProgressLine(LINE_S)

    def text(state: BatchState) -> str:
        message = f"{state.done:,} of {state.total:,} {items}"
        if state.seconds_left is not None:
            message += f", about {state.seconds_left / 60:.0f} min left"
        return " · ".join(filter(None, (message, waits())))

    return lambda state: line.show(lambda: text(state))


def print_problems(state: BatchState, lacking: str) -> None:
    """On standard error why items have none of what they are to have, such as ``a result``."""
    for reason, count in state.problems:
        print(f"{count:,} without {lacking}: {reason}", file=sys.stderr)


def exit_status(state: BatchState) -> int:
    """3, and a sentence, for work that was ended before its last item; 2 where some items failed;
    else 0."""
    from truehue.core.batch.array import waits_for_tasks

    if state.status != "finished":
        again = "" if waits_for_tasks(state) else " Run the same command again to resume."
        print(f"{state.message or 'Stopped.'}{again}")
        return 3
    return 2 if state.failed else 0


def percent_line(wanted: bool = True) -> ReportProgress:
    """How much of something is done: a line now and then on a terminal, nothing elsewhere."""
    shown = wanted and sys.stderr.isatty()
    last = -1

    def progress(done: int, total: int) -> None:
        nonlocal last
        percent = 100 * done // total if total else 100
        if shown and percent // PERCENT_STEP != last:
            last = percent // PERCENT_STEP
            print(f"\r{percent}%", end="\n" if percent >= 100 else "", file=sys.stderr, flush=True)

    return progress
