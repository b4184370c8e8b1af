"""The image, the compose file, the proxy and the unit name what there is, and start the app as it
can be started. No container engine is needed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError

import pytest
import yaml

from tests.empty_data import empty_data
from tests.environment import FILES, ROOT, SOURCES
from tests.running import free_port
from truehue.core.space import THUMBNAIL
from truehue.tabs.accounts.guard import is_open
from truehue.tabs.command.main import COMMANDS, command_of
from truehue.tabs.command.serve import COMMAND, Settings, allowed_hosts, read_settings
from truehue.tabs.page.limits import limits_of

DEPLOY = ROOT / "docs" / "deploy"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
UPSTREAM = re.compile(r"reverse_proxy \{\$TRUEHUE_APP:(.+)\}")


def instructions() -> Iterator[tuple[str, str]]:
    """The instructions of the Dockerfile in their order, each with its arguments."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        if line:
            name, _, rest = line.partition(" ")
            yield name, rest


def stages() -> dict[str, list[tuple[str, str]]]:
    """The instructions of each stage of the Dockerfile by its name; those before the first, by an
    empty one. Each begins with its FROM."""
    read: dict[str, list[tuple[str, str]]] = {"": []}
    for name, rest in instructions():
        if name == "FROM":
            read[rest.split(" AS ")[1]] = []
        list(read.values())[-1].append((name, rest))
    return read


def given(stage: str, name: str) -> list[str]:
    """What an instruction of a stage is given, each time."""
    return [rest for item, rest in stages()[stage] if item == name]


def variables(stage: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for rest in given(stage, "ENV") for pair in shlex.split(rest))


def started(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of ``truehue`` with these arguments in a container."""
    for name, value in variables("base").items():
        if name.startswith("TRUEHUE_"):
            monkeypatch.setenv(name, value)
    command, *rest = arguments
    assert command == "serve"
    return read_settings(rest)


# ── the image ────────────────────────────────────────────────────────────────────────────────────


def test_the_wheel_in_the_image_is_made_of_what_it_is_made_of_in_the_tests() -> None:
    copied = {name for rest in given("wheel", "COPY") for name in rest.split()[:-1]}
    assert copied == {*SOURCES, *FILES, "constraints.txt"}
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    assert ignored[1] == "*"
    kept = {line[1:] for line in ignored if line.startswith("!")}
    assert {name for name in kept if "/" not in name} == copied
    # Of the screenshots that are left out, a Space needs one.
    assert kept - copied == {f"assets/screenshots/{THUMBNAIL}"}
    assert ignored.index("assets/screenshots/*") < ignored.index(f"!assets/screenshots/{THUMBNAIL}")


@pytest.mark.process
def test_a_wheel_is_made_without_the_screenshots(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, tmp_path)
    done = subprocess.run(
        [sys.executable, "setup.py", "--name"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout.split()[-1:]) == (0, ["truehue"]), done.stderr


def test_stages_and_extras_are_there() -> None:
    read = stages()
    names = list(read)
    for index, name in enumerate(names[1:], 1):
        origin = given(name, "FROM")[0].split()[0]
        assert origin == "${PYTHON}" or origin in names[1:index]
        for rest in given(name, "COPY"):
            if option := re.match(r"--from=(\S+) (\S+) (\S+)$", rest):
                assert option[1] in names[:index]
                # Programs of an environment name their Python: it lies where it was made.
                assert option[2] == option[3] == "/opt/truehue"
    for extra in ("app", "all"):
        (command,) = given(f"packages-{extra}", "RUN")
        assert f"/wheels/truehue-*.whl)[{extra}]" in command
        assert "--constraint constraints.txt" in command
        assert extra in PROJECT["project"]["optional-dependencies"]
        assert given(extra, "COPY") == [f"--from=packages-{extra} /opt/truehue /opt/truehue"]
    assert names[-1] == "app"
    (python,) = given("", "ARG")
    assert f"python:{PROJECT['tool']['mypy']['python_version']}-slim" in python


def test_the_image_starts_the_app_as_a_user_without_rights(monkeypatch: pytest.MonkeyPatch) -> None:
    program, *more = json.loads(given("base", "ENTRYPOINT")[0])
    assert program in PROJECT["project"]["scripts"]
    settings = started([*more, *json.loads(given("base", "CMD")[0])], monkeypatch)
    assert allowed_hosts(settings.host) == ("*",)  # so that nobody comes in without an account
    assert str(settings.port) == given("base", "EXPOSE")[0]
    assert settings.data == given("base", "VOLUME")[0] == variables("base")["TRUEHUE_DATA"]
    (user,) = given("base", "USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert f"--uid {user.partition(':')[0]} " in given("base", "RUN")[0]


@contextmanager
def answering(status: int) -> Iterator[tuple[str, list[str]]]:
    """The port of a server that answers so, and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *values: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield str(server.server_port), paths
        finally:
            server.shutdown()
            thread.join()


def test_the_health_check_asks_what_strangers_may_and_fails_by_503() -> None:
    (check,) = given("base", "HEALTHCHECK")
    program, option, code = json.loads(check.partition("CMD ")[2])
    assert (program, option) == ("python", "-c")
    port = given("base", "EXPOSE")[0]
    assert code.count(f"127.0.0.1:{port}/") == 1
    with answering(200) as (other, paths):
        exec(code.replace(port, other), {})
    assert paths == ["/healthz"]
    assert is_open(paths[0])
    with answering(503) as (other, _), pytest.raises(HTTPError):
        exec(code.replace(port, other), {})


# ── compose and the proxy ────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def services() -> Mapping[str, Any]:
    read = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    named = {
        volume.partition(":")[0]
        for service in read["services"].values()
        for volume in service["volumes"]
        if volume[0] not in "./"
    }
    assert named == set(read["volumes"])
    services: Mapping[str, Any] = read["services"]
    return services


def test_only_the_proxy_reaches_the_app(
    services: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = services["truehue"]
    settings = started(app["command"], monkeypatch)
    assert settings.public
    assert allowed_hosts(settings.host) == ("*",)
    assert "ports" not in app
    assert app["environment"]["FORWARDED_ALLOW_IPS"] == "*"
    assert app["build"]["target"] in stages()
    mounted = {volume.rpartition(":")[2] for volume in app["volumes"]}
    assert mounted >= {settings.data, variables("base")["HF_HOME"], "/tmp"}
    assert app["read_only"]
    assert app["cap_drop"] == ["ALL"]
    assert services["proxy"]["depends_on"] == {"truehue": {"condition": "service_healthy"}}


def test_the_proxy_has_what_public_needs(
    services: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, app = services["proxy"], services["truehue"]
    file, target, _ = proxy["volumes"][0].split(":")
    assert target == "/etc/caddy/Caddyfile"
    text = (ROOT / file).read_text(encoding="utf-8")
    assert set(re.findall(r"\{\$(\w+):", text)) == {"TRUEHUE_SITE", "TRUEHUE_APP"}
    assert "TRUEHUE_SITE" in proxy["environment"]
    upstream = UPSTREAM.search(text)
    assert upstream
    port = started(app["command"], monkeypatch).port
    assert upstream[1] == f"truehue:{port}"
    # Caddy passes Host on and sets X-Forwarded-*, unless it is told otherwise.
    assert "header_up" not in text
    assert "trusted_proxies" not in text
    assert re.search(r"read_header \d+s", text)
    size = re.search(r"max_size (\d+)GB", text)
    assert size
    assert int(size[1]) * 10**9 >= limits_of(False).archive_bytes


# ── the unit ─────────────────────────────────────────────────────────────────────────────────────


def unit() -> dict[str, str]:
    """The settings of the section Service; each stands there once."""
    text = (DEPLOY / "truehue.service").read_text(encoding="utf-8")
    section = text.partition("[Service]\n")[2].partition("[Install]\n")[0]
    pairs = [line.split("=", 1) for line in section.splitlines() if line and line[0] != "#"]
    assert len({name for name, _ in pairs}) == len(pairs)
    return dict(pairs)


def test_the_unit_serves_its_own_folder_to_a_proxy_on_the_machine() -> None:
    read = unit()
    program, command, *arguments = shlex.split(read["ExecStart"])
    assert (program, command) == ("/opt/truehue/bin/truehue", "serve")
    settings = read_settings(arguments)
    assert settings.public
    assert allowed_hosts(settings.host) != ("*",)  # it listens to this machine
    data, models = (f"/var/lib/{name}" for name in read["StateDirectory"].split())
    assert settings.data == data == read["WorkingDirectory"]
    assert read["Environment"] == f"HF_HOME={models}"
    assert read["User"] not in ("", "root")
    assert read["ProtectSystem"] == "strict"


def test_the_unit_does_not_restart_what_cannot_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unit()["Restart"] == "on-failure"
    data = empty_data(tmp_path / "data")
    options = ["--public", "--data", str(data), "--port", str(free_port())]
    status = COMMAND.main(options)
    assert "there is no account" in capsys.readouterr().err
    assert str(status) == unit()["RestartPreventExitStatus"]


# ── the guide ────────────────────────────────────────────────────────────────────────────────────


def in_the_guide() -> list[list[str]]:
    """What the guide gives ``truehue``, in a container or by its path."""
    text = (ROOT / "docs" / "guides" / "containers.md").read_text(encoding="utf-8")
    found = re.findall(
        r"(?:truehue/bin/truehue|(?<=[^-\w/:.])truehue) (?!truehue)([a-z]+ ?[^`\n]*)", text
    )
    return [shlex.split(line) for line in found if line.split()[0] in COMMANDS]


def test_the_commands_of_the_guide_can_be_read() -> None:
    commands = in_the_guide()
    assert len(commands) == 8
    for command, *arguments in commands:
        command_of(command).parser().parse_args(arguments)
