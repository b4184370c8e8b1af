"""What people call the measured color, as the page shows it."""

from __future__ import annotations

from truehue.core.color.people import naming
from truehue.tabs.inspect.colors import color_row, people_view

BROWN = (39.0, 18.0, 30.0)


def test_the_names_of_a_color_and_the_targets() -> None:
    found = naming(BROWN)
    view = people_view(BROWN, "Navy Blue")
    assert f"{found.answers:,} answers" in view["text"]
    assert [row["name"] for row in view["rows"]] == [
        *(item.name for item in found.names[:3]),
        "Navy Blue",
    ]
    assert view["rows"][-1] == {"name": "Navy Blue", "percent": "0%", "target": True}
    # The target is not said twice, and a name of no survey is left out.
    assert [row["target"] for row in people_view(BROWN, "Brown")["rows"]] == [True, False, False]
    assert len(people_view(BROWN, "Deep yellowish brown")["rows"]) == 3


def test_every_color_has_them_in_a_line() -> None:
    assert color_row("Mean", BROWN)["people"] == f"people say {naming(BROWN).label()}"
