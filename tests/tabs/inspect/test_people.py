"""What people call the measured color, as the page shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from truehue.core.color.people import VARIABLE, naming
from truehue.tabs.inspect.colors import color_row, people_view

BROWN = (39.0, 18.0, 30.0)


def test_the_names_of_a_color_and_the_targets() -> None:
    found = naming(BROWN)
    (view,) = people_view(BROWN, "Navy Blue")
    assert f"{found.answers:,} answers" in view["text"]
    assert [row["name"] for row in view["rows"]] == [
        *(item.name for item in found.names[:3]),
        "Navy Blue",
    ]
    assert view["rows"][-1] == {"name": "Navy Blue", "percent": "0%", "target": True}
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
    assert german["text"] == "Names by people (Deutsch, 40 answers)"
    assert german["rows"] == [
        {"name": "braun", "percent": "75%", "target": True},
        {"name": "nussbraun", "percent": "25%", "target": False},
    ]


def test_every_color_has_them_in_a_line() -> None:
    assert color_row("Mean", BROWN)["people"] == f"people say {naming(BROWN).label()}"
