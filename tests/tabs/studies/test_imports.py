"""A study that was exported is a study again elsewhere; what is damaged or made up is refused."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.empty_data import empty_data
from tests.tabs.inside import Inside
from tests.tabs.studies.simulated import Crowd, distributions_plan, simulated
from tests.tabs.studies.studies_here import answered, enrolled, form, models, opened
from truehue.annotation.studies.survey import Survey, SurveyItem, read_survey
from truehue.core.errors import BadInput
from truehue.core.studies import Event, EventKind, State
from truehue.storage import Storage
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import OWNER
from truehue.tabs.shell.compose import make_context
from truehue.tabs.studies import routes as study_routes
from truehue.tabs.studies.changing import Copying
from truehue.tabs.studies.changing import copy as copy_of
from truehue.tabs.studies.completion import CompletionForm
from truehue.tabs.studies.exports import StudyExportRequest, write_archive
from truehue.tabs.studies.imports import Limits, import_study, read_archive
from truehue.tabs.studies.making import form_of
from truehue.tabs.studies.results import StudyReference, compute
from truehue.tabs.studies.results_people import (
    Decide,
    Erase,
    SetRule,
    check_replays,
    erase,
    exclude,
    set_rule,
)

pytestmark = pytest.mark.slow

SURVEY = Survey((SurveyItem("job", "Are you a designer?", choices=("yes", "no"), other=True),))
Change = Callable[[dict[str, Any], list[dict[str, Any]]], None]
MAX_MB = 150
READER = """
import json, resource, sys
from pathlib import Path
from truehue.core.errors import BadInput
from truehue.tabs.studies.imports import read_archive

def peak_mb():
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

before, read = peak_mb(), {}
for path in sorted(Path(sys.argv[1]).glob("bad-*.zip")):
    try:
        list(read_archive(path, path.name).people())
        message = ""
    except BadInput as error:
        message = str(error)
    read[path.stem] = message, peak_mb() - before
print(json.dumps(read))
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study's all.zip."""
    folder = tmp_path_factory.mktemp("imports")
    with Storage.open(empty_data(folder / "data")) as storage:
        context = make_context(storage, "data")
        plan = replace(distributions_plan(6, trials=8, votes=2), survey=SURVEY)
        study_id = simulated(storage, plan, Crowd(4))
        questioned(storage, study_id)
        write_archive(context, OWNER, StudyExportRequest(study=study_id), folder / "all.zip")
        context.close()
    return folder / "all.zip"


def questioned(storage: Storage, study_id: str) -> None:
    """Everybody answers the questions about them."""
    for number, person in enumerate(storage.participants.of(study_id)):
        body = read_survey(SURVEY, {"part": "before", "answers": {"job": number % 2}})
        event = Event(f"{number:032x}", EventKind.SURVEY, body=body)
        storage.study_events.append(person.id, [event])


def computed(context: Context, study_id: str) -> dict[str, Any]:
    """The results but what is of this data folder and moment alone."""
    results = compute(context, study_id, 50, lambda _: None)
    for name in ("key", "of", "seconds", "computed_at"):
        results.pop(name)
    results["study"].pop("id")
    results["study"].pop("state")
    for person in results["people"]:
        person.pop("id")
        person.pop("comments")
        if person["decision"]:
            person["decision"].pop("by")
    return results


@pytest.mark.parametrize("personal", [False, True])
def test_results_elsewhere_are_equal(context: Context, tmp_path: Path, personal: bool) -> None:
    plan = replace(distributions_plan(12), survey=SURVEY)
    study_id = simulated(context.storage, plan, Crowd(6, lazy=(4,)))
    questioned(context.storage, study_id)
    people = context.storage.participants.of(study_id)
    set_rule(context, OWNER, SetRule(study=study_id, most_one_side=0.9))
    exclude(context, OWNER, Decide(study=study_id, participant=people[0].id, reason="a trial run"))
    erase(context, OWNER, Erase(study=study_id, participant=people[2].id, confirm=3))
    before = computed(context, study_id)
    assert [count["people"] for count in before["survey"][0]["counts"]] == [2, 3, 0]
    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id, personal=personal), path)
    with Storage.open(empty_data(tmp_path / "elsewhere")) as other:
        there = make_context(other, "elsewhere")
        message = import_study(there, OWNER, EmptyRequest(), path, "all.zip")
        assert message["study"]["participants"] == 5
        assert "36 images" in message["notes"][0]
        copy = other.studies.get(message["study"]["id"])
        assert copy.state is State.CLOSED
        assert computed(there, copy.id) == before
        assert other.check() == []
        assert [link.revoked_at is not None for link in other.invitations.of(copy.id)] == [True]
        ours = check_replays(context, OWNER, StudyReference(study=study_id))
        assert check_replays(there, OWNER, StudyReference(study=copy.id)) == ours
        item = other.participants.of(copy.id)[0]
        assert bool(item.external) is personal
        comments = [e.body for e in other.study_events.of(item.id) if e.kind == "comment"]
        assert bool(comments[0]) is personal
        there.close()
    # In the same data folder it is a second study: no id is taken twice.
    again = import_study(context, OWNER, EmptyRequest(), path, "all.zip")["study"]["id"]
    assert again != study_id
    assert computed(context, again) == before
    assert context.storage.check() == []


def test_a_study_of_runs_is_exported_with_its_form_and_without_its_code(
    context: Context, runs: list[str], tmp_path: Path
) -> None:
    made = form(models=models(runs), number=6, completion={"code": "PAID-9X4"})
    study_id, plan = opened(context, made)
    who, trials = enrolled(context, study_id, plan)
    answered(context, who, trials)
    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id), path)
    with zipfile.ZipFile(path) as archive:
        assert not [name for name in archive.namelist() if b"PAID-9X4" in archive.read(name)]
    message = import_study(context, OWNER, EmptyRequest(), path, "all.zip")
    assert message["notes"] == []
    again = context.storage.studies.get(message["study"]["id"])
    before = form_of(context.storage.studies.get(study_id).plan)
    assert before is not None
    assert before.completion.code == "PAID-9X4"
    version = plan.consent.version
    consent = f"[This text, version {version}, is left out of anonymous exports]"
    assert form_of(again.plan) == before.model_copy(
        update={"completion": CompletionForm(), "consent": consent}
    )
    assert again.plan["consent"] == {"version": version, "text": consent}
    draft = copy_of(context, OWNER, Copying(study=again.id))["study"]
    assert not draft["can"]["open"]
    assert computed(context, again.id) == computed(context, study_id)
    write_archive(context, OWNER, StudyExportRequest(study=study_id, personal=True), path)
    with zipfile.ZipFile(path) as archive:
        assert b"PAID-9X4" in archive.read("study.json")


def repacked(archive: Path, target: Path, change: Change, honest: bool = True) -> Path:
    """The archive with other contents, and a sum that fits them where ``honest``."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        document = json.loads(old.read("study.json"))
        people = [json.loads(line) for line in old.read("people.jsonl").splitlines()]
        change(document, people)
        lines = "".join(json.dumps(person) + "\n" for person in people).encode()
        if honest:
            document["people_sha256"] = hashlib.sha256(lines).hexdigest()
        new.writestr("study.json", json.dumps(document))
        new.writestr("people.jsonl", lines)
    return target


def _first_trial(field: str, value: Any) -> Change:
    def change(_: dict[str, Any], people: list[dict[str, Any]]) -> None:
        main = next(t for t in people[0]["trials"] if t["purpose"] == "main")
        main[field] = value

    return change


def _first_answer(field: str, value: Any) -> Change:
    def change(_: dict[str, Any], people: list[dict[str, Any]]) -> None:
        answer = next(e for e in people[0]["events"] if e["kind"] == "answer")
        answer[field] = value

    return change


def _survey(name: str, answers: dict[str, Any]) -> Change:
    def change(_: dict[str, Any], people: list[dict[str, Any]]) -> None:
        event = next(e for e in people[0]["events"] if e["kind"] == "survey")
        event["body"][name] = answers

    return change


def _document(field: str, value: Any) -> Change:
    return lambda document, _: document.update({field: value})


def _person(field: str, value: Any) -> Change:
    return lambda _, people: people[0].update({field: value})


def _plan(field: str, value: Any) -> Change:
    return lambda document, _: document["plans"][0]["plan"].update({field: value})


def _image(image_id: str) -> Change:
    def change(document: dict[str, Any], _: list[dict[str, Any]]) -> None:
        document["plans"][0]["plan"]["cases"][0]["candidates"][0]["image_ids"] = [image_id]

    return change


def _weights(weights: list[float]) -> Change:
    def change(document: dict[str, Any], _: list[dict[str, Any]]) -> None:
        document["plans"][0]["plan"]["cases"][0]["candidates"][0]["weights"] = weights

    return change


def _many_models(document: dict[str, Any], _: list[dict[str, Any]]) -> None:
    case = document["plans"][0]["plan"]["cases"][0]
    candidate = case["candidates"][0]
    case["candidates"] = [{**candidate, "model": f"m{index}"} for index in range(1_100)]


def _repeat(order: int) -> Change:
    """A repeat of which the sides are turned once more."""

    def change(_: dict[str, Any], people: list[dict[str, Any]]) -> None:
        repeat = next(t for t in people[0]["trials"] if t["purpose"] == "repeat")
        repeat["order"] = repeat["order"][::order]

    return change


def _main_twice(_: dict[str, Any], people: list[dict[str, Any]]) -> None:
    first, second = [
        t
        for t in people[0]["trials"]
        if t["purpose"] == "main"
        and t["position"] not in {r["original"] for r in people[0]["trials"]}
    ][:2]
    second["stimulus_id"], second["order"] = first["stimulus_id"], first["order"]


def _trained(document: dict[str, Any], people: list[dict[str, Any]]) -> dict[str, Any]:
    """A main trial whose stimulus the plan trains, with m0 as its right model."""
    trials = people[0]["trials"]
    repeated = {t["original"] for t in trials}
    trial: dict[str, Any] = next(
        t
        for t in trials
        if t["purpose"] == "main" and "m0" in t["order"] and t["position"] not in repeated
    )
    keys = [[trial["stimulus_id"], "m0"]]
    document["plans"][0]["plan"]["training"] = {"keys": keys, "needed": 0, "attempts": 2}
    return trial


def _trained_as_main(document: dict[str, Any], people: list[dict[str, Any]]) -> None:
    _trained(document, people)


def _trained_wrong(document: dict[str, Any], people: list[dict[str, Any]]) -> None:
    trial = _trained(document, people)
    trial.update(purpose="training", expected=1 - trial["order"].index("m0"))
    del people[1:]
    document["participants"], document["events"] = 1, len(people[0]["events"])


def _another_plan(document: dict[str, Any], _: list[dict[str, Any]]) -> None:
    (first,) = document["plans"]
    second = {**first["plan"], "title": "Another", "question": "Which is it?"}
    document["plans"].append({"plan": second, "at": first["at"]})


WRONG: dict[str, tuple[Change, str]] = {
    "another format": (_document("format", "zip"), "not that of a TrueHue study"),
    "a newer version": (_document("format_version", 3), "Update TrueHue"),
    "an unknown field": (_document("password", "x"), "it has 'password'"),
    "no plan": (_document("plans", []), "plans"),
    "a plan's unknown field": (_plan("model_names_shown", True), "no plan has: model_names_shown"),
    "a plan that cannot be served": (_plan("votes", 0), "votes is a whole number"),
    "a form's unknown field": (_plan("form", {"consent": "x", "admin": 1}), "form.admin"),
    "a form that is none": (_plan("form", {"votes": "many"}), "form of version 1"),
    "an image by a path": (_image("../../etc/passwd"), "what is no image's id"),
    "a distribution of nothing": (_weights([0.5] * 71), "instead of 1"),
    "more stimuli than can be": (_many_models, "more than 500,000 stimuli"),
    "a seed below 0": (_plan("seed", -5), "seed is a whole number from 0"),
    "a kind that is none": (_plan("kind", []), "kind"),
    "a way back that is not by https": (
        _plan("completion", {"code": "", "url": "javascript:alert(1)"}),
        "start with https://",
    ),
    "a repeat with its sides as before": (_repeat(-1), "with its sides turned"),
    "two main trials of one stimulus": (_main_twice, "two main trials show one stimulus"),
    "training as a main trial": (_trained_as_main, "for training alone"),
    "training with another right answer": (_trained_wrong, "another right answer"),
    "a plan that changed under people": (_another_plan, "after the first participant joined"),
    "a time before all times": (
        _person("enrolled_at", "0001-01-01T00:00:00+14:00"),
        "in any calendar",
    ),
    "a plan without cases": (_plan("cases", []), "asks about nothing"),
    "a rule's unknown bound": (
        _document("rules", [{"rule": {"most": 1}, "at": "2026-01-01T00:00:00+00:00"}]),
        "no bound 'most'",
    ),
    "a rule's bad value": (
        _document("rules", [{"rule": {"most_fast": 3}, "at": "2026-01-01T00:00:00+00:00"}]),
        "cannot be 3",
    ),
    "a time without a zone": (_person("enrolled_at", "2026-01-01T00:00:00"), "its zone"),
    "more people than there are": (_document("participants", 9), "has 4"),
    "more events than there are": (_document("events", 9), "another number of events"),
    "a number twice": (_person("number", 1), "Two participants have the number 1"),
    "an unknown link": (_person("link", 3), "by a link that is not"),
    "an unknown plan": (_person("plan_version", 7), "a version of the plan that is not"),
    "a participant's unknown field": (_person("ip", "1.2.3.4"), "ip: Extra inputs"),
    "a foreign stimulus": (_first_trial("stimulus_id", "0" * 32), "what the plan does not have"),
    "a foreign model": (_first_trial("order", ["m0", "gpt"]), "what the plan does not have"),
    "no id of a stimulus": (_first_trial("stimulus_id", "../etc"), "pattern"),
    "an impossible propensity": (_first_trial("propensity", 1.5), "propensity"),
    "a gap in the trials": (_first_trial("position", 90), "do not count from 0"),
    "a repeat of nothing": (_first_trial("original", 90), "only a repeat has an original"),
    "an answer that cannot be": (
        _first_answer("body", {"kind": "place", "value": 2, "response_ms": 1}),
        "from 0 to 1",
    ),
    "an answer to nothing": (_first_answer("position", 900), "trial 900, which is not there"),
    "a foreign kind": (_first_answer("kind", "payment"), "kind"),
    "no id of an event": (_first_answer("id", "1"), "pattern"),
    "own words among what everybody may read": (
        _survey("answers", {"job": "Ann"}),
        "is not kept apart",
    ),
    "an answer about them that cannot be": (_survey("answers", {"job": 2}), "no choice"),
    "an answer to no question about them": (_survey("personal", {"age": 2}), "is no question"),
    "answers about them of no page": (_survey("part", {}), "of no page"),
    "half a character": (_person("language", "\ud800"), "no JSON that can be read"),
    "no number": (_first_answer("body", {"kind": "tie", "response_ms": float("nan")}), "NaN"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused_and_nothing_is_stored(
    archive: Path, shared_context: Context, tmp_path: Path, name: str
) -> None:
    change, text = WRONG[name]
    path = repacked(archive, tmp_path / "bad.zip", change)
    with pytest.raises(BadInput, match=text):
        import_study(shared_context, OWNER, EmptyRequest(), path, "bad.zip")
    assert shared_context.storage.studies.all() == []


def test_what_is_no_export_is_refused(archive: Path, context: Context, tmp_path: Path) -> None:
    same = repacked(archive, tmp_path / "same.zip", lambda *_: None)
    import_study(context, OWNER, EmptyRequest(), same, "same.zip")
    changed = repacked(archive, tmp_path / "changed.zip", _person("language", "de"), honest=False)
    with pytest.raises(BadInput, match="not the one that was exported"):
        read_archive(changed, "changed.zip")
    (tmp_path / "text.zip").write_text("no zip")
    with pytest.raises(BadInput, match="no archive that can be read"):
        read_archive(tmp_path / "text.zip", "text.zip")
    cut = tmp_path / "cut.zip"
    cut.write_bytes(archive.read_bytes()[:-200])
    with pytest.raises(BadInput, match="no archive that can be read"):
        read_archive(cut, "cut.zip")
    # The directory is said to be larger than the file: it would begin before it.
    data = bytearray(archive.read_bytes())
    end = data.rindex(b"PK\5\6")
    data[end + 12 : end + 16] = (end + 9).to_bytes(4, "little")
    cut.write_bytes(data)
    with pytest.raises(BadInput, match="no archive that can be read"):
        read_archive(cut, "cut.zip")
    with zipfile.ZipFile(archive) as old:
        parts = {name: old.read(name) for name in ("study.json", "people.jsonl")}
    for name, text in (
        ("../evil.txt", "no export of a study has"),
        ("/etc/passwd", "no export of a study has"),
        ("images/0.png", "no export of a study has"),
    ):
        odd = tmp_path / "odd.zip"
        with zipfile.ZipFile(odd, "w") as new:
            for part, content in {**parts, name: b"x"}.items():
                new.writestr(part, content)
        with pytest.raises(BadInput, match=text):
            read_archive(odd, "odd.zip")
    alone = tmp_path / "alone.zip"
    with zipfile.ZipFile(alone, "w") as new:
        new.writestr("study.json", parts["study.json"])
    with pytest.raises(BadInput, match=r"has no people\.jsonl"):
        read_archive(alone, "alone.zip")


def test_a_bomb_is_read_no_further_than_its_limit(archive: Path, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(archive) as old:
        study = old.read("study.json")
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        new.writestr("study.json", study)
        with new.open("people.jsonl", "w") as file:
            for _ in range(64):
                file.write(b" " * 2**20)
    assert bomb.stat().st_size < 2**20
    with pytest.raises(BadInput, match="larger than 8 MB"):
        read_archive(bomb, "bomb.zip", Limits(people_bytes=8 * 2**20))
    with pytest.raises(BadInput, match="larger than 0 MB"):
        read_archive(archive, "all.zip", Limits(study_bytes=100))


@pytest.mark.process
def test_small_archives_of_many_values_take_little_memory(archive: Path, tmp_path: Path) -> None:
    """22 million empty objects are 100 kB as a file and 1.7 GB in memory; half a million that lack
    what a participant has took 3.6 GB in errors."""
    with zipfile.ZipFile(archive) as old:
        study, people = old.read("study.json"), old.read("people.jsonl")
    millions = b"{}," * 1_000_000
    faults = b'{"events":[' + b"{}," * 450_000 + b"{}]}\n"
    sums = {"people_sha256": hashlib.sha256(faults).hexdigest(), "participants": 1}
    faulty = json.dumps({**json.loads(study), **sums}).encode()
    bad = {
        "unknown": ([study[:-1], b',"x":[', *[millions] * 22, b"{}]}"], people),
        "nested": ([study[:-1], b',"x":[', *[b"[" * 900 + b"]" * 900 + b","] * 20_000], people),
        "errors": ([faulty], faults),
    }
    for name, (parts, lines) in bad.items():
        packed = tmp_path / f"bad-{name}.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
            with new.open("study.json", "w") as file:
                file.writelines(parts)
            new.writestr("people.jsonl", lines)
    command = [sys.executable, "-c", READER, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, check=True)
    read = json.loads(done.stdout)
    assert max(mb for _, mb in read.values()) < MAX_MB, read
    assert "more than 1,000,000 values" in read["bad-unknown"][0]
    assert "more than 1,000,000 values" in read["bad-nested"][0]
    assert "number: Field required" in read["bad-errors"][0]


def test_an_unknown_field_is_refused_before_its_value_is_read(
    archive: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(archive) as old:
        study, people = old.read("study.json"), old.read("people.jsonl")
    for text, message in (
        (study[:-1] + b', "x" : {"no": JSON}}', "it has 'x'"),
        (study[:-1] + b',"format":"truehue study"}', "it has 'format' twice"),
        (study[:-1], "does not go on"),
        (study + b"{}", "does not go on"),
        (study[:-1] + b',"x"', "it has 'x'"),
        (b"[1]", "no object"),
    ):
        packed = tmp_path / "odd.zip"
        with zipfile.ZipFile(packed, "w") as new:
            new.writestr("study.json", text)
            new.writestr("people.jsonl", people)
        with pytest.raises(BadInput, match=message):
            read_archive(packed, "odd.zip")
    spaced = repacked(archive, tmp_path / "spaced.zip", lambda *_: None)
    with zipfile.ZipFile(tmp_path / "lines.zip", "w") as new, zipfile.ZipFile(spaced) as old:
        new.writestr("study.json", json.dumps(json.loads(old.read("study.json")), indent=2) + "\n")
        new.writestr("people.jsonl", old.read("people.jsonl"))
    assert read_archive(tmp_path / "lines.zip", "lines.zip").document.participants == 4


def test_one_study_is_imported_at_a_time(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = Inside(1)

    def slow(*_: Any) -> dict[str, Any]:
        with inside:
            return {}

    monkeypatch.setattr(study_routes, "import_study", slow)
    app = FastAPI()
    app.include_router(study_routes.results_routes(context))
    with TestClient(app, headers={"X-TrueHue": "1"}) as page:
        sent = {"url": "/api/studies/import", "content": b"zip"}
        threads = [threading.Thread(target=page.post, kwargs=sent) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (inside.most, inside.count) == (1, 3)
