"""Keeping, disagreeing with and deleting verdicts, through the routes of the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.core.photographs import object_photograph
from tests.tabs.reach import as_demo
from truehue.core.errors import NotAllowed
from truehue.core.images.pixels import Mask
from truehue.core.records import ImageRecord
from truehue.core.verdict.rules import RULES
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.verdicts.judgments import (
    OTHERS,
    AnswerVerdict,
    Judgment,
    judge_verdict,
    judgments_view,
    of_question,
    withdraw,
)
from truehue.tabs.verdicts.routes import judgment_routes

pytestmark = pytest.mark.slow

HEADERS = {"X-TrueHue": "1"}


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    app.include_router(judgment_routes(context))
    with TestClient(app, headers=HEADERS) as made:
        yield made


@pytest.fixture
def asked(context: Context, stored: ImageRecord) -> dict[str, object]:
    """A question about the object in the photograph, as the page sends it."""
    mask = context.storage.masks.add(stored.image_id, Mask(object_photograph(128)[1], "brush"))
    return {
        "image": stored.image_id,
        "mask": mask.mask_id,
        "object": "ball",
        "target": "css:orange",
        "rule": "paper",
        "k": 0,
        "neighbors_of": "l3",
    }


def test_a_kept_verdict_is_stored_by_every_rule_once(
    context: Context, client: TestClient, asked: dict[str, object]
) -> None:
    first = client.post("/api/verdicts", json=asked).json()
    assert list(first["evidence"]) == [by.id for by in RULES]
    assert context.storage.evidence.count() == len(RULES)
    assert client.post("/api/verdicts", json=asked).json() == first
    assert context.storage.evidence.count() == len(RULES)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"target": "no color at all"}, "no color at all"),
        ({"rule": "mine"}, "cannot be used for scoring"),
        ({"mask": "0" * 64}, "Nothing is stored"),
        ({"k": 999}, "a whole number from 0 to 20"),
    ],
)
def test_what_cannot_be_kept_says_why(
    context: Context,
    client: TestClient,
    asked: dict[str, object],
    change: dict[str, object],
    text: str,
) -> None:
    answer = client.post("/api/verdicts", json={**asked, **change})
    assert answer.status_code in (400, 404)
    assert text in answer.json()["error"]
    assert context.storage.evidence.count() == 0


def test_disagreeing_keeps_the_verdict_and_the_reason_and_counts_every_rule(
    context: Context, client: TestClient, asked: dict[str, object]
) -> None:
    said = client.post(
        "/api/judgments", json={**asked, "answer": "pass", "reason": "=It is orange."}
    ).json()
    assert said["rule"] == "paper"
    assert said["reason"] == "=It is orange."
    assert context.storage.evidence.count() == len(RULES)
    listed = client.get("/api/judgments").json()
    assert [judgment["id"] for judgment in listed["judgments"]] == [said["id"]]
    assert [row["rule"] for row in listed["rules"]] == [by.id for by in RULES]
    by_status = {status["rule"]: status["status"] for status in said["statuses"]}
    for row in listed["rules"]:
        wanted = {"pass": (1, 0, 0, 0), "fail": (0, 1, 0, 0), "unscored": (0, 0, 0, 1)}
        got = (row["agree"], row["too_strict"], row["too_lenient"], row["unscored"])
        assert got == wanted[by_status[row["rule"]]]
    question = {**asked, "object": "Ball", "target": "#FFA500"}
    result = client.get("/api/judgments/of", params=question).json()["judgment"]
    assert result["id"] == said["id"]
    question["target"] = "css:red"
    assert client.get("/api/judgments/of", params=question).json()["judgment"] is None
    rows = list(csv.DictReader(io.StringIO(client.get("/api/judgments.csv").text)))
    assert [row["rule"] for row in rows] == sorted(by.id for by in RULES)
    assert {row["reason"] for row in rows} == {"'=It is orange."}
    agrees = {row["rule"]: row["agrees"] for row in rows}
    assert agrees["paper"] == str(by_status["paper"] == "pass").lower()
    client.post(f"/api/judgments/{said['id']}/withdraw", json={})
    assert client.get("/api/judgments").json()["total"] == 0
    assert (
        "taken back"
        in client.post(f"/api/judgments/{said['id']}/withdraw", json={}).json()["error"]
    )


def test_ones_own_answer_is_told_from_those_of_others(
    context: Context, client: TestClient, asked: dict[str, object]
) -> None:
    ann, ben = (Actor(name, Role.VISITOR) for name in ("ann", "ben"))

    def answer(actor: Actor, status: str) -> str:
        request = read_as(
            AnswerVerdict, {**asked, "answer": status, "reason": f"{actor.id} saw it"}
        )
        return str(judge_verdict(context, actor, request)["id"])

    owners = answer(OWNER, "pass")
    anns = answer(ann, "fail")
    question = {name: str(value) for name, value in asked.items()}
    for actor, own, other in ((OWNER, owners, anns), (ann, anns, owners)):
        answers = of_question(context, actor, question)
        assert (answers["judgment"]["id"], answers["judgment"]["mine"]) == (own, True)
        assert [(item["id"], item["mine"]) for item in answers["others"]] == [(other, False)]
        listed = judgments_view(context, actor, {})["judgments"]
        assert {item["id"] for item in listed if item["mine"]} == {own}
    answers = of_question(context, ben, question)
    assert (answers["judgment"], answers["others_total"]) == (None, 2)
    # Nobody but the owner of the folder takes back what another one said.
    for actor, judgment_id in ((ben, anns), (ann, owners)):
        with pytest.raises(NotAllowed, match="Only the person who made this"):
            withdraw(context, actor, Judgment(judgment_id=judgment_id))
    withdraw(context, ann, Judgment(judgment_id=anns))
    assert client.get("/api/judgments").json()["total"] == 1
    assert client.get("/api/judgments/of", params=question).json()["others"] == []
    for number in range(OTHERS + 1):
        answer(Actor(f"visitor {number}", Role.VISITOR), "pass")
    answers = of_question(context, OWNER, question)
    assert (len(answers["others"]), answers["others_total"]) == (OTHERS, OTHERS + 1)
    withdraw(context, OWNER, Judgment(judgment_id=answers["others"][0]["id"]))
    assert of_question(context, OWNER, question)["others_total"] == OTHERS


def test_an_answer_has_to_say_what_was_seen(
    client: TestClient, asked: dict[str, object], context: Context
) -> None:
    answer = client.post("/api/judgments", json={**asked, "answer": "perhaps"})
    assert (answer.status_code, "What you see is one of pass, fail" in answer.json()["error"]) == (
        400,
        True,
    )
    assert context.storage.evidence.count() == 0


def test_a_photograph_is_deleted_and_put_back_and_its_judgment_stays(
    context: Context, client: TestClient, asked: dict[str, object]
) -> None:
    client.post("/api/judgments", json={**asked, "answer": "fail"})
    context.srgb8(str(asked["image"]))
    gone = client.post("/api/trash", json={"kind": "image", "ids": [asked["image"]]}).json()
    assert gone["words"] == f"photograph.png, with 1 mask and {len(RULES)} verdicts"
    assert context.storage.images.count() == 0
    with pytest.raises(Exception, match="Nothing is stored"):
        context.srgb8(str(asked["image"]))
    (judgment,) = client.get("/api/judgments").json()["judgments"]
    assert (judgment["stored"], judgment["link"]) == (False, "")
    deleted = client.get("/api/trash").json()["deleted"]
    assert [item["id"] for item in deleted] == [gone["id"]]
    client.post(f"/api/trash/{gone['id']}/restore", json={})
    assert context.storage.images.count() == 1
    assert context.storage.evidence.count() == len(RULES)
    gone = client.post("/api/trash", json={"kind": "image", "ids": [asked["image"]]}).json()
    client.post(f"/api/trash/{gone['id']}/purge", json={})
    answer = client.post(f"/api/trash/{gone['id']}/restore", json={})
    assert "for good" in answer.json()["error"]


def test_what_was_kept_together_is_deleted_together(
    context: Context, client: TestClient, asked: dict[str, object]
) -> None:
    saved = client.post("/api/verdicts", json=asked).json()["evidence"]
    other = client.post("/api/verdicts", json={**asked, "target": "css:navy"}).json()["evidence"]
    values = {"kind": "verdict", "ids": [saved["paper"]], "all_rules": True}
    gone = client.post("/api/trash", json=values).json()
    assert gone["count"] == len(RULES)
    left = {row.evidence_id for row in context.storage.evidence.recent()}
    assert left == set(other.values())
    client.post(f"/api/trash/{gone['id']}/restore", json={})
    assert context.storage.evidence.count() == 2 * len(RULES)


def test_for_good_is_for_those_at_the_machine(
    context: Context, client: TestClient, asked: dict[str, object]
) -> None:
    gone = client.post("/api/trash", json={"kind": "image", "ids": [asked["image"]]}).json()
    as_demo(context)
    answer = client.post(f"/api/trash/{gone['id']}/purge", json={})
    as_demo(context, demo=False)
    assert answer.status_code == 403
    assert "Permanent deletion works only" in answer.json()["error"]
    assert [item.trash_id for item in context.storage.trash.all()] == [gone["id"]]


def test_nothing_is_deleted_by_a_request_that_is_none(client: TestClient) -> None:
    for values in (
        {"kind": "image"},
        {"kind": "image", "ids": "all"},
        {"kind": "runs", "ids": ["a"]},
    ):
        assert client.post("/api/trash", json=values).status_code == 400
