"""The command ``truehue``: one door to all commands, and the doors of before."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import app

ROOT = Path(__file__).resolve().parents[1]
DOORS = {
    "measure": "core.measure",
    "score": "core.score",
    "compare": "core.compare",
    "diagnose": "core.diagnose",
    "models": "core.generation.__main__",
    "masks": "core.masks.__main__",
    "prompts": "core.prompts.__main__",
    "images": "core.image_sets.__main__",
}


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """The exit status of ``truehue`` with arguments; None where it just ends."""
    monkeypatch.setattr("sys.argv", ["/somewhere/bin/truehue", *arguments])
    try:
        app.truehue()
    except SystemExit as end:
        return end.code
    return None


@pytest.mark.parametrize("command", sorted(app.COMMANDS.keys() - {"serve"}))
def test_every_command_says_how_it_is_called(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, command, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: truehue {command}")


def test_the_page_is_served_by_the_apps_own_main() -> None:
    module, _ = app.COMMANDS["serve"]
    assert import_module(module).main is app.main


@pytest.mark.parametrize(("command", "door"), DOORS.items())
def test_the_doors_of_before_lead_to_the_same_function(command: str, door: str) -> None:
    module, _ = app.COMMANDS[command]
    assert import_module(door).main is import_module(module).main


def test_without_a_command_all_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch) is None
    listed = re.findall(r"^  (\w+) ", capsys.readouterr().out, re.MULTILINE)
    assert listed == list(app.COMMANDS)


def test_a_command_that_there_is_not_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert called(monkeypatch, "measur") == (
        f"truehue has no command 'measur', only {', '.join(app.COMMANDS)}."
    )


def test_the_version_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "--version") is None
    assert capsys.readouterr().out == "0.1.0\n"


def test_an_installation_brings_the_command_and_all_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["scripts"] == {"truehue": "app:truehue"}
    tool = project["tool"]["setuptools"]
    tops = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert {name.rstrip("*") for name in tool["packages"]["find"]["include"]} == tops
    assert tool["py-modules"] == [path.stem for path in ROOT.glob("*.py")]
