"""The page: ``python app.py`` or ``truehue serve``. Only this module combines settings, storage and
tabs."""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import inspect
import logging
import os
import shlex
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from truehue.core.command import (
    ENDPOINTS,
    MODELS_FOLDER,
    Command,
    arg,
    data_folder,
    default_data_folder,
    flag,
    switch,
)
from truehue.core.errors import BadInput
from truehue.tabs.command.main import WITHOUT_PAGE, command_of

if TYPE_CHECKING:
    from truehue.storage.store import Storage
    from truehue.tabs.page.context import Context
    from truehue.tabs.studies.colorings.notices import NoticeSettings

EVERY_HOST = ("*",)
DEFAULT_PORT = 7860
# What is at work when the app is told to end has so long, and answers under way so long again.
GRACE_S = 2
WARM_S = 5.0
OPEN_TO_OTHERS = (
    "This TrueHue is a demonstration: nobody signs in. Whoever reaches it sees what lies in "
    "the data folder, and what they add themselves, which is deleted after a day. Read "
    "docs/guides/serving.md first."
)
NO_ACCOUNT = (
    "Others would reach this TrueHue ({why}), but nobody could sign in: there is no account in "
    "{data}. Make the first one, and start again:\n"
    "  python -m truehue admin add NAME{option}\n"
    "Or start a demonstration, where everybody is a visitor, with --demo. For this machine alone "
    "it needs neither: leave out {why}."
)
NO_ACCOUNT_IN_SPACE = (
    "Others reach this Space, but nobody could sign in: there is no account, and the Space does "
    "not let people sign in with Hugging Face. Create it again, which adds that:\n"
    "  truehue space create OWNER/NAME --no-demo --bucket OWNER/BUCKET"
)


@dataclass(frozen=True)
class Notify:
    """Where notices go: to a ``webhook``, and to a ``command`` that is split into words."""

    webhook: str = ""
    command: str = ""
    address: str = ""
    minutes: float = 10.0


@dataclass(frozen=True)
class Settings:
    """Where the data lies and where the app listens.

    ``public``: others reach the address, whatever ``host`` is. ``demo``: it is a demonstration,
    where everybody is a visitor with limits.
    ``warm``: what the first visitor would wait for is got ready at the start (TRUEHUE_WARM=0: not).
    ``example``: an empty data folder opens with an example, a demonstration with samples of every
    room (TRUEHUE_EXAMPLE=0: an empty stage, and no samples).
    ``backup``: the data is backed up before an update changes the layout of the database.
    ``notify``: where notices of people who wait go, and by which address TrueHue is reached.
    """

    data: str
    host: str
    port: int
    munsell: str | None
    models: str | None
    endpoints: str | None
    runs: tuple[str, ...] = ()
    public: bool = False
    warm: bool = True
    example: bool = True
    demo: bool = False
    backup: bool = True
    notify: Notify = field(default_factory=lambda: Notify())


def listen(host: str, port: int) -> socket.socket:
    """A bound socket; ends the program with what to do when the port is taken or not allowed.

    Bound before anything heavy is imported, so a taken port is said at once.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, as asyncio asks for the protocol before it turns Nagle's algorithm off: an answer whose
    # body follows its head would wait 40 ms for the other side's confirmation.
    server_socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server_socket.bind((host, port))
        server_socket.listen(128)
    except OSError as error:
        server_socket.close()
        if error.errno == errno.EADDRINUSE:
            raise SystemExit(
                f"Port {port} is in use by another program, perhaps by another TrueHue. "
                f"End that one, or choose another port, such as: --port {port % 65535 + 1}"
            ) from None
        raise SystemExit(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
    return server_socket


def main(arguments: list[str] | None = None) -> int:
    """The command of ``python app.py``: the page, or one of :data:`WITHOUT_PAGE` as the first
    argument. Returns the exit status."""
    parts = sys.argv[1:] if arguments is None else arguments
    if parts and parts[0] in WITHOUT_PAGE:
        return command_of(parts[0]).main(parts[1:])
    return COMMAND.main(parts)


def _serve(options: argparse.Namespace) -> int:
    """Opens the data folder, builds the page, serves until Ctrl+C."""
    settings = _settings(options)
    with listen(settings.host, settings.port) as server_socket:
        # Before Gradio is imported: no analytics, and no calls to other hosts at start-up.
        os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
        from truehue.storage.store import Storage
        from truehue.tabs.backup.bucket import restore_from_bucket

        data = Path(settings.data).expanduser()
        restored = not settings.demo and restore_from_bucket(data)
        with Storage.open(settings.data, back_up=settings.backup) as storage:
            if problem := missing_sign_in(settings, storage):
                raise BadInput(problem)
            # Shared by every Gradio app of the machine otherwise. Nothing in it outlives the page.
            gradio_folder = storage.data_dir / "gradio"
            shutil.rmtree(gradio_folder, ignore_errors=True)
            os.environ["GRADIO_TEMP_DIR"] = str(gradio_folder.absolute())
            return serve(settings, storage, server_socket, restored)


def missing_sign_in(settings: Settings, storage: Storage) -> str:
    """Why the app may not be served so: others would reach it, and nobody could sign in."""
    from truehue.tabs.accounts.hugging_face import HuggingFace

    hosts = allowed_hosts(settings.host, settings.public)
    if hosts != EVERY_HOST or settings.demo or storage.accounts.any():
        return ""
    hub = HuggingFace.from_environment()
    if hub is not None and hub.invited.admin_id:
        return ""
    if os.environ.get("SPACE_ID"):
        return NO_ACCOUNT_IN_SPACE
    why = "--public" if settings.public else f"--host {settings.host}"
    folder = shlex.quote(settings.data)
    option = "" if settings.data == default_data_folder() else f" --data {folder}"
    return NO_ACCOUNT.format(why=why, data=settings.data, option=option)


def import_gradio() -> None:
    """Imports Gradio without two things that it does on the way, and that TrueHue has no use for.

    Gradio 6.31 looks for the package ``mcp`` on behalf of a server of its own, which is off here;
    ours imports it with its first request (tabs/api/mcp_server.py). And it writes a ``.pyi`` file
    for each kind of component, which takes a third of its import, but of none that it finds no
    source file of: it catches OSError there.
    """
    hidden = "mcp" not in sys.modules
    if hidden:
        sys.modules["mcp"] = None  # type: ignore[assignment]
    getfile = inspect.getfile

    def getfile_but_of_components(named: Any) -> str:
        if type(named).__module__ == "gradio.component_meta":
            raise FileNotFoundError("TrueHue: no stub file")
        return getfile(named)

    inspect.getfile = getfile_but_of_components  # type: ignore[assignment]
    try:
        import gradio  # noqa: F401
    finally:
        inspect.getfile = getfile
        if hidden:
            del sys.modules["mcp"]


def serve(
    settings: Settings, storage: Storage, server_socket: socket.socket, restored: bool = False
) -> int:
    """Serves the app on a bound socket until it is told to stop; the data may have been
    ``restored`` from the bucket of a Space."""
    import asyncio

    import uvicorn

    import_gradio()
    from truehue.core.color.munsell import load_munsell
    from truehue.core.color.people import surveys
    from truehue.core.generation.backends.endpoints import configured_endpoints
    from truehue.core.generation.weights.sources import Sources
    from truehue.core.images.decode import limit_pixels
    from truehue.tabs.accounts.control import Control
    from truehue.tabs.backup.bucket import BucketBackup
    from truehue.tabs.batches.supervisor import RunSupervisor, folders_of_runs
    from truehue.tabs.compare.example import store_ratings
    from truehue.tabs.export.service import clear as clear_exports
    from truehue.tabs.page.answers import cut_endless
    from truehue.tabs.page.errors import others_read_errors
    from truehue.tabs.shell.compose import make_context
    from truehue.tabs.shell.shell import mount
    from truehue.tabs.shell.workspaces import Demonstration
    from truehue.tabs.shell.zero_gpu import report_ready
    from truehue.tabs.studies.colorings.notices import PracticeNotices
    from truehue.tabs.vlm.service import EvaluationService

    munsell = load_munsell(settings.munsell) if settings.munsell else None
    surveys()  # Reports a file of color names that cannot be read before the page opens.
    servers = configured_endpoints(Path(settings.endpoints) if settings.endpoints else None)
    runs = folders_of_runs(settings.runs)
    hosts = allowed_hosts(settings.host, settings.public)
    folder = Path(settings.models).expanduser() if settings.models else None
    notices = notice_settings(settings)
    context = make_context(
        storage,
        settings.data,
        munsell=munsell,
        sources=Sources.local(folder),
        endpoints={server.name: server for server in servers},
        local=hosts != EVERY_HOST,
        demo=settings.demo,
        munsell_file=settings.munsell or "",
        runs=runs,
        example=settings.example,
    )
    context.jobs.recover()
    context.staging.clear_all()
    clear_exports(context)
    if settings.example and not settings.demo:
        store_ratings(context)
    if isinstance(context, Demonstration):
        limit_pixels(context.limits.image_pixels)
        context.begin()
    else:
        context.service(RunSupervisor).begin()
        context.service(EvaluationService).begin()
        context.service(Control).begin()
        context.service(BucketBackup).begin(restored)
        context.service(PracticeNotices).begin(context, notices)
    app = mount(context, hosts=hosts)
    freeze_gc()
    report_ready()
    print(startup_message(settings), flush=True)
    if not context.local:
        others_read_errors()
    if context.demo:
        print(OPEN_TO_OTHERS, file=sys.stderr, flush=True)

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            # Open pages hold streams that never end by themselves; cutting them is no fault.
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            end = time.monotonic() + GRACE_S
            while app.state.at_work() and time.monotonic() < end:
                await asyncio.sleep(0.02)
            cut_endless()
            await super().shutdown(sockets)

    # Uvicorn raises the signal again when it has stopped; as KeyboardInterrupt it comes back here,
    # so that the database is closed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=GRACE_S))
    # The prompt sets take a few seconds to build, and the figures' library to import; the first
    # visitor should not wait for them.
    if settings.warm:
        args = context, lambda: server.server_state.total_requests
        threading.Thread(target=warm, args=args, name="truehue-warm", daemon=True).start()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[server_socket])
    finally:
        context.close()
    return 0


def notice_settings(settings: Settings) -> NoticeSettings:
    """Where notices of people who wait go. Raises BadInput for an address or a command that cannot
    be."""
    from truehue.tabs.studies.colorings.notices import NoticeSettings

    notify = settings.notify
    for option, address in (("webhook", notify.webhook), ("address", notify.address)):
        parts = urlsplit(address)
        if address and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise BadInput(f"--notify-{option} is an address such as https://lab.example/hook.")
    try:
        command = tuple(shlex.split(notify.command))
    except ValueError as error:
        raise BadInput(f"--notify-command cannot be read: {error}.") from error
    if command and shutil.which(command[0]) is None:
        raise BadInput(f"--notify-command: there is no program {command[0]!r} on this machine.")
    local = f"http://127.0.0.1:{settings.port}"
    return NoticeSettings(
        notify.webhook, command, (notify.address or local).rstrip("/"), notify.minutes
    )


def warm(context: Context, count_requests: Callable[[], int]) -> None:
    """Gets ready what the first visitor would wait for: after the first answer, which it would
    delay, or after ``WARM_S`` without one. Compare's renders come once nobody has asked for anything
    for as long: they would slow down the mask of a first photograph, and Compare makes them itself
    where it is opened before."""
    from truehue.tabs.compare.example import has_example, make_renders
    from truehue.tabs.library.service import Library

    end = time.monotonic() + WARM_S
    while not count_requests() and time.monotonic() < end:
        time.sleep(0.1)
    context.service(Library).warm()
    freeze_gc()
    before = -1
    while before < (requests := count_requests()):
        before = requests
        time.sleep(WARM_S)
    if not context.demo and has_example(context):
        make_renders(context)


def freeze_gc() -> None:
    """Takes all that is there out of what the garbage collector looks at: it stays until the end,
    and looking through it stops every answer for a third of a second, again and again."""
    gc.freeze()


def startup_message(settings: Settings) -> str:
    """The first line: the address to open, and the one that others open."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
    host = everywhere.get(settings.host, settings.host)
    time_text = f"TrueHue is at http://{_bracketed(host)}:{settings.port}"
    if settings.host in everywhere:
        outside = f"http://{_bracketed(outward_address())}:{settings.port}"
        time_text += (
            f" on this machine, and at {outside} for others (it listens on {settings.host})"
        )
    return f"{time_text} (data in {settings.data}). Ctrl+C ends it."


def outward_address() -> str:
    """The address under which this machine speaks to others, or its name when it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: this only asks which of the addresses would be used. 192.0.2.1 is
            # kept for documentation (RFC 5737).
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def allowed_hosts(host: str, public: bool = False) -> tuple[str, ...]:
    """The names that a request may ask for: on a local address those of this machine alone, but
    where others come through a proxy any."""
    local = ("127.0.0.1", "localhost", "[::1]", "::1")
    return local if host in local and not public else EVERY_HOST


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text}")
    return port


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = -1.0
    if not 0 < minutes <= 1440:
        raise argparse.ArgumentTypeError(f"minutes are a number above 0, at most 1440, not {text}")
    return minutes


def _from_environment(name: str) -> Callable[[], str]:
    return lambda: os.environ.get(name, "")


def _default_host() -> str:
    """A Hugging Face Space reaches the app from outside its container; a workbench does not."""
    return "0.0.0.0" if os.environ.get("SPACE_ID") else "127.0.0.1"


def _settings(options: argparse.Namespace) -> Settings:
    named = [folder for folder in os.environ.get("TRUEHUE_RUNS", "").split(os.pathsep) if folder]
    return Settings(
        options.data,
        options.host,
        options.port,
        options.munsell,
        options.models,
        options.endpoints,
        tuple(options.runs or named),
        options.public,
        os.environ.get("TRUEHUE_WARM", "1") != "0",
        os.environ.get("TRUEHUE_EXAMPLE", "1") != "0",
        options.demo,
        options.backup,
        Notify(
            options.notify_webhook,
            options.notify_command,
            options.notify_address,
            options.notify_minutes,
        ),
    )


def read_settings(arguments: list[str] | None = None) -> Settings:
    """The settings of a command line; ends the program with usage for arguments that cannot be
    read."""
    return _settings(COMMAND.parser().parse_args(arguments))


COMMAND = Command(
    "serve",
    "TrueHue: one workbench for color in generative models.",
    (
        data_folder("folder of the database and the images"),
        arg("--host", "address to listen on (default %(default)s)", default=_default_host),
        arg("--port", "port (default %(default)s)", type=_port, default=DEFAULT_PORT),
        flag(
            "--public",
            "others reach this address, for instance through a proxy: they sign in (python -m "
            "truehue admin), and may not name files of this machine (always so where --host is not "
            "an address of this machine alone)",
        ),
        switch(
            "--demo",
            "a demonstration: everybody is a visitor with limits, nobody signs in, and there are "
            "no studies (the default in a Hugging Face Space)",
            default=lambda: bool(os.environ.get("SPACE_ID")),
        ),
        arg("--munsell FILE.csv", "Munsell samples for the released rule"),
        MODELS_FOLDER,
        ENDPOINTS,
        arg(
            "--runs DIR",
            "another folder of runs, such as one that a cluster writes to: its results are "
            "imported too; may be given several times (default: TRUEHUE_RUNS)",
            action="append",
        ),
        switch(
            "--backup",
            "where an update changes the layout of the database, back the data up first",
            default=True,
        ),
        arg(
            "--notify-webhook URL",
            "post JSON there when participants wait for a review of their practice (default: "
            "TRUEHUE_NOTIFY_WEBHOOK, which other users of the machine do not see)",
            default=_from_environment("TRUEHUE_NOTIFY_WEBHOOK"),
        ),
        arg(
            "--notify-command COMMAND",
            "run this then, with the notice on standard input, such as: mail -s TrueHue "
            "ann@lab.example (default: TRUEHUE_NOTIFY_COMMAND)",
            default=_from_environment("TRUEHUE_NOTIFY_COMMAND"),
        ),
        arg(
            "--notify-address URL",
            "the address at which researchers open TrueHue, for the link in notices (default: "
            "TRUEHUE_NOTIFY_ADDRESS, or the one of this machine)",
            default=_from_environment("TRUEHUE_NOTIFY_ADDRESS"),
        ),
        arg(
            "--notify-minutes MINUTES",
            "a study sends at most one notice in so many minutes (default %(default)s)",
            type=_minutes,
            default=10.0,
        ),
    ),
    _serve,
    epilog="Whole runs without the page: python -m truehue runs --help. "
    "Accounts of those who sign in: python -m truehue admin --help. "
    "Backups: python -m truehue backup --help and restore --help",
    former="app.py",
)
