"""Concepts of an imported set in Compare, its tables and studies: one small run of the renderer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.concept_runs import SIZE_PX, fruits, palettes_csv, prompts
from tests.core.runs.samples import done
from tests.empty_data import empty_data
from truehue.core.concepts.reading import read_distributions
from truehue.core.concepts.records import EXTRACTED
from truehue.core.generation.registry import RENDERER
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import make_plan
from truehue.core.runs.records import GenerationPlan
from truehue.storage import Storage
from truehue.tabs.compare.concept.service import choices_view
from truehue.tabs.compare.tables.cells import ALL_SCALES, run_cells
from truehue.tabs.compare.tables.modifiers import modifiers_view
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.compare.tables.view import tables_view
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import job_alone
from truehue.tabs.shell.compose import make_context
from truehue.tabs.sources.distributions import concepts_view, distribution
from truehue.tabs.studies.sources import concepts_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Context, str]]:
    """A banana and a rotten banana in sentences of one's own, drawn, measured, and people."""
    chosen = fruits(("banana",), ("", "rotten"))
    own = [
        replace(
            prompt, id=f"mine-{index}", text=f"Look: {prompt.modifier} banana", source="mine",
            category="Market", style="oil painting",
        )
        for index, prompt in enumerate(prompts(chosen))
    ]  # fmt: skip
    plan = make_plan(own, RENDERER, set_name="mine", drawing=GenerationPlan(2, size_px=SIZE_PX))
    root: Path = tmp_path_factory.mktemp("own")
    with Storage.open(empty_data(root / "data")) as storage:
        context = make_context(storage, "data")
        folder = RunFolder.create(root / "data" / "runs", plan)
        assert done(folder).failed == 0
        storage.runs.ingest(folder)
        file = read_distributions("palettes.csv", palettes_csv(chosen))
        storage.distributions.add(file, "Palettes", "palettes.csv", "made up", of_people=True)
        run_cells(context, [folder.run_id], EXTRACTED, ALL_SCALES, job_alone("cells"))
        yield context, folder.run_id
        context.close()


def test_the_set_names_base_modifier_and_kind(made: tuple[Context, str]) -> None:
    own = made[0].storage.profiles.own_concepts()
    assert {(entry.words, entry.modifier_kind, entry.category) for entry in own} == {
        ("banana", "base", "Market"),
        ("rotten banana", "visual state", "Market"),
    }


def test_peoples_words_mean_ones_own_concepts_too(made: tuple[Context, str]) -> None:
    sets = ReferenceSets(made[0])
    weights = sets.of(sets.crowds()[0]).weights
    assert sum(concept_id.startswith("own:") for concept_id in weights) == 2
    assert len(weights) == 4


def test_tables_and_modifiers_have_them(made: tuple[Context, str]) -> None:
    context, run = made
    view = tables_view(context, ReferenceSets(context), {})
    (row,) = view["tables"][0]["rows"]
    assert row["id"] == run
    for kind in ("base", "visual state"):
        assert row["cells"][f"/{kind}/own/emd_lab"]["text"]
    assert "1 base concept" in view["tables"][0]["words"]
    assert "rotten" in str(modifiers_view(context, ReferenceSets(context), {}))


def test_a_concept_can_be_opened_with_its_siblings_and_images(made: tuple[Context, str]) -> None:
    context, _ = made
    rotten = next(
        entry for entry in context.storage.profiles.own_concepts() if entry.modifier == "rotten"
    )
    view = choices_view(context, {"concept": rotten.id})
    assert view["words"] == "rotten banana"
    assert {entry["words"] for entry in view["siblings"]} == {"banana", "rotten banana"}
    source = next(entry for entry in view["choices"] if entry["kind"] == "run")
    assert source["count"] == 2
    assert distribution(context, source["source"], "rotten banana", EXTRACTED).weights.sum() > 0.99
    listed = {entry[0]: entry for entry in concepts_view(context)["concepts"]}
    assert listed[rotten.id][1:5] == ["rotten banana", "banana", "Market", "visual state"]


def test_a_study_takes_them_as_cases(made: tuple[Context, str]) -> None:
    context, run = made
    entries = concepts_of(context, f"run:{run}")
    assert {entry.words: len(entry.image_ids) for entry in entries.values()} == {
        "banana": 2,
        "rotten banana": 2,
    }
