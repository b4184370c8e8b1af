"""The examples of README and docs run as they stand there, and what they name exists."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.commands import called
from tests.workers_here import workers_here
from truehue.core.color.systems import parse_target
from truehue.tabs.command.main import COMMANDS, FORMER, command_of

__all__ = ["workers_here"]

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path: path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
}
README = PAGES[ROOT / "README.md"]
TEXT = "\n".join(PAGES.values())
"""README and all pages of docs; README comes first."""
TUTORIAL = "\n".join(text for page, text in PAGES.items() if page.parent.name == "tutorial")


def blocks(language: str, text: str) -> list[str]:
    """The fenced blocks of that language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def guide(path: str) -> str:
    return PAGES[ROOT / "docs" / path]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the tutorial's Python block has been run: relative paths land there."""
    folder = tmp_path_factory.mktemp("walks")
    (code,) = blocks("python", TUTORIAL)
    with contextlib.chdir(folder):
        exec(code, {"__name__": "__main__"})
    return folder


def test_the_cells_of_the_notebook_run(capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, object] = {}
    cells = blocks(r"\{code-cell\}", guide("tutorial/notebook.md"))
    for cell in cells:
        exec(cell, namespace)
    assert len(cells) == 6
    assert len(capsys.readouterr().out.splitlines()) == 7  # six rules, and what a folder has


def as_process(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As in the project's folder: its packages can be imported from anywhere."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def by_main(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """``-m truehue COMMAND ...`` in this process."""
    option, package, command, *rest = arguments
    assert (option, package) == ("-m", "truehue")
    return called(command_of(command).main, *rest, folder=folder)


EXAMPLES = [
    line[2:]
    for block in blocks("console", TUTORIAL)
    for line in block.splitlines()
    if line.startswith("$ ")
]
MEASURED = [item for item in EXAMPLES if " measure " in item]
WALKED = [item for item in EXAMPLES if item not in MEASURED]


def arguments_of(command: str) -> list[str]:
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/python"
    return arguments


@pytest.mark.process
@pytest.mark.parametrize("command", MEASURED)
def test_the_commands_of_the_tutorial_measure(folder: Path, command: str) -> None:
    arguments = arguments_of(command)
    # The first as a person runs it; the others end at the same door.
    run = as_process if command == MEASURED[0] else by_main
    done = run(*arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    if "--json" in arguments or "--manifest" in arguments:
        loads = json.loads(line)
        assert loads["status"] in ("pass", "fail")
        named = re.search(r"`--json` and `--manifest` print.*?hue_deg`", TUTORIAL, re.DOTALL)
        assert named
        fields = set(re.findall(r"`([a-z_0-9]+)`", named[0])) - {"pass", "fail", "unscored"}
        assert len(fields) == 9
        assert fields <= set(loads)
    else:
        assert line.startswith(("PASS", "FAIL"))


@pytest.mark.process
@pytest.mark.usefixtures("workers_here")
def test_the_other_commands_of_the_tutorial_do_what_it_says(folder: Path) -> None:
    for command in WALKED:
        done = by_main(*arguments_of(command), folder=folder)
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (folder / "leaked.codebook.md").is_file()
    header, *rows = (folder / "leaked.csv").read_text(encoding="utf-8").splitlines()
    assert header.count(",") > 5
    assert len(rows) > 12


def test_there_is_something_to_run() -> None:
    assert len(MEASURED) == 3
    assert len(WALKED) == 10


def command_lines() -> list[str]:
    """Every command of TrueHue in the fenced blocks, without its comment and redirection."""
    lines = []
    for block in blocks("(?:console|bash|sh)?", TEXT):
        joined = re.sub(r" \\\n\s*", " ", block)
        start = r"^(?:\$ )?(?:\.venv/bin/python -m )?truehue "
        findall = re.findall(rf"{start}(\w.*)", joined, re.MULTILINE)
        lines += [re.split(r"\s#\s|[>|&]", line)[0].strip() for line in findall]
    return list(dict.fromkeys(lines))


@cache
def help_of(command: str, *more: str) -> str:
    """What ``--help`` says; empty where there is no such command."""
    command = FORMER.get(command, command)
    if command not in COMMANDS:
        return ""
    done = called(command_of(command).main, *more, "--help")
    usage = " ".join(done.stdout.partition("[")[0].split())
    return done.stdout if f"{usage} ".endswith(" ".join(["", *more, ""])) else ""


@pytest.mark.parametrize("line", command_lines())
def test_the_commands_of_the_pages_exist_with_their_options(line: str) -> None:
    command, *rest = shlex.split(line)
    said = help_of(command)
    assert said, f"truehue has no command {command}."
    more: list[str] = []
    for word in rest:
        if not re.fullmatch("[a-z]+", word) or not help_of(command, *more, word):
            break
        more.append(word)
        said = help_of(command, *more)
    usage = said.partition("\n\n")[0]
    assert not re.search(r"(\}|COMMAND)\s+\.\.\.", usage), f"{line} names no subcommand."
    for option in (word.partition("=")[0] for word in rest if word.startswith("--")):
        assert re.search(rf"(?<![\w-]){option}(?![\w-])", said), (command, *more, option)


def test_files_and_images_of_the_pages_exist() -> None:
    missing = []
    for page, text in PAGES.items():
        links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
        paths = {os.path.relpath(page.parent / link, ROOT) for link in links}
        missing += [(page.name, path) for path in paths if not (ROOT / path).exists()]
    assert missing == []


def test_every_page_of_docs_is_linked() -> None:
    linked = set()
    for page, text in PAGES.items():
        links = re.findall(r"\]\((?!https?:)([^)#]+\.md)[)#]", text)
        linked |= {os.path.relpath(page.parent / link, ROOT) for link in links}
    pages = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert pages - linked == {"README.md", "docs/index.md"}


def test_the_colors_of_the_pages_and_of_the_commands_can_be_read() -> None:
    """``docs/reference/commands.md`` is what every ``--help`` says; another test holds it to that."""
    number = r"[-−+.\d]+(?:%|deg)?"
    notation = (
        rf"\b(?:rgb|lab|lch|oklab|oklch|hsl)a?\({number}(?:[ ,]+{number})*\)|#[\dA-Fa-f]{{6}}\b"
    )
    for text in (README, guide("reference/commands.md")):
        assert {"lab(52 40 30)", "oklch(0.6 0.15 40)"} <= set(re.findall(notation, text))
    for color in set(re.findall(notation, TEXT)):
        assert parse_target(color).srgb8


def test_make_targets_of_the_pages_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:^|`)make ([a-z]+)", TEXT, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert "make test" in blocks("", README)[0]
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_models_of_the_guide_are_those_of_the_list() -> None:
    from truehue.core.generation.registry import MODELS, Defaults

    listed = [entry for entry in MODELS if entry.kind in ("diffusers", "transformers")]

    def words(settings: Defaults | None) -> str:
        return f"{settings.steps} steps, guidance {settings.guidance:g}" if settings else "–"

    row = (
        r"^\| `([a-z0-9.-]+)` \| `(\w+)` \|[^|]*\| ([^|]+) "
        r"\| ([\d.]+) GiB \| ([\d.]+) GiB \|"
    )
    assert re.findall(row, guide("guides/models.md"), re.MULTILINE) == [
        (
            item.id,
            item.pipeline,
            words(item.released),
            f"{item.download_gib:g}",
            f"{item.memory_gib:g}",
        )
        for item in listed
    ]


def test_the_counts_of_the_guide_are_those_that_are_built() -> None:
    from collections import Counter

    from truehue.core.prompts.sets import prompt_set

    def number(text: str) -> int:
        return int(text.split(" ")[0].replace(",", ""))

    rows = re.findall(r"^\| ([A-Z]{3}) [^|]+\|(.+)\|$", guide("guides/prompts.md"), re.MULTILINE)
    assert len(rows) == 5
    counter = Counter((p.task, p.system) for p in prompt_set("gencolorbench").prompts())
    mini = Counter(p.task for p in prompt_set("mini").prompts())
    for task, cells in rows:
        total, _, *systems, small = (cell.strip() for cell in cells.split("|"))
        counts = [counter[task.lower(), system] for system in ("l1", "l2", "l3", "css")]
        assert [number(cell) for cell in systems] == counts
        assert (number(total), number(small)) == (sum(counts), mini[task.lower()])


def test_no_placeholder_is_left() -> None:
    assert not re.search(r"\b(TODO|TBD|FIXME|[A-Z]+_TABLE)\b", TEXT)


def test_the_diagnosis_of_the_page_is_the_one_that_is_shipped() -> None:
    """True and false accepts, pooled and in brackets held out, to the decimals written."""
    from truehue.core.diagnosis.records import DiagnosisReport

    path = ROOT / "assets" / "diagnosis" / "report.json"
    report = DiagnosisReport.from_json(json.loads(path.read_text(encoding="utf-8")))
    cell = r" ([\d.]+)% \(([\d.]+)\) \|"
    text = guide("science/rule_accuracy.md")
    rows = re.findall(rf"^\| `([a-z-]+)` ([\d.]+) \|{cell * 4}$", text, re.MULTILINE)
    assert len(rows) == 5
    for rule_id, version, *written in rows:
        rule = report.rule(rule_id)
        assert rule is not None
        assert rule.version == version
        messages = []
        for system in ("l2", "css"):
            for kind in ("hit_percent", "false_accept_percent"):
                messages += [
                    getattr(rule.figure(part, system), kind) for part in ("pooled", "held_out")
                ]
        for text, value in zip(written, messages, strict=True):
            positions = len(text.partition(".")[2])
            assert float(text) == pytest.approx(value, abs=0.5 * 10**-positions + 1e-9), (
                rule_id,
                text,
            )
