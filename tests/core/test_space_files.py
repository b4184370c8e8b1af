"""A Space that ``truehue space create`` writes and pushes: its header, its versions, its files, and
the requests that reach the hub."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi, SpaceCard, SpaceHardware
from packaging.requirements import Requirement
from packaging.version import Version
from PIL import Image

from tests.commands import called
from tests.salient import link_weights, weights
from tests.test_space import KEYS, ROOT, SHORT
from truehue.core.cli import space as command
from truehue.core.errors import BadInput
from truehue.core.generation.weights.carried import U2NETP
from truehue.core.generation.weights.sources import Sources
from truehue.core.space import FILES, SpaceRequest, pinned, push_space, write_space

pytestmark = pytest.mark.slow

PAPERS = ("2510.20586", "2601.16836", "2504.10514", "2603.10990")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_space(SpaceRequest("ann/truehue"), tmp_path_factory.mktemp("space") / "s")


def test_the_header_is_read_by_the_hubs_own_classes(folder: Path) -> None:
    card = SpaceCard.load(folder / "README.md")
    read = card.data.to_dict()
    assert set(read) <= KEYS
    assert (card.data.sdk, card.data.app_file, card.data.license) == (
        "gradio",
        "app.py",
        "apache-2.0",
    )
    assert Version(str(card.data.sdk_version)) == Version(_pins(folder)["gradio"])
    assert card.data.python_version == "3.12"
    assert read["suggested_hardware"] in {hardware.value for hardware in SpaceHardware}
    assert len(read["short_description"]) <= SHORT
    assert read["thumbnail"].endswith("/spaces/ann/truehue/resolve/main/thumbnail.png")
    with Image.open(folder / "thumbnail.png") as image:
        assert image.width > 600
    # The hub shows a Space with the papers that its README links.
    assert all(f"https://arxiv.org/abs/{number}" in card.text for number in PAPERS)


def _pins(folder: Path) -> dict[str, str]:
    lines = (folder / "requirements.txt").read_text("utf-8").splitlines()[1:]
    items = [Requirement(line) for line in lines]
    exact = [item for item in items if str(item.specifier).startswith("==")]
    return {item.name: str(item.specifier)[2:] for item in exact}


def test_every_version_is_that_of_the_constraints(folder: Path) -> None:
    lines = (folder / "requirements.txt").read_text("utf-8").splitlines()
    assert not any("://" in line or line.startswith("-") for line in lines)
    tested = {
        line.partition("==")[0].lower().replace("_", "-"): line.partition("==")[2]
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if "==" in line
    }
    pins = _pins(folder)
    assert {name: tested[name] for name in pins} == pins
    assert {"gradio", "duckdb", "numpy", "plotly", "starlette"} <= set(pins)
    assert not {"torch", "pytest", "mcp"} & set(pins)
    # All but what Gradio's own extras of a Space want older.
    assert [line for line in lines[1:] if "==" not in line] == ["pydantic<=2.12.5,>=2.11.10"]


@pytest.mark.parametrize("extra", ["app", "all"])
def test_a_space_can_install_the_versions_beside_what_it_adds(extra: str) -> None:
    pins = {name: Requirement(line) for name, line in pinned(extra).items()}
    added = [
        Requirement(line)
        for line in distribution("gradio").requires or ()
        if "extra == 'mcp'" in line or "extra == 'oauth'" in line
    ]
    assert {item.name for item in added} >= {"mcp", "pydantic"}
    for item in added:
        ours = pins.get(item.name)
        if ours and (exact := str(ours.specifier)).startswith("=="):
            assert item.specifier.contains(exact[2:])
        elif ours:
            assert ours.specifier == item.specifier
    assert ("torch" in pins) == (extra == "all")


def test_the_models_are_named_where_they_can_be_loaded(tmp_path: Path) -> None:
    write_space(SpaceRequest("lab/x", "Colors", "all"), tmp_path / "s")
    card = SpaceCard.load(tmp_path / "s" / "README.md")
    assert card.data.title == "Colors"
    assert "stabilityai/stable-diffusion-xl-base-1.0" in card.data.models
    assert len(card.data.models) == len(set(card.data.models))


def test_the_folder_has_the_package_and_is_renewed(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == FILES
    for name in ("core/space.py", "storage/store.py", "assets/css", "__init__.py", "py.typed"):
        assert (folder / "truehue" / name).exists(), name
    assert not list(folder.rglob("__pycache__"))
    old = folder / "truehue" / "core" / "gone.py"
    old.touch()
    write_space(SpaceRequest("ann/truehue"), folder)
    assert not old.exists()


def test_a_space_has_the_weights_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its requirements cannot bring them: those of the package that carries them do not fit."""
    if weights() is None:
        pytest.skip(f"needs {U2NETP.file}")
    monkeypatch.setenv("TRUEHUE_MODELS", str(link_weights(tmp_path / "models")))
    models = write_space(SpaceRequest("ann/truehue"), tmp_path / "s") / "truehue/assets/models"
    assert U2NETP.find(Sources(models)) == models / "u2netp" / U2NETP.file


def test_other_files_and_names_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    done = called(command.main, "create", "ann/t", "--folder", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "has other files in it" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    for values, reason in (
        (("truehue",), "OWNER/NAME"),
        (("ann/t", "--no-demo", "--bucket", "b"), "OWNER/NAME"),
        (("ann/t", "--bucket", "ann/b"), "--no-demo"),
    ):
        done = called(command.main, "create", *values, "--folder", str(tmp_path / "new"))
        assert done.returncode == 2
        assert reason in done.stderr
    assert not (tmp_path / "new").exists()


def test_a_folder_says_how_it_is_pushed(tmp_path: Path) -> None:
    values = ("create", "lab/x", "--no-demo", "--bucket", "lab/x-data", "--folder", "my space")
    done = called(command.main, *values, folder=tmp_path)
    assert done.stdout.splitlines()[1:] == [
        "  hf buckets create lab/x-data --private --exist-ok",
        "  hf repos create lab/x --type space --space-sdk gradio --exist-ok"
        " --volume hf://buckets/lab/x-data:/data",
        "  hf upload lab/x 'my space' . --type space",
    ]
    card = SpaceCard.load(tmp_path / "my space" / "README.md")
    assert card.data.to_dict()["hf_oauth"] is True
    assert "['--no-demo']" in (tmp_path / "my space" / "app.py").read_text()


class Hub(ThreadingHTTPServer):
    """A server that answers the requests of huggingface_hub as the hub does, and keeps them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.seen: list[tuple[str, str, bytes]] = []
        self.private = True
        self.address = f"http://127.0.0.1:{self.server_port}"

    def body(self, method: str, path: str) -> bytes:
        (found,) = [body for *request, body in self.seen if request == [method, path]]
        return found


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self._answer("GET")

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        self._answer("POST")

    def _answer(self, method: str) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        path = self.path.partition("?")[0]
        body = self.rfile.read(size)
        self.server.seen.append((method, path, body))
        status, answer = self._answer_to(path, body)
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _answer_to(self, path: str, body: bytes) -> tuple[int, Any]:
        if self.headers.get("Authorization") != "Bearer hf_test":
            return 401, {"error": "Invalid username or password."}
        if path == "/api/buckets/lab/data" and self.command == "GET":
            times = {"createdAt": "2026-11-28T10:00:00.000Z", "size": 0, "totalFiles": 0}
            return 200, {"id": "lab/data", "private": self.server.private, **times}
        if path.startswith("/api/buckets/"):
            return 200, {"url": f"{self.server.address}/buckets/lab/data", "id": "lab/data"}
        if path.endswith("/preupload/main"):
            files = json.loads(body)["files"]
            plain = {"uploadMode": "regular", "shouldIgnore": False}
            return 200, {"files": [{"path": file["path"], **plain} for file in files]}
        if path.endswith("/commit/main"):
            page = f"{self.server.address}/spaces/lab/x"
            return 200, {"success": True, "commitOid": "a" * 40, "commitUrl": f"{page}/commit/a"}
        if path.endswith("/tree/main"):
            old = {"type": "file", "path": "truehue/gone.py", "size": 1, "oid": "b" * 40}
            return 200, [old]
        return 200, {"url": f"{self.server.address}/spaces/lab/x", "id": "lab/x"}


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def lab(tmp_path: Path) -> tuple[SpaceRequest, Path]:
    """A Space with accounts, of a few of its files."""
    folder = tmp_path / "s"
    (folder / "truehue").mkdir(parents=True)
    (folder / "truehue" / "a.py").write_text("a = 1\n")
    (folder / "README.md").write_text("---\nsdk: gradio\n---\n")
    return SpaceRequest("lab/x", demo=False, bucket="lab/data"), folder


def test_the_hub_gets_the_space_its_bucket_and_the_files(
    hub: Hub, lab: tuple[SpaceRequest, Path]
) -> None:
    address = push_space(*lab, HfApi(endpoint=hub.address, token="hf_test"))
    assert address == "https://huggingface.co/spaces/lab/x"
    assert json.loads(hub.body("POST", "/api/buckets/lab/data"))["visibility"] == "private"
    made = json.loads(hub.body("POST", "/api/repos/create"))
    assert (made["type"], made["sdk"], made["organization"], made["name"]) == (
        "space",
        "gradio",
        "lab",
        "x",
    )
    assert made["volumes"] == [{"type": "bucket", "source": "lab/data", "mountPath": "/data"}]
    lines = hub.body("POST", "/api/spaces/lab/x/commit/main").splitlines()
    sent = {
        line["value"]["path"]: base64.b64decode(line["value"]["content"])
        for line in map(json.loads, lines)
        if line["key"] == "file"
    }
    gone = [line["value"]["path"] for line in map(json.loads, lines) if "delete" in line["key"]]
    assert gone == ["truehue/gone.py"]
    assert sent == {"README.md": b"---\nsdk: gradio\n---\n", "truehue/a.py": b"a = 1\n"}


def test_a_bucket_that_everybody_reads_is_refused(hub: Hub, lab: tuple[SpaceRequest, Path]) -> None:
    hub.private = False
    with pytest.raises(BadInput, match="hf buckets settings lab/data --private"):
        push_space(*lab, HfApi(endpoint=hub.address, token="hf_test"))
    assert not [path for _, path, _ in hub.seen if "repos" in path or "spaces" in path]


def test_without_a_login_nothing_is_made(hub: Hub, lab: tuple[SpaceRequest, Path]) -> None:
    with pytest.raises(BadInput, match="hf auth login"):
        push_space(*lab, HfApi(endpoint=hub.address, token=False))
