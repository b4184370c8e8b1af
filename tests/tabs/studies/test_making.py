"""From materials to a plan: what is drawn, what is left out, and what a form cannot ask."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.concept_runs import concept_run, palettes_csv
from tests.storage.run_samples import ingest_copied, sample_plan, sample_run
from tests.tabs.studies.studies_here import distributions, drawn, form, models
from truehue.annotation.assignment.assign import assign
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import languages
from truehue.annotation.studies.plan import Material, from_json
from truehue.core.concepts.records import HISTOGRAMS, DistributionFile, DistributionRow
from truehue.core.errors import BadInput
from truehue.core.generation.registry import RENDERER
from truehue.core.prompts.concepts import concepts
from truehue.core.runs.folder import RunFolder
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, read_as
from truehue.tabs.page.roles import OWNER
from truehue.tabs.studies.changing import Revision, create, revise
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.live import StudyCache
from truehue.tabs.studies.making import FORM, form_of
from truehue.tabs.studies.materials import materials, presets
from truehue.tabs.studies.outline import CasesForm, cases, outline
from truehue.tabs.studies.study import study_list

pytestmark = pytest.mark.slow

CASES = 11
"""Of the twelve prompts of the runs, two have one text."""


def made(context: Context, request: StudyForm) -> Any:
    study = create(context, OWNER, request)["study"]
    return context.service(StudyCache).plan(study["id"], 1)


def test_the_papers_study_is_2700_votes_of_36_people_with_75_trials(context: Context) -> None:
    sources = distributions(context, ("Sana", "SDXL", "OmniGen"), 160)
    people = sources.pop("people")
    request = form(
        preset="concepts",
        people=[people],
        models=[{"name": name, "sources": [source]} for name, source in sources.items()],
        seed=5,
    )
    message = outline(context, OWNER, request)
    assert message["cases"] == {"available": 160, "complete": 160, "left_out": 0, "chosen": 150}
    assert (message["stimuli"], message["votes_wanted"]) == (450, 2_700)
    assert (message["people_needed"], message["trials_a_person"], message["votes_a_stimulus"]) == (
        36,
        75,
        6,
    )
    assert len(message["warnings"]) == 1  # as published, it has no attention checks
    assert message["blocks"] == []
    assert len(message["sample"]["reference"]) == 71
    assert [len(index["weights"]) for index in message["sample"]["places"]] == [71, 71]
    assert context.storage.studies.all() == []

    plan = made(context, request)
    assert plan.material is Material.DISTRIBUTIONS
    assert len(plan.main_stimuli) == 450
    assert plan.answers_wanted == 2_700
    assert plan.trials == 75
    assert plan.closing.participants == 36
    assert sum(plan.cases[0].reference) == pytest.approx(1, abs=1e-6)
    # 36 people get 75 trials each, and every pair six answers.
    load: Counter[str] = Counter()
    for number in range(36):
        trials = assign(plan, number, load, {})
        assert len(trials) == 75
        load.update(trial.stimulus_id for trial in trials)
    assert set(load.values()) == {6}
    assert load.total() == 2_700
    assert assign(plan, 36, load, {}) == ()
    # The same form draws the same cases; another seed draws others.
    again, other = made(context, request), made(context, request.model_copy(update={"seed": 6}))
    assert again.cases == plan.cases
    assert {case.id for case in other.cases} != {case.id for case in plan.cases}


def test_pictures_of_runs_are_paired_by_the_words_that_both_models_drew(
    context: Context, runs: list[str]
) -> None:
    request = form(models=models(runs), seed=3)
    plan = made(context, request)
    assert plan.kind is Kind.PAIRS
    assert [case.models for case in plan.cases] == [("A", "B")] * CASES
    prompts = {p.text: p for run in runs[:1] for p in context.storage.run_pictures.of(run)}
    for case in plan.cases:
        drawn_of = [image for image, _ in prompts[case.words].pictures]
        assert case.candidate("A").image_ids[0] in drawn_of
    # One more model or fewer cases do not change which picture is drawn of the others.
    fewer = made(context, form(models=models(runs), seed=3, number=5))
    first = {case.id: case for case in plan.cases}
    assert len(fewer.cases) == 5
    assert all(first[case.id] == case for case in fewer.cases)


def test_what_a_model_did_not_draw_is_left_out_and_said(context: Context, tmp_path: Path) -> None:
    # Of one picture a prompt, one of 29 could not be drawn.
    runs = drawn(context, tmp_path / "runs", prompts=30, images=1)
    message = outline(context, OWNER, form(models=models(runs)))
    assert (
        message["cases"]["left_out"]
        == message["cases"]["available"] - message["cases"]["complete"]
        > 0
    )
    assert any("excluded: A has no image." in text for text in message["provenance"])


def test_a_model_against_itself_and_the_renderer_are_warned_of(
    context: Context, runs: list[str], tmp_path: Path
) -> None:
    message = outline(context, OWNER, form(models=models([runs[0], runs[1]])))
    assert message["warnings"] == []
    german = outline(context, OWNER, form(models=models([runs[0], runs[1]]), language="de"))
    assert ["German" in text for text in german["warnings"]] == [True]
    twice = outline(context, OWNER, form(models=models([runs[0], runs[0][:12]])))
    assert twice["warnings"][0].startswith("“A” and “B” have the same source")
    assert twice["blocks"] == []  # of four pictures a prompt each shows another one, mostly
    same = int(next(text for text in twice["warnings"] if "image twice" in text).split()[0])
    omitting = form(models=models([runs[0], runs[0][:12]]), omit_equal=True)
    without = outline(context, OWNER, omitting)
    assert 0 < same == twice["stimuli"] - without["stimuli"]
    assert not any("image twice" in text for text in without["warnings"])
    # Drawn once, each pair is one picture: there is nothing to ask about.
    drawn_by = sample_run(tmp_path / "runs", sample_plan(RENDERER, 12, 1))
    ingest_copied(context.storage, [drawn_by])
    request = form(models=models([drawn_by.run_id] * 2))
    message = outline(context, OWNER, request)
    assert "“A”, “B” are from the reference renderer" in " ".join(message["warnings"])
    model_copy = request.model_copy(update={"cases": (message["sample"]["case"],)})
    assert "show the same image twice" in outline(context, OWNER, model_copy)["blocks"][0]


def test_ratings_take_several_pictures_of_each_prompt(context: Context, runs: list[str]) -> None:
    plan = made(context, form(preset="realism", models=models(runs), variants=2))
    assert plan.kind is Kind.RATINGS
    ids = [case.id for case in plan.cases]
    assert len(set(ids)) == len(ids)
    assert all(case_id.endswith(("#1", "#2")) for case_id in ids)
    for model in ("A", "B"):
        images = [case.candidate(model).image_ids for case in plan.cases]
        assert all(len(image) == 1 for image in images)
        assert len(set(images)) == len(images)
    assert len(plan.main_stimuli) == 2 * len(plan.cases)


def test_best_of_four_pictures_of_one_model(context: Context, runs: list[str]) -> None:
    plan = made(context, form(preset="best-of-four", models=models(runs[:1])))
    assert {len(case.candidates) for case in plan.cases} == {4}
    assert plan.cases[0].models == ("A · 1", "A · 2", "A · 3", "A · 4")
    assert len({candidate.image_ids for candidate in plan.cases[0].candidates}) == 4


def test_runs_of_concepts_bring_distributions_and_pictures(
    context: Context, tmp_path: Path
) -> None:
    from truehue.core.concepts.reading import read_distributions

    folder = concept_run(tmp_path / "runs")
    ingest_copied(context.storage, [folder])
    people = context.storage.distributions.add(
        read_distributions("people.csv", palettes_csv()), "people", "people.csv", "", True
    )
    other = distributions(context, ("other",), 1_279)["other"]
    request = form(
        preset="concepts",
        number=0,
        people=[f"set:{people}"],
        models=[
            {"name": "Renderer", "sources": [f"run:{folder.run_id}"]},
            {"name": "Other", "sources": [other]},
        ],
    )
    message = outline(context, OWNER, request)
    assert (
        message["cases"]["chosen"] == 9
        or message["cases"]["chosen"] == message["cases"]["complete"]
    )
    plan = made(context, request)
    case = plan.cases[0]
    assert len(case.candidate("Renderer").image_ids) == 2
    assert case.candidate("Other").image_ids == ()
    cells = context.storage.profiles.cells(folder.run_id, "extracted")
    assert len(cells) == len(plan.cases)
    assert plan.provenance[-1].startswith("Of images: ")
    offers = outline(context, OWNER, request)["training_offers"]
    assert offers
    assert all(offer["difference"] >= 0 and offer["right"] in offer["models"] for offer in offers)


def test_runs_of_both_styles_offer_training_too(context: Context, tmp_path: Path) -> None:
    """Their distributions are of both styles together, which are not stored."""
    from truehue.core.concepts.reading import read_distributions

    folder = concept_run(tmp_path / "runs", styles=("photo", "cartoon"))
    ingest_copied(context.storage, [folder])
    people = context.storage.distributions.add(
        read_distributions("people.csv", palettes_csv()), "people", "people.csv", "", True
    )
    request = form(
        preset="concepts",
        number=0,
        people=[f"set:{people}"],
        models=[
            {"name": "Renderer", "sources": [f"run:{folder.run_id}"]},
            {"name": "Other", "sources": [distributions(context, ("other",), 1_279)["other"]]},
        ],
    )
    assert outline(context, OWNER, request)["training_offers"]


def test_where_no_case_is_left_it_says_what_is_missing(context: Context) -> None:
    sources = distributions(context, ("A", "B"), 4)
    row = DistributionRow(concepts()[10].words, "", np.full(71, 1 / 71), 5)
    file = DistributionFile(HISTOGRAMS, (row,))
    people = context.storage.distributions.add(file, "others", "others.csv", "", True)
    request = form(
        preset="concepts",
        number=0,
        people=[f"set:{people}"],
        models=[{"name": name, "sources": [sources[name]]} for name in ("A", "B")],
    )
    with pytest.raises(BadInput, match=r"people's colors are not known \(4 cases\)") as raised:
        made(context, request)
    assert raised.value.field == "people"


def test_scales_of_one_run_are_compared_as_models(context: Context, tmp_path: Path) -> None:
    plan = replace(sample_plan(prompts=4, images=4), guidances=(3.0, 9.0))
    folder = sample_run(tmp_path / "runs", plan)
    ingest_copied(context.storage, [folder])
    scales = [
        {"name": f"guidance {scale}", "sources": [f"run:{folder.run_id}/all/{scale}"]}
        for scale in (3, 9)
    ]
    study = made(context, form(models=scales))
    drawn_at = {
        image: scale
        for prompt in context.storage.run_pictures.of(folder.run_id)
        for image, scale in prompt.pictures
    }
    assert set(drawn_at.values()) == {3.0, 9.0}
    for case in study.cases:
        assert drawn_at[case.candidate("guidance 3").image_ids[0]] == 3.0
        assert drawn_at[case.candidate("guidance 9").image_ids[0]] == 9.0
    # Prompts that are no concepts have no style to choose.
    with pytest.raises(BadInput, match="No cases are left"):
        made(context, form(models=[{"name": "A", "sources": [f"run:{folder.run_id}/photo"]}]))


def test_training_takes_its_cases_out_of_the_study(context: Context, runs: list[str]) -> None:
    every = cases(context, OWNER, CasesForm(models=models(runs)))  # type: ignore[arg-type]
    first = every["cases"][0]["id"]
    key = {"case": first, "models": ["A", "B"], "right": "B"}
    plan = made(
        context, form(models=models(runs), training={"keys": [key], "needed": 1, "attempts": 2})
    )
    assert first not in {stimulus.case_id for stimulus in plan.main_stimuli}
    assert len(plan.main_stimuli) == CASES - 1
    ((stimulus_id, right),) = plan.training.keys
    assert right == "B"
    assert plan.by_id[stimulus_id].case_id == f"training:{first}"
    wrong = {**key, "right": "C"}
    with pytest.raises(BadInput, match="one of them is right") as error:
        made(context, form(models=models(runs), training={"keys": [wrong]}))
    assert error.value.field == "training"


@pytest.mark.parametrize(
    ("fields", "field", "text"),
    [
        ({"models": []}, "models", "at least one model"),
        ({"preset": "free"}, "question", "question"),
        ({"completion": {"url": "http://a.example"}}, "completion", "https://"),
        ({"completion": {"url": "https://u:p@a.example"}}, "completion", "https://"),
        ({"completion": {"url": "javascript:alert(1)"}}, "completion", "https://"),
        ({"completion": {"url": "http://[::1"}}, "completion", "must start with https://"),
        ({"number": 500}, "number", "Use a smaller number"),
        ({"cases": ["nothing"]}, "cases", "Choose again"),
        ({"votes": 0}, "votes", "1 to 1,000"),
        ({"preset": "realism", "method": "adaptive"}, "method", "Only pairs"),
        ({"language": "xx"}, "language", "no language"),
        ({"abandoned_after_s": 5}, "abandoned_after_s", "60"),
        ({"seed": True}, "seed", "seed"),
        ({"wording": {"nothing_such": "Go on"}}, "wording", "no text called"),
        ({"wording": {"continue": "Go on, {name}"}}, "wording", "{name} is not available"),
    ],
)
def test_a_form_that_cannot_be_says_which_field(
    shared_context: Context,
    run_folders: list[RunFolder],
    fields: dict[str, Any],
    field: str,
    text: str,
) -> None:
    runs = [folder.run_id for folder in run_folders]
    if not shared_context.storage.runs.all():
        ingest_copied(shared_context.storage, run_folders)
    with pytest.raises(BadInput) as error:
        outline(shared_context, OWNER, form(**{"models": models(runs), **fields}))
    assert text in str(error.value)
    assert error.value.field == field


def test_a_study_that_cannot_show_anything_is_not_stored(context: Context, runs: list[str]) -> None:
    with pytest.raises(BadInput, match="candidates"):
        create(context, OWNER, form(models=models(runs[:1])))
    assert context.storage.studies.all() == []
    study = create(context, OWNER, form(models=models(runs)))["study"]
    fields = {**form(models=models(runs[:1])).model_dump(), "study": study["id"]}
    with pytest.raises(BadInput, match="candidates"):
        revise(context, OWNER, read_as(Revision, fields))
    assert context.storage.studies.get(study["id"]).version == 1


def test_one_study_that_cannot_be_read_leaves_the_others_on_the_list(
    context: Context, runs: list[str]
) -> None:
    study = create(context, OWNER, form(models=models(runs)))["study"]
    content = dict(context.storage.studies.get(study["id"]).plan)
    content["cases"] = [{**case, "candidates": case["candidates"][:1]} for case in content["cases"]]
    context.storage.studies.add(content, "owner")
    assert [item["id"] for item in study_list(context, OWNER, EmptyRequest())["studies"]] == [
        study["id"]
    ]


def test_two_models_of_one_name_are_refused(runs: list[str]) -> None:
    with pytest.raises(BadInput, match="one name"):
        form(models=models(runs, "AA"))


def test_a_changed_text_is_another_version_by_itself(context: Context, runs: list[str]) -> None:
    first = made(context, form(models=models(runs)))
    same = made(context, form(models=models(runs), title="Another"))
    other = made(context, form(models=models(runs), consent="Another text."))
    assert first.consent == same.consent
    assert first.consent.version != other.consent.version


def test_a_stored_plan_keeps_its_form(context: Context, runs: list[str]) -> None:
    request = form(models=models(runs), wording={"continue": "Go on"})
    study = create(context, OWNER, request)["study"]
    content = context.storage.studies.plan(study["id"], 1)
    study_form = form_of(content)
    assert study_form is not None
    assert study_form == request.filled()
    assert study["form"] == content[FORM]
    assert from_json(content).wording == (("continue", "Go on"),)


def test_materials_name_runs_and_sets_as_models(context: Context, runs: list[str]) -> None:
    distributions(context, ("Sana",), 3)
    message = materials(context, OWNER, EmptyRequest())
    assert [run["pictures"] for run in message["runs"]] == [
        context.storage.runs.get(run["id"]).items - context.storage.runs.get(run["id"]).failed
        for run in message["runs"]
    ]
    assert {image["name"] for image in message["suggested"]["images"]} == {"model-a", "model-b"}
    assert [person["name"] for person in message["suggested"]["people"]] == ["people"]
    assert [distribution["name"] for distribution in message["suggested"]["distributions"]] == [
        "Sana"
    ]
    # What is suggested can be put into a form as it is.
    suggested = [
        {"name": image["name"], "sources": image["sources"]}
        for image in message["suggested"]["images"]
    ]
    assert outline(context, OWNER, form(models=suggested))["stimuli"] == CASES


def test_presets_are_forms_that_the_door_reads(context: Context) -> None:
    message = presets(context, OWNER, EmptyRequest())
    assert [item["id"] for item in message["presets"]] == [
        "concepts",
        "realism",
        "adherence",
        "best-of-four",
        "colorings",
        "questions",
        "free",
    ]
    for preset in message["presets"]:
        assert read_as(StudyForm, preset["form"]).preset == preset["id"]
        assert set(preset["texts"]) == set(languages())
