"""What Compare can set side by side, from a link's text to a distribution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.concept_runs import concept_run, fruits, ratings_csv
from tests.core.runs.samples import done
from tests.salient import needs_weights, network
from tests.storage.run_samples import ingest_copied
from truehue import render
from truehue.core.color.systems import parse_target
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.reading import read_distributions
from truehue.core.concepts.records import EXTRACTED, PIXELS
from truehue.core.errors import BadInput, NotStored
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.pixels import Mask
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.prompts.sets import prompt_set
from truehue.core.records import GenerationRecord
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan
from truehue.tabs.compare.concept.service import choices_view, concept_view
from truehue.tabs.compare.tables.frame import frame_of
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.page.context import Context
from truehue.tabs.runs.stored import of_model
from truehue.tabs.sources.distributions import (
    choices,
    concepts_view,
    distribution,
    image_profiles,
    label_of,
    parse,
)

pytestmark = pytest.mark.slow

__all__ = ["network"]
CHOSEN = fruits(("banana", "strawberry"), ("", "rotten"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return concept_run(
        tmp_path_factory.mktemp("runs"),
        chosen=CHOSEN,
        styles=("photo", "cartoon"),
        guidances=(3.0, 7.5),
        seeds=2,
    )


def rated(context: Context) -> str:
    file = read_distributions("people.csv", ratings_csv(CHOSEN), normalize=True)
    return context.storage.distributions.add(file, "A lab's ratings", "people.csv", "made up", True)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("run:0123456789abcdef/photo/7.5", "run:0123456789abcdef/photo/7.5"),
        ("run:0123456789abcdef", "run:0123456789abcdef/all/all"),
        ("set:0123456789abcdef0123456789abcdef", "set:0123456789abcdef"),
        (" image:01234567/89abcdef ", "image:01234567/89abcdef"),
        ("run:0123456789abcdef/all/3.14159265", "run:0123456789abcdef/all/3.14159265"),
        ("generated:0123456789abcdef/own/7.5", "generated:0123456789abcdef/own/7.5"),
    ],
)
def test_a_source_is_written_as_it_was_read(text: str, again: str) -> None:
    assert parse(text).text == again
    assert parse(again) == parse(parse(text).text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("banana", "is not a source to compare"),
        ("run:12/photo/all", "is not a source to compare"),
        ("run:0123456789abcdef/oil/all", "no style 'oil'"),
        ("run:0123456789abcdef/photo/strong", "Guidance is a number or all"),
        ("run:0123456789abcdef/photo/nan", "Guidance is a number or all"),
        ("run:0123456789abcdef/photo/3/5", "more parts"),
        ("set:0123456789abcdef/photo", "more parts"),
    ],
)
def test_a_text_that_is_no_source_says_what_one_is(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        parse(text)


def test_what_there_is_of_a_concept_people_first(context: Context, run: RunFolder) -> None:
    ingest_copied(context.storage, [run])
    rated(context)
    result = choices(context, "Rotten_Banana")
    assert [item.kind for item in result[:2]] == ["people", "run"]
    assert result[0].note == "ratings, normalized"
    by_source = {item.source.partition("/")[2]: item for item in result if item.kind == "run"}
    # Two styles, two scales, two seeds.
    assert {name: item.count for name, item in by_source.items()} == {
        "all/all": 8,
        "photo/all": 4,
        "cartoon/all": 4,
        "all/3": 4,
        "all/7.5": 4,
        "photo/3": 2,
        "photo/7.5": 2,
        "cartoon/3": 2,
        "cartoon/7.5": 2,
    }
    assert by_source["cartoon/7.5"].label.endswith("clip-art cartoon · guidance 7.5")
    assert choices(context, "unripe banana") == []
    assert [choice.kind for choice in choices(context, "lonely cabin")] == []


def test_every_choice_is_a_distribution_of_as_many_images(context: Context, run: RunFolder) -> None:
    ingest_copied(context.storage, [run])
    for choice in choices(context, "banana"):
        made = distribution(context, choice.source, "banana", EXTRACTED)
        assert made.count == choice.count == len(image_profiles(context, choice.source, "banana"))
        assert made.label == choice.label == label_of(context, choice.source)
        assert made.weights.sum() == pytest.approx(1.0)
        # A banana as the renderer's table has it, and nobody asked for a rotten one.
        assert "ellow" in uw71()[int(made.weights.argmax())].name


def test_ratings_are_normalized_and_called_so(context: Context) -> None:
    set_id = rated(context)
    made = distribution(context, f"set:{set_id[:16]}", "banana", EXTRACTED)
    assert made.of_people
    assert made.kind == "ratings"
    assert any("normalized" in note for note in made.notes)
    with pytest.raises(NotStored, match="A lab's ratings has no data for 'unripe banana'"):
        distribution(context, f"set:{set_id[:16]}", "unripe banana", EXTRACTED)
    assert image_profiles(context, f"set:{set_id[:16]}", "banana") == []


def test_one_picture_by_its_newest_mask_or_as_a_whole(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    srgb8 = np.zeros((20, 20, 3), dtype=np.uint8)
    srgb8[:, 10:] = 255
    image = context.storage.images.add(srgb8, "half.png", "upload")
    source = f"image:{image.image_id[:16]}"
    whole = distribution(context, source, "", PIXELS)
    black, white = 24, 28
    assert (whole.weights[black], whole.weights[white]) == (0.5, 0.5)
    assert whole.fixed
    note = "The whole image is measured, including its background."
    assert whole.notes[-1] == note
    # The second time it is a stored mask, and no less the whole image.
    assert distribution(context, source, "", PIXELS).notes[-1] == note
    left = np.zeros((20, 20), dtype=bool)
    left[:, :10] = True
    mask = context.storage.masks.add(image.image_id, Mask(left, "brush", {"strokes": []}))
    masked = distribution(context, source, "", PIXELS)
    assert masked.weights[black] == 1.0
    said = "The image is measured within the mask that was selected or stored last."
    assert masked.notes[-1] == said
    # A mask that was undone in Inspect does not count, though no newer one was stored.
    right = context.storage.masks.add(image.image_id, Mask(~left, "brush", {"strokes": []}))
    assert distribution(context, source, "", PIXELS).weights[white] == 1.0
    context.storage.masks.select(image.image_id, mask.mask_id)
    assert distribution(context, source, "", PIXELS).weights[black] == 1.0
    context.storage.masks.select(image.image_id, None)
    # The whole image is stored, so no network is asked what stands out.
    monkeypatch.setattr("truehue.core.masks.salient.is_available", lambda *_: pytest.fail("asked"))
    assert distribution(context, source, "", PIXELS).notes[-1] == note
    context.storage.masks.select(image.image_id, right.mask_id)
    assert distribution(context, source, "", PIXELS).weights[white] == 1.0
    named = f"{source}/{mask.mask_id[:16]}"
    target = distribution(context, named, "", PIXELS)
    assert target.weights[black] == 1.0
    assert not any("measured within" in item for item in target.notes)
    other = context.storage.images.add(255 - srgb8, "other.png", "upload")
    with pytest.raises(BadInput, match="another image"):
        distribution(context, f"image:{other.image_id}/{mask.mask_id}", "", PIXELS)


def test_colorings_by_people_are_counted_by_person(context: Context) -> None:
    members = []
    for number in range(4):
        image = context.storage.images.add(
            np.full((8, 8, 3), 60 * number, dtype=np.uint8), f"{number}.png", "upload"
        )
        mask = context.storage.masks.add(image.image_id, Mask(np.ones((8, 8), bool), "whole"))
        members.append((image.image_id, mask.mask_id, f"p{number % 2}"))
    add = context.storage.picture_sets.add
    people = add("Colorings", "banana", members, True)
    models = add("Drawings", "banana", members, False)
    result = choices(context, "banana")
    assert [(item.label, item.kind, item.count) for item in result] == [
        ("Colorings", "people", 2),
        ("Drawings", "pictures", 4),
    ]
    assert distribution(context, f"pictures:{people}", "banana", PIXELS).count == 2
    made = distribution(context, f"pictures:{models}", "Banana", PIXELS)
    assert made.count == 4
    other = distribution(context, f"pictures:{models}", "apple", PIXELS)
    assert other.notes == (*made.notes, "These are images of 'banana', not of 'apple'.")


def test_a_source_that_is_gone_or_not_of_the_concept_says_so(
    context: Context, run: RunFolder, tmp_path: Path
) -> None:
    ingest_copied(context.storage, [run])
    source = f"run:{run.run_id}/photo/all"
    with pytest.raises(NotStored, match="has no image of 'unripe banana'"):
        distribution(context, source, "unripe banana", EXTRACTED)
    with pytest.raises(BadInput, match="no concept of ColorConceptBench or of a run"):
        distribution(context, source, "above", EXTRACTED)
    with pytest.raises(NotStored, match="There is no set 'ffffffff'"):
        distribution(context, "set:ffffffff", "banana", EXTRACTED)


YELLOW = (228, 200, 40)
SENTENCE = "A natural photo of a banana, centered composition."


def generated(
    context: Context, text: str, seed: int, masked: bool = True, **fields: Any
) -> GenerationRecord:
    """An image of Generate: a yellow thing on blue ground, each seed another one."""
    srgb8 = np.full((32, 32, 3), (20, 40, 160), dtype=np.uint8)
    srgb8[8:24, 8:24] = YELLOW
    srgb8[8, 8] = seed
    image = context.storage.images.add(srgb8, text, "generated")
    if masked:
        pixels = np.zeros((32, 32), bool)
        pixels[8:24, 8:24] = True
        context.storage.masks.add(
            image.image_id, Mask(pixels, "renderer", {"object": "banana", "target": 0})
        )
    target = ObjectTarget("banana")
    record = GenerationRecord(text=text, model="hub:a/b", targets=(target,), seed=seed, **fields)
    return context.storage.drawings.add(replace(record, image_id=image.image_id))


def test_images_of_generate_are_a_row_of_their_concept(context: Context) -> None:
    for seed in range(3):
        generated(context, SENTENCE, seed)
    generated(context, SENTENCE, 2)  # the same image once more is no other one
    generated(context, "a banana", 7)
    generated(context, "a bunch of bananas", 8)
    result = choices(context, "banana")
    assert [(item.label, item.kind, item.count) for item in result] == [
        ("a/b · Generate", "generated", 4),
        ("a/b · Generate · natural photo", "generated", 3),
        ("a/b · Generate · own prompt", "generated", 1),
    ]
    for choice in result:
        made = distribution(context, choice.source, "banana", PIXELS)
        assert (made.label, made.count) == (choice.label, choice.count)
        # Within the mask of the object: nothing of the blue around it.
        assert "ellow" in uw71()[int(made.weights.argmax())].name
        assert not any("background" in note for note in made.notes)
    banana = next(row for row in concepts_view(context)["concepts"] if row[1] == "banana")
    assert banana[5:] == [0, 1]
    assert concepts_view(context)["here"]["images"]
    # The link of the concept alone shows the row.
    assert choices_view(context, {"concept": banana[0]})["begin"][0] == result[0].source
    # Tables are of runs, and say so; what they name makes a run of the benchmark's sentences.
    outside = frame_of(context, ReferenceSets(context), {}).as_json()["outside"]
    assert [entry["model"] for entry in outside] == ["hub:a/b"]
    assert outside[0]["words"].startswith("4 images of concepts by a/b have no row")
    assert len(of_model(context.storage, "hub:a/b", prompt_set("concepts").prompts())) == 3


def test_images_that_came_after_the_run_of_a_model_can_have_their_row(
    context: Context, tmp_path: Path
) -> None:
    prompts = prompt_set("concepts").prompts()

    def outside() -> list[str]:
        view = frame_of(context, ReferenceSets(context), {}).as_json()
        return [entry["words"] for entry in view["outside"]]

    def add_row() -> str:
        items = of_model(context.storage, "hub:a/b", prompts)
        folder = RunFolder.create(tmp_path / "runs", make_plan(prompts, "hub:a/b", items=items))
        assert done(folder).status == "finished"
        return context.storage.runs.register(folder) + str(context.storage.runs.ingest(folder))

    generated(context, SENTENCE, 0)
    generated(context, "a banana", 7)  # a sentence that no run of the concepts has
    assert len(outside()) == 1
    first = add_row()
    assert outside() == []
    for seed in (1, 2):
        generated(context, SENTENCE, seed)
    assert outside() == [
        "2 images of concepts by a/b have no row, because they belong to no run. A new row takes all "
        "its images."
    ]
    assert add_row() != first
    assert outside() == []
    heads = frame_of(context, ReferenceSets(context), {}).as_json()["runs"]
    assert len({head["name"] for head in heads}) == len(heads) == 2


def test_a_generated_image_is_measured_within_the_mask_that_counts(context: Context) -> None:
    record = generated(context, "a banana", 1, masked=False)
    masks, image_id = context.storage.masks, str(record.image_id)
    (source,) = (choice.source for choice in choices(context, "banana"))

    def measured() -> str:
        """The id of the mask."""
        (profile,) = image_profiles(context, source, "banana")
        return profile.mask_id

    def add(maker: str, start: int, **parameters: Any) -> str:
        pixels = np.zeros((32, 32), bool)
        pixels[start:] = True
        return masks.add(image_id, Mask(pixels, maker, parameters)).mask_id

    by_hand = add("brush", 8, strokes=[])
    whole = add("whole", 0, marks=[{"type": "whole"}])
    assert measured() == by_hand  # nobody selected the newer one
    masks.select(image_id, whole)
    assert measured() == whole
    found, corrected = (add("grounded_sam", start, object="Banana") for start in (9, 10))
    assert measured() == corrected
    masks.select(image_id, found)  # the correction was undone
    assert measured() == found
    masks.select(image_id, add("grounded_sam", 20, object="stem"))
    assert measured() == corrected
    masks.select(image_id, by_hand)
    assert measured() == by_hand
    # Cleared: none of them counts, and the whole image is stored once.
    masks.select(image_id, None)
    cleared = measured()
    assert masks.get(cleared).parameters == {}
    masks.select(image_id, None)
    assert measured() == cleared
    assert masks.current([image_id]) == {}


def test_a_run_of_generated_images_takes_the_mask_that_counts(context: Context) -> None:
    """What the tables' row of these images is measured in is what the concept's row is measured in."""
    record = generated(context, SENTENCE, 1, masked=False)
    masks, image_id = context.storage.masks, str(record.image_id)
    prompts = prompt_set("concepts").prompts()

    def of_run() -> list[str]:
        (item,) = of_model(context.storage, "hub:a/b", prompts)
        return [mask.mask_id for mask in item.masks.values()]

    assert of_run() == []
    pixels = np.zeros((32, 32), bool)
    pixels[8:] = True
    by_hand, other = (
        masks.add(image_id, Mask(pixels, "brush", {"strokes": [], **named})).mask_id
        for named in ({}, {"object": "stem"})
    )
    masks.select(image_id, by_hand)
    assert of_run() == [by_hand]
    masks.select(image_id, None)  # cleared: the run looks for the object
    assert of_run() == []
    masks.select(image_id, by_hand)
    (source,) = {choice.source for choice in choices(context, "banana")[:1]}
    (profile,) = image_profiles(context, source, "banana")
    assert [profile.mask_id] == of_run() != [other]


def test_what_was_set_is_not_what_the_model_gives_a_concept(context: Context) -> None:
    generated(context, SENTENCE, 1)
    generated(context, SENTENCE, 2, options={"failure": "leaked"})
    generated(context, SENTENCE, 3, options={"cfr": {"low": 1.0}})
    generated(context, SENTENCE, 4, source="imported")
    purple = replace(ObjectTarget("banana"), color=parse_target("#800080"))
    context.storage.drawings.add(
        replace(
            generated(context, "a purple one", 5), drawing_id="", text=SENTENCE, targets=(purple,)
        )
    )
    assert {choice.label: choice.count for choice in choices(context, "banana")} == {
        "a/b · Generate": 1,
        "a/b · leaked · Generate": 1,
        "a/b · CFR · Generate": 1,
        "a/b · imported": 1,
    }


def test_what_was_generated_last_comes_before_older_runs(context: Context, run: RunFolder) -> None:
    rated(context)
    ingest_copied(context.storage, [run])
    generated(context, SENTENCE, 1)
    begin = choices_view(context, {"words": "banana"})["begin"]
    assert [item.partition(":")[0] for item in begin] == ["set", "generated", "run"]


def test_images_are_measured_a_second_at_a_time(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.tabs.compare.concept.service.MEASURE_S", 0.0)
    for seed in range(3):
        generated(context, "a banana", seed, masked=seed == 0)
    (source,) = (choice.source for choice in choices(context, "banana"))
    query = {"words": "banana", "d": source}
    rows = [concept_view(context, query)["distributions"][0] for _ in range(3)]
    assert [row["measuring"] for row in rows] == [[1, 3], [2, 3], None]
    assert rows[0]["label"] == "a/b · Generate"
    assert rows[2]["count"] == 3
    assert rows[2]["masks"] == (
        "2 of 3 images are measured as a whole, background included. "
        "The network that finds what stands out is not installed: truehue masks download u2netp."
    )


@needs_weights
def test_images_without_a_mask_are_measured_within_what_stands_out(
    context: Context, network: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.tabs.compare.concept.service.MEASURE_S", 600.0)
    with_network = replace(context, sources=Sources(network))
    made = generated(context, "a banana", 0)
    mug, flat = (
        context.storage.images.add(srgb8, "a banana", "generated").image_id
        for srgb8 in (
            render("mug", "#B4532A", size_px=200).srgb8,
            np.full((64, 64, 3), 119, np.uint8),
        )
    )
    for seed, image_id in enumerate((mug, flat), 1):
        context.storage.drawings.add(replace(made, drawing_id="", seed=seed, image_id=image_id))
    (source,) = (choice.source for choice in choices(context, "banana"))
    row = concept_view(with_network, {"words": "banana", "d": source})["distributions"][0]
    assert row["masks"] == (
        "1 of 3 images is measured within what stands out, which nobody has checked. "
        "1 of 3 images is measured as a whole, background included."
    )
    assert row["masks"] in row["notes"]
    masks = context.storage.masks.current([mug, flat])
    assert (masks[mug].maker, masks[flat].maker) == ("salient", "whole")


def test_an_image_that_is_gone_says_so_and_a_row_without_images_too(context: Context) -> None:
    generated(context, "a banana", 1)
    row = generated(context, "a banana", 2)
    (source,) = (choice.source for choice in choices(context, "banana"))
    context.storage.images.file(str(row.image_id)).unlink()
    made = distribution(context, source, "banana", PIXELS)
    assert made.count == 1
    assert made.notes[-1].startswith("1 image could not be measured and is excluded")
    with pytest.raises(NotStored, match="a/b · Generate has no image of 'apple'"):
        distribution(context, source, "apple", PIXELS)
    with pytest.raises(NotStored, match="no generated images"):
        distribution(context, "generated:ffffffff", "banana", PIXELS)
