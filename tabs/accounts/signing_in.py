"""Signing in and out: check a name and a password, and start or end a session."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial

import anyio

from truehue.core.errors import BadInput
from truehue.core.studies import AccountRecord
from truehue.storage.accounts import Accounts, name_key
from truehue.tabs.accounts.hugging_face import BEGIN_AGAIN, HubAnswer, HuggingFace, account_of
from truehue.tabs.accounts.passwords import Passwords
from truehue.tabs.page.actor import hashed
from truehue.tabs.page.refusals import note_refusal
from truehue.tabs.page.throttle import ADDRESS, DEVICE, EVERYBODY, NAME, Pace, Throttle, network_of
from truehue.tabs.page.visitors import Visitors

SESSION_S = 12 * 3600
"""How long a session is, from its beginning: an open page that asks now and then does not keep
it."""
AT_ONCE, MAX_WAITING = 2, 20
LATER_S = 5
WRONG = "The name or the password is not right."
_UNPRINTED = re.compile(r"[\x00-\x20\x7f-\x9f\\]")


@dataclass(frozen=True)
class Attempt:
    """What somebody sent to sign in: ``address`` is where from, ``device`` the cookie of a browser
    in which somebody did before, ``session`` that of a session."""

    name: str
    password: str
    address: str = ""
    device: str = ""
    session: str = ""


@dataclass(frozen=True)
class Refused:
    """Why nobody was signed in, and after how many seconds to try again, if it is about that."""

    words: str
    wait_s: int = 0


@dataclass(frozen=True)
class SignedIn:
    """A session that began: its token, and what tells this browser from then on."""

    account: AccountRecord
    token: str
    device: str


@dataclass(frozen=True)
class Connected:
    """The account of a session is connected to Hugging Face; the session goes on."""


class SigningIn:
    """Checks attempts to sign in, two at a time. Belongs to one event loop."""

    def __init__(
        self,
        accounts: Accounts,
        devices: Visitors,
        passwords: Passwords | None = None,
        throttle: Throttle | None = None,
    ) -> None:
        self._accounts, self._devices = accounts, devices
        self._passwords, self._throttle = passwords or Passwords(), throttle or Throttle()
        self._limiter = anyio.CapacityLimiter(AT_ONCE)
        self._checking = 0

    async def sign_in(self, attempt: Attempt) -> SignedIn | Refused:
        """Begins a session with a token that nobody had before, and ends the one that this browser
        came with."""
        entry = self._accounts.by_name(attempt.name)
        device = self._devices.id_of(attempt.device)
        known = entry is not None and _is_of(device, *entry)
        paces, own = _paces(attempt, device if known else "")
        # Who is known here does not stand behind a crowd of strangers that may be turned away.
        if not known and self._checking >= AT_ONCE + MAX_WAITING:
            note_refusal("an attempt to sign in, as too many were waiting")
            return Refused(_later(LATER_S), LATER_S)
        if (wait_s := self._throttle.begin(paces)) > 0:
            note_refusal("an attempt to sign in, too soon after others")
            return Refused(_later(math.ceil(wait_s)), math.ceil(wait_s))
        check = partial(self._passwords.is_right, entry[1] if entry else None, attempt.password)
        self._checking += 1
        try:
            right = await anyio.to_thread.run_sync(check, limiter=self._limiter)
        finally:
            self._checking -= 1
        if not right or entry is None:
            note_refusal("an attempt to sign in, by a wrong name or password")
            return Refused(WRONG)
        self._throttle.succeeded(paces, own)
        return await anyio.to_thread.run_sync(
            partial(self._begin, *entry, attempt), limiter=self._limiter
        )

    def sign_out(self, session: str) -> None:
        """Ends a session on the server, whatever the browser keeps."""
        self._accounts.end_session(hashed(session))

    def sign_in_from_hub(
        self, hub: HuggingFace, answer: HubAnswer
    ) -> SignedIn | Connected | Refused:
        """As :meth:`sign_in`, for who comes back from Hugging Face; for any thread."""
        device = self._devices.id_of(answer.device)
        own: Hashable = ("device", device) if device else ("address", network_of(answer.address))
        paces = {own: DEVICE if device else ADDRESS}
        if (wait_s := math.ceil(self._throttle.begin(paces))) > 0:
            note_refusal("an attempt to sign in, too soon after others")
            return Refused(_later(wait_s), wait_s)
        attempt = answer.attempt
        try:
            person = hub.fetch_person(attempt, answer.code)
            if attempt.account_id:
                account = self._accounts.session(hashed(answer.session))
                if account is None or account.id != attempt.account_id:
                    raise BadInput(BEGIN_AGAIN)
                self._accounts.connect_hugging_face(account.id, person.id)
            else:
                account = account_of(person, self._accounts, hub.invited, self._passwords)
        except BadInput as error:
            note_refusal("an attempt to sign in with Hugging Face")
            return Refused(str(error))
        self._throttle.succeeded(paces, own if device else None)
        return Connected() if attempt.account_id else self._session(account, answer.session)

    def _begin(self, account: AccountRecord, password_hash: str, attempt: Attempt) -> SignedIn:
        if self._passwords.is_dated(password_hash):
            password_hash = self._passwords.hash_of(attempt.password)
            self._accounts.set_password_hash(account.id, password_hash)
        return self._session(account, attempt.session)

    def _session(self, account: AccountRecord, former: str) -> SignedIn:
        """A new session; the ``former`` one of this browser ends."""
        if former:
            self.sign_out(former)
        token = secrets.token_urlsafe(32)
        self._accounts.begin_session(account.id, hashed(token), SESSION_S)
        entry = self._accounts.by_name(account.name)
        device = _device_of(account, entry[1] if entry else "", secrets.token_hex(_HALF // 2))
        return SignedIn(account, token, self._devices.signed(device))


_HALF = 16


def _device_of(account: AccountRecord, password_hash: str, chance: str) -> str:
    """The id of a browser in which somebody signed in: half of it chance, half a stamp of account
    and password, so that every browser is counted by itself, and a new password forgets them."""
    return chance + hashed("\x1f".join((account.id, password_hash, chance)))[:_HALF]


def _is_of(device: str, account: AccountRecord, password_hash: str) -> bool:
    return bool(device) and device == _device_of(account, password_hash, device[:_HALF])


def _paces(attempt: Attempt, device: str) -> tuple[Mapping[Hashable, Pace], Hashable]:
    """How soon this may be tried, by what it has in common with others; and what of that is this
    person's own. ``device`` is the browser where somebody signed in by that name before, else
    empty."""
    name = hashed(name_key(attempt.name))
    if device:
        return {("device", device): DEVICE}, ("device", device)
    address = ("address", network_of(attempt.address))
    return {("name", name): NAME, address: ADDRESS, ("everybody",): EVERYBODY}, ("name", name)


def _later(seconds: int) -> str:
    after = "in a second" if seconds == 1 else f"in {seconds} seconds"
    return f"Too many attempts to sign in. Try again {after}."


def local_path(text: str) -> str:
    """``text`` where it is a path of this app to go on to, else ``/``: no other site's address, and
    no door again."""
    plain = text.startswith("/") and not text.startswith("//") and not _UNPRINTED.search(text)
    path = text.partition("?")[0].partition("#")[0]
    sign_in_page = path.startswith(("/signin", "/signout"))
    return text if plain and not sign_in_page and len(text) < 2_000 else "/"
