"""The page's scripts and styles at addresses that name their content, and the page around them."""

from __future__ import annotations

import gzip
import json
import posixpath
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from truehue.core.verdict.rules import DEFAULT_RULE
from truehue.storage import Storage
from truehue.tabs.features import FEATURES
from truehue.tabs.page.asset_files import (
    FOREVER,
    AssetFiles,
    accepted_coding,
    asset_files,
    asset_routes,
)
from truehue.tabs.page.context import ROOT
from truehue.tabs.page.gradio_routes import FIRST, head
from truehue.tabs.page.widgets import on_load
from truehue.tabs.shell import shell
from truehue.tabs.shell.compose import make_context

TABS = [feature.id for feature in FEATURES if feature.title]

pytestmark = pytest.mark.slow

SOURCES = AssetFiles(ROOT / "assets", bundle=False)
"""The scripts themselves."""
MAX_REQUESTS = 3
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
        assert answer.headers["cache-control"] == FOREVER["Cache-Control"]
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


def test_imports_are_followed_and_all_stand() -> None:
    modules = SOURCES.under("js/")
    assert set(SOURCES.with_imports(modules)) == set(modules)
    reached = SOURCES.with_imports(["js/explore/failures.js"])
    assert {"js/explore/failures.js", "js/explore/view.js", "js/shared/dom.js"} <= set(reached)
    assert len(reached) == len(set(reached))
    assert not any(name.startswith("js/generate/") for name in reached)


def test_scripts_import_each_other_in_no_circle() -> None:
    reached = {name: set(SOURCES.with_imports([name])) - {name} for name in SOURCES.under("js/")}
    circles = {name for name, others in reached.items() if any(name in reached[o] for o in others)}
    assert circles == set()


def test_the_bundle_is_of_these_scripts() -> None:
    assert asset_files().bundled, "A script has changed since the bundle: make bundle writes it."
    for tab in TABS:
        names = asset_files().with_imports(["js/page/page.js", f"js/{tab}/page.js"])
        assert len(names) <= MAX_REQUESTS
        for name in names:
            body = asset_files().body(asset_files().version, name)
            assert body is not None
            # What it imports is what its page names ahead.
            imports = re.findall(r'(?:from|import)"(\.[^"]+)"', body.plain.decode())
            reached = {posixpath.normpath(f"{posixpath.dirname(name)}/{item}") for item in imports}
            assert reached == set(asset_files().with_imports([name])[1 : len(reached) + 1])


def test_a_bundle_of_other_scripts_is_not_served(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "assets/js", tmp_path / "js")
    shutil.copytree(ROOT / "assets/bundle", tmp_path / "bundle")
    page = "js/generate/page.js"
    served = AssetFiles(tmp_path)
    assert served.bundled
    assert served.version == AssetFiles(tmp_path).version
    # The participants' page loads its own.
    (tmp_path / "js/participants/words.js").write_text("1;")
    assert AssetFiles(tmp_path).bundled
    with (tmp_path / "js/shared/dom.js").open("a") as file:
        file.write("// changed\n")
    changed = AssetFiles(tmp_path)
    assert not changed.bundled
    assert changed.version != served.version
    body = changed.body(changed.version, page)
    assert body is not None
    assert body.plain == (tmp_path / page).read_bytes()
    assert set(changed.with_imports([page])) == set(SOURCES.with_imports([page]))


def test_every_module_is_reached_from_a_widget_or_the_page(workbench: TestClient) -> None:
    """A script that nothing imports any more is to be deleted, and so is a widget that nobody
    mounts."""
    text = json.dumps(workbench.get("/config").json())
    mounted = {("page", "open")}
    mounted |= set(
        re.findall(r"/js/([a-z]+)/page\.js'\)\.then\(\\n\(page\) => page\.(\w+)\)", text)
    )
    opened = r'\{\\"name\\": \\"(\w+)\\", \\"script\\": \\"/assets/\w+/js/([a-z]+)/page\.js'
    mounted |= {(tab, name) for name, tab in re.findall(opened, text)}
    pages = {f"js/{tab}/page.js" for tab in ("page", *TABS)}
    exported = {
        (name.split("/")[1], item)
        for name in pages
        for pattern in (r"^export {(?: mount as)? (\w+) }", r"^export const (\w+) = mountParts\(")
        for item in re.findall(pattern, script(name), re.M)
    }
    # Gradio's page works for each component of each tab, so that a tab is one.
    assert len(mounted) == len(TABS) + 3
    assert mounted == exported
    # The participants' page and that of experts are pages of their own.
    pages |= {"js/participants/page.js", "js/studies/review.js"}
    # The canvas and the participants' page load parts once they are wanted.
    for name in SOURCES.under("js/"):
        wanted = re.findall(r"^(?!\s*/?\*).*\bimport\('(\.[^']+)'\)", script(name), re.M)
        pages |= {posixpath.normpath(f"{posixpath.dirname(name)}/{other}") for other in wanted}
    assert set(SOURCES.with_imports(pages)) | {"js/shared/widget.js"} == set(SOURCES.under("js/"))


def script(name: str) -> str:
    """The text of a script."""
    return (ROOT / "assets" / name).read_text("utf-8")


def test_the_page_names_what_its_tab_needs(workbench: TestClient) -> None:
    name: set[str] = set()
    for tab in ("", *TABS, "no-such-tab"):
        page = workbench.get("/", params={"tab": tab} if tab else {}).text
        known = re.search(r'id="th-constants">(.*?)</script>', page)
        assert known is not None
        assert json.loads(known[1])["rule"] == DEFAULT_RULE
        preloads = re.findall(r'rel="modulepreload" href="([^"]+)"', page)
        assert len(preloads) == len(set(preloads))
        front = tab if tab in TABS else FIRST
        for part in ("page", front):
            assert asset_files().address(f"js/{part}/page.js") in preloads
        # The names of the colors come early where a picker reads them, and only there.
        assert ("picker/catalog.json" in page) == (front in ("generate", "inspect")), tab
        name |= set(preloads)
        assert page.index("modulepreload") < page.index("gradio_config")
        # No other tab is mounted first, and none comes to the front later.
        assert re.findall(r'"type":"tabs","props":\{"selected":"([^"]*)"', page) == [front]
        # Only in a page around it, as in a Space, it loads the script that tells its size.
        (resizer,) = re.findall(r"iframeResizer.*?(\S.*?)appendChild\(script\)", page, re.S)
        assert resizer.endswith("if (self !== top) document.head.")
    assert all(workbench.get(item).status_code == 200 for item in name)


def test_the_page_carries_the_template_of_its_tab_alone(workbench: TestClient) -> None:
    for tab in TABS:
        page = workbench.get("/", params={"tab": tab}).text
        carried = re.findall(r'<template data-address="([^"]+)">(.*?)</template>', page, re.S)
        ((address, text),) = carried
        assert address.endswith(f"/html/{tab}.html")
        assert workbench.get(address).text == text
        # The others come when they are opened, from the addresses that the page names.
        named = set(re.findall(r"/assets/\w+/html/(\w+)\.html", page))
        assert named == set(TABS)
    address = f"/assets/{asset_files().version}/html/inspect.html"
    assert workbench.get(address).status_code == 404
    with pytest.raises(FileNotFoundError, match=f"{address}, which this app does not serve"):
        head("inspect", address)


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
    """The scripts of the widgets were a megabyte of it, and the endpoints of programs half of its
    components."""
    found = re.search(r"window.gradio_config = ({.*?});</script>", workbench.get("/").text, re.S)
    assert found is not None
    config = json.loads(found[1])
    kinds = Counter(part["type"] for part in config["components"])
    assert kinds == {"html": len(TABS) + 2, "tabitem": len(TABS), "tabs": 1}
    assert not any(event["api_visibility"] == "public" for event in config["dependencies"])
    assert len(found[1].encode()) < 180_000
    with workbench.stream("GET", "/", headers={"Accept-Encoding": "br"}) as answer:
        assert answer.headers["content-encoding"] == "br"
        assert len(b"".join(answer.iter_raw())) < 100_000


def test_a_widget_names_its_module() -> None:
    text = on_load("inspect/form")
    assert f"import(location.origin + '{asset_files().address('js/inspect/page.js')}')" in text
    assert "(page) => page.form)" in text
    assert text.index("inert = true") < text.index("import(") < text.index("inert = false")
    with pytest.raises(KeyError):
        on_load("none/stage")
