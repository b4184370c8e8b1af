"""``truehue runs audit``: its study, people's answers, and the accuracy by them on the leaderboard."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.commands import called
from tests.empty_data import empty_data
from tests.storage.run_samples import sample_plan, sample_prompts, sample_run
from tests.tabs.studies.studies_here import answered, enrolled
from truehue.annotation.studies.plan import from_json
from truehue.core.analysis.records import RunRecord
from truehue.core.errors import BadInput, NotAllowed
from truehue.core.studies import State
from truehue.storage import Storage
from truehue.tabs.command.runs import main
from truehue.tabs.explore.leaderboard import cards_view, leaderboard_view
from truehue.tabs.explore.leaderboard_csv import leaderboard_csv
from truehue.tabs.export.report_trust import trust_blocks
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.shell.compose import make_context
from truehue.tabs.sources.audits import (
    AuditAnswers,
    accuracies_by_people,
    accuracy_by_people,
    audit_answers,
    audit_name,
    audit_studies,
)
from truehue.tabs.studies.audits import AuditRequest, start_audit
from truehue.tabs.studies.changing import create
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.live import StudyRequest
from truehue.tabs.studies.study import delete_draft
from truehue.tabs.verdicts.judgments import AnswerVerdict, judge_verdict

pytestmark = pytest.mark.slow


def test_people_judge_a_sample_and_the_leaderboard_says_so(tmp_path: Path) -> None:
    data = empty_data(tmp_path / "data")
    prompts = tuple(prompt for prompt in sample_prompts(60) if prompt.task in ("cna", "ncu"))
    plan = replace(sample_plan("flux.1-dev", 60, 1), prompts=prompts, rules=(("truehue", "1.2"),))
    folder = sample_run(data / "runs", plan)
    sample_run(data / "runs", replace(plan, name="b", model="model-b"))
    refused = called(main, "audit", folder.run_id, "--data", str(data), "--rule", "paper")
    assert refused.returncode == 2
    assert "scored by truehue" in refused.stderr
    part = sample_run(data / "runs", replace(plan, name="part"))
    next(part.shard_folder.glob("*.parquet")).unlink()
    refused = called(main, "audit", part.run_id, "--data", str(data))
    assert "Let it end first" in refused.stderr
    shutil.rmtree(part.path)
    options = ("--n", "16", "--language", "de", "--json")
    done = called(main, "audit", folder.run_id, "--data", str(data), *options)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    with Storage.open(data) as storage:
        context = make_context(storage, "data")
        study = storage.studies.get(made["study"])
        assert study.plan["form"]["votes"] == 3  # its consent text can be completed
        audit = from_json(study.plan)
        asked = {int(case.id.rpartition(":")[2]) for case in audit.cases}
        assert len(asked) == made["images"] == 16
        assert any(text.startswith("16 images at random") for text in audit.provenance)
        assert all(case.words.startswith("Zeigt dieses Bild „") for case in audit.cases)
        passes = {
            i.position: i.passes for i in storage.results.scored_images("truehue", folder.run_id)
        }
        assert asked <= passes.keys()
        # Judgments do not count: nobody chose by chance which images are judged.
        for position in asked:
            judge_verdict(context, OWNER, judgment(folder.run_id, position, passes[position]))
        before = answers_to(context, folder.run_id)
        assert before is not None
        assert (before.shares, before.sampled) == ({}, asked)
        # The page makes the same study, in the background, and the run's card links to it.
        wanted = {"run": folder.run_id, "n": "5", "language": "en"}
        with pytest.raises(BadInput, match="no language"):
            start_audit(context, OWNER, read_as(AuditRequest, wanted | {"language": "xx"}))
        with pytest.raises(BadInput, match="number of images"):
            read_as(AuditRequest, wanted | {"n": "0"})
        visitor = Actor("v", Role.VISITOR)
        with pytest.raises(NotAllowed):
            start_audit(context, visitor, read_as(AuditRequest, wanted))
        begun = start_audit(context, OWNER, read_as(AuditRequest, wanted))
        strata = len({(p.task, p.system) for p in prompts})
        assert f"{2 * strata} images at random" in begun["text"]
        assert f"5 were wanted, but each of the {strata} tasks" in begun["text"]
        second = context.jobs.wait(begun["job"], 300).result["study"]
        cards = cards_view(context, {}, OWNER)["audits"][folder.run_id]
        assert {entry["study"] for entry in cards["studies"]} == {study.id, second}
        assert "16 images, draft" in {entry["words"] for entry in cards["studies"]}
        assert cards["people"] == ""
        assert cards_view(context, {}, visitor)["audits"] == {}
        delete_draft(context, OWNER, read_as(StudyRequest, {"study": second}))
        record = storage.runs.get(folder.run_id)
        text = str(list(trust_blocks(context, record, OWNER)))
        assert "People have judged 0 of the 16 images of an audit." in text
        # A set that somebody gave the name of an audit is none.
        audit_set = storage.question_sets.open(study.plan["question_set"]["sha256"][:32])
        renamed = (
            replace(item, question=replace(item.question, question_id=f"x-{index}"))
            for index, item in enumerate(audit_set.illustrated())
        )
        form = StudyForm(
            preset="questions",
            question_set=storage.question_sets.add(renamed, audit_name(folder.run_id), {})[0],
            votes=1,
        )
        create(context, OWNER, form)
        assert answers_to(context, folder.run_id) == before

        storage.studies.set_state(study.id, State.OPEN, "owner")
        who, trials = enrolled(context, study.id, audit)
        # Yes to every image, and to checks of attention what they ask for.
        answered(context, who, trials, lambda trial: trial.expected or 0)
        people = accuracies_by_people(context, [folder.run_id], "truehue")[folder.run_id]
        assert people.judged == len(asked)
        assert people.images == len(passes)
        assert people.rule_percent < 90 < people.percent

        storage.runs.ingest(sample_run(data / "runs", replace(plan, name="b", model="model-b")))
        view = leaderboard_view(context, {"corrected": "traced"})
        (group,) = view["groups"]
        by_name = {row["name"]: row for row in group["rows"]}
        row = by_name[plan.name]
        by_people = f"By people: {people.percent:.1f}% of the images that truehue scored have"
        assert row["people"].casefold().startswith(by_people.casefold())
        assert by_name["b"]["people"] == ""
        cell: Any = row["cells"]["cna"]
        assert cell["rank"] == "1–2"
        # Few images make its interval as wide as the raw one: the rule's errors add little.
        corrected = cell["corrected"]
        assert (corrected["label"], corrected["text"]) == ("corrected", "22.2")
        assert corrected["high"] - corrected["low"] < cell["high"] - cell["low"] + 10
        assert any(
            "L3, a part of these numbers, was not tested" in s
            for s in view["correction"]["sentences"]
        )
        assert leaderboard_view(context, {})["correction"]["lead"] == []
        every = leaderboard_view(context, {"corrected": "traced", "unscored": "wrong"})
        assert "stay incorrect" in " ".join(every["correction"]["sentences"])
        table = list(csv.DictReader(io.StringIO(leaderboard_csv(context, {"corrected": "traced"}))))
        line = next(line for line in table if line["run_name"] == plan.name)
        assert (line["cna_rank_best"], line["cna_rank_worst"]) == ("1", "2")
        assert line["cna_corrected_percent"] == str(corrected["percent"])
        assert (line["corrected_by"], line["by_people_judged"]) == ("traced", str(len(asked)))
        # Those who may not see studies do not read their results.
        assert cards_view(context, {}, OWNER)["audits"][folder.run_id]["people"] == row["people"]
        assert "By people:" not in str(leaderboard_view(context, {}, visitor))
        line = next(csv.DictReader(io.StringIO(leaderboard_csv(context, {}, visitor))))
        assert line["by_people_judged"] == ""
        record = storage.runs.get(folder.run_id)
        assert "By people:" not in str(list(trust_blocks(context, record, visitor)))
        text = str(list(trust_blocks(context, record, OWNER)))
        assert "truehue, errors in difficult light" in text
        assert f"By people: {people.percent:.1f}%" in text
        assert "among 2 runs: CNA 1–2" in text
        storage.runs.hide(by_name["b"]["id"])
        assert "among 2 runs" not in str(list(trust_blocks(context, record, OWNER)))
        # Of a part of the tasks nothing follows for the others.
        partly = AuditAnswers(
            dict.fromkeys(asked, 1.0), frozenset(ncu_positions(context, record)), 1
        )
        assert accuracy_by_people(context, record.run_id, "truehue", partly) is None
        context.close()


def answers_to(context: Context, run_id: str) -> AuditAnswers | None:
    return audit_answers(context, run_id, audit_studies(context)[run_id])


def ncu_positions(context: Context, record: RunRecord) -> list[int]:
    images = context.storage.results.scored_images("truehue", record.run_id)
    return [image.position for image in images if image.task == "ncu"]


def judgment(run_id: str, position: int, passes: bool) -> AnswerVerdict:
    answer = "pass" if passes else "fail"
    return AnswerVerdict(run=run_id, position=position, rule="truehue", answer=answer)
