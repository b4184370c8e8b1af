"""Who asks, what they may do, and that every door asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from tests.tabs.reach import routes_of
from truehue.core.errors import NotAllowed
from truehue.core.images.load import encode_png
from truehue.storage import Storage
from truehue.storage.makers import SELECTION
from truehue.tabs.api.endpoints import ENDPOINTS
from truehue.tabs.library.prompts import (
    NamedSelection,
    SaveSelectionRequest,
    remove_selection,
    save_selection,
)
from truehue.tabs.library.service import Library
from truehue.tabs.page.actor import COOKIE, SESSION, actor_of, hashed
from truehue.tabs.page.context import Context
from truehue.tabs.page.images import take_image
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import (
    ACTIONS,
    NOBODY,
    OWNER,
    Actor,
    Resource,
    Role,
    allowed,
    authorize,
)
from truehue.tabs.page.router import FeatureRouter
from truehue.tabs.page.visitors import Visitors
from truehue.tabs.shell import shell
from truehue.tabs.shell.compose import make_context
from truehue.tabs.verdicts.deleting import Delete, Deleted, delete, restore

pytestmark = pytest.mark.slow

OURS = {"X-TrueHue": "1"}
ANN, BEN, NAMELESS = (Actor(name, Role.VISITOR) for name in ("ann", "ben", ""))
ROOT = Path(__file__).resolve().parents[3]
# What the page's services must not know: they are the same for a command.
PAGES = ("gradio", "fastapi", "starlette", "plotly")


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    with Storage.open(empty_data(tmp_path_factory.mktemp("public") / "data")) as storage:
        made = make_context(storage, "data", demo=True)
        yield made
        made.close()


@pytest.fixture(scope="module")
def app(public: Context) -> Any:
    return shell.mount(public)


# ── the table ────────────────────────────────────────────────────────────────────────────────────


KEPT = ("name-folder", "name-file", "name-cluster", "name-server", "purge")
"""What is left to people at the machine."""


def test_the_owner_may_do_everything() -> None:
    for action in ACTIONS:
        authorize(OWNER, action, Resource(frozenset({"ann"})))


def test_visitors_change_what_they_brought_alone() -> None:
    for action in ("cancel", "change", "delete"):
        authorize(ANN, action)  # with something
        authorize(ANN, action, Resource(frozenset({"ann"})))
        for makers in ((), ("ben",), ("ann", "ben")):
            assert not allowed(ANN, action, Resource(frozenset(makers)))
        assert not allowed(NAMELESS, action, Resource(frozenset({""})))
    for action in (*KEPT, "read-notice"):
        with pytest.raises(NotAllowed) as refused:
            authorize(ANN, action, field="models")
        assert refused.value.field == "models"


def test_an_admin_may_what_an_owner_may_but_for_the_machine_where_others_reach_it() -> None:
    near, far = (Actor("a", Role.ADMIN, at_machine=at_machine) for at_machine in (True, False))
    for action in ACTIONS:
        assert allowed(near, action, Resource(frozenset({"ben"})))
        assert allowed(far, action, Resource(frozenset({"ben"}))) == (action not in KEPT)


def test_studies_are_for_researchers_and_reviews_for_experts() -> None:
    others = Resource(frozenset({"ben"}))
    may_do = {
        role: {action for action in ACTIONS if allowed(Actor("ann", role, True), action, others)}
        for role in Role
    }
    assert may_do[Role.RESEARCHER] == {"look", "add", "compute", "study", "see-reviews"}
    assert may_do[Role.EXPERT] == {"see-reviews", "review"}
    assert may_do[Role.VISITOR] == {"look", "add", "compute"}
    assert may_do[Role.NOBODY] == set()
    own = Resource(frozenset({"ann"}))
    for action in ("cancel", "change", "delete"):
        assert allowed(Actor("ann", Role.RESEARCHER), action, own)
        assert not allowed(Actor("ann", Role.EXPERT), action, own)


# ── who it is ────────────────────────────────────────────────────────────────────────────────────


def test_a_cookie_of_ones_own_making_is_nobodys(tmp_path: Path) -> None:
    visitors = Visitors(tmp_path / "key")
    cookie = visitors.signed("a" * 32)
    assert visitors.id_of(cookie) == "a" * 32
    assert Visitors(tmp_path / "key").id_of(cookie) == "a" * 32  # also after a start
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    for wrong in ("", "a" * 32, "b" * 32 + cookie[32:], cookie[:-1] + "g", cookie + "0", "ä" * 97):
        assert visitors.id_of(wrong) == ""
    assert Visitors(tmp_path / "other").id_of(cookie) == ""


def asked_with(**cookies: str) -> Any:
    return SimpleNamespace(cookies=cookies, scope={})


def test_once_there_is_an_account_who_asks_is_whose_session_it_is(context: Context) -> None:
    far, demo = replace(context, local=False), replace(context, local=False, demo=True)
    assert actor_of(context, asked_with()) == OWNER
    assert actor_of(far, asked_with()) == NOBODY
    assert actor_of(demo, asked_with()).role is Role.VISITOR
    accounts = context.storage.accounts
    ann = accounts.add("Ann", "admin", "hash")
    accounts.begin_session(ann.id, hashed("token"), 60.0)
    cookie = {SESSION: "token"}
    for item in (context, far):
        assert actor_of(item, asked_with()) == NOBODY
        assert actor_of(item, asked_with(**{SESSION: hashed("token")})) == NOBODY
        expected = Actor(ann.id, Role.ADMIN, item.local, "Ann")
        assert actor_of(item, asked_with(**cookie)) == expected
    assert actor_of(demo, asked_with(**cookie)).role is Role.VISITOR
    assert context.default_actor == far.default_actor == NOBODY
    # As Gradio hands a request on.
    assert actor_of(far, SimpleNamespace(request=asked_with(**cookie))).name == "Ann"


def test_a_visitor_gets_a_cookie_with_the_first_page(app: Any, public: Context) -> None:
    client = TestClient(app)
    header = client.get("/").headers["set-cookie"]
    for said in ("HttpOnly", "SameSite=Lax", "Path=/"):
        assert said in header
    assert public.visitors.id_of(client.cookies[COOKIE])
    assert "set-cookie" not in client.get("/").headers
    # What a cache may hand on carries none.
    assert "set-cookie" not in TestClient(app).get("/assets/favicon.svg").headers


def test_nobody_changes_what_another_visitor_made(app: Any, public: Context) -> None:
    ann, ben = TestClient(app, headers=OURS), TestClient(app, headers=OURS)
    row = ann.get("/api/prompts/search?set=concepts&limit=1").json()["rows"][0]
    basket = {"name": "mine", "refs": [[row["source"], row["id"]]]}
    assert ann.post("/api/selections", json=basket).status_code == 200
    # To another visitor there is none of that name: it is free, and what is done with it there does
    # nothing here.
    fewer = {"name": "mine", "refs": basket["refs"] * 2}
    assert ben.post("/api/selections/remove", json=fewer).status_code == 403
    assert ben.post("/api/selections", json=fewer).status_code == 200
    (saved,) = ann.get("/api/prompts/sets").json()["selections"]
    assert saved == {"name": "mine", "count": 1}
    assert ann.post("/api/selections", json=basket).status_code == 200
    assert ann.post("/api/selections/remove", json=basket).status_code == 200
    named = {**OURS, "X-File-Name": "hats.txt"}
    made = ann.post("/api/prompts/sets", content="a hat\n", headers=named).json()["set_id"]
    assert ben.post("/api/prompts/sets/hide", json={"set_id": made}).status_code == 403
    assert ann.post("/api/prompts/sets/hide", json={"set_id": made}).status_code == 200


def test_a_selection_is_the_same_however_its_name_is_typed(public: Context) -> None:
    (prompt, *_) = public.service(Library).index("concepts").prompts
    composed, spelled = "caf\u00e9", " cafe\u0301 "

    def save(actor: Actor, name: str) -> None:
        save_selection(
            public, actor, SaveSelectionRequest(name=name, refs=((prompt.source, prompt.id),))
        )

    save(OWNER, composed)
    for name in (composed, spelled):
        with pytest.raises(NotAllowed):
            save(ANN, name)
        with pytest.raises(NotAllowed):
            remove_selection(public, ANN, NamedSelection(name=name))
    # Once it is removed the name is free, and what is saved under it then is one's own.
    remove_selection(public, OWNER, NamedSelection(name=spelled))
    for actor, other in ((ANN, BEN), (BEN, ANN)):
        save(actor, spelled)
        with pytest.raises(NotAllowed):
            save(other, composed)
        remove_selection(public, actor, NamedSelection(name=composed))
        assert public.storage.makers.of(SELECTION, composed) == frozenset()


def test_what_the_owner_brought_is_no_visitors_who_brings_it_too(
    tmp_path: Path, public: Context
) -> None:
    file = tmp_path / "mug.png"
    srgb8 = np.random.default_rng(5).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    file.write_bytes(encode_png(srgb8))

    def bring(actor: Actor) -> str:
        return str(take_image(public, actor, EmptyRequest(), file, "mug.png")["image_id"])

    image_id = bring(OWNER)
    assert bring(ANN) == image_id
    request = Delete(kind="image", ids=(image_id,))
    with pytest.raises(NotAllowed):
        delete(public, ANN, request)
    delete(public, OWNER, request)
    # Whoever brings it now that it is gone has it, until somebody else brings it too.
    assert bring(ANN) == image_id
    trash_id = delete(public, ANN, request)["id"]
    restore(public, ANN, Deleted(trash_id=trash_id))
    bring(BEN)
    for actor in (ANN, BEN):
        with pytest.raises(NotAllowed):
            delete(public, actor, request)


# ── every door asks ──────────────────────────────────────────────────────────────────────────────


def _asks(dependant: Any) -> bool:
    return any(
        getattr(dependency.call, "__func__", None) is FeatureRouter.actor or _asks(dependency)
        for dependency in dependant.dependencies
    )


def test_every_changing_route_asks_who_it_is(app: Any) -> None:
    ours = [route for route in routes_of(app) if re.match("/(api|media)/", route.path)]
    changing = [mine for mine in ours if mine.methods - {"GET", "HEAD"}]
    assert len(changing) > 30
    assert [item.path for item in changing if not _asks(item.dependant)] == []


def test_the_routes_are_described_with_what_they_take(app: Any) -> None:
    message = TestClient(app).get("/api/openapi.json").json()
    sent = {path: item["post"] for path, item in message["paths"].items() if "post" in item}
    assert len(sent) > 30
    assert all(item["summary"] and item["requestBody"]["content"] for item in sent.values())
    tags = [route["tags"] for item in message["paths"].values() for route in item.values()]
    assert {"compare", "explore", "inspect", "jobs", "measure", "vlm"} < {tag for (tag,) in tags}
    rename = sent["/api/compare/sets/{set_id}/name"]
    assert {parameter["name"] for parameter in rename["parameters"]} == {"set_id", "X-TrueHue"}
    (body,) = rename["requestBody"]["content"].values()
    assert set(body["schema"]["properties"]) == {"name"}
    assert "$ref" not in str([item["requestBody"] for item in sent.values()])


def test_every_event_of_gradio_asks_who_it_is(public: Context) -> None:
    demo = shell.build(public)
    handlers = [fn.fn for fn in demo.fns.values() if fn.fn is not None]
    assert len(handlers) == len(ENDPOINTS)  # the page itself has none
    assert [handler for handler in handlers if "action" not in vars(handler)] == []


# ── services ─────────────────────────────────────────────────────────────────────────────────────


@cache
def _parsed(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text("utf-8")).body


@cache
def _imports(path: Path) -> set[str]:
    """Modules that are imported when this one is."""
    result = set()
    for node in _parsed(path):
        if isinstance(node, ast.Import):
            result |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            result |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return result


@cache
def _services() -> dict[str, Path]:
    """Modules of ``tabs`` with a function that does something for an actor: ``@asks(…)``."""
    out = {}
    for path in sorted((ROOT / "tabs").rglob("*.py")):
        for node in _parsed(path):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(item).startswith("requires(") for item in node.decorator_list
            ):
                out[".".join(path.relative_to(ROOT).with_suffix("").parts)] = path
    return out


def test_services_know_no_page() -> None:
    services = _services()
    assert len(services) > 15
    for name, path in services.items():
        seen, todo = set[str](), [path]
        while todo:
            for item in _imports(todo.pop()):
                assert item.partition(".")[0] not in PAGES, f"{name} comes to {item}"
                file = ROOT / (item.removeprefix("truehue.").replace(".", "/") + ".py")
                if item.startswith("truehue.tabs.") and item not in seen and file.is_file():
                    seen.add(item)
                    todo.append(file)


def test_a_service_takes_context_actor_and_request_in_that_order() -> None:
    for name, path in _services().items():
        for node in _parsed(path):
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                if not ast.unparse(node.decorator_list[0]).startswith("requires("):
                    continue
                first = [arg.arg for arg in node.args.args[:3]]
                assert first == ["context", "actor", "request"], f"{name}.{node.name}"
