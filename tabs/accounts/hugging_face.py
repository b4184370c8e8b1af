"""Signing in with an account of Hugging Face: OpenID Connect, as the hub documents it for Spaces
(https://huggingface.co/docs/hub/spaces-oauth), with PKCE (RFC 7636).

A person is the id that the hub gives (``sub``): a name there can be given up and taken by another.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import urlencode

from truehue.core.errors import BadInput
from truehue.core.studies import AccountRecord
from truehue.storage.accounts import ADMIN, Accounts, name_key
from truehue.tabs.accounts.administer import RESEARCHER, plain_name
from truehue.tabs.accounts.passwords import Passwords
from truehue.tabs.page.visitors import Visitors

HUB = "https://huggingface.co"
TIMEOUT_S = 10.0
ATTEMPT_S = 600
"""The time that a person may take at the hub."""
MAX_CONCURRENT, TURN_S = 4, 2.0
"""So many ask the hub at once, and others wait so long for a turn."""
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
    """The id and the name that the hub gives."""

    id: str
    name: str


@dataclass(frozen=True)
class HubAttempt:
    """A sign-in that began. The browser keeps it, signed, while the person is at the hub.

    ``onward`` is the path to go on to, ``account_id`` the account to connect, if it is
    about that, ``ends_at`` a Unix time.
    """

    state: str
    verifier: str
    redirect_uri: str
    onward: str
    account_id: str
    ends_at: float


@dataclass(frozen=True)
class HubAnswer:
    """What a browser comes back with: ``address`` is where from, ``device`` the cookie of a browser
    with an earlier sign-in, ``session`` that of a session."""

    attempt: HubAttempt
    code: str
    address: str = ""
    device: str = ""
    session: str = ""


@dataclass(frozen=True)
class Invited:
    """Whom an account is made for at their first sign-in: the id of an admin, and the names of
    researchers. A name counts once: from then on it is the id that signs in."""

    admin_id: str = ""
    researchers: frozenset[str] = frozenset()


class HuggingFace:
    """Signs people in at the hub, where this app is registered by an id and a secret. For any
    thread."""

    def __init__(self, client_id: str, client_secret: str, provider: str, invited: Invited) -> None:
        self._client_id, self._client_secret = client_id, client_secret
        self.provider = provider.rstrip("/")
        self.invited = invited
        self._turns = BoundedSemaphore(MAX_CONCURRENT)

    @classmethod
    def from_environment(cls) -> HuggingFace | None:
        """The one of a Space whose header has ``hf_oauth``, or of an app of the hub's settings; None
        without OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET."""
        client_id, secret = os.environ.get("OAUTH_CLIENT_ID"), os.environ.get("OAUTH_CLIENT_SECRET")
        if not client_id or not secret:
            return None
        names = os.environ.get("TRUEHUE_RESEARCHERS", "").split(",")
        invited = Invited(
            os.environ.get("SPACE_CREATOR_USER_ID", ""),
            frozenset(name_key(name) for name in names if name.strip()),
        )
        return cls(client_id, secret, os.environ.get("OPENID_PROVIDER_URL") or HUB, invited)

    def begin(self, redirect_uri: str, onward: str, account_id: str = "") -> HubAttempt:
        """A sign-in whose answer comes to ``redirect_uri``."""
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        return HubAttempt(
            state, verifier, redirect_uri, onward, account_id, time.time() + ATTEMPT_S
        )

    def address_of(self, attempt: HubAttempt) -> str:
        """Where to send the browser; raises BadInput where the hub does not answer."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest())
        parameters = {
            "client_id": self._client_id,
            "redirect_uri": attempt.redirect_uri,
            "response_type": "code",
            "scope": "openid profile",
            "state": attempt.state,
            "code_challenge": challenge.rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{self._addresses['authorization_endpoint']}?{urlencode(parameters)}"

    def fetch_person(self, attempt: HubAttempt, code: str) -> Person:
        """Who came back with this code; raises BadInput where the hub does not say so."""
        addresses = self._addresses
        # Strangers may come back with any code: they do not keep the threads that others need.
        if not self._turns.acquire(timeout=TURN_S):
            raise BadInput(NO_ANSWER.format(why="too many requests at once"))
        try:
            token = _request(
                "POST",
                addresses["token_endpoint"],
                auth=(self._client_id, self._client_secret),
                data={
                    "client_id": self._client_id,
                    "grant_type": "authorization_code",
                    "code": code,
                    "redirect_uri": attempt.redirect_uri,
                    "code_verifier": attempt.verifier,
                },
            ).get("access_token")
            profile = _request(
                "GET", addresses["userinfo_endpoint"], headers={"Authorization": f"Bearer {token}"}
            )
        finally:
            self._turns.release()
        person = Person(str(profile.get("sub") or ""), str(profile.get("preferred_username") or ""))
        if not person.id or not person.name:
            raise BadInput(NO_ANSWER.format(why="it names nobody"))
        return person

    @cached_property
    def _addresses(self) -> Mapping[str, str]:
        document = _request("GET", f"{self.provider}/.well-known/openid-configuration")
        names = ("authorization_endpoint", "token_endpoint", "userinfo_endpoint")
        if not all(isinstance(document.get(name), str) for name in names):
            raise BadInput(NO_ANSWER.format(why="it does not say where to sign in"))
        return {name: str(document[name]) for name in names}


def cookie_of(attempt: HubAttempt, signer: Visitors) -> str:
    """What the browser keeps of an attempt."""
    text = base64.urlsafe_b64encode(json.dumps(asdict(attempt)).encode()).decode()
    return f"{text}.{signer.signature(text)}"


def attempt_of(cookie: str, state: str, signer: Visitors) -> HubAttempt:
    """The attempt that a browser comes back from with this ``state``; raises BadInput where it did
    not begin here, or too long ago."""
    text, _, signature = cookie.rpartition(".")
    if not text or not hmac.compare_digest(signature.encode(), signer.signature(text).encode()):
        raise BadInput(BEGIN_AGAIN)
    attempt = HubAttempt(**json.loads(base64.urlsafe_b64decode(text)))
    if attempt.ends_at < time.time() or not hmac.compare_digest(
        state.encode(), attempt.state.encode()
    ):
        raise BadInput(BEGIN_AGAIN)
    return attempt


def account_of(
    person: Person, accounts: Accounts, invited: Invited, passwords: Passwords
) -> AccountRecord:
    """The account of a person, made now for the invited; raises BadInput.

    A new account gets a password that nobody knows; ``truehue admin password`` sets another.
    """
    account = accounts.by_hugging_face(person.id)
    if account is not None and not account.closed:
        return account
    name = person.name[:60]
    same_name = [item for item in accounts.all() if name_key(item.name) == name_key(person.name)]
    if account is not None or (person.id != invited.admin_id and any(x.closed for x in same_name)):
        raise BadInput(CLOSED.format(name=account.name if account else name))
    if person.id == invited.admin_id:
        role = ADMIN
    elif name_key(person.name) in invited.researchers and accounts.any():
        role = RESEARCHER
    else:
        raise BadInput(NOT_INVITED.format(name=name))
    if any(not item.closed for item in same_name):
        raise BadInput(TAKEN.format(name=name))
    password_hash = passwords.hash_of(secrets.token_urlsafe(32))
    return accounts.add(plain_name(person.name), role, password_hash, person.id)


def _request(method: str, address: str, **options: Any) -> dict[str, Any]:
    """The JSON object that the hub answers; raises BadInput."""
    import httpx

    try:
        answer = httpx.request(method, address, timeout=TIMEOUT_S, **options)
        answer.raise_for_status()
        content = answer.json()
    except httpx.HTTPStatusError as error:
        raise BadInput(NO_ANSWER.format(why=f"status {error.response.status_code}")) from None
    except (httpx.HTTPError, ValueError) as error:
        raise BadInput(NO_ANSWER.format(why=type(error).__name__)) from None
    if not isinstance(content, dict):
        raise BadInput(NO_ANSWER.format(why="no JSON object"))
    return content
