"""The form of Generate by its routes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from truehue.tabs.generate.routes import generation_routes
from truehue.tabs.page.context import Context

pytestmark = pytest.mark.slow

UNICORN = "A photo of a blue unicorn"
OURS = {"X-TrueHue": "1"}
# What the form holds where a test does not say otherwise.
HELD: dict[str, Any] = {
    "mode": "own",
    "prompts": 1,
    "text": "",
    "object": "mug",
    "target": "css:teal",
    "edited": [True, True],
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


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    app.include_router(generation_routes(context))
    with TestClient(app) as made:
        yield made


def sent(client: TestClient, action: str, **changes: Any) -> Any:
    """The answer to the form with these changes."""
    answer = client.post(f"/api/generations/{action}", json={**HELD, **changes}, headers=OURS)
    return answer.json()


def filled(client: TestClient, **query: str) -> Any:
    """What a link fills in."""
    return client.get("/api/generations/form", params=query).json()


def test_the_fields_follow_the_words_and_the_plan_says_what_is_judged(client: TestClient) -> None:
    answer = sent(client, "plan", text=UNICORN, edited=[False, False])
    assert answer["fields"] == {"object": "unicorn", "target": "css:blue"}
    assert answer["reading"]["judged"][0]["object"] == "unicorn"
    assert answer["button"]["button"] == "Generate"
    answer = sent(client, "plan", text=UNICORN, object="cup", edited=[True, False])
    assert answer["fields"] == {"object": "cup", "target": "css:blue"}
    # What was edited to what the words say follows them again.
    same = sent(client, "plan", text=UNICORN, object="unicorn", target="css:blue")
    assert same["button"]["own"] == {"text": UNICORN}
    future = sent(client, "plan")
    assert future["button"]["own"] == {"text": "", "object": "mug", "target": "css:teal"}


def test_generate_puts_the_request_into_the_queue_or_says_why_not(
    client: TestClient, context: Context
) -> None:
    job = sent(client, "start")["job"]
    assert context.engine.wait(job, 300).status == "done"
    assert context.storage.drawings.count() == 1
    refused = sent(client, "start", mode="basket", refs=[])
    assert "no prompt to generate" in refused["error"]
    assert context.storage.drawings.count() == 1


def test_a_link_and_the_tour_fill_the_form(client: TestClient) -> None:
    answer = filled(client, tab="generate", object="book", target="#8040C0", seed="12")
    values = answer["values"]
    assert (values["object"], values["target"], values["seed"]) == ("book", "#8040C0", 12)
    assert answer["choices"]
    values = filled(client, example="1")["values"]
    assert (values["text"], values["object"], values["seed"]) == ("", "mug", 0)
    assert values["target"] == "l3:Vivid reddish orange"
    values = filled(client, example="1", text="A vivid red cube", seed="7")["values"]
    assert (values["text"], values["object"], values["seed"]) == ("A vivid red cube", "cube", 7)
    assert values["edited"] == [False, False]
