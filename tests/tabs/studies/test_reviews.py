"""Experts' reviews of colorings: queues of their own, named experts, comments, and what is sent back."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.tabs.studies.colored import TASTES, colored_study, coloring, event
from tests.tabs.studies.test_colorings import EXPERTS, RESEARCHER, controlled
from truehue.core.errors import BadInput, NotAllowed, NotStored
from truehue.core.studies import EventKind, MarkKind
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.studies.colorings.experts import SetExperts, experts, set_experts
from truehue.tabs.studies.colorings.facts import current_colorings_of, facts_of, known_without_marks
from truehue.tabs.studies.colorings.listing import ListColorings, colorings
from truehue.tabs.studies.colorings.live import coloring_progress
from truehue.tabs.studies.colorings.marks import (
    PostKeep,
    PostSentBack,
    post_keep,
    post_sent_back,
    set_coloring_rule,
)
from truehue.tabs.studies.colorings.quality import concept_uncertainty_json, quality
from truehue.tabs.studies.colorings.reviews import (
    PostReview,
    ReviewItemReference,
    next_review,
    post_review,
    queue_of,
    review_image,
    reviews_open,
)
from truehue.tabs.studies.colorings.rule import SetColoringRule
from truehue.tabs.studies.colorings.submitted import SubmittedColoring
from truehue.tabs.studies.results import StudyReference

pytestmark = pytest.mark.slow


def test_experts_review_blind_in_orders_of_their_own(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    controlled(context, study_id)
    orders = []
    for expert in EXPERTS:
        seen = []
        jsonresponse = next_review(context, expert, StudyReference(study=study_id))
        assert jsonresponse["left"] == 5
        while (item := jsonresponse["item"]) is not None:
            own = {"comment", "returned"}
            assert set(item) == {"id", "words", "picture", "histogram", "bins", *own}
            assert (item["comment"], item["returned"]) == ("", None)
            assert item["words"] == "lonely cabin"
            assert sum(item["histogram"]) == pytest.approx(1.0, abs=1e-3)
            content = review_image(
                context, expert, ReviewItemReference(study=study_id, item=item["id"])
            )
            color = tuple(np.asarray(Image.open(BytesIO(content)))[10, 10].tolist())
            seen.append(color)
            upcoming = jsonresponse["upcoming"]
            value = "no" if color == (0x20, 0x40, 0xC8) else "yes"
            jsonresponse = post_review(
                context, expert, PostReview(study=study_id, item=item["id"], value=value)
            )
            if jsonresponse["item"] is not None:
                assert jsonresponse["item"]["picture"] == upcoming
        assert (jsonresponse["done"], jsonresponse["left"]) == (5, 0)
        orders.append(seen)
    assert len({tuple(order) for order in orders}) > 1
    jsonresponse = controlled(context, study_id)
    assert jsonresponse["reviews"]["observed"]["value"] == 1.0
    assert (jsonresponse["reviews"]["consistent"], jsonresponse["reviews"]["inconsistent"]) == (
        4,
        1,
    )
    assert [pattern["words"] for pattern in jsonresponse["reviews"]["patterns"]] == [
        "Unanimous consistent",
        "Unanimous inconsistent",
    ]
    assert [level["left_out"] for level in jsonresponse["levels"]] == [0, 1, 1]
    (out,) = jsonresponse["left_out"]
    assert out["participant"] == people[1].id
    assert "0 yes, 3 no" in out["reasons"][0]


def test_an_expert_can_go_back(context: Context) -> None:
    study_id, _ = colored_study(context.storage)
    controlled(context, study_id)
    expert = EXPERTS[0]
    item = next_review(context, expert, StudyReference(study=study_id))["item"]["id"]
    message = post_review(context, expert, PostReview(study=study_id, item=item, value="no"))
    assert (message["previous"]["id"], message["previous"]["value"]) == (item, "no")
    message = post_review(context, expert, PostReview(study=study_id, item=item, value="back"))
    assert (message["done"], message["left"], message["item"]["id"]) == (0, 5, item)
    assert reviews_open(context, expert, EmptyRequest())["studies"][0]["left"] == 5


def test_a_coloring_that_is_changed_loses_its_reviews(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    controlled(context, study_id)
    expert = EXPERTS[0]
    set_coloring_rule(context, OWNER, SetColoringRule(study=study_id, scope="all", reviewers=1))
    controlled(context, study_id)
    message = next_review(context, expert, StudyReference(study=study_id))
    assert message["left"] == 5 * len(TASTES)
    while message["item"]:
        message = post_review(
            context, expert, PostReview(study=study_id, item=message["item"]["id"], value="yes")
        )
    plan = facts_of(context, study_id).source.plan
    trial = context.storage.participants.trials(people[0].id)[1]
    undo = coloring(context.storage, plan, trial, "#123456")
    context.storage.study_events.append(people[0].id, [event(EventKind.UNDO, 1, {}), *undo])
    controlled(context, study_id)
    assert next_review(context, expert, StudyReference(study=study_id))["left"] == 1


def test_experts_see_nothing_else_and_researchers_do_not_review(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    for ask in (quality, concept_uncertainty_json, coloring_progress):
        with pytest.raises(NotAllowed):
            ask(context, EXPERTS[0], StudyReference(study=study_id))
    with pytest.raises(NotAllowed):
        colorings(context, EXPERTS[0], ListColorings(study=study_id))
    with pytest.raises(NotAllowed):
        next_review(context, RESEARCHER, StudyReference(study=study_id))
    message = reviews_open(context, RESEARCHER, EmptyRequest())
    assert message == {"studies": [], "may_review": False, "may_see_studies": True}
    message = reviews_open(context, EXPERTS[0], EmptyRequest())
    assert (message["may_review"], message["may_see_studies"]) == (True, False)
    index = {"study": study_id, "participant": people[0].id, "position": 1}
    with pytest.raises(NotAllowed):
        post_keep(context, EXPERTS[0], PostKeep(**index, value="kept"))
    with pytest.raises(NotStored):
        post_review(context, EXPERTS[0], PostReview(study=study_id, item="0" * 32, value="yes"))


def named(context: Context, study_id: str, count: int, reviewers: int) -> list[Actor]:
    """So many experts with accounts, who are named to review all colorings of a study."""
    people = []
    for number in range(count):
        account = context.storage.accounts.add(f"Eve {number}", "expert", "hash")
        people.append(Actor(account.id, Role.EXPERT, name=account.name))
    set_coloring_rule(context, OWNER, SetColoringRule(study=study_id, scope="all"))
    ids = [person.id for person in people]
    set_experts(context, OWNER, SetExperts(study=study_id, experts=ids, reviewers=reviewers))
    controlled(context, study_id)
    return people


def reviewed(
    context: Context, study_id: str, expert: Actor, value: str = "yes", count: int = 1000
) -> list[SubmittedColoring]:
    """Has an expert answer what waits for them, so much of it, as the page's answers are stored."""
    facts, _ = known_without_marks(context, study_id)
    queue = queue_of(current_colorings_of(context, study_id), expert.id, facts)[:count]
    stored = "consistent" if value == "yes" else "inconsistent"
    for item in queue:
        person, position = item.participant.id, item.trial.position
        context.storage.coloring_marks.add(
            study_id, person, position, MarkKind.REVIEW, stored, "", expert.id
        )
    return queue


def first_reviewed(context: Context, study_id: str) -> Any:
    """The first coloring of the list that somebody reviewed."""
    rows = colorings(context, OWNER, ListColorings(study=study_id))["colorings"]
    return next(row for row in rows if row["reviews"])


@pytest.fixture
def study_id(context: Context) -> str:
    """A study of 20 colorings that experts may review, in a lab with accounts."""
    context.storage.accounts.add("Ann", "admin", "hash")
    study_id, _ = colored_study(context.storage)
    controlled(context, study_id)
    return study_id


def test_named_experts_share_the_colorings_and_each_has_several(
    context: Context, study_id: str
) -> None:
    people = named(context, study_id, 5, reviewers=3)
    view = experts(context, RESEARCHER, StudyReference(study=study_id))
    assert [(row["name"], row["done"]) for row in view["experts"]] == [
        (f"Eve {number}", 0) for number in range(5)
    ]
    # 20 colorings by three each are 60 reviews: twelve for each of five.
    assert [row["left"] for row in view["experts"]] == [12] * 5
    (row,) = reviews_open(context, people[2], EmptyRequest())["studies"]
    assert (row["done"], row["left"], row["sent_back"]) == (0, 12, 0)
    # What somebody has reviewed takes nothing from the others, and gives them nothing.
    assert len(reviewed(context, study_id, people[2], count=7)) == 7
    view = experts(context, RESEARCHER, StudyReference(study=study_id))
    assert [(row["done"], row["left"]) for row in view["experts"]] == [
        (0, 12),
        (0, 12),
        (7, 5),
        (0, 12),
        (0, 12),
    ]
    for person in people:
        reviewed(context, study_id, person)
    votes = controlled(context, study_id)["reviews"]
    assert (votes["reviews"], votes["colorings"], votes["open"]) == (60, 20, 0)
    rows = colorings(context, OWNER, ListColorings(study=study_id))["colorings"]
    reviewers = [{review["name"] for review in row["reviews"]} for row in rows if row["reviews"]]
    assert [len(names) for names in reviewers] == [3] * 20
    assert Counter(name for names in reviewers for name in names) == {
        f"Eve {number}": 12 for number in range(5)
    }


def test_others_than_the_named_experts_do_not_review(context: Context, study_id: str) -> None:
    named(context, study_id, 3, reviewers=3)
    other = EXPERTS[0]
    assert reviews_open(context, other, EmptyRequest())["studies"] == []
    for who in (other, OWNER):
        with pytest.raises(NotAllowed, match="other experts"):
            next_review(context, who, StudyReference(study=study_id))
    assert experts(context, OWNER, StudyReference(study=study_id))["may_review"] is False
    # With nobody named, whoever is an expert may again.
    set_experts(context, OWNER, SetExperts(study=study_id, experts=[], reviewers=3))
    controlled(context, study_id)
    assert next_review(context, other, StudyReference(study=study_id))["left"] == 20


def test_experts_are_accounts_that_may_review_and_enough(context: Context, study_id: str) -> None:
    people = named(context, study_id, 3, reviewers=2)
    ids = [person.id for person in people]
    rita = context.storage.accounts.add("Rita", "researcher", "hash")
    for unknown in (rita.id, "0" * 32):
        request = SetExperts(study=study_id, experts=[*ids, unknown], reviewers=2)
        with pytest.raises(BadInput, match="cannot review"):
            set_experts(context, OWNER, request)
    with pytest.raises(BadInput, match="4 different experts, but 3 are named"):
        set_experts(context, OWNER, SetExperts(study=study_id, experts=ids, reviewers=4))
    with pytest.raises(BadInput, match="4 different experts, but 3 are named"):
        set_coloring_rule(context, OWNER, SetColoringRule(study=study_id, reviewers=4))
    with pytest.raises(NotAllowed):
        set_experts(context, people[0], SetExperts(study=study_id, experts=ids, reviewers=2))
    view = experts(context, OWNER, StudyReference(study=study_id))
    assert [account["name"] for account in view["accounts"]] == ["Eve 0", "Eve 1", "Eve 2", "Ann"]
    # The rule of exclusion and that of colorings leave who was named as it is.
    assert view["named"]
    assert len(context.storage.studies.rule(study_id)["experts"]) == 3


def test_a_comment_is_read_by_researchers_and_again_by_its_author_alone(
    context: Context, study_id: str
) -> None:
    people = named(context, study_id, 3, reviewers=3)
    item = next_review(context, people[0], StudyReference(study=study_id))["item"]
    assert item["comment"] == ""
    text = "Too dark <b>here</b>"
    request = PostReview(study=study_id, item=item["id"], value="no", comment=text)
    post_review(context, people[0], request)
    view = experts(context, RESEARCHER, StudyReference(study=study_id))
    ((comment),) = view["comments"]
    assert (comment["name"], comment["comment"]) == ("Eve 0", text)
    assert (comment["words"], comment["value"]) == (item["words"], "inconsistent")
    back = PostReview(study=study_id, item=item["id"], value="back")
    again = post_review(context, people[0], back)["item"]
    assert (again["id"], again["comment"]) == (item["id"], text)
    for expert in people[1:]:
        assert len(reviewed(context, study_id, expert, count=19)) == 19
    assert text not in str(next_review(context, people[1], StudyReference(study=study_id)))


def test_what_is_sent_back_is_first_for_those_who_reviewed_it_and_counts_no_more(
    context: Context, study_id: str
) -> None:
    people = named(context, study_id, 3, reviewers=3)
    for person in people:
        reviewed(context, study_id, person, "no" if person is people[0] else "yes", count=20)
    row = first_reviewed(context, study_id)
    index = {"study": study_id, "participant": row["participant"], "position": row["position"]}
    assert controlled(context, study_id)["reviews"]["reviews"] == 60
    with pytest.raises(BadInput, match="not sent back"):
        post_sent_back(context, OWNER, PostSentBack(**index, value="withdrawn"))
    with pytest.raises(BadInput, match="Say what"):
        post_sent_back(context, OWNER, PostSentBack(**index))
    post_sent_back(context, OWNER, PostSentBack(**index, reason="Look at the stem."))
    with pytest.raises(BadInput, match="it was sent back"):
        post_sent_back(context, OWNER, PostSentBack(**index, reason="Again."))
    votes = controlled(context, study_id)["reviews"]
    assert (votes["reviews"], votes["colorings"]) == (57, 19)
    assert experts(context, OWNER, StudyReference(study=study_id))["sent_back"] == 1
    view = next_review(context, people[0], StudyReference(study=study_id))
    assert (view["done"], view["left"], view["sent_back"]) == (19, 1, 1)
    assert view["item"]["returned"] == {"value": "no", "note": "Look at the stem."}
    request = PostReview(study=study_id, item=view["item"]["id"], value="yes")
    assert post_review(context, people[0], request)["left"] == 0
    # What is taken back is asked again, as sent back.
    back = PostReview(study=study_id, item=view["item"]["id"], value="back")
    assert post_review(context, people[0], back)["item"]["returned"]["note"] == "Look at the stem."
    post_review(context, people[0], request)
    reviewed(context, study_id, people[1])
    # Withdrawn, the answers from before count again where there is no new one.
    post_sent_back(context, OWNER, PostSentBack(**index, value="withdrawn"))
    votes = controlled(context, study_id)["reviews"]
    assert votes["reviews"] == 60
    shown = first_reviewed(context, study_id)
    assert [review["value"] for review in shown["reviews"]] == ["consistent"] * 3
    assert shown["sent_back"] is None
    assert len(context.storage.coloring_marks.of_study(study_id)) == 60 + 2 + 4


def test_a_coloring_goes_back_to_another_expert_if_the_first_is_no_longer_assigned(
    context: Context, study_id: str
) -> None:
    people = named(context, study_id, 3, reviewers=2)
    for person in people:
        reviewed(context, study_id, person, count=20)
    row = first_reviewed(context, study_id)
    index = {"study": study_id, "participant": row["participant"], "position": row["position"]}
    post_sent_back(context, OWNER, PostSentBack(**index, reason="Look at the stem."))
    left = {
        person.id: next_review(context, person, StudyReference(study=study_id))["left"]
        for person in people
    }
    (new,) = [person for person in people if not left[person.id]]
    gone = next(person for person in people if left[person.id])
    others = tuple(person.id for person in people if person is not gone)
    set_experts(context, OWNER, SetExperts(study=study_id, experts=others, reviewers=2))
    assert next_review(context, new, StudyReference(study=study_id))["left"] == 1
    assert experts(context, OWNER, StudyReference(study=study_id))["sent_back"] == 1
    for person in people:
        if person is not gone:
            reviewed(context, study_id, person)
    assert experts(context, OWNER, StudyReference(study=study_id))["sent_back"] == 0


def test_without_named_experts_it_goes_back_to_who_reviewed_it(
    context: Context, study_id: str
) -> None:
    rule = SetColoringRule(study=study_id, scope="all", reviewers=2)
    set_coloring_rule(context, OWNER, rule)
    controlled(context, study_id)
    ann, ben, eve = EXPERTS
    reviewed(context, study_id, ann, count=20)
    row = first_reviewed(context, study_id)
    assert [review["name"] for review in row["reviews"]] == ["Expert 1"]
    index = {"study": study_id, "participant": row["participant"], "position": row["position"]}
    post_sent_back(context, OWNER, PostSentBack(**index, reason="Once more."))
    controlled(context, study_id)
    lefts = [next_review(context, who, StudyReference(study=study_id)) for who in (ann, ben, eve)]
    assert [view["left"] for view in lefts] == [1, 19, 19]


def test_the_agreement_of_two_experts_is_of_what_both_reviewed(
    context: Context, study_id: str
) -> None:
    people = named(context, study_id, 3, reviewers=2)
    for person in people:
        reviewed(context, study_id, person, "no" if person is people[2] else "yes")
    pairs = experts(context, OWNER, StudyReference(study=study_id))["pairs"]
    assert [(pair["first"], pair["second"]) for pair in pairs] == [
        ("Eve 0", "Eve 1"),
        ("Eve 0", "Eve 2"),
        ("Eve 1", "Eve 2"),
    ]
    assert sum(pair["colorings"] for pair in pairs) == 20
    assert [pair["equal"] for pair in pairs] == [1.0, 0.0, 0.0]
    assert [pair["kappa"] for pair in pairs] == [None, 0.0, 0.0]


def test_an_expert_whose_account_is_closed_is_shown_so(context: Context, study_id: str) -> None:
    people = named(context, study_id, 3, reviewers=3)
    context.storage.accounts.close(people[1].id)
    rows: list[Any] = experts(context, OWNER, StudyReference(study=study_id))["experts"]
    assert [row["open"] for row in rows] == [True, False, True]
