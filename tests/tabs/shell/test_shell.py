"""The page around the tabs."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from truehue.storage import Storage
from truehue.tabs.page.context import Context
from truehue.tabs.page.gradio_routes import check_paths, count_refused_events
from truehue.tabs.shell import shell
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow


def test_the_page_opens_no_stream_and_a_call_of_the_api_keeps_the_app_from_ending(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event of Gradio's on the page would hold one of 40 places as long as a page is open."""
    built: list[Any] = []
    build = shell.build

    def kept(*values: Any) -> Any:
        built.append(build(*values))
        return built[-1]

    monkeypatch.setattr(shell, "build", kept)
    with TestClient(shell.mount(context)) as client:
        (demo,) = built
        pages = client.get("/config").json()["page"]
        assert pages[""]["dependencies"] == []
        assert len(pages["endpoints"]["dependencies"]) == len(demo.fns)
        assert not shell.has_active_events(demo)
        free = demo._queue.active_jobs.index(None)
        demo._queue.active_jobs[free] = [SimpleNamespace(fn=next(iter(demo.fns.values())))]
        assert shell.has_active_events(demo)
        demo._queue.active_jobs[free] = None
    assert isinstance(demo, gr.Blocks)


def test_no_file_of_the_machine_is_read_through_gradio(
    context: Context,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Every input of every event refuses a path that the page makes up, without a trace each in
    the log.

    Gradio copies a file that a value names into its folder, from where ``file=`` serves it; the
    error that it answered with named the copy. Of a ``gr.State`` Gradio takes its own
    value and none of the page's, so those events may be done.
    """
    # The folder that Gradio takes by itself is shared with every other app of the machine.
    copies = tmp_path / "gradio"
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(copies))
    secret = tmp_path / "secret.txt"
    secret.write_text("nobody else's business")
    made_up = {"path": str(secret), "meta": {"_type": "gradio.FileData"}}
    with TestClient(shell.mount(context)) as client:
        tried: dict[str, int] = {}
        config = client.get("/config").json()
        states = {item["id"] for item in config["components"] if item["type"] == "state"}
        own: set[str] = set()
        for event in config["dependencies"]:
            for index, component in enumerate(event["inputs"]):
                data: list[Any] = [None] * len(event["inputs"])
                data[index] = made_up
                body = {"data": data, "fn_index": event["id"], "session_hash": "stranger"}
                joined = client.post("/gradio_api/queue/join", json=body)
                tried[joined.json()["event_id"]] = event["id"]
                if component in states:
                    own.add(joined.json()["event_id"])
        # The stream ends by itself when the last event of the session is done.
        lines = client.get("/gradio_api/queue/data", params={"session_hash": "stranger"}).text
        message = [json.loads(line[6:]) for line in lines.splitlines() if line.startswith("data: ")]
        done = [item for item in message if item["msg"] == "process_completed"]
        assert len(tried) - len(own) > 20
        assert {item["event_id"] for item in done} == set(tried)
        for entry in done:
            used = entry["success"] and entry["event_id"] not in own
            assert not used, (tried[entry["event_id"]], entry)
            assert secret.name not in json.dumps(entry).replace(str(secret), ""), entry
        assert client.get(f"/gradio_api/file={secret}").status_code == 404
    assert Path(gr.utils.get_upload_folder()) == copies
    assert list(copies.rglob(secret.name)) == []
    assert "Traceback" not in capfd.readouterr().err


def test_the_start_fails_where_gradio_would_not_check_paths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with gr.Blocks() as demo:
        pass
    monkeypatch.setattr("gradio.processing_utils._check_allowed", lambda *_: None)
    with pytest.raises(RuntimeError, match="has_launched"):
        check_paths(demo)
    monkeypatch.undo()
    check_paths(demo)
    assert demo.has_launched
    del demo.has_launched
    with pytest.raises(RuntimeError, match="has_launched"):
        check_paths(demo)


def test_an_error_of_our_own_is_still_printed(capfd: pytest.CaptureFixture[str]) -> None:
    count_refused_events()
    for broken in ("postprocess_data", "preprocess_data"):
        body = f"def {broken}():\n    raise ValueError('in {broken}')"
        names: dict[str, Any] = {}
        exec(body, names)
        try:
            names[broken]()
        except ValueError:
            gr.queueing.traceback.print_exc()
    err = capfd.readouterr().err
    assert "in postprocess_data" in err
    assert "in preprocess_data" not in err


@pytest.mark.parametrize("demo", [True, False])
def test_a_demonstration_has_no_judge(tmp_path: Path, demo: bool) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data", demo=demo)
        with TestClient(shell.mount(context)) as client:
            components = client.get("/config").json()["components"]
            names = {
                component["props"].get("label")
                for component in components
                if component["type"] == "tabitem"
            }
            status = client.get("/api/studies").status_code
        context.close()
    assert "Inspect" in names
    assert ("Studies" in names, status == 404) == (not demo, demo)
