"""The questions, compared with plain counting over the results that the shards hold."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.empty_data import empty_data
from tests.shards import read_shard
from tests.storage.run_samples import as_counted, fill, sample_plan, sample_run
from truehue.core.analysis.names import l2_names, nearest_l2, sector_codes, traits_of
from truehue.core.analysis.records import SECTORS, FailureItem, Slice
from truehue.core.color.systems import ColorTarget
from truehue.core.errors import BadInput, NotStored
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import EVERY_RULE, ItemResult, ObjectVerdict
from truehue.core.verdict.expectations import expectations_of
from truehue.storage import Storage
from truehue.storage.results.facets import FACETS
from truehue.storage.results.queries import CELLS, GROUPS

pytestmark = pytest.mark.slow

MODELS = ("model-a", "model-b")


@dataclass(frozen=True)
class Row:
    """One object by one rule, with all that a slice can ask of it."""

    run: str
    item: ItemResult
    prompt: Prompt
    verdict: ObjectVerdict
    object: str
    category: str
    color: ColorTarget
    matches: bool

    @property
    def picture(self) -> tuple[str, int]:
        return self.run, self.item.position

    def values(self, field: str) -> tuple[str, ...]:
        """What it is counted under; nothing where it is not."""
        if field in ("color", "sector", "chroma", "asked_l2", "found_l2", "modifier", "basic"):
            if not self.matches:
                return ()
            traits = traits_of(self.color)
            kinds = ("basic", "intermediate")
            return {
                "color": lambda: (self.color.value,),
                "sector": lambda: (SECTORS[sector_codes(np.array(self.color.lab))],),
                "chroma": lambda: (_band(self.color.lab),),
                "asked_l2": lambda: (_nearest(self.color.lab),),
                "found_l2": lambda: (
                    () if self.verdict.lab is None else (_nearest(self.verdict.lab),)
                ),
                "modifier": lambda: tuple(trait for trait in traits if trait not in kinds),
                "basic": lambda: tuple(trait for trait in traits if trait in kinds),
            }[field]()
        return {
            "run": (self.run,),
            "task": (self.prompt.task,),
            "system": (self.prompt.system,),
            "object": (self.object,),
            "category": (self.category,) if self.category else (),
            "status": (self.verdict.picture_status,),
            "cause": (self.verdict.cause,),
        }[field]


def _band(lab: tuple[float, float, float]) -> str:
    vividness = float(np.hypot(lab[1], lab[2]))
    return (
        "0"
        if vividness < 5
        else max(
            (low for low in ("5", "20", "40", "60", "80") if float(low) <= vividness), key=float
        )
    )


@cache
def _nearest(lab: tuple[float, float, float]) -> str:
    return l2_names()[int(nearest_l2(np.array([lab]))[0])]


OBJECTS = {
    "object",
    "category",
    "color",
    "sector",
    "chroma",
    "asked_l2",
    "found_l2",
    "modifier",
    "basic",
}


@dataclass(frozen=True)
class Sample:
    """A filled database and the same results as plain rows."""

    storage: Storage
    ids: list[str]
    rows: list[Row]
    root: Path

    @cached_property
    def said(self) -> dict[tuple[tuple[str, int], str], str]:
        """What each rule says of each picture."""
        return {(row.picture, row.verdict.rule): row.verdict.picture_status for row in self.rows}

    def of(self, meant: Slice, by: tuple[str, ...] = ()) -> list[Row]:
        """The rows of a slice, by the plainest reading of what a slice is."""
        chosen = {name for name in (*FACETS, "chroma") if name != "run" and getattr(meant, name)}
        said = self.said
        every = bool((chosen | set(by)) & OBJECTS)
        return [
            row
            for row in self.rows
            if row.verdict.rule == meant.rule
            and (every or row.verdict.leads)
            and (not meant.runs or row.run in meant.runs)
            and (
                not meant.against
                or said[row.picture, meant.rule] != said[row.picture, meant.against]
            )
            and all(
                any(group in row.values(name) for group in getattr(meant, name).split(","))
                for name in chosen
            )
            and (row.matches or not (chosen | set(by)) & (OBJECTS - {"object", "category"}))
        ]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    root = tmp_path_factory.mktemp("results")
    with Storage.open(empty_data(root / "data")) as storage:
        ids = fill(storage, root / "runs", MODELS, prompts=60, images=2)
        rows = [row for run in ids for row in _rows(RunFolder(root / "runs" / run))]
        yield Sample(storage, ids, rows, root)


def _rows(folder: RunFolder) -> Iterator[Row]:
    prompts = folder.plan().prompts
    for item in map(as_counted, itertools.chain(*map(read_shard, folder.shards()))):
        prompt = prompts[item.prompt]
        target = {
            expectation.position: expectation for expectation in expectations_of(prompt.targets)
        }
        for verdict in item.verdicts:
            # What could not be drawn counts for the first object that a color is asked of.
            entry = target[min(target) if verdict.target < 0 else verdict.target]
            yield Row(
                folder.run_id,
                item,
                prompt,
                verdict,
                entry.target.name,
                entry.target.category,
                entry.color,
                entry.relation == "matches",
            )


SLICES = (
    Slice(),
    Slice(rule="truehue", status="fail"),
    Slice(task="moc"),
    Slice(category="Animals"),
    Slice(category="Animals", status="fail", sector="0"),
    Slice(sector="0"),
    Slice(asked_l2="Pink", found_l2="Pink"),
    Slice(cause="hue"),
    Slice(cause="hue", system="l3", modifier="-ish"),
    Slice(basic="intermediate", task="ica"),
    Slice(color="l2:Pink"),
    Slice(object="apple", status="fail"),
    Slice(status="unscored"),
    Slice(chroma="40", sector="0"),
    Slice(chroma="0", object="apple"),
    Slice(system="l2,css", status="fail"),
    Slice(task="cna,moc", system="l3,none,l2", object="apple"),
    Slice(rule="truehue", against="paper"),
    Slice(rule="paper", against="truehue", status="fail", category="Animals"),
)


def test_the_sample_has_what_the_questions_are_about(sample: Sample) -> None:
    several = Counter((row.picture, row.verdict.rule) for row in sample.rows)
    assert max(several.values()) >= 3
    assert {row.verdict.status for row in sample.rows} == {"pass", "fail", "unscored"}
    assert any(not row.matches for row in sample.rows)
    assert all(len(sample.of(meant)) > 0 for meant in SLICES), [
        meant for meant in SLICES if not sample.of(meant)
    ]


def test_the_board_counts_prompts_with_equal_tallies(sample: Sample) -> None:
    for rule in EVERY_RULE:
        tallies: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
        for row in sample.of(Slice(rule=rule)):
            entry = tallies[row.run, row.prompt.task, row.prompt.system, row.prompt.id]
            entry[0] += row.verdict.picture_status == "pass"
            entry[1] += row.verdict.picture_status != "unscored"
            entry[2] += 1
        plain = Counter((*key[:3], *tally) for key, tally in tallies.items())
        board = sample.storage.results.leaderboard(rule)
        assert {
            (
                item.run_id,
                item.task,
                item.system,
                item.passes,
                item.scored,
                item.images,
            ): item.prompts
            for item in board
        } == plain
        assert len(board) == len(plain)
    entry = sample.storage.results.leaderboard("paper", sample.ids[:1])
    assert {tally.run_id for tally in entry} == {sample.ids[0]}
    assert sum(tally.prompts for tally in entry) == 60


def test_why_pictures_have_no_score(sample: Sample) -> None:
    for meant in (Slice(), Slice(task="moc"), Slice(rule="released")):
        plain = Counter(
            (row.run, row.prompt.task, row.verdict.cause)
            for row in sample.of(meant)
            if row.verdict.picture_status == "unscored"
        )
        unscored = sample.storage.results.unscored(meant)
        assert {(item.run_id, item.task, item.cause): item.count for item in unscored} == plain
    assert sample.storage.results.unscored(Slice(status="pass")) == []


@pytest.mark.parametrize(
    "by",
    [
        *((item,) for item in GROUPS),
        ("run", "category"),
        ("asked_l2", "found_l2"),
        ("category", "modifier"),
        ("run", "basic"),
        ("run", "task", "system"),
    ],
)
def test_groups_are_plain_counts(sample: Sample, by: tuple[str, ...]) -> None:
    for meant in (Slice(), Slice(status="fail"), Slice(category="Animals"), Slice(sector="0")):
        plain: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for row in sample.of(meant, by):
            for key in itertools.product(*(row.values(name) for name in by)):
                plain[key][row.verdict.status] += 1
        groups = sample.storage.results.groups(meant, by)
        assert {item.key: (item.passes, item.fails, item.unscored) for item in groups} == {
            key: (item["pass"], item["fail"], item["unscored"]) for key, item in plain.items()
        }


@pytest.mark.parametrize("by", [("run", "system", "category"), ("run", "modifier"), ("basic",)])
def test_groups_of_images_count_each_image_once_by_its_own_status(
    sample: Sample, by: tuple[str, ...]
) -> None:
    for meant in (Slice(), Slice(task="moc"), Slice(sector="0")):
        plain: dict[tuple[str, ...], dict[Any, str]] = defaultdict(dict)
        for row in sample.of(meant, by):
            for key in itertools.product(*(row.values(name) for name in by)):
                plain[key][row.picture] = row.verdict.picture_status
        groups = sample.storage.results.groups(meant, by, images=True)
        assert {item.key: (item.passes, item.fails, item.unscored) for item in groups} == {
            key: tuple(list(item.values()).count(status) for status in ("pass", "fail", "unscored"))
            for key, item in plain.items()
        }


def test_drift_is_the_mean_of_what_was_measured(sample: Sample) -> None:
    labs: dict[str, list[Any]] = defaultdict(list)
    for row in sample.of(Slice(task="cna"), ("color",)):
        if row.verdict.lab is not None:
            labs[row.color.value].append((row.verdict.lab, row.verdict.status, row.color))
    result = {item.color: item for item in sample.storage.results.drift(Slice(task="cna"))}
    assert set(result) == set(labs)
    for value, ones in labs.items():
        drift, color = result[value], ones[0][2]
        assert (drift.count, drift.name, drift.hex) == (len(ones), color.label, color.hex)
        assert drift.passes == sum(item[1] == "pass" for item in ones)
        assert drift.asked_lab == pytest.approx(color.lab)
        assert drift.found_lab == pytest.approx(
            np.mean([item[0] for item in ones], axis=0), abs=1e-4
        )


def test_agreement_of_each_two_rules(sample: Sample) -> None:
    said: dict[Any, dict[str, str]] = defaultdict(dict)
    for row in sample.rows:
        said[row.picture][row.verdict.rule] = row.verdict.picture_status
    result = {(item.rule_a, item.rule_b): item for item in sample.storage.results.agreement()}
    assert len(result) == len(EVERY_RULE) * (len(EVERY_RULE) - 1) // 2
    for (a, b), entry in result.items():
        plain = Counter((status[a], status[b]) for status in said.values())
        assert entry.both == plain["pass", "pass"]
        assert (entry.only_a, entry.only_b) == (plain["pass", "fail"], plain["fail", "pass"])
        assert entry.neither == plain["fail", "fail"]
        assert entry.unscored == sum(n for key, n in plain.items() if "unscored" in key)


@pytest.mark.parametrize("meant", SLICES, ids=str)
def test_a_facet_says_how_many_pictures_its_choice_would_leave(
    sample: Sample, meant: Slice
) -> None:
    results = sample.storage.results
    assert results.count(meant) == len({row.picture for row in sample.of(meant)})
    facets = results.facets(meant)
    assert list(facets) == list(FACETS)
    for name, values in facets.items():
        rest = replace(meant, runs=()) if name == "run" else replace(meant, **{name: ""})
        plain: dict[str, set[Any]] = defaultdict(set)
        for row in sample.of(rest, (name,)):
            for value in row.values(name):
                plain[value].add(row.picture)
        plain.pop("", None)
        assert {value: count for value, _, count in values} == {
            value: len(images) for value, images in plain.items()
        }, name
        for value, label, count in values[:2]:
            chosen = {"runs": (value,)} if name == "run" else {name: value}
            assert label
            assert results.count(replace(rest, **chosen)) == count  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("meant", "sort", "descending"),
    [
        *((meant, "delta_e00", True) for meant in SLICES),
        *((meant, "delta_e00", False) for meant in SLICES[3:6]),
        (SLICES[4], "misfit", True),
        (SLICES[0], "misfit", False),
        (SLICES[5], "prompt", False),
        (SLICES[7], "recent", True),
        (SLICES[9], "recent", True),
    ],
    ids=str,
)
def test_pages_show_every_picture_once_in_order(
    sample: Sample, meant: Slice, sort: str, descending: bool
) -> None:
    meant = replace(meant, rule="truehue") if sort == "misfit" else meant
    shown = list(_all_pages(sample.storage, meant, sort, descending, 17))
    assert len({(item.run_id, item.position) for item in shown}) == len(shown)
    assert {(item.run_id, item.position) for item in shown} == {
        row.picture for row in sample.of(meant)
    }
    if sort in ("delta_e00", "misfit"):
        numbers = [getattr(item, sort) for item in shown]
        known = [item for item in numbers if item is not None]
        assert numbers[: len(known)] == sorted(known, reverse=descending)
        best: dict[Any, float] = {}
        for row in sample.of(meant):
            number = getattr(row.verdict, sort)
            if number is not None:
                choose = max if descending else min
                best[row.picture] = choose(number, best.get(row.picture, number))
        assert {
            (item.run_id, item.position): getattr(item, sort) for item in shown[: len(known)]
        } == {key: pytest.approx(number, rel=1e-6) for key, number in best.items()}


def _all_pages(
    storage: Storage, meant: Slice, sort: str, descending: bool, limit: int
) -> Iterator[FailureItem]:
    after = None
    while page := storage.results.page(meant, sort, descending, limit, after):
        assert len(page) <= limit
        yield from page
        after = page[-1].cursor


def test_a_card_has_all_that_is_shown(sample: Sample) -> None:
    by_place = {(*row.picture, row.verdict.target): row for row in sample.of(Slice(), ("object",))}
    shown = sample.storage.results.page(Slice(), limit=500)
    assert len(shown) == 240
    for entry in shown:
        row = by_place[entry.run_id, entry.position, entry.target]
        item, verdict = row.item, row.verdict
        assert verdict.leads
        assert (entry.prompt_id, entry.prompt_source, entry.text) == (
            row.prompt.id,
            "gencolorbench",
            row.prompt.text,
        )
        assert (entry.task, entry.system, entry.image) == (
            row.prompt.task,
            row.prompt.system,
            item.image,
        )
        assert (entry.object_name, entry.category) == (row.object, row.category)
        assert (entry.color, entry.asked_hex) == (row.color.value, row.color.hex)
        assert (entry.status, entry.picture_status) == (verdict.status, verdict.picture_status)
        assert (entry.cause, entry.told, entry.picture_reason) == (
            verdict.cause,
            verdict.told,
            verdict.picture_reason,
        )
        assert entry.relation == ("matches" if row.matches else "differs")
        assert entry.image_id == item.image_id
        assert bool(entry.mask_id) == any(mask.target == verdict.target for mask in item.masks)
        assert entry.lab == (None if verdict.lab is None else pytest.approx(verdict.lab, abs=1e-4))
        assert bool(entry.found_hex) == (verdict.lab is not None)
        if entry.mask_id:
            record = sample.storage.masks.get(entry.mask_id)
            assert (record.image_id, record.parameters["target"]) == (entry.image_id, entry.target)


def test_one_picture_by_every_rule_and_object(sample: Sample) -> None:
    rows = [row for row in sample.rows if row.run == sample.ids[1] and row.prompt.task == "moc"]
    position = rows[0].item.position
    shown = sample.storage.results.verdicts_of_image(sample.ids[1], position)
    there = [row.verdict for row in rows if row.item.position == position]
    there.sort(key=lambda item: (item.rule, item.target))
    assert [(item.target, item.told) for item in shown] == [
        (item.target, item.told) for item in there
    ]
    assert sample.storage.results.verdicts_of_image(sample.ids[1], 10**6) == []
    with pytest.raises(NotStored):
        sample.storage.results.verdicts_of_image("nothing", 0)


@pytest.mark.parametrize(
    "meant",
    [
        Slice(),
        Slice(task="moc"),
        Slice(category="Animals"),
        Slice(cause="hue"),
        Slice(found_l2="Pink"),
        Slice(rule="truehue", sector="0"),
    ],
    ids=str,
)
def test_pairs_are_the_same_prompt_and_number_of_two_runs(sample: Sample, meant: Slice) -> None:
    a, b = sample.ids
    said: dict[str, dict[Any, str]] = {a: {}, b: {}}
    for row in sample.rows:
        if row.verdict.rule == meant.rule:
            said[row.run][row.prompt.id, row.item.image] = row.verdict.picture_status
    fits = {(row.prompt.id, row.item.image) for row in sample.of(meant)}
    cells: dict[str, set[Any]] = {cell: set() for cell in CELLS}
    for key in fits:
        pair = said[a][key], said[b][key]
        name = {
            ("pass", "pass"): "both",
            ("pass", "fail"): "only_a",
            ("fail", "pass"): "only_b",
            ("fail", "fail"): "neither",
        }.get(pair, "unscored")
        cells[name].add(key)
    results = sample.storage.results
    counts = results.pair_counts(a, b, meant)
    prompts = len({prompt for prompt, _ in fits})
    by_cell = {name: len(keys) for name, keys in cells.items()}
    assert counts == {"all": len(fits), "prompts": prompts, **by_cell}
    for cell in ("", *CELLS):
        wanted = fits if not cell else cells[cell]
        pages, after = [], None
        while page := results.pairs(a, b, meant, cell, 9, after):
            pages += page
            after = page[-1][0].cursor
        assert [(item.run_id, two.run_id) for item, two in pages] == [(a, b)] * len(wanted)
        keys = [(item.prompt_id, item.image) for item, _ in pages]
        assert keys == [(two.prompt_id, two.image) for _, two in pages]
        assert set(keys) == wanted
        assert len(keys) == len(wanted)
    if meant.category:
        assert {item.category for pair in results.pairs(a, b, meant) for item in pair} == {
            "Animals"
        }


def test_unknown_words_are_refused(sample: Sample) -> None:
    results = sample.storage.results
    for wrong, message in (
        (Slice(task="xyz"), "No result has the task 'xyz': there are "),
        (Slice(object="no such thing"), "No result has the object"),
        (Slice(color="l2:no such color"), "No result has the target color"),
        (Slice(sector="15"), "No result has the sector"),
        (Slice(found_l2="Reddish"), "No result has the level 2 name"),
        (Slice(modifier="bright"), "There is no modifier"),
        (Slice(basic="primary"), "There is no basic"),
        (Slice(status="maybe"), "No result has the status"),
        (Slice(cause="magic"), "No result has the cause"),
        (Slice(rule="nobody"), "No rule is called"),
    ):
        for ask in (results.page, results.count, results.facets, results.drift):
            with pytest.raises(BadInput, match=message):
                ask(wrong)
    with pytest.raises(NotStored):
        results.count(Slice(runs=("nothing",)))
    for by in ((), ("shape",), ("run", "run")):
        with pytest.raises(BadInput, match="Count by"):
            results.groups(Slice(), by)
    with pytest.raises(BadInput, match="no order"):
        results.page(Slice(), sort="size")
    with pytest.raises(BadInput, match="no cell"):
        results.pairs(*sample.ids, Slice(), "some")
    cursor = results.page(Slice(), limit=1)[0].cursor
    for text in (
        "x",
        "delta_e00~desc~",
        "delta_e00~desc~a~b",
        "delta_e00~desc~nan~1",
        f"{cursor}9" * 9,
        "delta_e00~desc~1.0~2; DROP TABLE run_items",
        cursor.replace("desc", "asc"),
    ):
        with pytest.raises(BadInput, match="begin at the first"):
            results.page(Slice(), after=text)
    with pytest.raises(BadInput, match="begin at the first"):
        results.pairs(*sample.ids, Slice(), after="1,2")


def test_a_system_that_no_result_has_is_no_fault(sample: Sample) -> None:
    results = sample.storage.results
    assert results.count(Slice(system="none")) == 0
    assert results.count(Slice(system="none,l2")) == results.count(Slice(system="l2")) > 0
    with pytest.raises(BadInput, match="No result has the system 'l9'"):
        results.count(Slice(system="l2,l9"))


def test_colors_are_understood_however_spelled(sample: Sample) -> None:
    results = sample.storage.results
    assert results.count(Slice(color="l2:Pink")) == results.count(Slice(color="L2: pink")) > 0


def test_no_runs_is_no_error(storage: Storage) -> None:
    results = storage.results
    assert results.leaderboard("paper") == results.unscored(Slice()) == results.drift(Slice()) == []
    assert results.groups(Slice(), ("run",)) == results.agreement() == results.page(Slice()) == []
    assert results.count(Slice()) == 0
    assert set(map(len, results.facets(Slice()).values())) == {0}


def test_what_was_asked_is_kept_until_something_comes_in(sample: Sample) -> None:
    results = sample.storage.results
    before = results.count(Slice(status="fail"))
    board = results.leaderboard("paper")
    board.clear()
    assert results.leaderboard("paper")
    other = sample_run(sample.root / "other", sample_plan("model-c", 10, 1))
    sample.storage.runs.ingest(other)
    try:
        assert results.count(Slice(status="fail")) > before
        assert results.count(Slice(status="fail", runs=tuple(sample.ids))) == before
    finally:
        sample.storage.runs.hide(other.run_id)
    assert results.count(Slice(status="fail")) == before
    assert other.run_id not in {value for value, *_ in results.facets(Slice())["run"]}
    assert results.count(Slice(runs=(other.run_id,))) == 10
    assert {item.rule_a for item in results.agreement([other.run_id])} == set(
        sorted(EVERY_RULE)[:-1]
    )


def test_a_run_that_comes_in_while_words_are_looked_up_is_there(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = fill(storage, tmp_path, ("model-a",), prompts=4, images=1)
    results = storage.results
    old = results._text()
    (late,) = fill(storage, tmp_path, ("model-b",), prompts=8, images=1)
    monkeypatch.setattr(results, "_text", lambda: old)
    assert {item.run_id for item in results.leaderboard("paper")} == {first, late}
    assert {item.run_id for item in results.page(Slice())} == {first, late}
    assert {value for value, *_ in results.facets(Slice())["run"]} == {first, late}
