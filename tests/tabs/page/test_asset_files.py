"""The page's scripts and styles at addresses that name their content, and the page around them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from truehue.core.verdict.rules import DEFAULT_RULE
from truehue.storage import Storage
from truehue.tabs.page.asset_files import (
    FOREVER,
    AssetFiles,
    accepted_coding,
    asset_files,
    asset_routes,
)
from truehue.tabs.page.context import ROOT
from truehue.tabs.page.front_page import FOLDERS
from truehue.tabs.page.widgets import on_load
from truehue.tabs.shell import shell
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """The route alone."""
    app = FastAPI()
    app.include_router(asset_routes())
    with TestClient(app) as made:
        yield made


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The whole app."""
    with Storage.open(empty_data(tmp_path_factory.mktemp("assets") / "data")) as storage:
        context = make_context(storage, "data")
        with TestClient(shell.mount(context)) as made:
            yield made
        context.close()


def test_a_file_is_served_as_what_it_is_and_for_ever(client: TestClient) -> None:
    for path, kind in (("js/stage/stage.js", "text/javascript"), ("css/page.css", "text/css")):
        answer = client.get(asset_files().address(path), headers=PLAIN)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["cache-control"] == FOREVER
    script = client.get(asset_files().address("js/stage/stage.js"), headers=PLAIN)
    assert script.content == (ROOT / "assets/js/stage/stage.js").read_bytes()


def test_a_file_comes_compressed_where_that_is_accepted(client: TestClient) -> None:
    address = asset_files().address("js/stage/stage.js")
    plain = client.get(address, headers=PLAIN)
    assert "content-encoding" not in plain.headers
    for accepted, coding in (("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0", "")):
        with client.stream("GET", address, headers={"Accept-Encoding": accepted}) as answer:
            assert answer.headers.get("content-encoding", "") == coding
            assert answer.headers["vary"] == "Accept-Encoding"
            raw = b"".join(answer.iter_raw())
        if coding:
            assert len(raw) < 0.4 * len(plain.content)
            whole = brotli.decompress(raw) if coding == "br" else gzip.decompress(raw)
            assert whole == plain.content


def test_what_a_browser_accepts_is_read_with_its_weights() -> None:
    assert accepted_coding("") == ""
    assert accepted_coding("*") == ""
    assert accepted_coding("gzip;q=1.0, BR;q=0.5") == "br"
    assert accepted_coding("br; q=0.000, gzip") == "gzip"


OUTSIDE = (
    "js/../../app.py",
    "js/%2e%2e/%2e%2e/app.py",
    "../requirements.txt",
    "/etc/hostname",
    "js//etc/hostname",
    "..%2f..%2fapp.py",
    "js",
    "js/",
    "",
    "munsell/README.md",
    "js/types.d.ts",
    "js/stage/none.js",
    "js\\stage\\stage.js",
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_only_the_listed_files_are_served(client: TestClient, path: str) -> None:
    answer = client.get(f"/assets/{asset_files().version}/{path}")
    # The client itself shortens dots; what is left is then some other address.
    assert answer.status_code == 404


def test_another_version_is_not_found(client: TestClient) -> None:
    answer = client.get("/assets/0123456789abcdef/js/stage/stage.js")
    assert answer.status_code == 404
    assert "Reload the page" in answer.json()["error"]
    assert "immutable" not in answer.headers.get("cache-control", "")


def test_the_version_is_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "js").mkdir()
    script = tmp_path / "js" / "one.js"
    versions = []
    for text in ("1;", "2;", "2;"):
        script.write_text(text)
        versions.append(AssetFiles(tmp_path).version)
    script.rename(tmp_path / "js" / "two.js")
    versions.append(AssetFiles(tmp_path).version)
    (tmp_path / "js" / "notes.txt").write_text("no file of the page")
    versions.append(AssetFiles(tmp_path).version)
    assert versions[1] == versions[2]
    assert versions[3] == versions[4]
    assert len(set(versions)) == 3


def test_imports_are_followed_and_all_stand(client: TestClient) -> None:
    files = asset_files()
    modules = files.under("js/")
    assert set(files.with_imports(modules)) == set(modules)
    reached = files.with_imports(["js/explore/wall.js"])
    assert {"js/explore/wall.js", "js/explore/view.js", "js/shared/dom.js"} <= set(reached)
    assert len(reached) == len(set(reached))
    assert not any(name.startswith("js/generate/") for name in reached)


def test_scripts_import_each_other_in_no_circle() -> None:
    files = asset_files()
    reached = {name: set(files.with_imports([name])) - {name} for name in files.under("js/")}
    circles = {name for name, others in reached.items() if any(name in reached[o] for o in others)}
    assert circles == set()


def test_every_module_is_reached_from_a_widget_or_the_page(workbench: TestClient) -> None:
    """A script that nothing imports any more is to be deleted."""
    text = json.dumps(workbench.get("/config").json())
    mounted = {f"js/{name}.js" for name in re.findall(r"/js/([a-z_/]+)\.js", text)}
    assert len(mounted) > 25
    # The participants' page is one of its own, and loads the rest of itself once it is wanted.
    page = "js/participants/"
    mounted |= {f"{page}page.js"}
    for name in asset_files().under(page):
        body = asset_files().body(asset_files().version, name)
        assert body is not None
        wanted = re.findall(r"^(?!\s*/?\*).*\bimport\('\./([^']+)'\)", body.plain.decode(), re.M)
        mounted |= {page + other for other in wanted}
    assert set(asset_files().with_imports(mounted)) | {"js/shared/widget.js"} == set(
        asset_files().under("js/")
    )


def test_the_page_names_what_its_room_needs(workbench: TestClient) -> None:
    name: set[str] = set()
    for room in ("", *FOLDERS, "no-such-room"):
        page = workbench.get("/", params={"tab": room} if room else {}).text
        known = re.search(r'id="th-constants">(.*?)</script>', page)
        assert known is not None
        assert json.loads(known[1])["rule"] == DEFAULT_RULE
        preloads = re.findall(r'rel="modulepreload" href="([^"]+)"', page)
        assert len(preloads) == len(set(preloads))
        first = FOLDERS.get(room, FOLDERS["inspect"])[0]
        assert any(f"/js/{first}/" in preload for preload in preloads)
        name |= set(preloads)
        assert page.index("modulepreload") < page.index("gradio_config")
        # No other room is mounted first, and none comes to the front later.
        front = room if room in FOLDERS else "inspect"
        assert re.findall(r'"type":"tabs","props":\{"selected":"([^"]*)"', page) == [front]
    assert all(workbench.get(item).status_code == 200 for item in name)


def test_a_page_that_is_the_same_is_not_sent_again(workbench: TestClient) -> None:
    first = workbench.get("/")
    assert first.headers["cache-control"] == "private, no-cache"
    again = workbench.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""
    other = workbench.get("/?tab=explore", headers={"If-None-Match": first.headers["etag"]})
    assert other.status_code == 200
    # Gradio writes the host that was asked for into the page.
    elsewhere = workbench.get("/", headers={"Host": "other.test"})
    assert elsewhere.headers["etag"] != first.headers["etag"]


def test_the_page_is_light(workbench: TestClient) -> None:
    """The scripts of the widgets were a megabyte of it."""
    with workbench.stream("GET", "/", headers={"Accept-Encoding": "br"}) as answer:
        assert answer.headers["content-encoding"] == "br"
        assert len(b"".join(answer.iter_raw())) < 100_000


def test_a_widget_names_its_module_and_its_events() -> None:
    text = on_load("stage/stage", ("open", "find"))
    assert f"import(location.origin + '{asset_files().address('js/stage/stage.js')}')" in text
    assert "'open'" in text
    assert text.index("inert = true") < text.index("import(") < text.index("inert = false")
    assert "'find'" in text
    with pytest.raises(KeyError):
        on_load("stage/none")
