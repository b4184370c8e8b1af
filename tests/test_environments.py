"""What pip installs: the wheel beside a user's own ``core`` and ``tabs``, the small base, and the
page without models. Real interpreters, which lack the other packages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import SpaceCard
from PIL import Image

from tests.environment import ROOT, build_wheel, make_environment, size_bytes
from tests.once import once
from tests.running import free_port
from truehue.core.space import BUCKET_BACKUP, THUMBNAIL

pytestmark = [pytest.mark.process, pytest.mark.slow]

MB = 1_000_000
MAX_BASE_MB, MAX_APP_MB = 320, 1_100
PASSWORD = "colors-of-a-space"
# What an app gets ready for its first visitors costs more than what these ask of it.
AT_ONCE = {"TRUEHUE_EXAMPLE": "0", "TRUEHUE_WARM": "0"}
DECOYS = ("core", "tabs", "storage", "annotation")


@pytest.fixture(scope="module")
def wheel() -> Path:
    (wheel,) = once(("wheel",), build_wheel).glob("truehue-*.whl")
    return wheel


@pytest.fixture(scope="module")
def base(wheel: Path) -> Path:
    return _environment(wheel, "")


@pytest.fixture(scope="module")
def app(wheel: Path) -> Path:
    return _environment(wheel, "app")


def _environment(wheel: Path, extra: str) -> Path:
    """The Python of an environment, made once for all processes of a run of tests."""
    folder = once(("environment", extra), lambda folder: make_environment(folder, wheel, extra))
    return folder / "bin" / "python"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder: an image, and packages called as our folders are."""
    for name in DECOYS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("mine = True\n")
    srgb8 = np.full((40, 60, 3), 128, np.uint8)
    srgb8[10:30, 20:45] = (220, 20, 60)
    Image.fromarray(srgb8).save(tmp_path / "photo.png")
    return tmp_path


def run(
    python: Path, *arguments: str, folder: Path, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """``truehue`` of an environment, or its Python with ``-c``, in a folder."""
    program = [python] if arguments[0] == "-c" else [python, python.with_name("truehue")]
    return subprocess.run(
        [*program, *arguments],
        cwd=folder,
        env=_variables(folder),
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def _variables(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "PATH": os.environ["PATH"]}


def test_the_wheel_holds_all_modules_and_assets_but_one_screenshot(base: Path) -> None:
    installed = next((base.parents[1] / "lib").glob("python*/site-packages/truehue"))
    for name in ("core", "annotation", "storage", "tabs", "assets"):
        kind = "*" if name == "assets" else "*.py"
        files = {path.relative_to(ROOT) for path in (ROOT / name).rglob(kind) if path.is_file()}
        wanted = {
            path
            for path in files
            if "__pycache__" not in path.parts
            and not path.name.startswith(".")
            and path.parts[:2] != ("assets", "screenshots")
        }
        found = {path.relative_to(installed) for path in (installed / name).rglob("*")}
        assert wanted <= found
    assert [path.name for path in (installed / "assets" / "screenshots").iterdir()] == [THUMBNAIL]
    assert (installed / "py.typed").is_file()


def test_the_base_is_small_measures_and_compares(base: Path, folder: Path) -> None:
    assert size_bytes(base) <= MAX_BASE_MB * MB
    box = ("--box", "15", "5", "50", "35", "--target", "crimson", "--json")
    measured = run(base, "measure", "photo.png", *box, folder=folder)
    assert measured.returncode == 0, measured.stderr
    assert json.loads(measured.stdout)["status"] == "pass"
    sides = ("photo.png", "photo.png", "--masker", "whole", "--json")
    compared = run(base, "compare", *sides, folder=folder)
    assert json.loads(compared.stdout)["emd"] == 0.0


def test_the_base_is_a_library_beside_packages_of_the_same_names(base: Path, folder: Path) -> None:
    code = (
        "import core, tabs, truehue\n"
        "photo = truehue.load('photo.png')\n"
        "inside = (photo == (220, 20, 60)).all(axis=2)\n"
        "print(core.mine and tabs.mine, truehue.measure(photo, 'crimson', mask=inside).status)\n"
        "print(truehue.color_of(photo, mask=inside).hex, len(truehue.rules()))\n"
        "mug = truehue.render('mug', 'blue', size_px=64).srgb8\n"
        "print(truehue.compare(photo, mug, masker='whole').emd_lab > 0)\n"
        "try:\n"
        "    truehue.open_results('.').verdicts()\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )
    done = run(base, "-c", code, folder=folder)
    assert done.stdout.splitlines() == [
        "True pass",
        "#DC143C 6",
        "True",
        "Install truehue[app] to read results as tables (missing: pyarrow). "
        'Run: pip install "truehue[app]"',
    ], done.stderr


@pytest.mark.parametrize("command", ["serve", "runs list", "backup x", "space create ann/truehue"])
def test_the_base_says_which_extra_a_command_needs(base: Path, folder: Path, command: str) -> None:
    name, *rest = command.split()
    done = run(base, name, *rest, folder=folder)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Install truehue[app] to run truehue {name} (missing: ")
    assert len(done.stderr.splitlines()) == 1


@contextmanager
def served(python: Path, *program: str | Path, folder: Path, **variables: str) -> Iterator[str]:
    """The address of the page that a program serves from a folder; killed at the end."""
    port = free_port()
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [python, *program, "--port", str(port)],
            cwd=folder,
            env={**_variables(folder), **variables},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                urllib.request.urlopen(f"{address}/signin", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        assert process.poll() is None, (folder / "log").read_text()
        yield address
    finally:
        process.kill()
        process.wait(300)


@pytest.fixture
def address(app: Path, folder: Path) -> Iterator[str]:
    """The page, served from the user's folder."""
    program = app, app.with_name("truehue"), "serve"
    with served(*program, folder=folder, **AT_ONCE) as address:
        yield address


def test_the_page_runs_without_the_packages_of_models(
    app: Path, folder: Path, address: str
) -> None:
    assert size_bytes(app) <= MAX_APP_MB * MB
    assert b"TrueHue" in urllib.request.urlopen(address).read()
    assert (folder / ".local" / "share" / "truehue" / "truehue.duckdb").is_file()
    plan = ("--set", "mini", "--limit", "1", "--images", "2", "--size", "64", "--no-trial")
    started = run(app, "runs", "start", *plan, folder=folder)
    assert started.returncode == 0, started.stderr
    code = (
        "import truehue, sys\n"
        "rows = truehue.open_results().verdicts().to_pandas()\n"
        "print(len(rows) > 1, 'torch' in sys.modules)\n"
    )
    assert run(app, "-c", code, folder=folder).stdout == "True False\n"
    torch = run(app, "-c", "import torch", folder=folder)
    assert "No module named 'torch'" in torch.stderr
    missing = run(app, "models", "check", "sana-1.6b", folder=folder)
    assert "Install truehue[models] to generate with diffusers (missing: torch" in missing.stdout


def _sign_in(address: str) -> str:
    """The cookie of a session, which the app has stored."""
    connection = HTTPConnection(address.removeprefix("http://"), timeout=300)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/signin", f"name=ann&password={PASSWORD}", kind)
    answer = connection.getresponse()
    assert answer.status == 303
    cookie: str = answer.headers["set-cookie"].partition(";")[0]
    connection.close()
    return cookie


def test_a_space_is_written_killed_and_built_again_from_its_bucket(
    app: Path, tmp_path: Path
) -> None:
    """By an installed TrueHue, and run as a Space runs it: ``python app.py`` in the environment
    that its requirements name, with nothing on the disk but the bucket."""
    bucket = tmp_path / "bucket"
    saved = bucket / BUCKET_BACKUP
    bucket.mkdir()
    made = run(app, "admin", "add", "ann", "--data", "lab", folder=tmp_path, text=PASSWORD)
    assert made.returncode == 0, made.stderr
    assert run(app, "backup", str(saved), "--data", "lab", folder=tmp_path).returncode == 0
    before, cookie = saved.stat().st_mtime_ns, ""
    options = ("--no-demo", "--bucket", "ann/data", "--folder", str(tmp_path / "space"))
    written = run(app, "space", "create", "ann/truehue", *options, folder=tmp_path)
    assert written.returncode == 0, written.stderr
    for name in ("first", "second"):
        disk = tmp_path / name
        shutil.copytree(tmp_path / "space", disk / "space")
        variables = {"SPACE_ID": "ann/truehue", "TRUEHUE_BUCKET": str(bucket)}
        program = app, disk / "space" / "app.py"
        with served(*program, folder=disk, **variables, **AT_ONCE) as address:
            if not cookie:
                cookie = _sign_in(address)
                deadline = time.monotonic() + 60
                while saved.stat().st_mtime_ns == before and time.monotonic() < deadline:
                    time.sleep(0.1)
            request = urllib.request.Request(f"{address}/api/ready", headers={"Cookie": cookie})
            assert urllib.request.urlopen(request, timeout=300).status == 200
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(f"{address}/api/ready", timeout=300)
    assert SpaceCard.load(disk / "space" / "README.md").data.app_file == "app.py"
    lines = (disk / "space" / "requirements.txt").read_text().splitlines()[1:]
    code = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    pins = dict(line.split("==") for line in lines if "==" in line)
    installed = subprocess.run([app, "-c", code, *pins], capture_output=True, text=True, check=True)
    assert installed.stdout.split() == list(pins.values())
