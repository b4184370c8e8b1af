"""The doors as a browser meets them, and the guard before every route of the app."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.routing import Mount
from starlette.websockets import WebSocketDisconnect

from tests.empty_data import empty_data
from tests.tabs.accounts.people import OURS, PASSWORD, add, session
from truehue.storage import Storage
from truehue.tabs.accounts.guard import is_of_experts, is_open
from truehue.tabs.accounts.routes import DEVICE
from truehue.tabs.page.actor import COOKIE, SESSION, hashed
from truehue.tabs.page.context import Context
from truehue.tabs.shell import shell
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

PAGE = {"Accept": "text/html,application/xhtml+xml"}
PROGRAM = {"Accept": "*/*"}
Browser = Callable[..., TestClient]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    """A server of a laboratory, which others reach, with an admin and a researcher."""
    with Storage.open(empty_data(tmp_path_factory.mktemp("lab") / "data")) as storage:
        context = make_context(storage, "/srv/lab/data", local=False)
        add(storage.accounts, "Ann")
        add(storage.accounts, "Rita", "researcher")
        yield context
        context.close()


@pytest.fixture(scope="module")
def app(lab: Context) -> Any:
    return shell.mount(lab)


@pytest.fixture
def browser(app: Any) -> Browser:
    """Makes browsers, each at an address of its own."""
    count = iter(range(1, 200))

    def made(base: str = "http://testserver", **cookies: str) -> TestClient:
        index = (f"192.0.2.{next(count)}", 50000)
        return TestClient(
            app, base, headers=PAGE, cookies=cookies, client=index, follow_redirects=False
        )

    return made


def signed_in(lab: Context, browser: Browser, name: str = "Ann") -> TestClient:
    account_records = lab.storage.accounts.by_name(name)
    assert account_records is not None
    # Each time another session: tests share the server.
    return browser(**session(lab.storage.accounts, account_records[0], secrets.token_hex(8)))


def sent(client: TestClient, name: str = "Ann", password: str = PASSWORD, **more: str) -> Any:
    return client.post("/signin", data={"name": name, "password": password, **more})


# ── in and out ───────────────────────────────────────────────────────────────────────────────────


def test_one_signs_in_goes_on_and_signs_out(lab: Context, browser: Browser) -> None:
    client = browser()
    target = client.get("/?tab=explore&view=failures")
    assert target.status_code == 303
    page = client.get(target.headers["location"])
    assert page.status_code == 200
    (onward,) = re.findall(r'name="next" value="([^"]+)"', page.text)
    answer = sent(client, "ann", next=onward.replace("&amp;", "&"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/?tab=explore&view=failures")
    assert client.get("/api/ready").status_code == 200
    # The doors are for those outside.
    assert client.get("/signin?next=/%3Fa=b").headers["location"] == "/?a=b"
    assert "You are signed in as Ann." in client.get("/signout").text
    token = client.cookies[SESSION]
    out = client.post("/signout")
    assert (out.status_code, out.headers["location"]) == (303, "/signin?out=1")
    assert "You are signed out." in client.get("/signin?out=1").text
    # On the server, whatever a browser has kept.
    assert lab.storage.accounts.session(hashed(token)) is None
    assert browser(**{SESSION: token}).get("/api/ready", headers=PROGRAM).status_code == 401
    assert browser().get("/signout").headers["location"] == "/signin"


def test_the_cookie_of_a_session_is_for_the_server_alone(browser: Browser) -> None:
    plain, *_ = _cookies(sent(browser()))
    secure, device = _cookies(sent(browser("https://testserver")))
    assert plain.startswith(f"{SESSION}=")
    assert device.startswith(f"{DEVICE}=")
    for cookie in (plain, secure, device):
        assert {"HttpOnly", "SameSite=lax"} <= set(cookie.split("; "))
    assert "Max-Age=43200" in plain
    assert "Path=/signin" in device.split("; ")
    assert "Secure" not in plain
    assert "Secure" in secure
    assert "Secure" in device


def _cookies(answer: Any) -> list[str]:
    return list(answer.headers.get_list("set-cookie"))


def test_a_token_from_before_is_worth_nothing_after_signing_in(
    lab: Context, browser: Browser
) -> None:
    """Nobody can have somebody sign in to a session that they know already."""
    planted = browser(**{SESSION: "known to another"})
    assert sent(planted).status_code == 303
    assert lab.storage.accounts.session(hashed("known to another")) is None
    mine = signed_in(lab, browser)
    before = mine.cookies[SESSION]
    (cookie, *_) = _cookies(sent(mine))
    assert before not in cookie
    assert lab.storage.accounts.session(hashed(before)) is None


def test_what_is_wrong_is_said_without_saying_what(browser: Browser) -> None:
    pages = []
    for name, password in (("Ann", "wrong"), ("Nobody", PASSWORD), ("<b>", "")):
        answer = sent(browser(), name, password)
        assert answer.status_code == 401
        assert _cookies(answer) == []
        pages.append(answer.text)
    assert all("The name or the password is not right." in page for page in pages)
    assert 'value="Ann"' in pages[0]
    assert "<b>" not in pages[2]
    assert all("wrong" not in page and PASSWORD not in page for page in pages)


def test_attempts_are_slowed_down_in_words_and_for_programs(browser: Browser) -> None:
    client = browser()
    # The delay doubles with each attempt, so that the slowest machine meets it.
    for _ in range(12):
        last = sent(client, "Mallory", "wrong")
        if last.status_code != 401:
            break
    assert last.status_code == 429
    assert int(last.headers["retry-after"]) >= 1
    assert "Too many attempts to sign in. Try again in" in last.text
    # Somebody else at another address is not.
    assert sent(browser(), "Rita").status_code == 303


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"name=Ann&password=" + b"x" * 2**20, "application/x-www-form-urlencoded"),
        (b'{"name": "Ann"}', "application/json"),
        (b"name=%ff%fe&password=%00", "application/x-www-form-urlencoded"),
        (b"&".join(b"a=1" for _ in range(100)), "application/x-www-form-urlencoded"),
        (b"", "multipart/form-data; boundary=x"),
    ],
    ids=["long", "json", "bytes", "fields", "multipart"],
)
def test_what_is_no_form_is_refused(browser: Browser, content: bytes, kind: str) -> None:
    answer = browser().post("/signin", content=content, headers={"Content-Type": kind})
    assert answer.status_code == 413
    assert "no form to sign in" in answer.text


def test_the_doors_run_no_script_and_lie_in_no_frame(browser: Browser) -> None:
    answer = browser().get("/signin")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "form-action 'self'" in policy
    assert answer.headers["cache-control"] == "no-store"
    assert "<script" not in answer.text
    (style,) = re.findall(r'rel="stylesheet" href="([^"]+)"', answer.text)
    assert browser().get(style).headers["content-type"].startswith("text/css")


# ── the guard ────────────────────────────────────────────────────────────────────────────────────


def _paths(app: Any) -> Iterator[tuple[str, str]]:
    """Method and path of every route, Gradio's own among them, with names filled in."""
    for route in app.routes:
        if hasattr(route, "original_router"):  # as FastAPI includes a router
            yield from _paths(route.original_router)
        elif isinstance(route, Mount):
            inner = route.app
            while not hasattr(inner, "routes"):
                inner = inner._app
            yield from _paths(inner)
        elif hasattr(route, "path"):
            path = re.sub(r"{[^}]*}", "x", route.path)
            for method in getattr(route, "methods", None) or ("GET",):
                yield method, path


def test_no_route_answers_a_stranger(app: Any, browser: Browser) -> None:
    every = sorted(set(_paths(app)))
    assert len(every) > 150
    assert sum(path.startswith("/gradio_api") for _, path in every) > 30
    stranger = browser(**{COOKIE: "a" * 32, "truehue-participant-x": "t" * 43, SESSION: "x"})
    answered = []
    for method, path in every:
        answer = stranger.request(method, path, headers={**OURS, **PROGRAM})
        if method == "OPTIONS":  # answered before it comes to any route
            continue
        if answer.status_code != 401:
            answered.append(path)
    of_links = ("/study/", "/results/")  # who has no link of a study reads nothing there
    assert {path for path in answered if not path.startswith(of_links)} <= {
        "/signin",
        "/signout",
        "/signin/style.css",
        "/assets/favicon.svg",
        "/healthz",
        "/assets/participants/x",
        "/assets/participants/x/x",
    }


def test_pages_lead_to_the_door_and_all_else_is_told_in_words(browser: Browser) -> None:
    client = browser()
    for path, onward in (
        ("/", "/signin"),
        ("/?tab=studies&study=1", "/signin?next=/%3Ftab%3Dstudies%26study%3D1"),
        ("/no/such/page", "/signin?next=/no/such/page"),
    ):
        assert client.get(path).headers["location"] == onward
        assert client.head(path).status_code == 303
    answer = client.get("/api/images", headers=PROGRAM)
    assert (answer.status_code, answer.json()["signin"]) == (401, "/signin")
    assert "sign in" in answer.json()["error"]
    assert client.post("/api/images", headers=OURS).status_code == 401
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        client.websocket_connect("/gradio_api/queue/join"),
    ):
        pass
    assert closed.value.code == 1008


def test_experts_reach_their_reviews_alone(lab: Context, app: Any, browser: Browser) -> None:
    add(lab.storage.accounts, "Erna", "expert")
    expert = signed_in(lab, browser, "Erna")
    answered = set()
    for method, path in sorted({*_paths(app)} - {("POST", "/signout")}):
        answer = expert.request(method, path, headers={**OURS, **PROGRAM})
        if method != "OPTIONS" and answer.status_code != 403:
            answered.add(path)
    others = {path for path in answered if not path.startswith(("/study/", "/results/"))}
    assert "/review" in others
    assert others <= {
        *("/review", "/api/reviews", "/signin", "/signout", "/signin/style.css", "/healthz"),
        *("/assets/favicon.svg", "/assets/participants/x", "/assets/participants/x/x"),
    }
    study = "0" * 32
    for path in (f"/api/studies/{study}/review", f"/api/studies/{study}/review/{study}.png"):
        assert expert.get(path, headers=PROGRAM).status_code == 404
    refused = expert.get("/api/images", headers=PROGRAM)
    assert (refused.status_code, "see nothing else" in refused.json()["error"]) == (403, True)
    for asked, onward in (
        ("/", "/review"),
        ("/?tab=explore", "/review"),
        (f"/?tab=studies&view=review&study={study}", f"/review?study={study}"),
        ("/?study=//evil.example", "/review"),
    ):
        assert expert.get(asked).headers["location"] == onward
    with (
        pytest.raises(WebSocketDisconnect),
        expert.websocket_connect("/gradio_api/queue/join"),
    ):
        pass


def test_the_page_of_experts_has_a_script_of_its_own_and_no_workbench(
    lab: Context, browser: Browser
) -> None:
    add(lab.storage.accounts, "Elsa <b>", "expert")
    expert = signed_in(lab, browser, "Elsa <b>")
    page = expert.get("/review")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert "Elsa &lt;b&gt;" in page.text
    assert "Workbench" not in page.text
    files = re.findall(r'(?:href|src)="(/assets/[^"]+)"', page.text)
    scripts = [path for path in files if path.endswith(".js")]
    assert any(path.endswith("/js/studies/review.js") for path in scripts)
    assert len(scripts) < 8
    bodies = [expert.get(path) for path in files]
    assert [body.status_code for body in bodies] == [200] * len(files)
    assert sum(len(body.content) for body in bodies) < 60_000
    admin = signed_in(lab, browser).get("/review")
    assert "Workbench" in admin.text
    researcher = signed_in(lab, browser, "Rita").get("/review")
    assert researcher.headers["location"] == "/"


@pytest.mark.parametrize(
    "path",
    [
        "/review/",
        "/reviews",
        "/review/../api/images",
        "/api/reviews/x",
        "/api/studies/x/review",
        "/api/studies/00000000000000000000000000000000/reviewx",
        "/api/studies/00000000000000000000000000000000/review/../colorings",
        "/assets/../api/images",
        "//review",
    ],
)
def test_only_whole_paths_are_of_experts(path: str) -> None:
    assert not is_of_experts(path)


@pytest.mark.parametrize(
    "path",
    [
        "/study",
        "/study/",
        "/study/../api/ready",
        "/study/x/../../config",
        "/study//config",
        "/study/.",
        "/study/..\\config",
        "/results",
        "/results/",
        "/results/x/../../config",
        "/assets/participants/../x.js",
        "/assets/participants",
        "/SIGNIN",
        "/signin/",
        "/signin/x",
        "/signinx",
        "/api/study/x",
        "//study/x",
    ],
)
def test_only_whole_paths_are_open(path: str) -> None:
    assert not is_open(path)


def test_a_session_opens_what_a_researcher_may_and_no_cache_shares_it(
    lab: Context, browser: Browser
) -> None:
    rita = signed_in(lab, browser, "Rita")
    page = rita.get("/")
    assert (page.status_code, "set-cookie" in page.headers) == (200, False)
    assert rita.get("/config").status_code == 200
    assert rita.get("/assets/plotly.min.js").headers["cache-control"].startswith("private")
    # No limits of visitors, and no folders of the machine.
    assert lab.limits.job_images == 100_000
    assert rita.get("/api/prompts/sets").json()["local"] is False
    refused = rita.post("/api/image-sets/plan", json={"path": "/etc", "set": "mini"}, headers=OURS)
    assert refused.status_code == 403
    assert "/srv/lab" not in rita.get("/api/ready").text


def test_pages_of_other_sites_sign_nobody_in_or_out(lab: Context, browser: Browser) -> None:
    client = signed_in(lab, browser)
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        form = {"name": "Ann", "password": PASSWORD}
        assert client.post("/signin", data=form, headers=headers).status_code == 403
        assert client.post("/signout", headers=headers).status_code == 403
        assert client.post("/api/images", headers={**OURS, **headers}).status_code == 403
    assert client.get("/api/ready").status_code == 200


def test_a_closed_account_is_out_at_once_and_so_is_one_with_another_password(
    lab: Context, browser: Browser
) -> None:
    accounts = lab.storage.accounts
    expert = add(accounts, "Eve", "expert")
    client = signed_in(lab, browser, "Eve")
    assert client.get("/api/reviews").status_code == 200
    accounts.close(expert.id)
    assert client.get("/api/reviews", headers=PROGRAM).status_code == 401
    assert sent(browser(), "Eve").status_code == 401


def test_without_an_account_a_machine_is_its_owners_until_there_is_one(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data")
        client = TestClient(shell.mount(context), headers=PAGE, follow_redirects=False)
        assert client.get("/signin").headers["location"] == "/"
        assert client.get("/api/ready").status_code == 200
        add(storage.accounts, "Ann")
        assert client.get("/").status_code == 303
        assert client.get("/signin").status_code == 200
        context.close()


def test_nobody_is_let_in_where_others_come_and_there_is_no_account(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data", local=False)
        client = TestClient(shell.mount(context), headers=PAGE, follow_redirects=False)
        assert client.get("/").status_code == 303
        router = client.get("/signin")
        assert (router.status_code, "truehue admin add NAME" in router.text) == (403, True)
        context.close()


def test_a_demonstration_has_no_doors(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        add(storage.accounts, "Ann")
        context = make_context(storage, "data", demo=True)
        client = TestClient(shell.mount(context), headers=PAGE, follow_redirects=False)
        assert client.get("/signin").status_code == 404
        assert sent(client).status_code == 404
        assert client.get("/").status_code == 200
        context.close()
