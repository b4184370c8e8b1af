"""Visitors of a demonstration: nobody sees, changes or keeps for long what is another's."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from tests.empty_data import empty_data
from tests.tabs.reach import routes_of
from truehue.core.errors import BadInput, StorageError
from truehue.storage import Storage
from truehue.tabs.page.actor import COOKIE
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.limits import MIB, for_others
from truehue.tabs.page.roles import Actor, Role
from truehue.tabs.shell import allowance as allowance_module
from truehue.tabs.shell import workspaces as desks_module
from truehue.tabs.shell.allowance import Amount, stored_below
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.shell import mount
from truehue.tabs.shell.workspaces import Demonstration, Guest, guest

pytestmark = pytest.mark.slow

OURS = {"X-TrueHue": "1"}
WORD = "annasecret"
"""It is in everything that Ann names."""
SAMPLE = np.full((8, 8, 3), 200, np.uint8)
ANN, BEN = "a" * 32, "b" * 32


@contextmanager
def demonstration(data: Path) -> Iterator[Demonstration]:
    """A demonstration with one sample."""
    with Storage.open(empty_data(data)) as storage:
        storage.images.add(SAMPLE, "a sample", "upload")
        context = make_context(storage, "data", demo=True)
        assert isinstance(context, Demonstration)
        context.desks.seal()
        yield context
        context.close()


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Demonstration]]:
    """The app of one, for all tests that only send it something."""
    with demonstration(tmp_path_factory.mktemp("demo") / "data") as made:
        yield mount(made), made


@pytest.fixture
def demo(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Demonstration]:
    """A demonstration of the test's own, or that of the app, in which nobody has a desk."""
    if "app" not in request.fixturenames:
        with demonstration(tmp_path / "data") as made:
            yield made
        return
    _, made = request.getfixturevalue("mounted")
    yield made
    for known in made.desks._known.values():
        known.used_at -= 2 * desks_module.KEPT_S
    made.desks.tidy()
    made.desks._made_at.clear()
    assert made.desks._known == {}


@pytest.fixture
def app(mounted: tuple[Any, Demonstration]) -> Any:
    return mounted[0]


def visitor(app: Any, demo: Demonstration, name: str) -> TestClient:
    return TestClient(app, headers=OURS, cookies={COOKIE: demo.visitors.signed(name)})


def desk(demo: Demonstration, name: str) -> Context:
    context = demo.desks.of(Guest(name))
    assert context is not None
    return context


def cut_out(seed: int) -> bytes:
    """A PNG with a transparent edge, so that it brings a mask along."""
    pixels = np.random.default_rng(seed).integers(0, 255, (48, 48, 4), dtype=np.uint8)
    pixels[..., 3] = 0
    pixels[8:40, 8:40, 3] = 255
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def sent(client: TestClient, path: str, content: bytes, name: str) -> Any:
    answer = client.post(path, content=content, headers={"X-File-Name": name})
    assert answer.status_code == 200, answer.text
    return answer.json()


def posted(client: TestClient, path: str, **body: Any) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == 200, (path, answer.text)
    return answer.json()


def ended(client: TestClient, job_id: str) -> Any:
    for _ in range(2400):
        job = client.get(f"/api/jobs/{job_id}").json()
        if not job["active"]:
            assert job["status"] == "done", job
            return job
        time.sleep(0.05)
    raise AssertionError(job)


def whole_work(client: TestClient, context: Context) -> dict[str, str]:
    """Something of every kind; the ids of it, by the names that addresses have for them."""
    image = sent(client, "/api/images", cut_out(1), f"{WORD}.png")
    (mask,) = context.storage.masks.for_image(image["image_id"])
    prompt_set = sent(client, "/api/prompts/sets", f"a red {WORD}\n".encode(), f"{WORD}.txt")
    row = client.get("/api/prompts/search?set=mini&limit=1").json()["rows"][0]
    posted(client, "/api/selections", name=WORD, refs=[[row["source"], row["id"]]])
    question = {
        "image": image["image_id"],
        "mask": mask.mask_id,
        "object": WORD,
        "target": "css:teal",
        "rule": "truehue",
    }
    verdict = posted(client, "/api/verdicts", **question)
    judgment = posted(client, "/api/judgments", **question, answer="pass", reason=WORD)
    session = "5e" * 16
    table = client.get("/api/compare/sets/examples/palettes.csv").content.replace(
        b"banana", WORD.encode()
    )
    sent(client, f"/api/compare/sets/distributions/{session}", table, f"{WORD}.csv")
    jsonresponse = posted(client, f"/api/compare/sets/distributions/{session}/store", name=WORD)
    run = posted(
        client,
        "/api/runs",
        set="mini",
        models=["reference-renderer"],
        limit=1,
        images=1,
        size=64,
        name=WORD,
    )["runs"][0]
    for _ in range(2400):
        rows = client.get("/api/runs").json()["runs"]
        if rows and rows[0]["stored"]:
            break
        time.sleep(0.05)
    else:
        raise AssertionError(rows)
    export = ended(client, posted(client, "/api/exports", run=run, format="csv")["job"])
    (sample,) = context.storage.runs.all()
    other = sent(client, "/api/images", cut_out(2), f"{WORD} to go.png")
    gone = posted(client, "/api/trash", kind="image", ids=[other["image_id"]])
    assert sample.run_id == run
    return {
        "image_id": image["image_id"],
        "mask_id": mask.mask_id,
        "set_id": jsonresponse["set_id"],
        "prompt_set": prompt_set["set_id"],
        "evidence": next(iter(verdict["evidence"].values())),
        "judgment_id": judgment["id"],
        "run_id": run,
        "job_id": export["id"],
        "trash_id": gone["id"],
        "session": session,
    }


def test_no_route_tells_one_visitor_of_another(
    app: Any, demo: Demonstration, workers_here: None
) -> None:
    ann, ben = visitor(app, demo, ANN), visitor(app, demo, BEN)
    theirs = whole_work(ann, desk(demo, ANN))
    needles = {*theirs.values(), WORD, ANN}
    needles -= {theirs["session"]}
    name: set[str] = set()
    paths = sorted({route.path for route in routes_of(app) if "GET" in route.methods})
    assert len(paths) > 50
    ids = {**theirs, "place": "0", "name": "categories", "book": "codebook.md"}
    query = {
        "run": theirs["run_id"],
        "runs": theirs["run_id"],
        "image": theirs["image_id"],
        "mask": theirs["mask_id"],
        "set": theirs["prompt_set"],
        "concept": WORD,
        "words": WORD,
        "q": WORD,
        "typed": WORD,
        "source": f"set:{theirs['set_id']}",
        "a": f"set:{theirs['set_id']}",
        "b": f"image:{theirs['image_id']}",
        "position": "0",
        "rule": "truehue",
    }
    # Of the benchmark's 44,464 prompts it would be the same.
    few = {"/api/prompts/matching": {"set": "mini"}}
    # A file of 5 MB, the same for everybody.
    paths.remove("/assets/plotly.min.js")
    # Without a desk of his own, with one, and with everything that he could have guessed.
    for started in (False, True):
        if started:
            sent(ben, "/api/images", cut_out(3), "ben.png")
        for path in paths:
            for target in ({}, query):
                filled = re.sub(r"{(\w+)(?::\w+)?}", lambda item: ids.get(item[1], "x"), path)
                named = {**target, "side": "192"} if "thumbs" in path else target
                named = named or few.get(path, {})
                answer = ben.get(filled, params=named, follow_redirects=False)
                assert answer.status_code < 500, (filled, answer.text[:300])
                shown = answer.text
                # What he named himself is only repeated.
                repeated = {filled, *target.values()} if target or "{" in path else set()
                hits = {needle for needle in needles if needle in shown} - {
                    needle for needle in needles if any(needle in text for text in repeated)
                }
                assert not hits, (filled, target, hits)
                if answer.status_code == 200 and filled != path:
                    name.add(path)
    # Ann finds at those addresses what Ben does not.
    for path in (
        "/media/images/{image_id}.png",
        "/media/thumbs/{image_id}.png",
        "/media/masks/{mask_id}.png",
        "/api/runs/{run_id}/export.csv",
        "/api/exports/{job_id}/file",
        "/api/jobs/{job_id}",
        "/api/compare/sets/{set_id}",
    ):
        assert path in paths, path
        assert path not in name, path
        assert ann.get(path.format(**theirs)).status_code == 200, path
    assert WORD in ann.get("/api/images").text
    assert WORD in ann.get("/api/runs").text
    assert WORD in ann.get("/api/judgments").text


def test_no_route_changes_what_is_another_visitors(app: Any, demo: Demonstration) -> None:
    ann, ben = visitor(app, demo, ANN), visitor(app, demo, BEN)
    image = sent(ann, "/api/images", cut_out(1), "ann.png")["image_id"]
    prompt_set = sent(ann, "/api/prompts/sets", b"a hat\n", "hats.txt")["set_id"]
    started, go_on = Event(), Event()

    def work(job: Job) -> dict[str, Any]:
        started.set()
        go_on.wait(300)
        return {}

    own = desk(demo, ANN)
    job = own.jobs.start("export", "An export", Actor(ANN, Role.VISITOR), work)
    assert started.wait(300)
    for path, body in (
        ("/api/trash", {"kind": "image", "ids": [image]}),
        ("/api/prompts/sets/hide", {"set_id": prompt_set}),
        (f"/api/jobs/{job.id}/cancel", {}),
        ("/api/image-sets/score", {"job": job.id}),
    ):
        assert 400 <= ben.post(path, json=body).status_code < 500, path
    assert not own.jobs.is_cancelling(own.jobs.get(job.id))
    assert [item["id"] for item in ann.get("/api/jobs").json()["jobs"]] == [job.id]
    assert ben.get("/api/jobs").json()["jobs"] == []
    go_on.set()
    assert own.jobs.wait(job.id, 300).status == "done"
    assert own.storage.images.get(image)


def test_the_example_opens_until_one_brings_an_image(app: Any, demo: Demonstration) -> None:
    ann = visitor(app, demo, ANN)
    assert ann.get("/api/examples").json()["first"]  # the sample is nobody's own
    sent(ann, "/api/images", cut_out(1), "ann.png")
    assert not ann.get("/api/examples").json()["first"]
    assert ann.get("/api/ready").json()["data"].startswith("Only you see what you add")


def test_the_same_picture_is_everybodys_own(app: Any, demo: Demonstration) -> None:
    """Ids are made of pixels, and names are chosen: neither tells that another was there first."""
    ann, ben = visitor(app, demo, ANN), visitor(app, demo, BEN)
    sent(ann, "/api/images", cut_out(1), f"{WORD}.png")
    image = sent(ben, "/api/images", cut_out(1), "ben.png")
    assert image["name"] == "ben.png"
    gone = posted(ben, "/api/trash", kind="image", ids=[image["image_id"]])
    assert ann.get(f"/media/images/{image['image_id']}.png").status_code == 200
    assert ben.get(f"/media/images/{image['image_id']}.png").status_code == 404
    posted(ben, f"/api/trash/{gone['id']}/restore")
    assert ben.get(f"/media/images/{image['image_id']}.png").status_code == 200


def test_who_only_looks_gets_no_desk(app: Any, demo: Demonstration) -> None:
    stranger = TestClient(app, headers=OURS)
    for path in ("/", "/api/images", "/api/runs", "/api/prompts/sets", "/api/explore/leaderboard"):
        assert stranger.get(path).status_code == 200
    assert demo.desks._known == {}
    images = stranger.get("/api/images").json()["images"]
    assert [image["name"] for image in images] == ["a sample"]
    # Nor is anything stored where everybody looks, whatever goes wrong.
    with pytest.raises(StorageError):
        demo.storage.images.add(SAMPLE + 1, "x", "upload")
    with pytest.raises(StorageError):
        demo.storage.selections.save("x", [("mini", "1")])
    assert guest() is None


def test_a_forged_cookie_is_a_new_visitor(app: Any, demo: Demonstration) -> None:
    ann = visitor(app, demo, ANN)
    sent(ann, "/api/images", cut_out(1), f"{WORD}.png")
    cookie = demo.visitors.signed(ANN)
    for forged in (ANN, f"{ANN}.{'0' * 64}", cookie.upper(), f"../{cookie}", cookie + "0"):
        eve = TestClient(app, headers=OURS, cookies={COOKIE: forged})
        assert WORD not in eve.get("/api/images").text
        with suppress(ValueError):  # of a header that cannot be sent
            assert eve.post("/api/selections", json={"name": "x"}).status_code == 400
    assert all(re.fullmatch("[0-9a-f]{32}", name) for name in demo.desks._known)


def test_a_stranger_reads_no_file(app: Any, demo: Demonstration) -> None:
    eve = visitor(app, demo, "e" * 32)
    (demo.storage.data_dir / "secret").write_text(WORD)
    demo.visitors.signed(ANN)  # the key is there
    files = [demo.storage.data_dir / name for name in ("secret", "visitors.key")]
    for base in ("/media/images/", "/assets/", "/api/exports/", "/gradio_api/file=", "/static/"):
        for up in ("../", "..%2f", "%2e%2e/", "..%5c", "%252e%252e%252f"):
            for file in files:
                for index in (up * 8 + str(file).lstrip("/"), up * 3 + file.name, str(file)):
                    answer = eve.get(base + index)
                    assert answer.status_code in (400, 403, 404), (base, index)
                    assert WORD not in answer.text
    for name, path in (("../../../evil.png", 400), ("/evil.png", 200), ("a/../../evil", 400)):
        sent_as = {"X-File-Path": name}
        answer = eve.post(f"/api/image-sets/files/{'ab' * 16}", content=b"x", headers=sent_as)
        assert answer.status_code == path, name
    result = list(demo.storage.data_dir.rglob("evil*"))
    assert [item.parent.parent.name for item in result] == ["incoming"]


def test_a_visitor_stores_so_much_and_deleting_makes_room(
    demo: Demonstration, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(allowance_module, "time", SimpleNamespace(monotonic=lambda: now))
    few = replace(for_others(0), desk_bytes=MIB // 2, desk_images=3)
    object.__setattr__(demo.desks, "_limits", few)
    own = desk(demo, ANN)
    allowance = own.allowance
    assert allowance is not None
    noise = np.random.default_rng(0).integers(0, 255, (3, 300, 300, 3), dtype=np.uint8)
    images = [own.storage.images.add(pixels, "noise", "upload", maker=ANN) for pixels in noise[:1]]
    now += allowance_module.LOOK_S  # it is counted again
    assert allowance.left_bytes() < MIB // 2 - 250_000
    with pytest.raises(BadInput, match="may store 524 kB here"):
        own.require_space(300_000)
    # What is wanted counts from then on, also before it is there.
    own.require_space(100_000, images=1)
    with pytest.raises(BadInput, match="may store"):
        own.require_space(200_000)
    with pytest.raises(BadInput, match="3 images"):
        own.require_space(0, images=4)
    own.storage.trash.move("image", [images[0].image_id])
    own.require_space(300_000)
    assert own.storage.trash.all() == []


def test_all_visitors_together_store_so_much_and_the_oldest_desk_makes_room(
    demo: Demonstration,
) -> None:
    object.__setattr__(demo.desks, "_limits", replace(for_others(0), all_bytes=2 * MIB))
    desk(demo, ANN)
    demo.desks.tell(ANN, Amount(2 * MIB, 5))
    own = desk(demo, BEN)
    with pytest.raises(BadInput, match="The storage for visitors is full"):
        own.require_space(1000)
    demo.desks._known[ANN].used_at -= desks_module.CROWDED_S + 1
    folder = demo.storage.data_dir / desks_module.FOLDER / ANN
    with demo.desks.lease(ANN), pytest.raises(BadInput):  # she is being answered
        own.require_space(1000)
    assert folder.is_dir()
    own.require_space(1000)
    assert not folder.exists()


def test_what_nobody_used_for_a_day_goes_and_all_of_it_at_a_start(
    demo: Demonstration, tmp_path: Path
) -> None:
    folder = tmp_path / "data" / desks_module.FOLDER
    for name in (ANN, BEN):
        own = desk(demo, name)
        own.storage.images.add(SAMPLE + 1, "own", "upload", maker=name)
        own.storage.images.add(np.zeros((900, 900, 3), np.uint8), "own", "upload", maker=name)
    demo.desks.tidy()
    assert {path.name for path in folder.iterdir()} == {ANN, BEN}
    demo.desks._known[ANN].used_at -= desks_module.IDLE_S + 1
    demo.desks.tidy()
    assert set(demo.desks._open) == {BEN}
    # A desk that was closed is opened again as it was.
    assert desk(demo, ANN).storage.images.count() == 3
    demo.desks._known[ANN].used_at -= desks_module.KEPT_S + 1
    demo.desks.tidy()
    assert {path.name for path in folder.iterdir()} == {BEN}
    assert stored_below(folder / ANN) == Amount()
    demo.close()
    with Storage.open(tmp_path / "again") as storage:
        (tmp_path / "again" / desks_module.FOLDER / ANN).mkdir(parents=True)
        context = make_context(storage, "data", demo=True)
        assert isinstance(context, Demonstration)
        desk(context, BEN)
        assert [path.name for path in (tmp_path / "again" / "desks").iterdir()] == [BEN]
        context.close()


def test_desks_that_are_too_many_are_closed_once_nobody_is_at_them(
    demo: Demonstration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks_module, "MAX_OPEN", 2)
    names = [letter * 32 for letter in "abcd"]
    with ExitStack() as rush:
        for name in names:
            rush.enter_context(demo.desks.lease(name))
            desk(demo, name)
        demo.desks.tidy()
        assert set(demo.desks._open) == set(names)
    demo.desks.tidy()
    assert set(demo.desks._open) == set(names[2:])


def test_a_flood_of_strangers_gets_no_more_desks_than_so_many(
    app: Any, demo: Demonstration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks_module, "NEW_A_MINUTE", 3)
    ann = visitor(app, demo, ANN)
    sent(ann, "/api/images", cut_out(1), "ann.png")
    codes = [
        TestClient(app, headers=OURS).post("/api/images", content=cut_out(2)).status_code
        for _ in range(5)
    ]
    assert codes == [200, 200, 400, 400, 400]
    assert len(demo.desks._known) == 3
    # Who has one goes on, and everybody may look.
    sent(ann, "/api/images", cut_out(3), "ann.png")
    assert TestClient(app).get("/api/images").status_code == 200


def test_a_desk_at_work_is_not_taken_away(demo: Demonstration) -> None:
    own = desk(demo, ANN)
    go_on = Event()
    job = own.jobs.start("export", "x", Actor(ANN, Role.VISITOR), lambda _: {"x": go_on.wait(300)})
    demo.desks._known[ANN].used_at -= desks_module.KEPT_S + 1
    demo.desks.tidy()
    assert ANN in demo.desks._open
    go_on.set()
    own.jobs.wait(job.id, 300)
    demo.desks.tidy()
    assert ANN not in demo.desks._known


def test_work_in_a_thread_goes_on_at_the_desk_where_it_began(demo: Demonstration) -> None:
    seen: list[Path] = []

    def work(_: Job) -> dict[str, Any]:
        seen.append(demo.storage.data_dir)
        return {}

    with demo.visit(Actor(ANN, Role.VISITOR)):
        job = demo.jobs.start("export", "x", Actor(ANN, Role.VISITOR), work)
        jobs = demo.jobs
    jobs.wait(job.id, 300)
    assert [path.name for path in seen] == [ANN]
    assert demo.storage.data_dir.name == "data"


def test_gradio_and_mcp_answer_at_the_desk_of_the_cookie(app: Any, demo: Demonstration) -> None:
    ann, ben = visitor(app, demo, ANN), visitor(app, demo, BEN)
    image = sent(ann, "/api/images", cut_out(1), f"{WORD}.png")["image_id"]

    def call(client: TestClient, name: str, **fields: Any) -> str:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        target = {**body, "params": {"name": name, "arguments": fields}}
        accepted = {"Accept": "application/json, text/event-stream"}
        return client.post("/mcp", json=target, headers=accepted).text

    fields = {"image": image, "mask": image, "target": "css:teal"}
    assert "Nothing is stored" in call(ben, "measure_image", **fields)
    assert "mask id" in call(ann, "measure_image", **fields)  # the image is hers; no such mask
    fn = next(
        dependency["id"]
        for dependency in ann.get("/config").json()["dependencies"]
        if dependency["api_name"] == "measure_image"
    )
    with ann, ben:
        for session, client in (("ann", ann), ("ben", ben)):
            data = [image, "css:teal", "", "", "truehue", 0, "matches", [], ""]
            requested = {"data": data, "session_hash": session, "fn_index": fn}
            assert client.post("/gradio_api/queue/join", json=requested).status_code == 200
            message = client.get("/gradio_api/queue/data", params={"session_hash": session}).text
            assert "process_completed" in message
            assert ("delta_e00" in message) is (client is ann)
