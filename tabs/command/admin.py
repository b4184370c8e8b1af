"""``python -m truehue admin``: accounts and their roles.

If the app is running, the app makes the change. Exit status 0 on success, 2 with the reason on
standard error otherwise.
"""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path
from typing import Any

from truehue.core.command import Command, arg, command, data_folder, print_now
from truehue.core.errors import BadInput, DatabaseBusy
from truehue.storage.accounts import ADMIN, ROLES
from truehue.storage.database.connection import DATABASE_NAME
from truehue.tabs.accounts.administer import administer, plain_name
from truehue.tabs.accounts.control import ask
from truehue.tabs.accounts.passwords import MIN_CHARACTERS, Passwords, checked

EPILOG = f"""\
examples:
  python -m truehue admin add ann
  python -m truehue admin add ben --role researcher
  python -m truehue admin password ann
  python -m truehue admin close ben
  python -m truehue admin list
A password is asked for twice, or read as one line where standard input is no terminal; it has at
least {MIN_CHARACTERS} characters. The first account is an admin's. Once there is one, every page
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


NAME = arg("name NAME", "what one signs in with")


@command(
    "add",
    "makes an account",
    data_folder(),
    NAME,
    arg(
        "--role",
        "admin: everything; researcher: makes studies, and changes what is their own; expert: "
        "reviews colorings, and sees nothing else (default: the first account is an admin's, "
        "others are researchers')",
        choices=ROLES,
        default="",
    ),
)
def _add(options: argparse.Namespace) -> int:
    data = Path(options.data).expanduser()
    # What cannot be is said before a password is asked for.
    fields = {"do": "add", "name": plain_name(options.name), "role": options.role}
    if options.role not in ("", ADMIN) and not _change(data, {"do": "list"})["accounts"]:
        raise BadInput("The first account has to be an admin's.", "role")
    print_now(_change(data, {**fields, "password_hash": _password_hash()})["words"])
    return 0


@command("password", "sets another password; sessions with the old one end", data_folder(), NAME)
def _set_password(options: argparse.Namespace) -> int:
    data = _existing(options)
    fields = {"do": "password", "name": plain_name(options.name)}
    print_now(_change(data, {**fields, "password_hash": _password_hash()})["words"])
    return 0


@command(
    "close",
    "nobody signs in with it any more; what was made with it stays",
    data_folder(),
    NAME,
)
def _close(options: argparse.Namespace) -> int:
    data = _existing(options)
    print_now(_change(data, {"do": "close", "name": plain_name(options.name)})["words"])
    return 0


@command("list", "all accounts, a line each", data_folder())
def _list(options: argparse.Namespace) -> int:
    accounts = _change(_existing(options), {"do": "list"})["accounts"]
    for account in accounts:
        closed = "  closed" if account["closed"] else ""
        print_now(
            f"{account['name']}  {account['role']}  since {account['created_at'][:10]}{closed}"
        )
    if not accounts:
        print_now("There is no account: whoever is at this machine is the owner.")
    return 0


def _existing(options: argparse.Namespace) -> Path:
    """The data folder. Raises BadInput for one without a database."""
    data = Path(options.data).expanduser()
    if not (data / DATABASE_NAME).exists():
        raise BadInput(NO_DATA.format(data=data))
    return data


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


def _password_hash() -> str:
    return Passwords().hash_of(checked(_password()))


def _password() -> str:
    """A new password, from a terminal twice and without showing it."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    checked(first)
    if getpass.getpass("The same once more: ") != first:
        raise BadInput("The two passwords are not the same. Nothing was changed.")
    return first


COMMAND = Command(
    "admin",
    "Accounts of those who sign in.",
    (_add, _set_password, _close, _list),
    epilog=EPILOG,
    former="app.py admin",
)
main = COMMAND.main
