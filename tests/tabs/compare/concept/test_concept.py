"""One concept in Compare without a browser: figures, numbers, flow, steps, files, refusals."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.charts import plotly_of
from truehue.core.cli.compare import main as compare_command
from truehue.core.color.distances import emd_flow
from truehue.core.color.uw71 import COUNT, distances71, lab71, uw71
from truehue.core.concepts.reading import FileRefused, read_distributions
from truehue.core.concepts.records import DistributionFile, DistributionRow
from truehue.core.errors import BadInput
from truehue.core.images.pixels import Mask
from truehue.tabs.compare.concept.exports import numbers_csv, weights_csv
from truehue.tabs.compare.concept.link import question_of
from truehue.tabs.compare.concept.plane import (
    LARGEST_PX,
    PX_A_UNIT,
    arrow,
    bin_positions,
    bubbles,
    flow,
)
from truehue.tabs.compare.concept.service import (
    DRAWS,
    SEED,
    bins_view,
    choices_view,
    concept_view,
    flow_view,
    intervals_of,
    intervals_view,
)
from truehue.tabs.compare.concept.steps import images_view, steps_view
from truehue.tabs.compare.histograms import (
    Histogram,
    histograms,
    mirror_histograms,
    order_of,
    palettes,
)
from truehue.tabs.compare.people.routes import compare_people_routes
from truehue.tabs.compare.routes import compare_routes
from truehue.tabs.page.context import Context
from truehue.tabs.sources.distributions import concepts_view
from truehue.tabs.sources.numbers import METRICS

pytestmark = pytest.mark.slow

BANANA = "concept-0044"
YELLOW, BROWN, GREEN = 69, 37, 40
"""Three bins that are not neutral; which ones does not matter."""


def one_hot(index: int) -> np.ndarray:
    out = np.zeros(COUNT)
    out[index] = 1.0
    return out


def mixed(**shares: float) -> np.ndarray:
    """A distribution of ``b69=0.5`` and the like."""
    out = np.zeros(COUNT)
    for name, share in shares.items():
        out[int(name[1:])] = share
    return out


def shown(letter: str, weights: np.ndarray, label: str = "") -> Histogram:
    bins = [bin for bin in uw71() if weights[bin.index] > 0]
    bins.sort(key=lambda bin: -float(weights[bin.index]))
    palette = [(bin.hex, bin.lab, float(weights[bin.index])) for bin in bins]
    return Histogram(letter, label or f"Source {letter}", weights, palette)


def picture(context: Context, *bins: int, position: int = 0) -> tuple[str, str, str]:
    """A stored picture whose object has equal stripes of these bins, and the mask of the object.

    ``place`` makes pictures of the same bins differ outside of the mask.
    """
    stripe = 12
    srgb8 = np.full((40, stripe * len(bins) + 8, 3), 7 * position, dtype=np.uint8)
    mask = np.zeros(srgb8.shape[:2], dtype=bool)
    for offset, index in enumerate(bins):
        part = np.s_[4:36, 4 + offset * stripe : 4 + (offset + 1) * stripe]
        srgb8[part] = uw71()[index].srgb8
        mask[part] = True
    record = context.storage.images.add(srgb8, f"{bins}-{position}.png", "upload")
    stored = context.storage.masks.add(record.image_id, Mask(mask, "brush"))
    return record.image_id, stored.mask_id, ""


def picture_set(context: Context, name: str, images: list[tuple[int, ...]]) -> str:
    members = [picture(context, *bins, position=index) for index, bins in enumerate(images)]
    return f"pictures:{context.storage.picture_sets.add(name, 'banana', members, False)}"


def people(context: Context, rows: dict[str, np.ndarray], kind: str = "ratings") -> str:
    file = DistributionFile(
        kind, tuple(DistributionRow(key, "", weights) for key, weights in rows.items())
    )
    return f"set:{context.storage.distributions.add(file, 'Ratings', 'r.csv', 'a test', True)}"


def traces(figure: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [datum for datum in figure["series"] if datum.get("meta", {}).get("is") == kind]


def column(series: dict[str, Any], key: str) -> list[Any]:
    return [row[key] for row in series["rows"]]


# ── orders and figures ───────────────────────────────────────────────────────────────────────


def test_the_orders_of_the_bins() -> None:
    hue = order_of("hue", [])
    assert sorted(hue) == list(range(COUNT))
    bins = [uw71()[index] for index in hue]
    neutral = [bin.neutral for bin in bins]
    assert neutral == [False] * 65 + [True] * 6
    assert [bin.lab[0] for bin in bins[65:]] == [0, 25, 50, 75, 88, 100]
    hues = [math.degrees(math.atan2(bin.lab[2], bin.lab[1])) % 360 for bin in bins[:65]]
    assert all(later > before - 1e-6 for before, later in itertools.pairwise(hues))
    assert order_of("canonical", []) == list(range(COUNT))
    first, second = shown("A", mixed(b3=0.6, b9=0.4)), shown("B", mixed(b9=0.7, b1=0.3))
    assert order_of("mass", [first, second])[:4] == [9, 3, 1, 0]
    with pytest.raises(BadInput, match="sorted by canonical, hue, mass; not by 'name'"):
        order_of("name", [])


def test_bars_are_as_high_as_shares_and_have_the_colors_of_their_bins() -> None:
    first, second = shown("A", mixed(b69=0.75, b37=0.25)), shown("B", one_hot(GREEN), "<b>x</b>")
    figure = histograms([first, second], "hue")
    bars = traces(figure, "bars")
    for item, bar in zip((first, second), bars, strict=True):
        order = column(bar, "pick")
        assert order == order_of("hue", [])
        assert column(bar, "color") == [uw71()[index].hex for index in order]
        assert column(bar, "y") == [100.0 * item.weights[index] for index in order]
        assert bar["marker"]["line"]["width"] > 0
    # One scale for both, or each its own.
    assert figure["y"]["range"] == figure["y3"]["range"] == [0, 106.0]
    own = histograms([first, second], "hue", one_scale=False)
    assert own["y"]["range"] == [0, pytest.approx(79.5)]
    # A label is text, whatever it holds.
    parts = [note["text"] for note in figure["notes"]]
    assert parts == ["<b>A</b>  Source A", "<b>B</b>  &lt;b&gt;x&lt;/b&gt;"]


def test_a_mirrored_pair_goes_up_and_down_on_one_scale() -> None:
    first, second = shown("A", mixed(b69=0.5, b37=0.5)), shown("B", one_hot(GREEN))
    figure = mirror_histograms(first, second, "mass", [first, second])
    assert figure["y"]["range"] == [0, 106.0]
    assert figure["y3"]["range"] == [106.0, 0]
    assert all(bar["rows"][0]["pick"] == GREEN for bar in traces(figure, "bars"))


def test_swatches_of_a_palette_touch() -> None:
    figure = palettes([shown("A", mixed(b69=0.5, b37=0.3, b40=0.2))])
    edge = 0.0
    for bar in figure["series"]:
        assert bar["base"] == [pytest.approx(edge)]
        assert bar["marker"]["line"]["width"] == 0
        edge += bar["rows"][0]["x"]
    assert edge == pytest.approx(100.0)
    assert [bar["marker"]["color"] for bar in figure["series"]] == [
        uw71()[index].hex for index in (69, 37, 40)
    ]


def test_plotly_knows_all_that_the_charts_say() -> None:
    first, second = shown("A", mixed(b69=0.6, b37=0.4)), shown("B", one_hot(GREEN))
    moves = emd_flow(first.weights, second.weights)
    charts = (
        histograms([first, second], "hue"),
        mirror_histograms(first, second, "hue", [first, second], moves=moves),
        palettes([first, second]),
        bubbles(first, second),
        flow(first, second, moves),
    )
    for chart in charts:
        # Plotly checks every name and every value.
        assert go.Figure(plotly_of(chart)).data


def test_bubbles_have_areas_as_their_shares() -> None:
    first, second = shown("A", mixed(b69=0.8, b37=0.2)), shown("B", mixed(b69=0.4, b40=0.6))
    figure = bubbles(first, second, apart=False)
    (discs,), rings = traces(figure, "discs"), traces(figure, "rings")
    marker = discs["marker"]
    assert marker["sizemode"] == "area"
    assert marker["opacity"] == 1.0
    assert column(discs, "color") == [uw71()[69].hex, uw71()[37].hex]
    # plotly's rule for areas: the diameter in pixels is the root of 2 size / sizeref.
    assert math.sqrt(2.0 * column(discs, "size")[0] / marker["sizeref"]) == pytest.approx(
        LARGEST_PX
    )
    assert all(ring["marker"]["sizeref"] == marker["sizeref"] for ring in rings)
    assert [round(value, 6) for value in column(discs, "x")] == [
        round(float(lab71()[index][1]), 6) for index in (69, 37)
    ]
    # Set apart, bins of one a*, b* stand at different places.
    assert len({tuple(index) for index in np.round(bin_positions(True), 6)}) == COUNT


def test_an_arrow_goes_from_edge_to_edge() -> None:
    outline = arrow(np.array([0.0, 0.0]), np.array([100.0, 0.0]), 4.0, 10.0, 20.0)
    assert outline[0] == pytest.approx([80.0, 0.0])
    assert outline[3] == pytest.approx([10.0, 2.0])
    assert outline[4] == pytest.approx([10.0, -2.0])
    # Between bubbles that touch it still points from the one to the other.
    near = arrow(np.array([0.0, 0.0]), np.array([0.0, 12.0]), 1.0, 6.0, 6.0)
    assert near[0] == pytest.approx([0.0, 12.0])


def test_arrows_are_as_wide_as_the_mass_that_moves() -> None:
    first, second = shown("A", mixed(b69=0.6, b37=0.4)), shown("B", one_hot(GREEN))
    moves = emd_flow(first.weights, second.weights)
    figure = flow(first, second, moves)
    widths = {}
    for shape in figure["shapes"]:
        corners = [
            tuple(map(float, corner.split(",")))
            for corner in shape["path"].removeprefix("M ").removesuffix(" Z").split(" L ")
        ]
        (ax, ay), (bx, by) = corners[3], corners[4]
        widths[shape["name"]] = math.hypot(ax - bx, ay - by) * PX_A_UNIT
        source = int(shape["name"].split("-")[0])
        assert shape["fillcolor"] == uw71()[source].hex
    assert widths["69-40"] / widths["37-40"] == pytest.approx(0.6 / 0.4, rel=0.02)


def test_a_move_that_changes_lightness_alone_has_no_arrow_on_the_exact_plane() -> None:
    gray, white = 26, 28
    assert [uw71()[index].lab[1:] for index in (gray, white)] == [(0.0, 0.0)] * 2
    first, second = shown("A", mixed(b26=0.5, b69=0.5)), shown("B", mixed(b28=0.5, b69=0.5))
    moves = emd_flow(first.weights, second.weights)
    exact, apart = (flow(first, second, moves, apart=way) for way in (False, True))
    assert exact["shapes"] == []
    assert [shape["name"] for shape in apart["shapes"]] == [f"{gray}-{white}"]
    # It is told of all the same.
    assert len(traces(exact, "moves")[0]["rows"]) == 1


# ── the view ─────────────────────────────────────────────────────────────────────────────────


def test_two_sets_of_pictures_and_people(context: Context) -> None:
    yellow = picture_set(context, "Yellow", [(YELLOW,), (YELLOW,), (YELLOW,)])
    brown = picture_set(context, "Brown", [(BROWN,)])
    rated = people(context, {"banana": mixed(b69=0.5, b37=0.5)})
    values = {"concept": BANANA, "d": f"{rated},{yellow},{brown}", "pair": "1-2"}
    view = concept_view(context, values)
    kinds = [
        (distribution["letter"], distribution["kind"], distribution["count"])
        for distribution in view["distributions"]
    ]
    assert kinds == [
        ("A", "ratings, normalized", 0),
        ("B", "extracted from images", 3),
        ("C", "extracted from images", 1),
    ]
    assert view["distributions"][1]["weights"][YELLOW] == 1.0
    assert [pair["letters"] for pair in view["pairs"]] == [["A", "B"], ["A", "C"], ["B", "C"]]
    # Everything goes from one bin to the other: the EMD is their distance.
    apart = float(np.linalg.norm(lab71()[YELLOW] - lab71()[BROWN]))
    numbers = view["pairs"][2]["numbers"]
    assert numbers["emd"]["value"] == pytest.approx(apart)
    assert numbers["tv"]["value"] == pytest.approx(1.0)
    assert numbers["js"]["value"] == pytest.approx(math.log(2.0))
    assert numbers["dominant_equal"] == {"value": False, "text": "other"}
    assert numbers["ed"]["text"] == "0.000"
    # Half of the ratings stay where they are.
    assert view["pairs"][0]["numbers"]["emd"]["value"] == pytest.approx(apart / 2.0)
    assert view["pair"] == [1, 2]
    (move,) = view["flow"]["moves"]
    assert (move["source"], move["target"]) == (YELLOW, BROWN)
    assert move["mass"] == pytest.approx(1.0)
    assert view["flow"]["emd"] == pytest.approx(apart)
    assert set(view["figures"]) == {"histograms", "palettes", "mirrored", "map"}
    assert flow_view(context, values)["emd"] == pytest.approx(apart)
    assert bins_view()["bins"][YELLOW]["hex"] == uw71()[YELLOW].hex
    assert float(distances71()[YELLOW, BROWN]) == pytest.approx(apart)


def test_a_source_that_is_gone_leaves_the_others(context: Context) -> None:
    yellow = picture_set(context, "Yellow", [(YELLOW,)])
    green = picture_set(context, "Green", [(GREEN,)])
    view = concept_view(
        context, {"concept": BANANA, "d": f"{yellow},set:0123456789abcdef,{green},nonsense"}
    )
    first, gone, third, wrong = view["distributions"]
    assert gone["problem"] == "There is no set '0123456789abcdef'."
    assert "is not a source to compare" in wrong["problem"]
    assert (first["problem"], third["problem"]) == ("", "")
    assert len(view["pairs"]) == 1
    assert len(traces(view["figures"]["histograms"], "bars")) == 2
    # Of the pair one is not there: the first two that are stand in for it, and its numbers say why.
    assert view["pair"] == [0, 2]
    assert view["flow"]["letters"] == ["A", "C"]
    with pytest.raises(BadInput, match=r"^B: There is no set '0123456789abcdef'\.$"):
        intervals_view(
            context, {"concept": BANANA, "d": f"{yellow},set:0123456789abcdef", "pair": "0-1"}
        )


def test_an_image_alone_needs_no_concept_and_has_no_interval(context: Context) -> None:
    entry, two = (picture(context, index) for index in (YELLOW, BROWN))
    values = {"d": f"image:{entry[0]},image:{two[0][:16]}/{two[1][:16]}"}
    view = concept_view(context, values)
    assert [item["counted"] for item in view["distributions"]] == ["1 image", "1 image"]
    result = intervals_view(context, values)
    assert result["draws"] == 0
    assert all(span is None for span in result["intervals"].values())
    assert any(note.endswith(" is a single image.") for note in result["notes"])


def test_intervals_hold_the_numbers_that_do_not_move(context: Context) -> None:
    yellow = picture_set(context, "Yellow", [(YELLOW,), (YELLOW,)])
    mixture = picture_set(context, "Mixed", [(BROWN,), (BROWN,), (YELLOW,)])
    values = {"concept": BANANA, "d": f"{yellow},{mixture}", "method": "pixels"}
    result = intervals_view(context, values)
    apart = float(np.linalg.norm(lab71()[YELLOW] - lab71()[BROWN]))
    span = result["intervals"]["emd"]
    # Of three pictures 0 to 3 are brown in a draw, seldom none or all but in more than 1 of 40.
    assert (span["low"], span["high"]) == (pytest.approx(0.0), pytest.approx(apart))
    assert span["text"] == f"0.0 to {apart:.1f}"
    # The same pair again is not drawn again.
    from truehue.tabs.compare.concept.link import page_sources

    first, second = page_sources(context, question_of(values))
    assert intervals_of(first, second) is intervals_of(first, second)
    # Draws are kept for other pairs, and leave every number as it is.
    from truehue.core.concepts.distribution import intervals

    assert first.distribution is not None
    assert second.distribution is not None
    plain = intervals(second.distribution, first.distribution, DRAWS, SEED)
    assert intervals_of(second, first) == plain


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "Choose a concept first"),
        ({"concept": "concept-9999"}, "There is no concept 'concept-9999'"),
        ({"concept": BANANA, "method": "guess"}, "There is no method 'guess'"),
        ({"concept": BANANA, "sort": "name"}, "Bins are sorted by"),
        (
            {"concept": BANANA, "d": ",".join(f"image:0000000{n}" for n in range(7))},
            "At most 6 distributions can be compared; these are 7",
        ),
    ],
)
def test_questions_that_are_none(values: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        question_of(values)


def test_a_pair_that_is_not_there_is_the_first() -> None:
    def pair(text: str) -> tuple[int, int]:
        return question_of({"words": "x", "d": "image:00000001,image:00000002", "pair": text}).pair

    assert pair("1-0") == (1, 0)
    assert pair("0-5") == pair("1-1") == pair("a-b") == pair("") == (0, 1)


# ── concepts, steps, images ──────────────────────────────────────────────────────────────────


def test_concepts_say_what_there_is_of_them(context: Context) -> None:
    empty = concepts_view(context)
    assert len(empty["concepts"]) == 1279
    assert empty["here"] == {"people": False, "runs": 0, "sets": 0, "images": False}
    people(context, {"banana": one_hot(YELLOW), "justice": one_hot(BROWN)})
    source = picture_set(context, "Yellow", [(YELLOW,)])
    view = concepts_view(context)
    by_words = {concept[1]: concept for concept in view["concepts"]}
    assert by_words["banana"] == [BANANA, "banana", "banana", "Fruits", "base", 1, 1]
    assert by_words["rotten banana"][4:] == ["visual state", 0, 0]
    assert by_words["justice"] == ["", "justice", "justice", "Other", "", 1, 0]
    chosen = choices_view(context, {"concept": BANANA})
    assert [sibling["modifier"] for sibling in chosen["siblings"]] == [
        "",
        "fresh",
        "unripe",
        "overripe",
        "rotten",
        "juiceless",
    ]
    assert [choice["kind"] for choice in chosen["choices"]] == ["people", "pictures"]
    assert len(chosen["begin"]) == 2
    assert source.startswith(chosen["begin"][1])
    alone = choices_view(context, {"words": "Justice"})
    assert (alone["concept"], alone["siblings"], len(alone["choices"])) == (None, [], 1)


def test_images_of_a_bin_with_their_shares(context: Context) -> None:
    source = picture_set(context, "Mixed", [(YELLOW, BROWN), (YELLOW,), (GREEN,)])
    result = images_view(context, {"concept": BANANA, "source": source, "bin": str(YELLOW)})
    assert (result["all"], result["with"]) == (3, 2)
    assert [image["share"] for image in result["images"]] == [1.0, 0.5]
    assert result["images"][0]["small"].startswith("/api/compare/sets/cutouts/")
    with pytest.raises(BadInput, match="whole number from 0 to 70"):
        images_view(context, {"concept": BANANA, "source": source, "bin": "71"})


def test_every_step_of_an_extraction_can_be_seen(context: Context) -> None:
    source = picture_set(context, "Two kinds", [(YELLOW,), (GREEN,), (YELLOW,)])
    steps = steps_view(context, {"concept": BANANA, "source": source})
    assert [len(group["images"]) for group in steps["groups"]] == [2, 1]
    assert [group["weight"] for group in steps["groups"]] == pytest.approx([2 / 3, 1 / 3])
    assert steps["groups"][0]["images"][0]["dominant"] == uw71()[YELLOW].hex
    assert [len(group["merged"]) for group in steps["groups"]] == [1, 1]
    assert [bin["index"] for bin in steps["bins"]] == [YELLOW, GREEN]
    assert steps["palette"][0]["weight"] == pytest.approx(2 / 3)
    text = dict(map(tuple, steps["settings"]))
    assert "ΔE00 ≤ 12" in text["Groups"]
    assert "ΔE00 ≤ 7" in text["Merged"]
    pixels = steps_view(context, {"concept": BANANA, "source": source, "method": "pixels"})
    assert "every masked pixel goes to its closest bin" in pixels["words"]
    assert len(pixels["groups"][0]["images"]) == 3
    rated = people(context, {"banana": one_hot(YELLOW)})
    imported = steps_view(context, {"concept": BANANA, "source": rated})
    assert "no extraction steps" in imported["words"]
    assert imported["groups"] == []


# ── files and routes ─────────────────────────────────────────────────────────────────────────


def again(context: Context, text: str, **options: Any) -> dict[str, Any]:
    """A file brought in by the routes of the page."""
    app = FastAPI()
    app.include_router(compare_people_routes(context))
    client, session = TestClient(app), "0123456789abcdef" * 2
    ours = {"X-TrueHue": "1"}
    index = f"/api/compare/sets/distributions/{session}"
    answer = client.post(index, content=text.encode(), headers={**ours, "X-File-Name": "again.csv"})
    if answer.json()["refused"]:
        answer = client.post(f"{index}/read", json=options, headers=ours)
        assert not answer.json()["refused"], answer.text
    made = client.post(f"{index}/store", json={"of_people": True, **options}, headers=ours)
    assert made.status_code == 200, made.text
    return {"report": answer.json(), **made.json()}


def test_the_shares_come_back_as_what_they_were(context: Context) -> None:
    source = picture_set(context, "=Mixed", [(YELLOW, BROWN), (GREEN,)])
    rated = people(context, {"banana": mixed(b69=0.125, b0=0.875)})
    text = weights_csv(context, {"concept": BANANA, "d": f"{source},{rated}"})
    first, second = csv.DictReader(io.StringIO(text))
    assert [first[name] for name in ("concept", "label", "kind", "method", "people")] == [
        "banana",
        "'=Mixed",
        "pictures",
        "extracted",
        "0",
    ]
    # Of how many people these ratings are nobody knows.
    assert [second[name] for name in ("label", "kind", "method", "people")] == [
        "Ratings",
        "ratings",
        "given",
        "",
    ]
    made = again(context, text, name="Back")
    assert made["report"]["kind"] == "histograms and ratings"
    assert [item["label"] for item in made["report"]["first"]] == ["=Mixed", "Ratings"]
    assert made["report"]["contributors"] == 0
    assert [(item["name"], item["kind"]) for item in made["sets"]] == [
        ("Back: =Mixed", "histograms"),
        ("Back: Ratings", "ratings"),
    ]
    assert "another measurement: “Back: =Mixed”" in made["said"]
    records = [context.storage.distributions.get(item["set_id"]) for item in made["sets"]]
    assert [record.of_people for record in records] == [False, True]
    both = ",".join(item["source"] for item in made["sets"])
    before = concept_view(context, {"concept": BANANA, "d": f"{source},{rated}"})
    after = concept_view(context, {"concept": BANANA, "d": both})
    for distribution, other in zip(before["distributions"], after["distributions"], strict=True):
        assert other["weights"] == pytest.approx(distribution["weights"], abs=1e-6)
        assert other["fixed"] == "a mean without individual people"
    assert [item["kind"] for item in after["distributions"]] == [
        "histograms",
        "ratings, normalized",
    ]
    with pytest.raises(BadInput, match="There is no distribution to export"):
        weights_csv(context, {"concept": BANANA})


def test_the_command_reads_the_shares(
    context: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = picture_set(context, "Mixed", [(YELLOW, BROWN), (GREEN,)])
    rated = people(context, {"banana": mixed(b69=0.125, b0=0.875)})
    file = tmp_path / "shares.csv"
    file.write_text(weights_csv(context, {"concept": BANANA, "d": f"{source},{rated}"}))
    assert (
        compare_command(
            [str(file), str(file), "--label-a", "Mixed", "--label-b", "Ratings", "--json"]
        )
        == 0
    )
    loads = json.loads(capsys.readouterr().out)
    assert [loads[side]["of"] for side in "ab"] == ["histograms", "ratings"]
    assert [loads[side]["count"] for side in "ab"] == [0, 0]
    assert loads["intervals"] is None
    page = numbers_csv(context, {"concept": BANANA, "d": f"{source},{rated}"})
    (numbers,) = csv.DictReader(io.StringIO(page))
    assert loads["emd"] == pytest.approx(float(numbers["emd"]))


def test_two_of_one_name_stay_two_and_no_concept_is_asked_for(context: Context) -> None:
    yellow = picture_set(context, "Same", [(YELLOW,)]).removeprefix("pictures:")
    brown = picture_set(context, "Same", [(BROWN,)]).removeprefix("pictures:")
    images = [context.storage.picture_sets.images(item)[0][0] for item in (yellow, brown)]
    values = {"d": f"pictures:{yellow},pictures:{brown}"}
    text = weights_csv(context, {"concept": BANANA, **values})
    assert [row["label"] for row in csv.DictReader(io.StringIO(text))] == ["Same (A)", "Same (B)"]
    assert len(read_distributions("two.csv", text.encode()).rows) == 2
    text = weights_csv(context, {"d": ",".join(f"image:{image}" for image in images)})
    assert {row["concept"] for row in csv.DictReader(io.StringIO(text))} == {""}
    with pytest.raises(FileRefused) as refused:
        read_distributions("none.csv", text.encode())
    assert refused.value.offer == "words"
    made = again(context, text, words="pear")
    assert {item["words"] for item in made["sets"]} == {"pear"}


def test_the_numbers_have_columns_for_their_intervals(context: Context) -> None:
    yellow = picture_set(context, "Yellow", [(YELLOW,), (YELLOW,)])
    brown = picture_set(context, "Brown", [(BROWN,), (BROWN,)])
    text = numbers_csv(context, {"concept": BANANA, "d": f"{yellow},{brown}"})
    (row,) = csv.DictReader(io.StringIO(text))
    apart = float(np.linalg.norm(lab71()[YELLOW] - lab71()[BROWN]))
    assert [float(row[name]) for name in ("emd", "emd_low", "emd_high")] == pytest.approx(
        [apart] * 3
    )
    assert (row["label_a"], row["count_b"], row["dominant_equal"]) == ("Yellow", "2", "0")
    assert (row["dominant_a"], row["dominant_b"]) == (uw71()[YELLOW].hex, uw71()[BROWN].hex)
    assert {metric.id for metric in METRICS} <= set(row)
    with pytest.raises(BadInput, match="Metrics need two distributions"):
        numbers_csv(context, {"concept": BANANA, "d": yellow})


def test_routes_answer_in_words(context: Context) -> None:
    app = FastAPI()
    app.include_router(compare_routes(context))
    client = TestClient(app)
    source = picture_set(context, "Yellow", [(YELLOW,)])
    query = f"concept={BANANA}&d={source}"
    assert client.get("/api/compare/bins").json()["metrics"][1]["formula"]
    assert client.get(f"/api/compare/view?{query}").json()["distributions"][0]["count"] == 1
    assert client.get(f"/api/compare/view?{query}&sort=no").status_code == 400
    refused = client.get("/api/compare/choices?concept=nobody")
    assert refused.status_code == 400
    assert "There is no concept 'nobody'" in refused.json()["error"]
    file = client.get(f"/api/compare/weights.csv?{query}")
    assert file.headers["content-disposition"] == (
        'attachment; filename="truehue-banana-histograms.csv"'
    )
    assert client.get(f"/api/compare/numbers.csv?{query}").status_code == 400


def test_ribbons_lie_side_by_side_and_are_as_wide_as_their_mass() -> None:
    from truehue.core.color.distances import emd_flow
    from truehue.tabs.compare.histograms import WIDEST, ribbons

    moves = emd_flow(mixed(b69=0.6, b37=0.4), one_hot(GREEN))
    order = list(range(COUNT))
    result = {source: path for path, source in ribbons(moves, order, 0.7, 0.3)}
    ends = {}
    for source, path in result.items():
        numbers = [tuple(map(float, group.split(","))) for group in path.split() if "," in group]
        (left, top), (below, bottom), (right, _) = numbers[0], numbers[3], numbers[-1]
        assert (top, bottom) == (0.7, 0.3)
        # Above, each stands in the middle of its own bin.
        assert (left + right) / 2.0 == pytest.approx(source, abs=1e-3)
        ends[source] = (below, below + right - left)
    # Below, both fill one bin, without a gap.
    assert ends[37][1] == pytest.approx(ends[69][0], abs=1e-3)
    assert ends[37][0] == pytest.approx(GREEN - WIDEST / 2.0, abs=1e-3)
    assert ends[69][1] == pytest.approx(GREEN + WIDEST / 2.0, abs=1e-3)
    assert ribbons((), order, 0.7, 0.3) == []
    figure = mirror_histograms(
        shown("A", mixed(b69=0.6, b37=0.4)), shown("B", one_hot(GREEN)), "hue", (), moves=moves
    )
    paths = [shape for shape in figure["shapes"] if shape["type"] == "path"]
    assert [item["fillcolor"] for item in paths] == [uw71()[69].hex, uw71()[37].hex]
    assert len(traces(figure, "strip")) == 2
