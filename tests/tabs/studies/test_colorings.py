"""What researchers see of colorings, what they decide, and what becomes of it."""

from __future__ import annotations

import dataclasses
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.tabs.studies.colored import TASTES, Designers, colored_study, coloring, event
from truehue.annotation.participants import ExclusionRule
from truehue.annotation.quality.control import Level
from truehue.annotation.studies.cases import Kind
from truehue.core.concepts.distribution import of_pictures
from truehue.core.errors import BadInput, NotAllowed, NotStored
from truehue.core.studies import EventKind, Purpose, Trial
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.sources.distributions import distribution
from truehue.tabs.studies.colorings.facts import facts_of
from truehue.tabs.studies.colorings.listing import (
    ColoringImageRequest,
    ListColorings,
    coloring_png,
    colorings,
)
from truehue.tabs.studies.colorings.live import coloring_progress
from truehue.tabs.studies.colorings.marks import (
    PostKeep,
    PostPractice,
    PostRecolor,
    post_keep,
    post_practice,
    post_recolor,
    set_coloring_rule,
)
from truehue.tabs.studies.colorings.quality import (
    MakeDistribution,
    concept_uncertainty_json,
    make_distribution,
    quality,
)
from truehue.tabs.studies.colorings.rule import SetColoringRule
from truehue.tabs.studies.live import StudyRequest
from truehue.tabs.studies.people_json import rule_fields
from truehue.tabs.studies.results import StudyReference
from truehue.tabs.studies.results_people import Erase, SetRule, erase, set_rule
from truehue.tabs.studies.results_people import comments as comments_of_study

pytestmark = pytest.mark.slow

EXPERTS = [Actor(name * 32, Role.EXPERT, name=name) for name in "abc"]
RESEARCHER = Actor("d" * 32, Role.RESEARCHER, name="d")


def controlled(context: Context, study_id: str) -> dict[str, Any]:
    """Quality control, once it is computed."""
    while (message := quality(context, OWNER, StudyReference(study=study_id)))[
        "status"
    ] == "computing":
        pass
    return dict(message["quality"])


def by_words(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["words"]: row for row in rows}


def test_the_list_has_every_coloring_with_its_picture(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    controlled(context, study_id)
    message = colorings(context, OWNER, ListColorings(study=study_id))
    assert message["total"] == len(message["colorings"]) == 5 * (1 + len(TASTES))
    apples = colorings(context, OWNER, ListColorings(study=study_id, words="Apple"))["colorings"]
    assert [row["number"] for row in apples] == [0, 1, 2, 3, 4]
    first = apples[0]
    assert (first["purpose"], first["kept"], first["matches"]) == ("trial", True, True)
    assert (first["seconds"], first["actions"]) == (36.0, 6)
    assert first["colors"][0]["share"] == pytest.approx(1.0)
    request = ColoringImageRequest(
        study=study_id, participant=people[0].id, position=first["position"]
    )
    shown = np.asarray(Image.open(BytesIO(coloring_png(context, OWNER, request))))
    assert shown.shape == (96, 96, 3)
    assert tuple(shown[10, 10]) == (0xC8, 0x20, 0x20)
    layer = coloring_png(context, OWNER, request.model_copy(update={"layer": True}))
    assert np.asarray(Image.open(BytesIO(layer)))[90, 90].tolist() == [0, 0, 0, 0]
    with pytest.raises(NotStored):
        coloring_png(context, OWNER, request.model_copy(update={"position": 99}))


def test_what_somebody_wrote_of_a_sketch_is_for_who_made_the_study(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    text = "A gap: <b>here</b>"
    # An import of an anonymous export has no text.
    bodies = [{"text": text}, {}]
    comments = [event(EventKind.COMMENT, 1, body) for body in bodies]
    context.storage.study_events.append(people[0].id, comments)
    request = ListColorings(study=study_id, participant=people[0].id)
    rows = colorings(context, OWNER, request)["colorings"]
    assert [row["comments"] for row in rows if row["position"] == 1] == [[text]]
    assert not any(row["comments"] for row in rows if row["position"] != 1)
    others = colorings(context, RESEARCHER, request)["colorings"]
    assert not any(row["comments"] for row in others)


def test_what_somebody_wrote_at_the_end_is_told_once_and_for_who_made_the_study(
    context: Context,
) -> None:
    study_id, people = colored_study(context.storage)
    text = "${x} <b>nice</b>"
    written = [
        event(EventKind.COMMENT, position, body)
        for position, body in ((1, {"text": "of a sketch"}), (None, {"text": text}), (None, {}))
    ]
    context.storage.study_events.append(people[1].id, written)
    request = StudyRequest(study=study_id)
    message = comments_of_study(context, OWNER, request)["comments"]
    assert [(item["label"], item["text"]) for item in message] == [("Participant 2", text)]
    assert comments_of_study(context, RESEARCHER, request) == {"comments": []}
    with pytest.raises(NotAllowed):
        comments_of_study(context, EXPERTS[0], request)


def test_the_rule_has_what_can_be_seen_of_people_who_color() -> None:
    fields = [rule_field["name"] for rule_field in rule_fields(ExclusionRule(), Kind.COLORINGS)]
    assert fields == ["least_answered", "least_plates", "screen"]
    assert "least_attention" in [
        rule_field["name"] for rule_field in rule_fields(ExclusionRule(), Kind.PAIRS)
    ]


def test_consensus_flags_the_concept_where_people_differ(context: Context) -> None:
    study_id, _ = colored_study(context.storage)
    jsonresponse = controlled(context, study_id)
    assert jsonresponse["concepts"][0]["words"] == "lonely cabin"
    flagged = [row["words"] for row in jsonresponse["concepts"] if row["flagged"]]
    assert flagged == ["lonely cabin"]
    sea = by_words(jsonresponse["concepts"])["sea"]
    assert (sea["before"]["emd_lab"], sea["before"]["pairs"]) == (pytest.approx(0.0), 10)
    assert jsonresponse["reviews"]["colorings"] == 0
    assert jsonresponse["reviews"]["kappa"]["why"]


def test_researchers_keep_and_discard_and_take_back(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    index = {"study": study_id, "participant": people[0].id, "position": 1}
    with pytest.raises(BadInput, match="Give a reason"):
        post_keep(context, OWNER, PostKeep(**index, value="discarded"))
    post_keep(context, OWNER, PostKeep(**index, value="discarded", reason="the sky was colored"))
    jsonresponse = controlled(context, study_id)
    assert [level["colorings"] for level in jsonresponse["levels"]] == [20, 20, 19]
    assert by_words(jsonresponse["concepts"])["apple"]["after"]["pairs"] == 6
    post_keep(context, OWNER, PostKeep(**index))
    assert [level["colorings"] for level in controlled(context, study_id)["levels"]] == [20] * 3
    assert len(context.storage.coloring_marks.of_study(study_id)) == 2


def test_a_decision_is_of_the_picture_that_was_seen(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    index = {"study": study_id, "participant": people[0].id, "position": 1}
    post_keep(context, OWNER, PostKeep(**index, value="discarded", reason="the sky was colored"))
    assert [level["colorings"] for level in controlled(context, study_id)["levels"]] == [20, 20, 19]
    plan = facts_of(context, study_id).source.plan
    trial = context.storage.participants.trials(people[0].id)[1]
    undo = event(EventKind.UNDO, 1, {})
    again = coloring(context.storage, plan, trial, TASTES["apple"][0])
    context.storage.study_events.append(people[0].id, [undo, *again])
    jsonresponse = controlled(context, study_id)
    assert [level["colorings"] for level in jsonresponse["levels"]] == [20] * 3
    assert jsonresponse["left_out"] == []
    list_colorings = ListColorings(study=study_id, words="apple", participant=people[0].id)
    (row,) = colorings(context, OWNER, list_colorings)["colorings"]
    assert row["kept"]
    assert (row["marks"]["keep"]["value"], row["marks"]["keep"]["earlier"]) == ("discarded", True)
    post_keep(context, OWNER, PostKeep(**index, value="discarded", reason="still"))
    assert [level["colorings"] for level in controlled(context, study_id)["levels"]] == [20, 20, 19]
    (row,) = colorings(context, OWNER, list_colorings)["colorings"]
    assert (row["marks"]["keep"]["reason"], row["marks"]["keep"]["earlier"]) == ("still", False)


def second(context: Context, study_id: str, person: str, original: int, color: str) -> None:
    """A second coloring, as it is served and given after it was asked for."""
    plan = facts_of(context, study_id).source.plan
    trials = context.storage.participants.trials(person)
    trial = Trial(len(trials), trials[original].stimulus_id, (), Purpose.REPEAT, original=original)
    context.storage.participants.extend(person, [trial])
    context.storage.study_events.append(person, coloring(context.storage, plan, trial, color))


def test_second_colorings_are_asked_for_once_and_compared(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    cabin = 1 + list(TASTES).index("lonely cabin")
    index = {"study": study_id, "participant": people[0].id, "position": cabin}
    with pytest.raises(BadInput, match="none was made"):
        post_recolor(context, OWNER, PostRecolor(**index, value="withdrawn"))
    post_recolor(context, OWNER, PostRecolor(**index))
    with pytest.raises(BadInput, match="already"):
        post_recolor(context, OWNER, PostRecolor(**index))
    progress = coloring_progress(context, OWNER, StudyReference(study=study_id))
    assert [item["position"] for item in progress["recolors_open"]] == [cabin]
    second(context, study_id, people[0].id, cabin, TASTES["lonely cabin"][0])
    jsonresponse = controlled(context, study_id)
    assert [item["consistent"] for item in jsonresponse["second"]] == [True]
    assert jsonresponse["levels"][2]["colorings"] == 20
    post_recolor(context, OWNER, PostRecolor(**index))
    second(context, study_id, people[0].id, cabin, "#2040c8")
    assert [item["consistent"] for item in controlled(context, study_id)["second"]] == [True, False]
    apple = {"study": study_id, "participant": people[1].id, "position": 1}
    post_recolor(context, OWNER, PostRecolor(**apple))
    second(context, study_id, people[1].id, 1, "#2040c8")
    jsonresponse = controlled(context, study_id)
    assert jsonresponse["levels"][2]["colorings"] == 19
    assert jsonresponse["levels"][0]["colorings"] == 20


def test_practice_waits_for_a_researcher(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    progress = coloring_progress(context, OWNER, StudyReference(study=study_id))
    assert progress["practice_waiting"] == []  # they went on, so that nobody waits
    ask = {"study": study_id, "participant": people[0].id}
    with pytest.raises(BadInput, match="Say what"):
        post_practice(context, OWNER, PostPractice(**ask, value="again"))
    message = post_practice(context, OWNER, PostPractice(**ask, value="accepted"))
    assert message["position"] == 0
    with pytest.raises(NotStored):
        post_practice(context, OWNER, PostPractice(**ask, value="accepted", position=1))


def test_a_page_with_other_pixels_is_told_of(context: Context) -> None:
    study_id, people = colored_study(context.storage, Designers(liar=2))
    controlled(context, study_id)
    progress = coloring_progress(context, OWNER, StudyReference(study=study_id))
    assert {mismatch["participant"] for mismatch in progress["mismatches"]} == {people[2].id}
    assert [person["mismatches"] for person in progress["people"]] == [0, 0, 5, 0, 0]
    assert progress["seconds"]["median"] == 36.0
    assert (progress["colorings"], progress["wanted"]) == (20, 20)
    assert by_words(progress["concepts"])["sea"]["colorings"] == 5


def test_the_result_is_the_extraction_of_what_is_kept_and_goes_to_compare(
    context: Context,
) -> None:
    study_id, people = colored_study(context.storage)
    index = {"study": study_id, "participant": people[2].id, "position": 1}
    post_keep(context, OWNER, PostKeep(**index, value="discarded", reason="green"))
    facts = facts_of(context, study_id)
    saved = facts.saved_colorings(Level.MARKS)["c1"]
    expected = of_pictures("apple", [item.profile for item in saved], of_people=True).weights
    made = make_distribution(context, RESEARCHER, MakeDistribution(study=study_id))
    compared = distribution(context, made["source"], "apple", "extracted")
    np.testing.assert_allclose(compared.weights, expected, atol=1e-12)
    assert (compared.count, compared.of_people) == (4, True)
    assert made["set"]["concepts"] == 4
    assert made["link"].startswith("?tab=compare&words=apple&d=set:")
    again = make_distribution(context, OWNER, MakeDistribution(study=study_id, name="another"))
    assert again["set"]["id"] == made["set"]["id"]
    every = make_distribution(context, OWNER, MakeDistribution(study=study_id, level="all"))
    assert every["set"]["id"] != made["set"]["id"]
    single = make_distribution(context, OWNER, MakeDistribution(study=study_id, form="designers"))
    assert single["set"]["rows"] == 19
    assert distribution(context, single["source"], "apple", "extracted").fixed == ""


def test_where_the_next_coloring_is_worth_most(context: Context) -> None:
    study_id, _ = colored_study(context.storage)
    controlled(context, study_id)
    rows = concept_uncertainty_json(context, OWNER, StudyReference(study=study_id))["worth"]
    assert [row["place"] for row in rows] == [1, 2, 3, 4]
    assert rows[0]["words"] == "lonely cabin"
    # Five who agree do not make those certain who did not color.
    sea, cabin = (by_words(rows)[text]["width_lab"] for text in ("sea", "lonely cabin"))
    assert 0 < sea < cabin
    assert not any(row["width_few"] for row in rows), "of five it is told"
    few = dataclasses.replace(facts_of(context, study_id).worth[0], colorings=4)
    assert few.few
    assert not dataclasses.replace(few, width_lab=None).few


def test_rules_are_kept_beside_each_other_and_erasure_forgets(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    jsonresponse = set_coloring_rule(
        context, OWNER, SetColoringRule(study=study_id, share=0.5, level="all")
    )
    set_rule(context, OWNER, SetRule(study=study_id, most_fast=0.5))
    jsonresponse = controlled(context, study_id)
    assert jsonresponse["rule"]["share"] == 0.5
    assert sum(row["flagged"] for row in jsonresponse["concepts"]) == 2
    erase(context, OWNER, Erase(study=study_id, participant=people[0].id, confirm=1))
    jsonresponse = controlled(context, study_id)
    assert jsonresponse["levels"][0]["colorings"] == 16
    assert len(context.storage.coloring_layers.of_study(study_id)) == 20


def test_other_studies_have_no_colorings(context: Context) -> None:
    from tests.annotation.studies_made import plan
    from truehue.annotation.studies.plan import to_json

    study = context.storage.studies.add(to_json(plan()), "owner")
    with pytest.raises(BadInput, match="Nothing is colored"):
        quality(context, OWNER, StudyReference(study=study.id))
