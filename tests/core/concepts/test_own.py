"""Concepts of one's own: what a prompt names is in the id, and nothing else is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.own import own_base_id, own_concept, own_id
from truehue.core.concepts.records import EXTRACTED, ConceptCell
from truehue.core.concepts.scores import base_of, by_id
from truehue.core.concepts.sensitivity import shifts
from truehue.core.concepts.tables import alignment
from truehue.core.prompts.concepts import build_concepts, concepts
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.concepts import concept_of

INJERA = Prompt(
    "mine-1",
    "Warm injera: on a plate",
    "concept",
    (ObjectTarget("injera"),),
    source="mine",
    category="food & drink",
    concept="injera",
    modifier="warm",
    modifier_kind="visual state",
    style="natural photo",
)
BASE = replace(INJERA, id="mine-0", text="Injera", modifier="", modifier_kind="")


def test_an_id_says_base_modifier_kind_and_category() -> None:
    concept_id, style = concept_of(INJERA) or ("", "")
    concept = own_concept(concept_id)
    assert concept is not None
    assert (concept.words, concept.modifier_kind, concept.category, style) == (
        "warm injera",
        "visual state",
        "food & drink",
        "photo",
    )
    assert own_base_id(concept_id) == own_id(BASE)
    assert concept_of(replace(INJERA, style="oil painting")) == (concept_id, "own")
    assert concept_of(replace(INJERA, modifier_kind="cultural")) == (concept_id, "photo")
    assert "emotional" in own_id(replace(INJERA, modifier_kind="Emotional"))


def test_what_names_no_concept_is_none() -> None:
    assert concept_of(replace(INJERA, concept="")) is None
    assert concept_of(replace(INJERA, task="cna")) is None
    for text in ("", "own:", "own:base:x", "own:base:food::", "own:a b:c:d:e", "concept-0001"):
        assert own_concept(text) is None


def test_the_benchmarks_prompts_stay_the_benchmarks() -> None:
    first = build_concepts()[0]
    assert concept_of(first) == (concepts()[0].id, "photo")
    own = concept_of(replace(first, text="Another sentence."))
    assert own is not None
    assert own[0].startswith("own:")
    assert len(by_id()) == len(concepts())
    assert own[0] in by_id()
    with pytest.raises(KeyError):
        by_id()["nothing"]
    assert set(base_of()) < set(by_id())


def test_tables_and_modifiers_count_them_by_kind() -> None:
    ids = [own_id(BASE), own_id(INJERA)]
    weights = np.eye(COUNT)[:4]
    cells = [
        ConceptCell("r", concept_id, "photo", None, EXTRACTED, 2, 0, weights[index])
        for index, concept_id in enumerate(ids)
    ]
    people = {ids[0]: weights[0], ids[1]: weights[3]}
    table = alignment(cells, people)
    assert table is not None
    assert table.unknown == ()
    assert table.number("r", "base", "photo", "pcc").value == pytest.approx(1.0)
    assert table.number("r", "visual state", "photo", "pcc").count == 1
    (shift,) = shifts(cells, people) or ()
    assert (shift.concept_id, shift.base_id, shift.kind) == (ids[1], ids[0], "visual state")
    assert shift.ratio is not None
