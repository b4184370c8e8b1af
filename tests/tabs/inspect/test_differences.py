"""The difference by other formulas, by its address: as the library and the command give it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import truehue
from truehue.core.color.formulas import FORMULAS, ViewingConditions, difference
from truehue.tabs.inspect.differences import CompareColors, color_differences, compared_colors
from truehue.tabs.inspect.routes import inspect_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.openapi import DescribedApp

pytestmark = pytest.mark.slow

RED, ORANGE = [52.0, 55.0, 48.0], [60.0, 40.0, 60.0]


def differences_of(lab: Any, references: Any) -> Any:
    """The answer of the address as plain values, without a request."""
    request = CompareColors(lab=lab, references=references)
    answer = color_differences(None, None, request)  # type: ignore[arg-type]  # it asks neither
    return {**answer, "viewing": asdict(answer["viewing"])}


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = DescribedApp()
    app.include_router(inspect_routes(context))
    with TestClient(app, headers={"X-TrueHue": "1"}) as made:
        yield made


def test_the_address_answers_as_the_library(client: TestClient) -> None:
    sent = {"lab": RED, "references": [ORANGE, RED], "surround": "dim", "adapting_cd_m2": 60}
    answer = client.post("/api/differences", json=sent).json()
    viewing = ViewingConditions(adapting_cd_m2=60.0, surround="dim")
    assert ViewingConditions(**answer["viewing"]) == viewing
    assert [row["id"] for row in answer["formulas"]] == [entry.id for entry in FORMULAS]
    for row in answer["formulas"]:
        expected = difference(row["id"], RED, [ORANGE, RED], viewing)
        np.testing.assert_allclose(row["values"], expected, rtol=1e-12, atol=1e-12)


def test_a_formula_that_is_not_defined_has_no_value(client: TestClient) -> None:
    sent = {"lab": [50, -128, 128], "references": [RED]}
    rows = client.post("/api/differences", json=sent).json()["formulas"]
    assert {row["id"]: row["values"][0] is None for row in rows}["itp"]
    assert sum(row["values"][0] is None for row in rows) == 1


@pytest.mark.parametrize(
    ("wrong", "field", "text"),
    [
        ({"lab": [1, 2]}, "lab", "The color"),
        ({"references": []}, "references", "The colors to compare with"),
        ({"surround": "bright"}, "surround", "average, dim, dark"),
        ({"adapting_cd_m2": 0}, "adapting_cd_m2", "L_A lies from 0.001"),
    ],
)
def test_what_cannot_be_compared_is_explained(
    client: TestClient, wrong: dict[str, Any], field: str, text: str
) -> None:
    answer = client.post("/api/differences", json={"lab": RED, "references": [RED], **wrong})
    assert answer.status_code == 400
    assert text in answer.json()["error"]
    assert answer.json()["field"] == field


def test_its_answer_has_a_schema(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    entry = document["paths"]["/api/differences"]["post"]["responses"]["200"]["content"]
    assert entry["application/json"]["schema"] == {"$ref": "#/components/schemas/ColorDifferences"}
    row = document["components"]["schemas"]["FormulaDifferences"]
    assert row["properties"]["values"]["items"]["anyOf"][0] == {"type": "number"}


@pytest.mark.parametrize("rule", ["truehue", "paper"])
def test_a_card_compares_the_colors_of_its_verdict(rule: str) -> None:
    """The first row of the last column is the verdict's own ΔE00."""
    pixels = np.full((20, 30, 3), (120, 40, 50), np.uint8)
    found = truehue.measure(pixels, "#E83B1B", rule=rule)
    colors = compared_colors(found.measurement)
    titles = [color["title"] for color in colors["references"]]
    assert titles == (["Target", "Target under this light"] if rule == "truehue" else ["Target"])
    references = [color["lab"] for color in colors["references"]]
    answer = differences_of(colors["lab"], references)
    assert answer["formulas"][0]["values"][-1] == pytest.approx(found.delta_e00)
    same = found.differences()
    for row in answer["formulas"]:
        assert row["values"][0] == same["to_target"][row["id"]]
        assert row["values"][-1] == same["to_compared"][row["id"]]
