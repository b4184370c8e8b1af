"""``python -m truehue admin``: who may sign in.

Also while the app runs: it is then asked to make the change. Exit status 0 when it is done, 2 with
the reason on standard error when it is not.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from pathlib import Path
from typing import Any

from truehue.core.command import program
from truehue.core.errors import BadInput, DatabaseBusy, TrueHueError
from truehue.storage.accounts import ADMIN, ROLES
from truehue.storage.database.connection import DATABASE_NAME
from truehue.tabs.accounts.administer import administer, plain_name
from truehue.tabs.accounts.control import ask
from truehue.tabs.accounts.passwords import LEAST_CHARACTERS, Passwords, checked
from truehue.tabs.command.line import say

EPILOG = f"""\
examples:
  python -m truehue admin add ann
  python -m truehue admin add ben --role researcher
  python -m truehue admin password ann
  python -m truehue admin close ben
  python -m truehue admin list
A password is asked for twice, or read as one line where standard input is no terminal; it has at
least {LEAST_CHARACTERS} characters. The first account is an admin's. Once there is one, every page
but the participants' asks to sign in.
"""
NO_DATA = (
    "There is no database of TrueHue in {data}. Name its folder with --data, or make the first "
    "account: python -m truehue admin add NAME"
)
BUSY = (
    "The app that has {data} open cannot change accounts. End it (Ctrl+C), run this command again, "
    "and restart the app."
)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    root_parser = argparse.ArgumentParser(
        prog=program("admin", "app.py admin"),
        description="Accounts of those who sign in.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--data",
        default=os.environ.get("TRUEHUE_DATA", "./data"),
        metavar="DIR",
        help="the app's data folder (default ./data)",
    )
    commands = root_parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in (
        ("add", "makes an account"),
        ("password", "sets another password; sessions with the old one end"),
        ("close", "nobody signs in with it any more; what was made with it stays"),
    ):
        command = commands.add_parser(name, parents=[common], help=text)
        command.add_argument("name", metavar="NAME", help="what one signs in with")
        if name == "add":
            command.add_argument(
                "--role",
                choices=ROLES,
                default="",
                help="admin: everything; researcher: makes studies, and changes what is their "
                "own; expert: looks, and reviews (default: the first account is an admin's, "
                "others are researchers')",
            )
    commands.add_parser("list", parents=[common], help="all accounts, a line each")
    return root_parser


def main(arguments: list[str] | None = None) -> int:
    """Does what the arguments say; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        answer = _done(options)
    except TrueHueError as error:
        say(str(error), file=sys.stderr)
        return 2
    if options.command == "list":
        for account in answer["accounts"]:
            closed = "  closed" if account["closed"] else ""
            say(f"{account['name']}  {account['role']}  since {account['created_at'][:10]}{closed}")
        if not answer["accounts"]:
            say("There is no account: whoever is at this machine is the owner.")
    else:
        say(answer["words"])
    return 0


def _done(options: argparse.Namespace) -> dict[str, Any]:
    data = Path(options.data).expanduser()
    fields: dict[str, Any] = {"do": options.command}
    if options.command != "add" and not (data / DATABASE_NAME).exists():
        raise BadInput(NO_DATA.format(data=data))
    if options.command != "list":
        # What cannot be is said before a password is asked for.
        fields["name"] = plain_name(options.name)
        if options.command == "add":
            fields["role"] = options.role
            if options.role not in ("", ADMIN) and not _change(data, {"do": "list"})["accounts"]:
                raise BadInput("The first account has to be an admin's.", "role")
    if options.command in ("add", "password"):
        fields["password_hash"] = Passwords().hash_of(checked(_password()))
    return _change(data, fields)


def _change(data: Path, fields: dict[str, Any]) -> dict[str, Any]:
    """Makes a change in the database, or has the app make it that has it open."""
    from truehue.storage.store import Storage

    try:
        with Storage.open(data) as storage:
            return administer(storage.accounts, fields)
    except DatabaseBusy:
        answer = ask(data.resolve(), fields)
        if answer is None:
            raise BadInput(BUSY.format(data=data)) from None
        return answer


def _password() -> str:
    """A new password, from a terminal twice and without showing it."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    checked(first)
    if getpass.getpass("The same once more: ") != first:
        raise BadInput("The two passwords are not the same. Nothing was changed.")
    return first
