"""The command ``truehue``: one door to all commands, and the doors of before."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import pytest

from truehue.tabs.command import main as command_line
from truehue.tabs.command import serve

ROOT = Path(__file__).resolve().parents[1]
DOORS = {
    "measure": "truehue.core.measure",
    "score": "truehue.core.score",
    "compare": "truehue.core.compare",
    "diagnose": "truehue.core.diagnose",
    "models": "truehue.core.generation.__main__",
    "masks": "truehue.core.masks.__main__",
    "prompts": "truehue.core.prompts.__main__",
    "images": "truehue.core.image_sets.__main__",
}


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """The exit status of ``truehue`` with arguments; None where it just ends."""
    monkeypatch.setattr("sys.argv", ["/somewhere/bin/truehue", *arguments])
    try:
        command_line.truehue()
    except SystemExit as end:
        return end.code
    return None


@pytest.mark.parametrize("command", sorted(command_line.COMMANDS.keys() - {"serve"}))
def test_every_command_says_how_it_is_called(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, command, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: truehue {command}")


@pytest.mark.parametrize(("former", "command"), command_line.FORMER.items())
def test_a_former_name_of_a_command_still_works(
    former: str,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert called(monkeypatch, former, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: truehue {command}")


def test_the_page_is_served_by_the_apps_own_main() -> None:
    assert command_line.command_of("serve") is serve.COMMAND
    assert import_module("app").main is serve.main


@pytest.mark.parametrize(("command", "router"), DOORS.items())
def test_the_doors_of_before_lead_to_the_same_function(command: str, router: str) -> None:
    assert import_module(router).main.__self__ is command_line.command_of(command)


def test_without_a_command_all_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch) is None
    listed = re.findall(r"^  (\w+) ", capsys.readouterr().out, re.MULTILINE)
    assert listed == list(command_line.COMMANDS)


def test_a_command_that_there_is_not_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "measur") == 2
    said = "truehue has no command 'measur'. Did you mean truehue measure?\n"
    assert capsys.readouterr().err == said
    assert called(monkeypatch, "xyz") == 2
    assert ", ".join(command_line.COMMANDS) in capsys.readouterr().err


def test_the_version_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "--version") is None
    assert capsys.readouterr().out == "0.1.0\n"


def test_an_installation_brings_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a program it ends without taking itself apart, which takes a short command long."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (program,) = map(resolve_name, project["project"]["scripts"].values())
    taken_apart: list[bool] = []
    monkeypatch.setattr(
        command_line, "run_command", lambda _, teardown: taken_apart.append(teardown)
    )
    monkeypatch.setattr("sys.argv", ["/somewhere/bin/truehue", "measure"])
    program()
    assert taken_apart == [False]
