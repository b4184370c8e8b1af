"""Signing in with an account of Hugging Face: OpenID Connect, as the hub documents it for Spaces
(https://huggingface.co/docs/hub/spaces-oauth), with PKCE (RFC 7636).

A person is the id that the hub gives (``sub``): a name there can be given up and taken by another.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import BoundedSemaphore, Lock
from typing import Any
from urllib.parse import urlencode

from truehue.core.errors import BadInput
from truehue.core.studies import AccountRecord
from truehue.storage.accounts import ADMIN, Accounts, name_key
from truehue.tabs.accounts.administer import RESEARCHER, plain_name
from truehue.tabs.accounts.passwords import Passwords

HUB = "https://huggingface.co"
WAIT_S = 10.0
KEPT_S = 600
"""How long somebody may take at the hub."""
MAX_KEPT, AT_ONCE = 1000, 4
BEGIN_AGAIN = "Signing in with Hugging Face took too long, or began in another browser. Try again."
NO_ANSWER = "Hugging Face does not answer as expected ({why}). Try again, or use a password."
NOT_INVITED = (
    "{name} of Hugging Face has no account here. If you have one with a password, sign in with it "
    "and connect Hugging Face under Sign out. Otherwise ask the admin of this TrueHue."
)
TAKEN = (
    "There is an account {name} already that is not connected to your Hugging Face account. If it "
    "is yours, sign in with its password and connect Hugging Face under Sign out."
)
CLOSED = "The account {name} is closed."


@dataclass(frozen=True)
class Person:
    """Who the hub says somebody is."""

    id: str
    name: str


@dataclass(frozen=True)
class HubAttempt:
    """A sign-in that began: where the browser comes ``back`` to, and the account that asked to be
    connected, if it is about that."""

    back: str
    verifier: str
    account_id: str
    ends_at: float


@dataclass(frozen=True)
class HubAnswer:
    """What a browser comes back with: ``address`` is where from, ``session`` that of a session."""

    state: str
    code: str
    address: str = ""
    session: str = ""


@dataclass(frozen=True)
class Invited:
    """Whom an account is made for at their first sign-in: the id of an admin, and the names of
    researchers. A name counts once: from then on it is the id that signs in."""

    admin_id: str = ""
    researchers: frozenset[str] = frozenset()


class HuggingFace:
    """The hub as a door of this app, with the id and secret that it is registered with there. For
    any thread."""

    def __init__(
        self,
        client_id: str,
        client_secret: str,
        provider: str = HUB,
        invited: Invited | None = None,
    ) -> None:
        self._client_id, self._client_secret = client_id, client_secret
        self._provider = provider.rstrip("/")
        self.invited = invited or Invited()
        self._attempts: OrderedDict[str, HubAttempt] = OrderedDict()
        self._lock = Lock()
        self._asking = BoundedSemaphore(AT_ONCE)

    @classmethod
    def from_environment(cls) -> HuggingFace | None:
        """The one of a Space whose header has ``hf_oauth``, or of an app of the hub's settings; None
        without OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET."""
        keys = os.environ.get("OAUTH_CLIENT_ID"), os.environ.get("OAUTH_CLIENT_SECRET")
        if not keys[0] or not keys[1]:
            return None
        names = os.environ.get("TRUEHUE_RESEARCHERS", "").split(",")
        return cls(
            keys[0],
            keys[1],
            os.environ.get("OPENID_PROVIDER_URL") or HUB,
            Invited(
                os.environ.get("SPACE_CREATOR_USER_ID", ""),
                frozenset(name_key(name) for name in names if name.strip()),
            ),
        )

    def begin(self, back: str, account_id: str = "") -> tuple[str, str]:
        """The address to send a browser to, and the state that it has to come ``back`` with."""
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        with self._lock:
            self._attempts[state] = HubAttempt(
                back, verifier, account_id, time.monotonic() + KEPT_S
            )
            while len(self._attempts) > MAX_KEPT:
                self._attempts.popitem(last=False)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
        question = {
            "client_id": self._client_id,
            "redirect_uri": back,
            "response_type": "code",
            "scope": "openid profile",
            "state": state,
            "code_challenge": challenge.rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{self._addresses['authorization_endpoint']}?{urlencode(question)}", state

    def take(self, state: str) -> HubAttempt:
        """What began with this state, once; raises BadInput where nothing did."""
        with self._lock:
            attempt = self._attempts.pop(state, None)
        if attempt is None or attempt.ends_at < time.monotonic():
            raise BadInput(BEGIN_AGAIN)
        return attempt

    def person(self, attempt: HubAttempt, code: str) -> Person:
        """Who came back with this code; raises BadInput where the hub does not say so."""
        token = self._ask(
            "POST",
            self._addresses["token_endpoint"],
            auth=(self._client_id, self._client_secret),
            data={
                "client_id": self._client_id,
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": attempt.back,
                "code_verifier": attempt.verifier,
            },
        ).get("access_token")
        answer = self._ask(
            "GET",
            self._addresses["userinfo_endpoint"],
            headers={"Authorization": f"Bearer {token}"},
        )
        person = Person(str(answer.get("sub") or ""), str(answer.get("preferred_username") or ""))
        if not person.id or not person.name:
            raise BadInput(NO_ANSWER.format(why="it names nobody"))
        return person

    @cached_property
    def _addresses(self) -> Mapping[str, str]:
        found = self._ask("GET", f"{self._provider}/.well-known/openid-configuration")
        names = ("authorization_endpoint", "token_endpoint", "userinfo_endpoint")
        if not all(isinstance(found.get(name), str) for name in names):
            raise BadInput(NO_ANSWER.format(why="it does not say where to sign in"))
        return {name: str(found[name]) for name in names}

    def _ask(self, method: str, address: str, **options: Any) -> dict[str, Any]:
        import httpx

        # Strangers may come back with any code: they do not keep the threads that others need.
        if not self._asking.acquire(blocking=False):
            raise BadInput(NO_ANSWER.format(why="too many ask at once"))
        try:
            answer = httpx.request(method, address, timeout=WAIT_S, **options)
            answer.raise_for_status()
            found = answer.json()
        except httpx.HTTPStatusError as error:
            raise BadInput(NO_ANSWER.format(why=f"status {error.response.status_code}")) from None
        except (httpx.HTTPError, ValueError) as error:
            raise BadInput(NO_ANSWER.format(why=type(error).__name__)) from None
        finally:
            self._asking.release()
        if not isinstance(found, dict):
            raise BadInput(NO_ANSWER.format(why="no JSON object"))
        return found


def account_of(
    person: Person, accounts: Accounts, invited: Invited, passwords: Passwords
) -> AccountRecord:
    """The account that somebody signs in to, made now for who is invited; raises BadInput.

    A new account gets a password that nobody knows; ``truehue admin password`` sets another.
    """
    account = accounts.by_hugging_face(person.id)
    if account is not None and not account.closed:
        return account
    if account is not None:
        raise BadInput(CLOSED.format(name=account.name))
    if person.id == invited.admin_id:
        role = ADMIN
    elif name_key(person.name) in invited.researchers and accounts.any():
        role = RESEARCHER
    else:
        raise BadInput(NOT_INVITED.format(name=person.name[:60]))
    if accounts.by_name(person.name) is not None:
        raise BadInput(TAKEN.format(name=person.name[:60]))
    password_hash = passwords.hash_of(secrets.token_urlsafe(32))
    account = accounts.add(plain_name(person.name), role, password_hash)
    accounts.connect_hugging_face(account.id, person.id)
    return account
