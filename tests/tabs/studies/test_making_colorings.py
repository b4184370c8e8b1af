"""From concepts to a study of colorings: which sketch is taken, what is left out and stored."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.tabs.studies.colored import grid, sketch_of
from tests.tabs.studies.studies_here import form
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import languages
from truehue.annotation.studies.plan import Material, Review
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import concepts
from truehue.core.sketches.records import Sketch, SketchWarning
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import OWNER
from truehue.tabs.sources.sketches import drawings
from truehue.tabs.studies.changing import Revision, create, revise
from truehue.tabs.studies.form import StudyForm, consent_in, examples_in
from truehue.tabs.studies.live import StudyCache
from truehue.tabs.studies.making import form_of
from truehue.tabs.studies.materials import presets
from truehue.tabs.studies.outline import PLACEHOLDERS, outline
from truehue.tabs.studies.sketch_choices import Choices, concept_list, concepts_shown_by
from truehue.tabs.studies.study import blocked

pytestmark = pytest.mark.slow

# Stored under these words, so that no starter drawing has to be prepared.
STORED = ("apple", "horse", "lonely cabin", "practice sheet")


@pytest.fixture
def sketches(context: Context) -> dict[str, str]:
    """Sketches that somebody brought, by what they show."""
    return {
        text: context.storage.sketches.add(sketch_of(grid(lines)), text, "import").id
        for lines, text in enumerate(STORED, 2)
    }


def colorings(*concepts: str, **fields: Any) -> StudyForm:
    practice = {"concepts": ["practice sheet"]}
    return form(preset="colorings", concepts=concepts, **{"practice": practice, **fields})


def test_states_take_the_sketch_of_their_thing_unless_they_have_one() -> None:
    assert concepts_shown_by("Rotten_Apple") == ("rotten apple", "apple")
    assert concepts_shown_by("lonely cabin") == ("lonely cabin", "cabin")
    assert concepts_shown_by("moldy old apple") == ("moldy old apple", "old apple", "apple")


def test_the_newest_sketch_of_the_words_themselves_is_taken(
    context: Context, sketches: dict[str, str]
) -> None:
    choices = Choices(context)
    assert [item.id for item in choices.of("rotten apple")] == [sketches["apple"], ""]
    assert choices.of("lonely cabin")[0].id == sketches["lonely cabin"]
    assert choices.of("lonely cabin")[1].shows == "cabin"
    # The starter drawing of a thing can be chosen all the same.
    starter = choices.of("rotten apple")[1]
    chosen = choices.chosen("rotten apple", starter.key)
    assert chosen is not None
    assert chosen.drawing == "concept-0041"
    assert choices.chosen("a thing that nobody drew") is None


def test_a_study_is_made_of_what_has_a_sketch_and_says_what_is_left_out(
    context: Context, sketches: dict[str, str]
) -> None:
    request = colorings(
        "apple", "rotten apple", "horse", "hairdryer", "practice sheet", votes=4, trials=2
    )
    message = outline(context, OWNER, request)
    assert message["cases"] == {"available": 5, "complete": 3, "left_out": 2, "chosen": 3}
    assert (message["votes_wanted"], message["trials_a_person"], message["people_needed"]) == (
        12,
        3,
        6,
    )
    assert message["minutes_a_person"] == pytest.approx(7.5)
    assert message["sketches"]["without"] == ["hairdryer"]
    assert [item["words"] for item in message["sketches"]["practice"]] == ["practice sheet"]
    assert "1 concept excluded: no sketch of hairdryer." in message["provenance"]
    assert "practice sheet used for practice only." in message["provenance"]
    assert message["heavy"] is None
    assert message["blocks"] == []

    study = create(context, OWNER, request)["study"]
    plan = context.service(StudyCache).plan(study["id"], 1)
    assert (plan.kind, plan.material) == (Kind.COLORINGS, Material.SKETCHES)
    assert [(case.words, case.group) for case in plan.cases] == [
        ("apple", "Fruits"),
        ("rotten apple", "Fruits"),
        ("horse", "Animals"),
        ("practice sheet", "Other words"),
    ]
    assert [case.sketch for case in plan.cases[:3]] == [sketches["apple"]] * 2 + [sketches["horse"]]
    assert len(plan.main_stimuli) == 3
    assert plan.practice.review is Review.RESEARCHER
    assert {example.good for example in plan.examples} == {True, False}
    assert study["plan"]["practice"]["words"] == ["practice sheet"]
    assert blocked(context, plan) == []


def test_a_starter_drawing_is_stored_when_a_study_needs_it(context: Context) -> None:
    request = colorings("banana", practice={"number": 0})
    message = outline(context, OWNER, request)
    assert context.storage.sketches.all() == []  # looking stores nothing
    assert message["sketches"]["asked"][0]["picture"].startswith("/api/colorize/starter/")
    study = create(context, OWNER, request)["study"]
    (record,) = context.storage.sketches.all()
    assert (record.words, record.source) == ("banana", "starter")
    plan = context.service(StudyCache).plan(study["id"], 1)
    assert plan.cases[0].sketch == record.id
    assert plan.practice.case_ids == ()
    # It is taken again, and not stored twice.
    create(context, OWNER, colorings("unripe banana", practice={"number": 0}))
    assert len(context.storage.sketches.all()) == 1


def test_many_starter_drawings_are_prepared_in_the_background(context: Context) -> None:
    message = outline(context, OWNER, colorings("banana", "lemon", practice={"number": 2}))
    assert "4 starter drawings will be prepared first" in message["heavy"]["words"]
    practiced = [item["words"] for item in message["sketches"]["practice"]]
    assert practiced == ["birthday cake", "bell pepper"]
    # What is asked about is not practiced on.
    message = outline(context, OWNER, colorings("birthday cake", practice={"number": 1}))
    assert [item["words"] for item in message["sketches"]["practice"]] == ["bell pepper"]


@pytest.mark.parametrize(
    ("fields", "field", "text"),
    [
        ({"concepts": []}, "concepts", "Choose the concepts"),
        ({"concepts": ["hairdryer"]}, "concepts", "None of these concepts has a sketch"),
        ({"practice": {"concepts": ["bannana"]}}, "practice", "Did you mean banana"),
        ({"number": 9}, "number", "1 have a sketch"),
        ({"concepts": ["x" * 200]}, "concepts", "Use a shorter name"),
        ({"examples": [{"image_id": "0" * 64}]}, "examples", "Add a text to every example"),
    ],
)
def test_what_cannot_be_colored_is_refused_in_words(
    context: Context, sketches: dict[str, str], fields: dict[str, Any], field: str, text: str
) -> None:
    concepts = fields.pop("concepts", ["apple"])
    with pytest.raises(BadInput, match=text) as refused:
        outline(context, OWNER, colorings(*concepts, **fields))
    assert refused.value.field == field


def test_a_draft_is_changed_and_its_form_is_kept(
    context: Context, sketches: dict[str, str]
) -> None:
    request = colorings(
        "apple", "horse", examples=[{"text": "As it is", "good": True}, {"text": ""}]
    )
    study = create(context, OWNER, request)["study"]
    stored = form_of(context.storage.studies.get(study["id"]).plan)
    assert stored is not None
    assert stored.concepts == ("apple", "horse")
    assert [example.text for example in stored.examples or ()] == ["As it is"]
    fields = {**stored.model_dump(), "study": study["id"], "concepts": ["horse"]}
    again = revise(context, OWNER, Revision.model_validate(fields))["study"]
    assert again["plan"]["cases"] == 1


def test_the_color_is_kept_where_the_form_says_so(
    context: Context, sketches: dict[str, str]
) -> None:
    """A form that was stored before there was the setting keeps none."""
    for fields, keeps in (({}, False), ({"keep_color": True}, True)):
        study = create(context, OWNER, colorings("apple", "horse", **fields))["study"]
        assert study["plan"]["keep_color"] is keeps


def test_a_sketch_with_warnings_is_said(context: Context) -> None:
    ink = grid(3)
    plain = sketch_of(ink)
    sketch = Sketch(plain.id, ink, (SketchWarning("gaps", "Lines have gaps."),))
    context.storage.sketches.add(sketch, "horse", "import")
    message = outline(context, OWNER, colorings("horse", practice={"number": 0}))
    assert message["sketches"]["asked"][0]["warnings"] == ["Lines have gaps."]
    assert any("a sketch with a warning" in warning for warning in message["warnings"])


def test_an_example_that_names_what_is_asked_about_is_said(
    context: Context, sketches: dict[str, str]
) -> None:
    examples = [{"text": "Apples are red."}, {"text": "No blue pineapple.", "good": False}]
    message = outline(context, OWNER, colorings("rotten apple", "horse", examples=examples))
    assert any(
        "names a concept of the study (apple), which" in warning for warning in message["warnings"]
    )
    # Those that a study begins with name none of the paper's concepts.
    every = " ".join(example.text for example in examples_in("en"))
    bases = [concept.words for concept in concepts() if not concept.modifier]
    assert [base for base in bases if re.search(rf"\b{base}(s|es)?\b", every, re.I)] == []


def test_the_list_has_every_concept_with_its_sketches(
    context: Context, sketches: dict[str, str]
) -> None:
    message = concept_list(context, OWNER, EmptyRequest())
    resources = {resource["words"]: resource for resource in message["things"]}
    assert len(resources) == 214
    assert [sketch["key"] for sketch in resources["horse"]["sketches"]] == [sketches["horse"]]
    assert sum(bool(resource["sketches"]) for resource in resources.values()) == len(drawings()) + 1
    cabin = {modifier["words"]: modifier for modifier in resources["cabin"]["modifiers"]}
    assert cabin["lonely cabin"]["sketches"][0]["key"] == sketches["lonely cabin"]
    assert [other["words"] for other in message["others"]] == ["practice sheet"]


def test_the_preset_speaks_of_coloring(context: Context) -> None:
    message = presets(context, OWNER, EmptyRequest())
    preset = next(item for item in message["presets"] if item["id"] == "colorings")
    practice = preset["form"]["practice"]
    assert (practice["number"], practice["review"]) == (3, "researcher")
    assert "color line drawings" in preset["form"]["consent"]
    assert len(preset["texts"]["de"]["examples"]) == len(preset["form"]["examples"])
    assert "Zeichnungen" in preset["texts"]["de"]["consent"]
    assert set(message["reviews"]) == set(Review)


@pytest.mark.parametrize("language", languages())
def test_the_text_to_agree_to_says_what_is_stored_of_colorings(language: str) -> None:
    """Each replacement is made, and both languages name the same places to fill in."""
    plain, colored = consent_in(language, Kind.PAIRS), consent_in(language, Kind.COLORINGS)
    for old, new in zip(plain.split("\n\n")[:2], colored.split("\n\n")[:2], strict=True):
        assert old != new
    assert PLACEHOLDERS.findall(plain) == PLACEHOLDERS.findall(colored)
    assert len(PLACEHOLDERS.findall(plain)) == 3
