"""Objects, templates and concepts against what the papers print.

GenColorBench, arXiv:2510.20586: Tables 8 and 9 and Appendix D. ColorConceptBench: Table 9. The
files beside this one hold the printed words; those under ``assets/prompts`` hold ours.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from truehue.core.prompts import tables
from truehue.core.prompts.concepts import concepts

CATEGORIES = {
    "Vehicle": "Vehicles",
    "Fruit and Veg": "Fruits and vegetables",
    "furniture and Household": "Furniture and household",
    "animals": "Animals",
    "cloths and Accessories": "Clothing and accessories",
    "sports and toys": "Sports and toys",
    "Tools and Misc": "Tools and miscellaneous",
}


def printed(name: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_108_objects_are_those_of_tables_8_and_9() -> None:
    rows = printed("gencolorbench_objects.csv")
    assert Counter(row["table"] for row in rows) == {"8": 51, "9": 57}
    assert Counter(row["category"] for row in rows).keys() == CATEGORIES.keys()
    for row, ours in zip(rows, tables.objects(), strict=True):
        assert (ours.dataset, ours.name) == (row["dataset"], row["name"])
        assert ours.category == CATEGORIES[row["category"]]
        assert ". ".join(ours.negative_labels) + "." == row["negative_labels"]


def test_the_templates_are_those_of_appendix_d() -> None:
    rows = {
        row["id"]: row["text"].replace("’", "'") for row in printed("gencolorbench_templates.csv")
    }
    assert Counter(number[:3] for number in rows) == {"D.1": 27, "D.2": 63, "D.3": 30, "D.4": 100}
    focused = [t for kind in ("name", "hex", "rgb") for t in tables.focused_templates(kind)]
    ours = [
        *focused,
        *tables.context_templates(),
        *tables.scene_templates(),
        *tables.implicit_templates(),
    ]
    assert {template.id: template.text for template in ours} == rows


def test_the_concepts_and_visual_states_are_those_of_table_9() -> None:
    rows = printed("colorconcept_table9.csv")
    assert len(rows) == 214
    ours: dict[int, list[str]] = {int(row["id"]): [] for row in rows}
    for concept in concepts():
        if concept.modifier_kind == "visual state":
            ours[concept.base_id].append(concept.modifier)
    assert sum(map(len, ours.values())) == 931
    assert {int(row["id"]): row["visual_state"] for row in rows} == {
        number: ", ".join(states) for number, states in ours.items()
    }
    bases = {concept.base_id: concept.concept for concept in concepts() if not concept.modifier}
    assert bases == {int(row["id"]): row["concept"] for row in rows}


def test_the_displaced_moods_are_given_out_in_their_printed_order() -> None:
    rows = {row["concept"]: row["emotional"] for row in printed("colorconcept_table9.csv")}
    assert [name for name, text in rows.items() if text] == [
        "lettuce",
        "beach",
        "rainbow",
        "factory",
        "igloo",
        "skyscraper",
    ]
    ours: dict[str, list[str]] = {}
    for concept in concepts():
        if concept.modifier_kind == "emotional":
            ours.setdefault(concept.concept, []).append(concept.modifier)
    message = {name: text.replace(",", " ").split() for name, text in rows.items()}
    assert ours["beach"] == message["lettuce"]
    for name in ("factory", "igloo", "skyscraper"):
        assert ours[name] == message[name]
    # Under beach: the landscapes after it, cabin, four of the six alike, and the last three.
    order = [name for name in ours if name not in ("beach", "pyramid", "temple")][:-3]
    assert [mood for name in order for mood in ours[name]] == message["beach"]
    # Under rainbow: its own, cabin's, and the same five words again and again.
    same = ours["castle"]
    assert message["rainbow"] == ours["rainbow"] + ours["cabin"] + same * 9
    assert all(ours[name] == same for name in ("church", "hospital", "palace", "pyramid", "temple"))
