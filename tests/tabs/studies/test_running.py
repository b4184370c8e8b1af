"""Studies through their lives: opened, revised, copied, linked, watched."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.tabs.studies.studies_here import answered, enrolled, form, models, opened, said
from truehue.annotation.studies.plan import Completion, Ending
from truehue.core.errors import BadInput, NotAllowed, NotStored
from truehue.core.studies import Event, EventKind, Purpose, State
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.participants.service import Participation
from truehue.tabs.participants.tokens import hash_of
from truehue.tabs.studies.changing import (
    Copying,
    Revision,
    StateRequest,
    copy,
    create,
    revise,
    set_state,
)
from truehue.tabs.studies.links import (
    LinkRequest,
    LinksRequest,
    PreviewRequest,
    make_links,
    preview,
    revoke_link,
)
from truehue.tabs.studies.live import StudyCache, StudyRequest, live
from truehue.tabs.studies.study import delete_draft, study, study_list
from truehue.tabs.verdicts.deleting import Deleted, restore

pytestmark = pytest.mark.slow


def state(context: Context, study_id: str, to: str, reason: str = "") -> str:
    request = StateRequest(study=study_id, state=to, reason=reason)
    return str(set_state(context, OWNER, request)["study"]["state"])


def test_a_study_goes_from_draft_to_closed_and_back_with_a_reason(
    context: Context, runs: list[str]
) -> None:
    made = create(context, OWNER, form(models=models(runs)))["study"]
    assert (made["state"], made["can"]["open"], made["may_revise"]) == ("draft", True, "everything")
    with pytest.raises(BadInput, match="draft cannot be paused"):
        state(context, made["id"], "paused")
    for step in ("open", "paused", "open", "closed"):
        assert state(context, made["id"], step) == step
    with pytest.raises(BadInput, match="Give a reason") as error:
        state(context, made["id"], "open")
    assert error.value.field == "reason"
    assert state(context, made["id"], "open", "Two people more") == "open"
    history = [entry["words"] for entry in study(context, OWNER, of(made["id"]))["history"]]
    assert history[-1] == "Opened: Two people more"
    assert history.count("Opened") == 2


def of(study_id: str) -> StudyRequest:
    return StudyRequest(study=study_id)


def test_a_text_with_places_to_fill_in_keeps_a_study_from_opening(
    context: Context, runs: list[str]
) -> None:
    made = create(context, OWNER, form(models=models(runs), consent=""))["study"]
    assert not made["can"]["open"]
    with pytest.raises(BadInput, match=r"fields to complete: \[what the .* be published\] and"):
        state(context, made["id"], "open")


def test_a_study_whose_pictures_are_gone_does_not_open(context: Context, runs: list[str]) -> None:
    made = create(context, OWNER, form(models=models(runs), number=2))["study"]
    plan = context.service(StudyCache).plan(made["id"], 1)
    gone = plan.cases[0].candidates[0].image_ids[0]
    with context.storage._database.transaction() as cursor:
        cursor.execute("DELETE FROM images WHERE image_id = ?", [gone])
    with pytest.raises(BadInput, match="1 of its 4 images are no longer stored"):
        state(context, made["id"], "open")


def test_a_draft_is_revised_as_a_whole_and_an_open_study_in_what_nobody_sees(
    context: Context, runs: list[str]
) -> None:
    fields = {"models": models(runs), "title": "First"}
    made = create(context, OWNER, form(**fields))["study"]

    def revised(version: int | None = None, **changes: object) -> dict[str, object]:
        whole = {**form(**{**fields, **changes}).model_dump(), "study": made["id"]}
        request = Revision.model_validate({**whole, "version": version})
        return dict(revise(context, OWNER, request)["study"])

    assert revised(1, number=3)["version"] == 2
    with pytest.raises(BadInput, match="changed in the meantime"):
        revised(1, number=4)
    state(context, made["id"], "open")
    with pytest.raises(BadInput, match="Copy it") as error:
        revised(votes=9)
    assert error.value.field in ("votes", "number")
    for limit in ({"time_limit_s": 600}, {"missed_checks_limit": 1}):
        with pytest.raises(BadInput, match="Copy it"):
            revised(number=3, **limit)
    ends = {"endings": {"full": {"code": "F"}}, "returns_after_s": 10}
    times = ends | {"abandoned_after_s": 120, "unanswered_after_s": 90}
    saved = revised(number=3, title="Second", completion={"code": "C0DE"}, **times)
    assert (saved["title"], saved["version"]) == ("Second", 3)
    before = context.service(StudyCache).plan(made["id"], 2)
    after = context.service(StudyCache).plan(made["id"], 3)
    assert after.completion.code == "C0DE"
    assert (after.endings, after.returns_after_s) == (((Ending.FULL, Completion("F")),), 10)
    assert (after.abandoned_after_s, after.unanswered_after_s) == (120, 90)
    assert (after.cases, after.consent) == (before.cases, before.consent)
    # What people were served stays readable under its own version.
    assert before.title == "First"


def test_a_copy_is_a_draft_of_the_same_pictures(context: Context, runs: list[str]) -> None:
    study_id, plan = opened(context, form(models=models(runs)))
    made = copy(context, OWNER, Copying(study=study_id[:8]))["study"]
    again = context.service(StudyCache).plan(made["id"], 1)
    assert (made["state"], made["title"]) == ("draft", f"{plan.title}, copy")
    assert made["form"]["title"] == made["title"]
    assert (again.cases, again.seed) == (plan.cases, plan.seed)
    assert made["progress"]["participants"] == 0


def test_what_people_get_at_the_end_is_of_who_made_the_study(
    context: Context, runs: list[str]
) -> None:
    endings = {"screened_out": {"code": "PAID-9X4 in part", "text": "Thanks."}}
    fields = {
        "models": models(runs),
        "number": 2,
        "completion": {"code": "PAID-9X4"},
        "endings": endings,
    }
    first, second = Actor("first", Role.RESEARCHER), Actor("second", Role.RESEARCHER)
    made = create(context, first, form(**fields))["study"]
    assert made["personal"] is True
    assert made["form"]["completion"]["code"] == made["plan"]["completion"]["code"] == "PAID-9X4"
    shown = study(context, second, of(made["id"]))
    assert shown["personal"] is False
    assert "PAID-9X4" not in json.dumps(shown)
    whole = {**shown["form"], "title": "Second", "study": made["id"]}
    revised = revise(context, second, Revision.model_validate(whole))["study"]
    assert revised["title"] == "Second"
    assert "PAID-9X4" not in json.dumps(revised)
    kept = study(context, first, of(made["id"]))["plan"]
    assert kept["completion"]["code"] == "PAID-9X4"
    assert kept["endings"]["screened_out"]["code"] == "PAID-9X4 in part"
    other = copy(context, second, Copying(study=made["id"]))["study"]
    assert other["personal"] is True
    assert "PAID-9X4" not in json.dumps(context.storage.studies.get(other["id"]).plan)
    token = preview(context, second, PreviewRequest(study=made["id"]))["url"].rpartition("/")[2]
    walk = context.service(Participation)._previews.get(hash_of(token))
    assert walk is not None
    assert walk.desk.plan().completion.code == ""
    assert walk.desk.plan().endings == ()


def test_links_are_told_once_and_only_their_hash_is_stored(
    context: Context, runs: list[str]
) -> None:
    study_id, _ = opened(context, form(models=models(runs)))
    request = LinksRequest(
        study=study_id, label="Class", personal=True, count=3, base="https://a.example"
    )
    links = make_links(context, OWNER, request)["links"]
    assert [link["label"] for link in links] == ["Class 1", "Class 2", "Class 3"]
    token = links[0]["url"].removeprefix("https://a.example/study/")
    assert len(token) == 43
    invitation_record = context.storage.invitations.by_token(
        hashlib.sha256(token.encode()).hexdigest()
    )
    assert invitation_record is not None
    assert invitation_record.id == links[0]["id"]
    shown = study(context, OWNER, of(study_id))
    assert token not in str(shown)
    left = revoke_link(context, OWNER, LinkRequest(study=study_id, link=links[0]["id"]))["links"]
    assert [link["revoked_at"] is None for link in left].count(False) == 1
    with pytest.raises(BadInput, match="not one of this study's"):
        revoke_link(context, OWNER, LinkRequest(study=study_id, link="0" * 32))
    with pytest.raises(BadInput, match="A shared link"):
        make_links(context, OWNER, LinksRequest(study=study_id, count=2))


def test_progress_counts_main_answers_and_says_where_everybody_is(
    context: Context, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a machine at its limit a count takes long, and would then not be made anew at once.
    monkeypatch.setattr("truehue.tabs.studies.live.REST", 0.0)
    request = form(
        models=models(runs), number=6, trials=6, votes=2, repeats=1, attention=1, tie=True
    )
    study_id, plan = opened(context, request)
    first, trials = enrolled(context, study_id, plan)
    said(context, first, EventKind.SCREENING)
    main = [trial for trial in trials if trial.purpose is Purpose.MAIN]
    answered(context, first, trials, lambda trial: "skip" if trial is main[0] else 1)
    (person,) = live(context, OWNER, of(study_id))["people"]
    assert person["stage"] == "answered", "all but Finish"
    (row,) = study_list(context, OWNER, EmptyRequest())["studies"]
    assert row["finished"] == 1
    said(context, first, EventKind.FINISH)
    second, mains = enrolled(context, study_id, plan)
    two = [item for item in mains if item.purpose is Purpose.MAIN][:2]
    answered(context, second, two, lambda _: "tie")
    third, _ = enrolled(context, study_id, plan)
    said(context, third, EventKind.WITHDRAWAL)

    message = live(context, OWNER, of(study_id))
    assert (message["answers"], message["wanted"], message["skips"], message["ties"]) == (
        8,
        12,
        1,
        2,
    )
    assert message["share"] == pytest.approx(8 / 12, abs=1e-4)
    assert message["missing"] == 4
    assert message["load"] == [{"answers": 1, "stimuli": 4}, {"answers": 2, "stimuli": 2}]
    assert [item["stage"] for item in message["people"]] == ["finished", "screening", "withdrawn"]
    assert [item["answered"] for item in message["people"]] == [6, 2, 0]
    assert sum(hour["answers"] for hour in message["hours"]) == 8
    (row,) = study_list(context, OWNER, EmptyRequest())["studies"]
    assert (row["answers"], row["participants"], row["finished"]) == (8, 3, 1)
    assert (row["cases"], row["stimuli"], row["votes_wanted"]) == (6, 6, 12)

    # An undo takes its answer back; the memory of what was counted does not outlive it.
    undone = next(item.position for item in mains if item.purpose is Purpose.MAIN)
    context.storage.study_events.append(second, [Event("f" * 32, EventKind.UNDO, undone)])
    assert live(context, OWNER, of(study_id))["answers"] == 7


def test_only_those_who_run_studies_get_in(context: Context, runs: list[str]) -> None:
    made = create(context, OWNER, form(models=models(runs)))["study"]
    researcher, expert = Actor("r", Role.RESEARCHER), Actor("e", Role.EXPERT)
    assert study(context, researcher, of(made["id"]))["id"] == made["id"]
    for role in (expert, Actor("v", Role.VISITOR), Actor("", Role.NOBODY)):
        with pytest.raises(NotAllowed):
            study(context, role, of(made["id"]))
        with pytest.raises(NotAllowed):
            make_links(context, role, LinksRequest(study=made["id"]))
    with pytest.raises(NotStored):
        study(context, OWNER, of("0" * 32))


def test_many_distributions_are_measured_by_a_job(
    context: Context, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What takes long is told by the number of distributions that are not there yet.
    monkeypatch.setattr("truehue.tabs.studies.making.MAX_MEASURED", -1)
    started = create(context, OWNER, form(models=models(runs)))
    assert context.jobs.wait(started["job"], 300).status == "done"
    (record,) = context.storage.studies.all()
    assert record.state is State.DRAFT
    assert context.jobs.get(started["job"]).result == {"study": record.id}


def test_a_draft_is_deleted_by_who_made_it_and_by_admins(context: Context, runs: list[str]) -> None:
    ann, ben = Actor("ann", Role.RESEARCHER), Actor("ben", Role.RESEARCHER)
    made = create(context, ann, form(models=models(runs)))["study"]
    assert made["can"]["delete"]
    assert not study(context, ben, of(made["id"]))["can"]["delete"]
    with pytest.raises(NotAllowed):
        delete_draft(context, ben, of(made["id"]))
    gone = delete_draft(context, ann, of(made["id"]))["deleted"]
    assert gone["words"] == "The draft “Prompt adherence” of a study"
    assert study_list(context, ann, EmptyRequest())["studies"] == []
    with pytest.raises(NotAllowed):
        restore(context, ben, Deleted(trash_id=gone["id"]))
    restore(context, ann, Deleted(trash_id=gone["id"]))
    state(context, made["id"], "open")
    opened = study(context, ann, of(made["id"]))
    assert not opened["can"]["delete"]
    assert "cannot be deleted" in opened["kept"]
    with pytest.raises(BadInput, match="cannot be deleted"):
        delete_draft(context, OWNER, of(made["id"]))
