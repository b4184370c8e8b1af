"""Administration of accounts on the machine: by the command, or by the app for the command."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from pydantic import Field

from truehue.core.errors import BadInput
from truehue.core.studies import AccountRecord
from truehue.storage.accounts import ADMIN, Accounts
from truehue.tabs.page.requests import PageRequest, read_as

MAX_NAME = 60
RESEARCHER = "researcher"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")


class AccountChange(PageRequest):
    """What to do, and with which account. A password is hashed before it is handed on."""

    do: str
    name: str = ""
    role: str = ""
    password_hash: str = Field(default="", repr=False)


def administer(accounts: Accounts, fields: dict[str, Any]) -> dict[str, Any]:
    """Does it, and returns ``{"words": what was done, "accounts": [{"name", "role", …}]}``.

    Raises BadInput for what cannot be done.
    """
    request = read_as(AccountChange, fields)
    if request.do == "list":
        text = ""
    elif request.do == "add":
        text = _add(accounts, request)
    elif request.do == "password":
        account = _named(accounts, request.name)
        accounts.set_password_hash(account.id, _hash(request))
        connected = accounts.has_hugging_face(account.id)
        accounts.disconnect_hugging_face(account.id)
        accounts.end_sessions(account.id)
        text = f"{account.name} has a new password. Sessions with the old one have ended."
        if connected:
            text += " Hugging Face is no longer connected."
    elif request.do == "close":
        account = _named(accounts, request.name)
        accounts.close(account.id)
        text = f"The account {account.name} is closed, and its sessions have ended."
    else:
        raise BadInput(f"Nothing can be done that is called {request.do[:40]!r}.", "do")
    return {"words": text, "accounts": [_json(account) for account in accounts.all()]}


def _add(accounts: Accounts, target: AccountChange) -> str:
    first = not accounts.any()
    role = target.role or (ADMIN if first else RESEARCHER)
    account = accounts.add(plain_name(target.name), role, _hash(target))
    article = "an" if role[0] in "ae" else "a"
    text = f"{account.name} can sign in as {article} {role}."
    return text + (" From now on every page but the participants' asks for it." if first else "")


def plain_name(text: str) -> str:
    """The name of an account, as it is stored; raises BadInput for what is no name."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name or len(name) > MAX_NAME or _CONTROL.search(name):
        raise BadInput(
            f"A name has 1 to {MAX_NAME} characters that can be seen, not {text[:80]!r}.", "name"
        )
    return name


def _named(accounts: Accounts, name: str) -> AccountRecord:
    account_records = accounts.by_name(name)
    if account_records is None:
        raise BadInput(
            f"There is no open account of the name {name[:80]!r}. All of them: "
            "python -m truehue admin list",
            "name",
        )
    return account_records[0]


def _hash(target: AccountChange) -> str:
    if not target.password_hash.startswith("$argon2id$"):
        raise BadInput("The hash of a password is missing.", "password_hash")
    return target.password_hash


def _json(account: AccountRecord) -> dict[str, Any]:
    return {
        "name": account.name,
        "role": account.role,
        "closed": account.closed,
        "created_at": account.created_at.isoformat(timespec="seconds"),
    }
