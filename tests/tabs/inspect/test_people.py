"""What people call the measured color, as the page shows it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from truehue.core.color.people import VARIABLE, naming
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.concepts.palette import describe_colors
from truehue.core.images.pixels import masked_colors
from truehue.tabs.inspect.colors import color_row, colors_view, people_view

BROWN = (39.0, 18.0, 30.0)


def test_the_names_of_a_color_and_the_targets() -> None:
    found = naming(BROWN)
    (view,) = people_view(BROWN, "Navy Blue")
    assert f"{found.answers:,} answers" in view["text"]
    assert [row["name"] for row in view["rows"]] == [
        *(item.name for item in found.names[:3]),
        "Navy Blue",
    ]
    assert view["rows"][-1]["name"] == "Navy Blue"
    assert (view["rows"][-1]["percent"], view["rows"][-1]["target"]) == ("0%", True)
    assert view["rows"][-1]["interval"].startswith("0–")
    # The target is not said twice, and a name of no survey is left out.
    (view,) = people_view(BROWN, "Brown")
    assert [row["target"] for row in view["rows"]] == [True, False, False]
    (view,) = people_view(BROWN, "Deep yellowish brown")
    assert len(view["rows"]) == 3


def test_another_language_stands_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "Deutsch.csv"
    file.write_text(
        "Name,L,a,b,Count\nBraun,41,19,29,30\nnussbraun,38,18,31,10\nblau,30,20,-60,9\n"
    )
    monkeypatch.setenv(VARIABLE, str(file))
    english, german = people_view(BROWN, "braun")
    assert "XKCD survey" in english["text"]
    assert (
        german["text"] == "Names by people (Deutsch, 40 answers; 95% intervals), which no rule uses"
    )
    assert german["rows"] == [
        # Wilson's, as scipy.stats.binomtest(30, 40).proportion_ci(method="wilson") has it.
        {"name": "braun", "percent": "75%", "interval": "60–86%", "target": True},
        {"name": "nussbraun", "percent": "25%", "interval": "14–40%", "target": False},
    ]
    said = color_row("Mean", BROWN)["people"]
    assert said == f"people say {naming(BROWN).label()}; Deutsch: braun 75%, nussbraun 25%"
    # The survey has no answer for a color that is far from all of its own.
    assert "Deutsch" not in color_row("Mean", (90.0, -60.0, 60.0))["people"]


def test_the_colors_of_a_mask_are_a_table() -> None:
    pixels = np.array([[[200, 30, 20]] * 3 + [[0, 0, 0]]], np.uint8)
    described = describe_colors(masked_colors(pixels, np.ones((1, 4), bool)))
    rows = list(csv.DictReader(io.StringIO(colors_view(described, "all")["csv"])))
    assert [row["part"] for row in rows[:3]] == ["lit region", "mean of all pixels", "palette"]
    palette = [(row["hex"], float(row["percent"])) for row in rows if row["part"] == "palette"]
    assert palette == [("#C81E14", 75.0), ("#000000", 25.0)]
    lab = srgb8_to_lab(np.array([200, 30, 20], np.uint8))
    assert [float(rows[0][name]) for name in ("L*", "a*", "b*")] == pytest.approx(lab, abs=6e-4)
    assert rows[0]["people_name"] == naming(lab).names[0].name


def test_every_color_has_them_in_a_line() -> None:
    assert color_row("Mean", BROWN)["people"] == f"people say {naming(BROWN).label()}"
