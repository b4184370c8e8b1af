"""The public page of a closed study's results: who publishes it, what it says, and what it does
not."""

from __future__ import annotations

import csv
import io
import re
import secrets
import threading
from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.annotation.studies_made import plan as plan_of
from tests.annotation.studies_made import question_plan
from tests.storage.samples import picture
from tests.tabs.studies.colored import colored_study
from tests.tabs.studies.simulated import Crowd, distributions_plan, simulated
from tests.tabs.studies.studies_here import answered, enrolled
from truehue.annotation.studies.cases import Candidate, Case, Kind
from truehue.annotation.studies.plan import Consent, StudyPlan, to_json
from truehue.annotation.studies.survey import Survey, SurveyForm, SurveyItem, read_survey
from truehue.core.errors import BadInput, NotAllowed
from truehue.core.studies import Event, EventKind, State
from truehue.tabs.accounts.guard import is_open
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.studies import exports
from truehue.tabs.studies.live import StudyRequest
from truehue.tabs.studies.publication import public
from truehue.tabs.studies.publication.files import COLUMNS
from truehue.tabs.studies.publication.method import (
    FEW,
    NOT_TOLD,
    public_counts,
    survey_tables,
)
from truehue.tabs.studies.publication.page import MAX_CASES
from truehue.tabs.studies.publication.public import PublicPages
from truehue.tabs.studies.publication.publishing import PublishRequest, publish, unpublish
from truehue.tabs.studies.publication.routes import publication_routes
from truehue.tabs.studies.results import MIN_REPLICATES
from truehue.tabs.studies.results_people import Decide, Erase, SetRule, erase, exclude, set_rule
from truehue.tabs.studies.study import study as study_view
from truehue.tabs.studies.tables import COLORING_TABLES, QUESTION_TABLES, TABLES

pytestmark = pytest.mark.slow

SURVEY = Survey(
    (
        SurveyItem("job", "Are you a designer?", choices=("yes", "no")),
        SurveyItem("age", "How old are you?", form=SurveyForm.NUMBER),
        SurveyItem("land", "Where do you live?", form=SurveyForm.TEXT, personal=True),
    )
)
PRIVATE = ("Anna", "Bertha", "prolific", "HYPERLINK", "laptop", "Clara", "asleep")
"""Words of participants and researchers, and names of what recruiting sites call people."""


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, a page waits for its results, which have few resamples here."""
    monkeypatch.setattr(public, "WAIT_S", 120.0)
    monkeypatch.setattr(exports, "REPLICATES", MIN_REPLICATES)


def small(people: int = 2) -> tuple[StudyPlan, Crowd]:
    """A study of pairs that is computed in a moment."""
    return plan_of(2, 2, votes=people, trials=2), Crowd(people)


def strangers(context: Context) -> TestClient:
    app = FastAPI()
    app.include_router(publication_routes(context))
    return TestClient(app)


def published(context: Context, study_id: str, images: bool = False) -> str:
    """The address of the page of a study that is closed now."""
    context.storage.studies.set_state(study_id, State.CLOSED, "owner")
    view = publish(context, OWNER, PublishRequest(study=study_id, images=images))
    assert view["publication"] is not None
    return view["publication"]["url"]


def rows(client: TestClient, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).text)))


def answered_survey(context: Context, study_id: str) -> None:
    for number, person in enumerate(context.storage.participants.of(study_id)):
        answers = {"job": int(number > 1), "age": 20 + number, "land": "with Clara"}
        body = read_survey(SURVEY, {"part": "before", "answers": answers})
        event = Event(secrets.token_hex(16), EventKind.SURVEY, body=body)
        context.storage.study_events.append(person.id, [event])


def made(context: Context) -> str:
    """A study of pairs by eight people, of whom one does not look and one is left out by hand."""
    consent = Consent("7", "Bertha Example runs this.")
    plan = plan_of(4, 3, votes=4, trials=6, attention=1, consent=consent, survey=SURVEY)
    study_id = simulated(context.storage, plan, Crowd(8, lazy=(1,)))
    answered_survey(context, study_id)
    person = context.storage.participants.of(study_id)[4]
    decision = Decide(study=study_id, participant=person.id, reason="Clara was asleep")
    exclude(context, OWNER, decision)
    return study_id


def test_a_stranger_reads_method_results_and_codebook_and_nobody_s_data(context: Context) -> None:
    study_id = made(context)
    address = published(context, study_id)
    client = strangers(context)
    page = client.get(address)
    assert (page.status_code, page.headers["x-robots-tag"]) == (200, "noindex, nofollow")
    assert "set-cookie" not in page.headers
    assert "<script" not in page.text
    text = page.text
    for part in ("12 stimuli of 4 cases", "4 wanted", "Strengths", "Win rates", "Fleiss", "m0"):
        assert part in text
    assert "a researcher&#39;s decision" in text
    assert "Median" not in text  # of eight ages
    links = re.findall(r'href="(/results/[^"]+)" download', text)
    assert [link.rpartition("/")[2] for link in links] == [
        *("results.csv", "answers.csv", "cases.csv", "codebook.md")
    ]
    files = {link.rpartition("/")[2]: client.get(link) for link in links}
    assert 'filename="' in files["answers.csv"].headers["content-disposition"]
    people = context.storage.participants.of(study_id)
    secret = [*PRIVATE, *(person.id for person in people)]
    times = re.compile(r"\d\d:\d\d:\d\d")
    for name, content in ({"page": page} | files).items():
        assert not [word for word in secret if word in content.text], name
        assert not times.search(content.text), name
    found = rows(client, f"{address}/answers.csv")
    names = {row["participant"] for row in found}
    assert len(names) == len({n for n in names if re.fullmatch(r"[0-9a-f]{10}", n)}) == 8
    assert list(found[0]) == ["participant", "position", *COLUMNS["answers"][2:]]
    assert {row["over"] for row in rows(client, f"{address}/results.csv")} == {
        *("everybody", "included")
    }
    assert (
        "`participant`" in files["codebook.md"].text
        or "| participant |" in files["codebook.md"].text
    )
    for column in COLUMNS["answers"]:
        assert f"<code>{column}</code>" in text


def test_only_a_closed_study_is_published_by_who_may_change_it(context: Context) -> None:
    study_id = simulated(context.storage, distributions_plan(4), Crowd(2))
    request = PublishRequest(study=study_id)
    with pytest.raises(BadInput, match="Close the study first"):
        publish(context, OWNER, request)
    context.storage.studies.set_state(study_id, State.CLOSED, "owner")
    researcher = Actor("somebody", Role.RESEARCHER)
    with pytest.raises(NotAllowed):
        publish(context, researcher, request)
    view = publish(context, OWNER, request)
    assert publish(context, OWNER, request) == view  # pressed twice
    shown = study_view(context, researcher, StudyRequest(study=study_id))
    assert (shown["publication"], shown["can"]["publish"]) == (view["publication"], False)
    with pytest.raises(NotAllowed):
        unpublish(context, researcher, StudyRequest(study=study_id))
    page = strangers(context).get(view["publication"]["url"])
    assert (page.status_code, "Metrics and people" in page.text) == (200, True)
    unpublish(context, OWNER, StudyRequest(study=study_id))
    log = study_view(context, OWNER, StudyRequest(study=study_id))["history"]
    assert [entry["words"] for entry in log][-2:] == [
        "The results were published without images",
        "The published results were withdrawn",
    ]
    empty = context.storage.studies.add(to_json(plan_of()), "owner").id
    context.storage.studies.set_state(empty, State.CLOSED, "owner")
    with pytest.raises(BadInput, match="Nobody has answered"):
        publish(context, OWNER, PublishRequest(study=empty))


def test_a_link_is_dead_at_once_when_results_are_withdrawn_and_off_while_the_study_is_open(
    context: Context,
) -> None:
    study_id = simulated(context.storage, *small())
    address, client = published(context, study_id), strangers(context)
    page = client.get(address)
    tag = {"If-None-Match": page.headers["etag"]}
    assert client.get(address, headers=tag).status_code == 304
    context.storage.studies.set_state(study_id, State.OPEN, "owner", "one more")
    off = client.get(address, headers=tag)
    assert (off.status_code, "open again" in off.text) == (404, True)
    assert "m0" not in off.text
    assert client.get(f"{address}/answers.csv").status_code == 404
    context.storage.studies.set_state(study_id, State.CLOSED, "owner")
    assert client.get(address).status_code == 200
    unpublish(context, OWNER, StudyRequest(study=study_id))
    for path in ("", "/answers.csv", "/images/0.png"):
        gone = client.get(address + path, headers=tag)
        assert (gone.status_code, "withdrawn" in gone.text) == (404, True)
    other = published(context, study_id)
    assert other != address
    assert (client.get(other).status_code, client.get(address).status_code) == (200, 404)


def test_who_is_erased_is_in_no_file_and_the_names_of_the_others_stay(context: Context) -> None:
    study_id = made(context)
    address, client = published(context, study_id), strangers(context)
    before = rows(client, f"{address}/answers.csv")
    person = context.storage.participants.of(study_id)[2]
    erase(context, OWNER, Erase(study=study_id, participant=person.id, confirm=3))
    assert "Erased at their own request" in client.get(address).text
    after = rows(client, f"{address}/answers.csv")
    names = {row["participant"] for row in before} - {row["participant"] for row in after}
    assert len(names) == 1
    assert after == [row for row in before if row["participant"] not in names]


def test_another_rule_is_on_the_page_at_once(context: Context) -> None:
    study_id = made(context)
    address, client = published(context, study_id), strangers(context)
    assert "Min. consistency" not in client.get(address).text
    set_rule(context, OWNER, SetRule(study=study_id, least_consistency=0.9))
    assert "Min. consistency" in client.get(address).text


def test_a_page_is_made_once_however_often_it_is_loaded(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a row is read; the workbench's own measurements make it again after minutes only."""
    study_id = simulated(context.storage, *small())
    now = 100.0
    pages = PublicPages(lambda: now)
    context.services[PublicPages] = pages
    address, client = published(context, study_id), strangers(context)
    client.get(address)
    calls: list[str] = []
    made_page, get = public._page, type(context.storage.studies).get
    monkeypatch.setattr(public, "_page", lambda *a: calls.append("made") or made_page(*a))
    monkeypatch.setattr(
        type(context.storage.studies), "get", lambda *a: calls.append("read") or get(*a)
    )
    for _ in range(3):
        assert client.get(address).status_code == 200
    assert calls == []
    context.storage.evidence.changes += 1
    now += public.CHECKED_S + 1
    assert client.get(address).status_code == 200
    assert set(calls) == {"read"}
    now += public.METRICS_S
    assert client.get(address).status_code == 200
    assert calls.count("made") == 1


def test_a_page_says_that_its_results_are_being_computed(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id = simulated(context.storage, *small())
    address, client = published(context, study_id), strangers(context)
    monkeypatch.setattr(public, "WAIT_S", 0.0)
    go, compute = threading.Event(), exports.computed_of

    def slow(*values: Any) -> Any:
        assert go.wait(300)
        return compute(*values)

    monkeypatch.setattr(exports, "computed_of", slow)
    early = client.get(address)
    assert (early.status_code, early.headers["retry-after"]) == (503, "5")
    assert "being computed" in early.text
    assert 'http-equiv="refresh"' in early.text
    go.set()
    monkeypatch.setattr(public, "WAIT_S", 120.0)
    assert client.get(address).status_code == 200


def test_images_are_shown_only_where_that_was_chosen(context: Context) -> None:
    ids = [
        context.storage.images.add(picture(seed, 40, 300), "", "upload").image_id
        for seed in range(4)
    ]
    cases = tuple(
        Case(
            f"c{n}",
            f"concept {n}",
            tuple(Candidate(f"m{m}", (ids[2 * (n % 2) + m],)) for m in range(2)),
        )
        for n in range(MAX_CASES + 1)
    )
    study_id = simulated(
        context.storage, plan_of(cases=cases, votes=1, trials=30), Crowd(1, {"m0": 0.0, "m1": 0.0})
    )
    address, client = published(context, study_id), strangers(context)
    assert "<img" not in client.get(address).text
    assert client.get(f"{address}/images/0.png").status_code == 404
    assert published(context, study_id, images=True) == address
    page = client.get(address).text
    assert len(re.findall("<img", page)) == 2 * MAX_CASES
    assert "concept 0, by m1" in page
    image = client.get(f"{address}/images/1.png")
    assert (image.status_code, image.headers["content-type"]) == (200, "image/png")
    assert client.get(f"{address}/images/{2 * MAX_CASES}.png").status_code == 404


@pytest.mark.parametrize("kind", [Kind.RATINGS, Kind.BEST_OF])
def test_ratings_and_best_of_four_have_their_tables(context: Context, kind: Kind) -> None:
    models = 4 if kind is Kind.BEST_OF else 2
    plan = plan_of(3, models, kind=kind, votes=2, trials=6)
    strengths = {f"m{n}": 0.5 - n / 4 for n in range(models)}
    study_id = simulated(context.storage, plan, Crowd(2, strengths))
    page = strangers(context).get(published(context, study_id)).text
    assert ("Ratings" if kind is Kind.RATINGS else "First choices") in page
    assert "Strengths" not in page
    assert ("Inter-rater Spearman" in page) == (kind is Kind.RATINGS)


def test_questions_have_accuracy_and_every_choice(context: Context) -> None:
    plan: StudyPlan = question_plan(6, votes=4)
    study_id = context.storage.studies.add(to_json(plan), "owner").id
    context.storage.studies.set_state(study_id, State.OPEN, "owner")
    for _ in range(3):
        who, trials = enrolled(context, study_id, plan)
        answered(context, who, trials, lambda trial: 0)
    address, client = published(context, study_id), strangers(context)
    page = client.get(address).text
    for part in ("Accuracy", "Question by question", "Question 3?", "green", "✓", "[44%, 100%]"):
        assert part in page
    assert {row["case"] for row in rows(client, f"{address}/questions.csv")} == {
        f"c{n}" for n in range(6)
    }
    assert rows(client, f"{address}/answers.csv")


def test_colorings_have_the_colors_of_each_concept(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    address, client = published(context, study_id, images=True), strangers(context)
    page = client.get(address).text
    assert "lonely cabin" in page
    assert page.count('class="strip"') == 4
    assert "Anna" not in page
    assert client.get(f"{address}/images/0.png").status_code == 200
    found = rows(client, f"{address}/colorings.csv")
    assert len({row["participant"] for row in found}) == len(people)
    assert not {"at", "mark_reason", "file"} & set(found[0])
    assert rows(client, f"{address}/distributions.csv")


def test_counts_of_few_people_are_not_told() -> None:
    assert public_counts([9, 12]) == ["9", "12"]
    # The others and the number of participants would tell a single one.
    assert public_counts([9, 3, 12]) == [NOT_TOLD, FEW, "12"]
    assert public_counts([9, 3, 2]) == ["9", FEW, FEW]
    assert public_counts([9, 0]) == [NOT_TOLD, FEW]
    assert public_counts([9, 3, 12], single=False) == ["9", FEW, "12"]
    assert public_counts([1, 2]) == [FEW, FEW]
    # Small counts that their sum gives away: all 0, or all as large as they can be.
    assert public_counts([18, 0, 0]) == [NOT_TOLD, FEW, FEW]
    assert public_counts([9, 4, 20, 4]) == [NOT_TOLD, FEW, "20", FEW]


@pytest.mark.parametrize(("people", "answers"), [(1, ()), (19, ()), (20, (("Median", "31"),))])
def test_a_median_of_few_numbers_is_a_single_person_s(
    people: int, answers: tuple[Any, ...]
) -> None:
    item = {"text": "Age?", "form": "number", "people": people, "median": 31.0, "counts": []}
    tables = survey_tables({"survey": [item]})
    assert tuple(table.answers for table in tables) == ((answers,) if answers else ())


def test_every_public_column_is_one_of_an_export() -> None:
    tables = {t.name: t for t in (*TABLES, *COLORING_TABLES, *QUESTION_TABLES)}
    for name, columns in COLUMNS.items():
        assert set(columns) <= {column.name for column in tables[name].columns}, name
        assert not {"external", "reasons", "mark_reason", "at", "enrolled_at"} & set(columns)


def test_a_demonstration_shows_no_results_and_links_are_open_to_strangers(context: Context) -> None:
    study_id = simulated(context.storage, *small())
    address = published(context, study_id)
    assert strangers(replace(context, local=False, demo=True)).get(address).status_code == 404
    assert is_open(address)
    assert not is_open("/results/../api/studies")
    assert not is_open("/results")
    for path in ("/results/x", "/results/" + "a" * 43, f"{address}/nothing.csv"):
        assert strangers(context).get(path).status_code == 404
