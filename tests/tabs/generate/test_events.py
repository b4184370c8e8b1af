"""The events of the Generate tab, called as Gradio calls them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from tests.tabs.drawn import drawn
from truehue.tabs.generate import tab
from truehue.tabs.inspect import tab as inspect
from truehue.tabs.page.context import Context
from truehue.tabs.page.feature import Page

pytestmark = pytest.mark.slow

UNICORN = "A photo of a blue unicorn"
NOT_EDITED = {"object": False, "target": False}
# What the controls hold where a test does not say otherwise.
HELD: dict[str, Any] = {
    "ask": {"mode": "own", "prompts": 1},
    "own_text": "",
    "object_name": "mug",
    "target": "css:teal",
    "reading": {"object": True, "target": True},
    "models": ["reference-renderer"],
    "seed": 5,
    "seeds": 1,
    "guidance": "",
    "steps": "",
    "size": 96,
    "light": "studio",
    "failure": "none",
    "realism": None,
}
QUESTION = ("", "", "truehue", 5, False, "l3", "matches")
Call = Callable[..., dict[str, Any]]


@pytest.fixture
def call(context: Context) -> Call:
    """Calls the handlers of an event: ``data`` is what its widget sent, ``query`` the address, and
    the rest what the controls hold. Returns what they answer, by the component's name."""
    with gr.Blocks() as demo:
        header = gr.HTML()
        with gr.Tabs() as tabs, gr.Tab("All"):
            page = Page(context, header, tabs)
            page.views["inspect"] = inspect_view = inspect.layout(page)
            page.views["generate"] = view = tab.layout(page)
            tab.wire(page)
    names = {var._id: name for name, var in vars(view).items()}
    names |= {output._id: f"inspect {index}" for index, output in enumerate(inspect_view.outputs)}
    names |= {header._id: "header", tabs._id: "tabs"}
    requested = dict(zip((item._id for item in inspect_view.asked), QUESTION, strict=True))

    def called(
        part: str, event: str, data: Any = None, query: Any = None, **held: Any
    ) -> dict[str, Any]:
        target = (getattr(view, part)._id, event)
        request = SimpleNamespace(query_params=query or {}, cookies={})
        values = {**HELD, **held}
        message: dict[str, Any] = {}
        handlers = [fn for fn in demo.fns.values() if target in fn.targets and fn.fn]
        assert handlers, target
        for handler in handlers:
            sent = [gr.EventData(None, data)] if data is not None else []
            inputs = [
                requested[index._id] if index._id in requested else values[names[index._id]]
                for index in handler.inputs
            ]
            answer = handler.fn(request, *sent, *inputs)
            answers = answer if len(handler.outputs) > 1 else [answer]
            outputs = [names[to._id] for to in handler.outputs]
            message |= dict(zip(outputs, answers, strict=True))
        return message

    return called


def test_the_fields_follow_the_words_and_the_plan_says_what_is_judged(call: Call) -> None:
    """Also where the page asks again, because an answer was lost."""
    text = {"own_text": UNICORN, "reading": NOT_EDITED}
    for part, event in (("own_text", "change"), ("reading", "again")):
        future = call(part, event, **text)
        assert future["object_name"]["value"] == "unicorn"
        assert future["target"]["value"] == "css:blue"
        assert future["reading"]["view"]["judged"][0]["object"] == "unicorn"
        assert future["draw"]["view"]["button"] == "Generate"
    assert call("reading", "follow", **text)["object_name"]["value"] == "unicorn"
    same = call("reading", "follow", **text, object_name="unicorn", target="css:blue")
    assert all("value" not in update for update in same.values())
    # What is no state of the page counts as nothing: no mode, no field that was edited.
    future = call("ask", "plan", ask="odd", own_text=None, reading="odd")
    assert future["draw"]["view"]["own"] == {"text": "", "object": "mug", "target": "css:teal"}


def test_draw_puts_the_request_into_the_queue_or_says_why_not(call: Call, context: Context) -> None:
    future = call("draw", "draw", {"mode": "own", "at": 17})
    assert future["draw"]["view"]["answered"] == 17
    assert "problem" not in future["draw"]["view"]
    assert context.engine.wait(future["queue"]["job"], 60).status == "done"
    assert context.storage.drawings.count() == 1
    assert future["header"]["data"]
    future = call("draw", "draw", {"mode": "basket", "refs": [], "at": 18})
    assert future["draw"]["view"]["answered"] == 18
    assert "no prompt to generate" in future["draw"]["view"]["problem"]
    assert "job" not in future["queue"]
    assert context.storage.drawings.count() == 1


def test_a_click_on_an_object_opens_its_question_in_inspect(call: Call, context: Context) -> None:
    record = drawn(context, "mug", "css:teal")
    (mask,) = context.storage.masks.for_image(record.image_id)
    source = {
        "opened": record.image_id,
        "object": "mug",
        "target": "css:teal",
        "relation": "differs",
        "mask": mask.mask_id,
    }
    future = call("gallery", "open", gallery=source)
    assert future["tabs"]["selected"] == "inspect"
    assert "1 image" in future["header"]["data"]
    shown = " ".join(str(update) for name, update in future.items() if name.startswith("inspect"))
    assert record.image_id in shown
    assert "mug" in shown
    assert "css:teal" in shown
    with pytest.warns(UserWarning, match="image"):
        future = call("gallery", "open", gallery={"opened": "0" * 64})
    assert "selected" not in future["tabs"]


def test_a_link_and_the_tour_fill_the_form(call: Call) -> None:
    query = {"tab": "generate", "object": "book", "target": "#8040C0", "seed": "12"}
    future = call("ask", "ready", query=query)
    assert (future["object_name"], future["target"]["value"], future["seed"]) == (
        "book",
        "#8040C0",
        12,
    )
    assert future["models"]["choices"]
    future = call("ask", "example", {})
    assert (future["own_text"], future["object_name"], future["seed"]) == ("", "mug", 0)
    assert future["target"]["value"] == "l3:Vivid reddish orange"
    future = call("ask", "example", {"text": "A vivid red cube", "seed": "7", "odd": 3})
    assert (future["own_text"], future["object_name"], future["seed"]) == (
        "A vivid red cube",
        "cube",
        7,
    )
    assert future["reading"]["value"] == NOT_EDITED
    seeds = {call("new_seed", "click")["seed"] for _ in range(20)}
    assert len(seeds) > 10
    assert all(0 <= seed < 100_000 for seed in seeds)
