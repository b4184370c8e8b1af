"""Signing in with Hugging Face, in front of a local server that answers as the hub documents it."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI, Form, Header, HTTPException
from fastapi.responses import RedirectResponse
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from tests.running import serving
from tests.tabs.accounts.people import add, light_hash, session
from truehue.core.errors import BadInput
from truehue.storage import Storage
from truehue.tabs.accounts.administer import administer
from truehue.tabs.accounts.routes import ATTEMPT, HUB, account_routes
from truehue.tabs.command.serve import missing_sign_in, read_settings
from truehue.tabs.page.actor import SESSION
from truehue.tabs.page.context import Context
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

CLIENT = ("of this space", "its secret")
CREATOR, RITA, STRANGER = ("6032802e", "Ann"), ("5dd96eb1", "rita-hf"), ("0badcafe", "mallory")


class Hub:
    """What the hub does: ``person`` is who is signed in there."""

    def __init__(self) -> None:
        self.person = CREATOR
        self.codes: dict[str, dict[str, str]] = {}
        self.address = ""

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/.well-known/openid-configuration")
        def configuration() -> dict[str, str]:
            names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            return {f"{key}_endpoint": f"{self.address}/oauth/{at}" for key, at in names.items()}

        @app.get("/oauth/authorize")
        def authorize(
            client_id: str, redirect_uri: str, state: str, code_challenge: str, scope: str
        ) -> RedirectResponse:
            assert (client_id, scope) == (CLIENT[0], "openid profile")
            code = secrets.token_hex(8)
            self.codes[code] = {"back": redirect_uri, "challenge": code_challenge}
            return RedirectResponse(f"{redirect_uri}?code={code}&state={state}")

        @app.post("/oauth/token")
        def token(
            code: str = Form(),
            redirect_uri: str = Form(),
            code_verifier: str = Form(),
            authorization: str = Header(),
        ) -> dict[str, str]:
            expected = base64.b64encode(":".join(CLIENT).encode()).decode()
            known = self.codes.pop(code, None)
            digest = hashlib.sha256(code_verifier.encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            if authorization != f"Basic {expected}" or known != {
                "back": redirect_uri,
                "challenge": challenge,
            }:
                raise HTTPException(400)
            return {"access_token": "\x1f".join(self.person).encode().hex()}

        @app.get("/oauth/userinfo")
        def userinfo(authorization: str = Header()) -> dict[str, str]:
            token = bytes.fromhex(authorization.removeprefix("Bearer ")).decode()
            sub, name = token.split("\x1f")
            return {"sub": sub, "preferred_username": name}

        return app


@pytest.fixture(scope="module")
def online() -> Iterator[Hub]:
    hub = Hub()
    with serving(hub.app()) as hub.address:
        yield hub


@pytest.fixture
def hub(online: Hub, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """The hub, and an environment as that of a Space with ``hf_oauth``."""
    online.person = CREATOR
    for name, value in (
        ("OAUTH_CLIENT_ID", CLIENT[0]),
        ("OAUTH_CLIENT_SECRET", CLIENT[1]),
        ("OPENID_PROVIDER_URL", online.address),
        ("SPACE_CREATOR_USER_ID", CREATOR[0]),
        ("TRUEHUE_RESEARCHERS", "Rita-HF, someone"),
    ):
        monkeypatch.setenv(name, value)
    return online


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Context]:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data", local=False)
        yield context
        context.close()


def browser(lab: Context, **cookies: str) -> TestClient:
    app = FastAPI()
    app.include_router(account_routes(lab))
    return TestClient(app, "http://space.test", cookies=cookies, follow_redirects=False)


def through_hub(client: TestClient, onward: str = "/", connect: bool = False) -> Any:
    """The answer to a browser that went to the hub and came back."""
    import httpx

    there = client.post(f"{HUB}/connect") if connect else client.get(HUB, params={"next": onward})
    assert there.status_code == 303
    back = httpx.get(there.headers["location"]).headers["location"]
    return client.get(back)


def test_who_created_the_space_is_its_admin_from_the_first_sign_in(hub: Hub, lab: Context) -> None:
    client = browser(lab)
    first = client.get("/signin")
    assert "its admin" in first.text
    assert 'name="password"' not in first.text
    answer = through_hub(client, "/?tab=explore")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?tab=explore")
    account = lab.storage.accounts.by_hugging_face(CREATOR[0])
    assert account is not None
    assert (account.name, account.role) == ("Ann", "admin")
    # A second time it is the same account, also under another name at the hub.
    hub.person = (CREATOR[0], "ann-renamed")
    assert through_hub(browser(lab)).status_code == 303
    assert len(lab.storage.accounts.all()) == 1


def test_researchers_are_invited_by_name_and_known_by_id(hub: Hub, lab: Context) -> None:
    hub.person = RITA
    assert "no account here" in through_hub(browser(lab)).text  # the admin comes first
    hub.person = CREATOR
    through_hub(browser(lab))
    hub.person = RITA
    assert through_hub(browser(lab)).status_code == 303
    account = lab.storage.accounts.by_hugging_face(RITA[0])
    assert account is not None
    assert (account.name, account.role) == ("rita-hf", "researcher")
    # Who takes over the name at the hub takes over nothing here.
    hub.person = ("feedbeef", RITA[1])
    refused = through_hub(browser(lab))
    assert (refused.status_code, "not connected" in refused.text) == (401, True)
    lab.storage.accounts.close(account.id)
    for hub.person in (RITA, ("feedbeef", RITA[1])):
        assert "is closed" in through_hub(browser(lab)).text


def test_strangers_and_half_ways_are_refused_in_words(hub: Hub, lab: Context) -> None:
    add(lab.storage.accounts, "Ann")
    hub.person = STRANGER
    client = browser(lab)
    refused = through_hub(client)
    assert (refused.status_code, "mallory of Hugging Face has no account" in refused.text) == (
        401,
        True,
    )
    hub.person = CREATOR
    assert "is an account Ann already" in through_hub(client).text
    there = client.get(HUB).headers["location"]
    state = parse_qs(urlsplit(there).query)["state"][0]
    done = f"{HUB}/done"
    other = browser(lab)  # a link that somebody else began
    assert "another browser" in other.get(done, params={"state": state, "code": "x"}).text
    assert "status 400" in client.get(done, params={"state": state, "code": "made up"}).text
    assert "another browser" in client.get(done, params={"state": state, "code": "x"}).text
    there = client.get(HUB).headers["location"]
    state = parse_qs(urlsplit(there).query)["state"][0]
    denied = client.get(done, params={"state": state, "error": "access_denied"})
    assert "did not let Hugging Face confirm" in denied.text
    assert SESSION not in client.cookies
    assert ATTEMPT not in client.cookies


def test_an_account_with_a_password_is_connected(hub: Hub, lab: Context) -> None:
    accounts = lab.storage.accounts
    ann, rita = add(accounts, "Ann"), add(accounts, "Rita", "researcher")
    hub.person = RITA
    client = browser(lab, **session(accounts, rita))
    assert "Connect Hugging Face" in client.get("/signout").text
    answer = through_hub(client, connect=True)
    assert answer.headers["location"] == "/signout?connected=1"
    assert "Hugging Face account too" in client.get("/signout?connected=1").text
    assert accounts.by_hugging_face(RITA[0]) == rita
    assert through_hub(browser(lab)).status_code == 303
    # One of the hub is one here; and a session that ended meanwhile connects nothing.
    also = browser(lab, **session(accounts, ann))
    assert "signs in to the account Rita already" in through_hub(also, connect=True).text
    hub.person = STRANGER
    there = also.post(f"{HUB}/connect")
    accounts.end_sessions(ann.id)
    import httpx

    assert (
        "another browser" in also.get(httpx.get(there.headers["location"]).headers["location"]).text
    )
    assert accounts.by_hugging_face(STRANGER[0]) is None


def test_a_new_id_takes_the_place_of_the_former(lab: Context) -> None:
    accounts = lab.storage.accounts
    ann = add(accounts, "Ann")
    accounts.connect_hugging_face(ann.id, "first")
    accounts.connect_hugging_face(ann.id, "second")
    assert (accounts.by_hugging_face("first"), accounts.by_hugging_face("second")) == (None, ann)
    rita = add(accounts, "Rita", "researcher")
    with pytest.raises(BadInput, match="Ann already"):
        accounts.connect_hugging_face(rita.id, "second")


def test_a_new_password_ends_what_somebody_connected(lab: Context) -> None:
    accounts = lab.storage.accounts
    ann = add(accounts, "Ann")
    accounts.connect_hugging_face(ann.id, "somebody else")
    new = administer(accounts, {"do": "password", "name": "ann", "password_hash": light_hash()})
    assert "no longer connected" in new["words"]
    assert accounts.by_hugging_face("somebody else") is None


def test_a_space_with_a_domain_of_its_own_is_signed_in_to_at_the_address_that_the_hub_knows(
    hub: Hub, lab: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPACE_HOST", "lab-colors.hf.space,colors.lab.org")
    client = browser(lab)
    there = client.get(HUB, params={"next": "/?tab=explore"}).headers["location"]
    assert there == f"https://lab-colors.hf.space{HUB}?next=%2F%3Ftab%3Dexplore"
    known = TestClient(client.app, "https://lab-colors.hf.space", follow_redirects=False)
    query = parse_qs(urlsplit(known.get(there).headers["location"]).query)
    assert query["redirect_uri"] == [f"https://lab-colors.hf.space{HUB}/done"]
    assert "own address" in client.post(f"{HUB}/connect").text


def test_a_cookie_that_is_not_signed_here_begins_nothing(hub: Hub, lab: Context) -> None:
    add(lab.storage.accounts, "Ann")
    client = browser(lab)
    client.get(HUB)
    text, _, signature = client.cookies[ATTEMPT].rpartition(".")
    changed = json.loads(base64.urlsafe_b64decode(text)) | {"onward": "/elsewhere"}
    forged = base64.urlsafe_b64encode(json.dumps(changed).encode()).decode()
    client.cookies.clear()
    client.cookies.set(ATTEMPT, f"{forged}.{signature}")
    answer = client.get(f"{HUB}/done", params={"state": changed["state"], "code": "x"})
    assert (answer.status_code, "another browser" in answer.text) == (401, True)


def test_a_hub_that_does_not_answer_is_said(
    hub: Hub, lab: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(lab.storage.accounts, "Ann")
    monkeypatch.setenv("OPENID_PROVIDER_URL", "http://127.0.0.1:9")
    answer = browser(lab).get(HUB)
    assert (answer.status_code, "does not answer" in answer.text) == (502, True)


def test_without_the_hubs_keys_there_is_no_such_door(lab: Context) -> None:
    add(lab.storage.accounts, "Ann")
    client = browser(lab)
    assert "Hugging Face" not in client.get("/signin").text
    assert client.get(HUB).status_code == 404


def test_a_space_without_accounts_starts_where_its_creator_can_sign_in(
    hub: Hub, lab: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPACE_ID", "lab/colors")
    settings = read_settings(["--no-demo"])
    assert missing_sign_in(settings, lab.storage) == ""
    monkeypatch.delenv("SPACE_CREATOR_USER_ID")
    assert "truehue space create" in missing_sign_in(settings, lab.storage)
