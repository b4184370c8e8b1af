"""Finding a Chromium for the browser tests, without a browser and without a network."""

from __future__ import annotations

import subprocess

import pytest

from tests.browser import chromium

pytestmark = pytest.mark.process


def test_an_install_that_leaves_no_browser_ends_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installs: list[str] = []
    monkeypatch.setattr(chromium, "find", lambda: None)
    monkeypatch.setattr(chromium, "install", lambda: installs.append("done"))
    with pytest.raises(SystemExit) as ended:
        chromium.main()
    # Python prints a text and ends with status 1.
    assert ended.value.code == chromium.NONE_FOUND
    assert installs == ["done"]
    assert capsys.readouterr().out == ""


def test_a_browser_that_the_install_brought_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name: list[str] = []
    monkeypatch.setattr(chromium, "find", lambda: name[0] if name else None)
    monkeypatch.setattr(chromium, "install", lambda: name.append("/opt/chromium"))
    chromium.main()
    assert capsys.readouterr().out == "Chromium for the browser tests: /opt/chromium\n"


def test_nothing_is_installed_where_there_is_a_browser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chromium, "find", lambda: "/opt/chromium")
    monkeypatch.setattr(chromium, "install", lambda: pytest.fail("installs"))
    chromium.main()
    assert "/opt/chromium" in capsys.readouterr().out


def test_installs_that_fail_end_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def fails(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        ran.append(" ".join(command[1:]))
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(chromium.shutil, "which", lambda name: None)
    monkeypatch.setattr(chromium.subprocess, "run", fails)
    with pytest.raises(SystemExit) as ended:
        chromium.install()
    assert ended.value.code == chromium.NONE_FOUND
    assert ran == ["-m playwright install chromium"]


@pytest.mark.parametrize(
    ("missing", "installed"),
    [((), "chromium-headless-shell"), (("chromium-headless-shell",), "chromium")],
)
def test_the_shell_is_installed_where_there_is_a_package_of_it(
    monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], installed: str
) -> None:
    done: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        absent = [name for name in command if name in missing]
        if "install" in command and not absent:
            done.append(command[-2])
        return subprocess.CompletedProcess(command, 100 if absent else 0)

    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0)
    monkeypatch.setattr(chromium.subprocess, "run", run)
    chromium.install()
    assert done == [installed]
