"""docs/reference/commands.md, from the parsers of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from unittest.mock import patch

from tests.reference.markdown import cell, code, page_of, table
from truehue.tabs.command.main import COMMANDS, command_of

READER = """\
**For:** everybody who uses a terminal. **Answers:** which commands there are, and what each
argument means.

`truehue X` and `python -m truehue X` are the same command: the first one is there once the
package is installed, the second one in a checkout. Every command has `--help`. Exit status 0 means
success, and 2 means that the input cannot be used; the message says why."""


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser that ``truehue COMMAND`` reads its arguments with."""
    with patch("sys.argv", ["/bin/truehue"]):
        return command_of(command).parser()


def commands_page() -> str:
    """The text of the page."""
    rows = [(f"[`{name}`](#truehue-{name})", cell(text)) for name, (_, text) in COMMANDS.items()]
    parts = [table(("command", "for"), rows)]
    for name in COMMANDS:
        parts += _section(parser_of(name), "##", COMMANDS[name][1], "")
    return page_of("Commands", READER, parts)


def _section(parser: argparse.ArgumentParser, level: str, text: str, said: str) -> Iterator[str]:
    """``said`` is the epilog of the command above, which is not repeated."""
    yield f"{level} {parser.prog}"
    described = parser.description or text
    yield cell(described[:1].upper() + described[1:]).rstrip(".") + "."
    groups = [
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    ]
    if not groups:
        yield f"```\n{_synopsis(parser)}\n```"
    arguments = [_row(parser, action) for action in _shown(parser)]
    if arguments:
        yield table(("argument", "meaning"), arguments)
    examples = parser.epilog if parser.epilog and parser.epilog != said else ""
    if examples.startswith("examples:\n"):
        lines = examples.removeprefix("examples:\n").splitlines()
        body = [line for line in lines if line.startswith("  ")]
        after = [line for line in lines if line and not line.startswith("  ")]
        yield "```\n" + "\n".join(line[2:] for line in body) + "\n```"
        if after:
            yield cell(" ".join(after))
    elif examples.startswith("methods"):
        yield f"```\n{examples.strip()}\n```"
    for group in groups:
        helps = {choice.dest: choice.help or "" for choice in group._choices_actions}
        for name, nested in group.choices.items():
            if name in helps:
                yield from _section(nested, f"{level}#", helps[name], parser.epilog or "")


def _shown(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
        and action.help != argparse.SUPPRESS
    ]


def _value(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """What stands for the value of an argument, such as ``DIR``; empty for a switch."""
    if action.nargs == 0:
        return ""
    name = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    name = " ".join(name) if isinstance(name, tuple) else name
    return {"*": f"[{name} ...]", "+": f"{name} [{name} ...]", "?": f"[{name}]"}.get(
        str(action.nargs), name
    )


def _synopsis(parser: argparse.ArgumentParser) -> str:
    parts, optional = [parser.prog], False
    for action in _shown(parser):
        if not action.option_strings:
            parts.append(_value(parser, action))
        elif action.required:
            parts.append(f"{action.option_strings[0]} {_value(parser, action)}".strip())
        else:
            optional = True
    return " ".join([*parts, "[options]"] if optional else parts)


def _row(parser: argparse.ArgumentParser, action: argparse.Action) -> tuple[str, str]:
    value = _value(parser, action)
    names = [f"{name} {value}".strip() for name in action.option_strings] or [value]
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    message = cell(text)
    choices = [str(choice) for choice in action.choices or ()]
    if choices and not all(choice in text for choice in choices):
        message += f" ({', '.join(map(code, choices))})"
    named = action.option_strings and action.default not in (
        None,
        False,
        True,
        "",
        [],
        "==SUPPRESS==",
    )
    if named and "default" not in text and f"({action.default})" not in text:
        message += f" (default {code(str(action.default))})"
    return "<br>".join(map(code, names)), message
