"""Why a run's accuracies are not the printed ones of GenColorBench's Tables 4 and 11.

Each difference between how ours was made and counted and how theirs was is switched alone: the
counting on the stored verdicts, masks and neighbors by another run that scored the same images. What
no stored row can tell is listed with the command of the run that would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from truehue.core.analysis.groups import category_cells
from truehue.core.analysis.leaderboard import (
    AVERAGE,
    AVERAGED,
    POOLED,
    LeaderboardEntry,
    leaderboard,
)
from truehue.core.analysis.records import (
    NO_SYSTEM,
    NOT_FOUND,
    WRONG,
    Count,
    PromptTally,
    RunRecord,
    Slice,
    choice_for,
)
from truehue.core.errors import BadInput
from truehue.core.generation.registry import RELEASED, RELEASED_SEED, model
from truehue.core.published import Column, PublishedRow
from truehue.core.reproduce.attribution import Gap, Numbers, RowSwitch, row_gaps
from truehue.core.runs.protocols import PROTOCOLS
from truehue.core.runs.records import DRAWN, GROUNDED, SHARED
from truehue.core.runs.summary import cfr_text
from truehue.core.verdict.rules import rule as rule_of

THEIR_IMAGES = 4
THEIR_SEEDS = tuple(range(RELEASED_SEED, RELEASED_SEED + THEIR_IMAGES))
THEIR_RULES = {"paper": "the paper's text", "released": "its released code"}
"""The rules that may have made the printed numbers; the paper does not say which did."""
MAX_SEEDS = 16
"""Seeds whose spread is looked at."""


class Results(Protocol):
    """What is asked of the stored results (truehue.storage.results.queries.Results)."""

    def leaderboard(
        self,
        rule: str,
        runs: Sequence[str] = (),
        limits: Mapping[str, float] | None = None,
        unscored: str = "",
        seeds: Sequence[int] = (),
    ) -> list[PromptTally]:
        """Counts of passes of prompts."""

    def groups(self, selection: Slice, by: Sequence[str], images: bool = False) -> list[Count]:
        """Counts of verdicts by group."""

    def same_images(self, run_a: str, run_b: str) -> bool:
        """Whether two runs have the same images."""


@dataclass(frozen=True)
class Counting:
    """How a run's images are counted: the rule, the color systems' aggregate, what images without
    a score count as, limits other than the rule's own, the seeds (empty: all), and whether the main
    objects of contextual prompts count for Color Name Accuracy, too."""

    rule: str
    systems: str = AVERAGED
    unscored: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    contextual: bool = False


class RunNumbers:
    """The accuracies of runs in percent by task and AVERAGE, each way of counting computed once."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._known: dict[tuple[Any, ...], Numbers] = {}

    def of(self, run_id: str, counting: Counting) -> Numbers:
        """By column; empty where the run has nothing to count."""
        limits = tuple(sorted(counting.limits.items()))
        key = (
            *(run_id, counting.rule, counting.systems, counting.unscored),
            *(limits, counting.seeds, counting.contextual),
        )
        if key not in self._known:
            self._known[key] = self._count(run_id, counting)
        return self._known[key]

    def _count(self, run_id: str, counting: Counting) -> Numbers:
        choice = choice_for(counting.rule, counting.unscored)
        tallies = self._results.leaderboard(
            counting.rule, (run_id,), dict(counting.limits) or None, choice, counting.seeds
        )
        entry = leaderboard(tallies, counting.systems, choice).get(run_id)
        if entry is None:
            return {}
        tasks = {task: cell.rate.percent for task, cell in entry.cells.items()}
        numbers = {**tasks, AVERAGE: entry.average.percent}
        if counting.contextual:
            return self._with_contextual(run_id, counting, choice, entry, numbers)
        return numbers

    def _with_contextual(
        self,
        run_id: str,
        counting: Counting,
        choice: str,
        entry: LeaderboardEntry,
        numbers: dict[str, float | None],
    ) -> Numbers:
        """With the verdicts of the objects that contextual prompts ask a color of, whether or not it
        leaked, in the color systems that Color Name Accuracy has. Some seeds alone, and other limits,
        are not counted so."""
        before, average = numbers.get("cna"), numbers[AVERAGE]
        if counting.seeds or counting.limits or before is None or numbers.get("coa") is None:
            return {}
        systems = [
            "" if name == NO_SYSTEM else name
            for name, part in entry.cells["cna"].parts.items()
            if part.percent is not None
        ]
        selection = Slice(counting.rule, (run_id,), task="cna,coa", unscored=choice)
        tallies = {system: [0, 0] for system in systems}
        for count in self._results.groups(selection, ("system", "color")):
            if (tally := tallies.get(count.key[0])) is not None:
                tally[0] += count.passes
                tally[1] += count.passes + count.fails + (count.unscored if choice == WRONG else 0)
        shares = [(100.0 * passes, counted) for passes, counted in tallies.values()]
        if counting.systems == POOLED:
            shares = [
                (sum(passes), sum(counted)) for passes, counted in [zip(*shares, strict=True)]
            ]
        after = sum(passes / counted for passes, counted in shares) / len(shares)
        if average is not None:
            average += (after - before) / len(entry.cells)
        return {**numbers, "cna": after, AVERAGE: average}


class CategoryNumbers(RunNumbers):
    """Those of Table 11 by category of object: ``color_type`` is a color system, or the mean of
    all. Some seeds alone, and other limits, are not counted by category."""

    def __init__(self, results: Results, color_type: str) -> None:
        super().__init__(results)
        self._color_type = color_type

    def _count(self, run_id: str, counting: Counting) -> Numbers:
        if counting.seeds or counting.limits or counting.contextual:
            return {}
        choice = choice_for(counting.rule, counting.unscored)
        selection = Slice(counting.rule, (run_id,), task="cna", unscored=choice)
        counts = self._results.groups(selection, ("run", "system", "category"), True)
        cells = category_cells(counts, (run_id,))[1]
        return {cell.category: cell.percent for cell in cells if cell.system == self._color_type}


def run_gaps(
    results: Results,
    run: RunRecord,
    others: Iterable[RunRecord],
    counting: Counting,
    printed: PublishedRow,
    columns: Sequence[Column],
    numbers: RunNumbers | None = None,
) -> tuple[Gap, ...]:
    """The gap of every column that the run has a number in. ``others`` are runs that may have
    scored the same images otherwise; ``numbers`` are those of Table 4 unless others are given."""
    numbers = numbers or RunNumbers(results)
    ours = numbers.of(run.run_id, counting)
    switches = _Differences(results, numbers, run, tuple(others), counting).all()
    named = {name: printed.keys[name] for name in ("model", "color_type") if name in printed.keys}
    keys = {**named, "ours": run.name}
    return row_gaps(keys, ours, printed, columns, lambda column: column.ours, switches)


class _Differences:
    """Those of one run."""

    def __init__(
        self,
        results: Results,
        numbers: RunNumbers,
        run: RunRecord,
        others: Sequence[RunRecord],
        counting: Counting,
    ) -> None:
        self.results, self.numbers, self.run, self.counting = results, numbers, run, counting
        summary = run.summary
        self.summary = summary
        self.scales = len(summary.get("guidances") or ()) or 1
        count = int(summary["images"]) // self.scales
        is_drawn = run.kind == DRAWN
        self.images = count if is_drawn else 0
        # Seeds of their own have no numbers that prompts share.
        shared = is_drawn and summary.get("seed_mode", SHARED) == SHARED
        first = int(summary["seed"])
        self.seeds = tuple(range(first, first + count)) if shared else ()
        self.others = [
            other
            for other in others
            if other.run_id != run.run_id
            and other.model == run.model
            and other.summary.get("prompts_sha256") == summary.get("prompts_sha256")
        ]

    def all(self) -> list[RowSwitch]:
        """In the order in which a number is made."""
        return [
            *self._prompts(),
            *self._settings(),
            *self._other_settings(),
            *self._images(),
            *self._seeds(),
            *self._masks(),
            *self._presence(),
            *self._not_found(),
            *self._contextual(),
            *self._rules(),
            *self._limits(),
            *self._neighbors(),
            *self._aggregate(),
        ]

    def _counted(self, **changes: Any) -> Callable[[], Numbers]:
        counting = replace(self.counting, **changes)
        return lambda: self.numbers.of(self.run.run_id, counting)

    def _prompts(self) -> list[RowSwitch]:
        sentence = (
            "The authors' 44,464 prompts are not public. Their Mini set is: run its folder to see "
            "what the prompts change."
        )
        command = f"truehue runs start --set mini_bench_prompt/ --model {self.run.model}"
        name = self.run.set_name or "prompts"
        return [RowSwitch("Prompts", sentence, name, "the authors' list", None, command)]

    def _settings(self) -> list[RowSwitch]:
        if self.run.kind != DRAWN:
            return []
        try:
            entry = model(self.run.model)
        except BadInput:
            return []
        theirs, own = entry.released, entry.defaults
        if theirs is None or own is None:
            return []
        steps = self.summary["steps"] or own.steps
        guidance = self.summary["guidance"]
        guidance = own.guidance if guidance is None else guidance
        if self.scales == 1 and (steps, guidance) == (theirs.steps, theirs.guidance):
            return []
        sentence = "Steps and guidance decide how saturated the colors are."
        text = f"{steps} steps, guidance " + ("several" if self.scales > 1 else f"{guidance:g}")
        code = f"{theirs.steps} steps, guidance {theirs.guidance:g}"
        command = f"{self._start()} --protocol {RELEASED} --model {self.run.model}"
        return [RowSwitch("Steps and guidance", sentence, text, code, None, command)]

    def _other_settings(self) -> list[RowSwitch]:
        command = f"{self._start()} --model {self.run.model}"
        own = {
            "Refinement (CFR)": cfr_text(self.summary),
            "Negative prompt": self.summary.get("negative_text") or "",
        }
        return [
            RowSwitch(name, "The paper generated without it.", text, "none", None, command)
            for name, text in own.items()
            if text
        ]

    def _images(self) -> list[RowSwitch]:
        count = self.images
        if not count or count == THEIR_IMAGES:
            return []
        sentence = f"The mean is over {THEIR_IMAGES} images a prompt in the paper."
        first = self.seeds[:THEIR_IMAGES]
        numbers = self._counted(seeds=first) if first and count > THEIR_IMAGES else None
        command = f"{self._start()} --model {self.run.model} --images {THEIR_IMAGES}"
        return [
            RowSwitch(
                "Images a prompt",
                sentence,
                f"{count:,}",
                str(THEIR_IMAGES),
                self._unless_limits(numbers),
                command,
            )
        ]

    def _seeds(self) -> list[RowSwitch]:
        if not self.seeds or self.seeds[:THEIR_IMAGES] == THEIR_SEEDS:
            return []
        numbers = self._counted(seeds=THEIR_SEEDS) if set(THEIR_SEEDS) <= set(self.seeds) else None
        spread = self._spread()
        sentence = "The released code's noise came from a GPU, so the same seeds are other images."
        if spread is not None:
            sentence += f" Between seeds of this run the number differs by {spread:.1f} points."
        last = self.seeds[-1]
        own = f"{self.seeds[0]} to {last}" if last > self.seeds[0] else f"{last}"
        command = f"{self._start()} --model {self.run.model} --seed {RELEASED_SEED}"
        theirs = f"{THEIR_SEEDS[0]} to {THEIR_SEEDS[-1]}"
        return [RowSwitch("Seeds", sentence, own, theirs, self._unless_limits(numbers), command)]

    def _spread(self) -> float | None:
        """Largest difference between the seeds' own means of all columns, in points."""
        if not 1 < len(self.seeds) <= MAX_SEEDS or self.counting.limits:
            return None
        means = []
        for seed in self.seeds:
            shares = self.numbers.of(self.run.run_id, replace(self.counting, seeds=(seed,)))
            values = [value for value in shares.values() if value is not None]
            if values:
                means.append(sum(values) / len(values))
        return max(means) - min(means) if means else None

    def _unless_limits(self, numbers: Callable[[], Numbers] | None) -> Callable[[], Numbers] | None:
        """Other limits are not counted for some of the seeds alone."""
        return None if self.counting.limits else numbers

    def _masks(self) -> list[RowSwitch]:
        own = self.summary["masker"]
        differences = []
        for preset in (by for by in PROTOCOLS if by.set == "gencolorbench"):
            theirs = preset.masker
            names = ("kind", "detector", "segmenter", "variant")
            wanted = {name: getattr(theirs, name) for name in names}
            if all(own.get(name) == value for name, value in wanted.items()):
                continue
            sibling = self._sibling({**own, **wanted}, k=int(self.summary["k"]))
            text = f"{theirs.detector} and {theirs.segmenter}, {theirs.variant}"
            command = (
                f"{self._rescore()} --masker {GROUNDED} --detector {theirs.detector} "
                f"--segmenter {theirs.segmenter} --variant {theirs.variant}"
            )
            source = THEIR_RULES[theirs.variant]
            sentence = f"The masks decide which pixels are measured; these are those of {source}."
            name = f"Masks ({theirs.variant})"
            differences.append(
                RowSwitch(name, sentence, _masker(own), text, self._of(sibling), command)
            )
        return differences

    def _presence(self) -> list[RowSwitch]:
        own = self.summary["masker"]
        if own.get("kind") != GROUNDED or own.get("presence"):
            return []
        sibling = self._sibling({**own, "presence": "janus-pro-1b"}, k=int(self.summary["k"]))
        sentence = "The paper first asks a model whether every object is in the image."
        command = (
            f"{self._rescore()} --masker {GROUNDED} --detector {own['detector']} --segmenter "
            f"{own['segmenter']} --variant {own['variant']} --presence janus-pro-1b"
        )
        return [
            RowSwitch(
                "Presence question", sentence, "none", "Janus-Pro-1B", self._of(sibling), command
            )
        ]

    def _not_found(self) -> list[RowSwitch]:
        choice = choice_for(self.counting.rule, self.counting.unscored)
        if choice == NOT_FOUND:
            return []
        sentence = "In the released code an object that is not found is an incorrect color."
        own = "excluded" if choice == "left-out" else "every unscored image is incorrect"
        numbers = self._counted(unscored=NOT_FOUND)
        return [RowSwitch("Not found", sentence, own, "incorrect", numbers, "")]

    def _contextual(self) -> list[RowSwitch]:
        numbers = self._counted(contextual=True)
        if not numbers():
            return []
        sentence = (
            "The paper counts contextual prompts for Color Name Accuracy, too. Its released code does "
            "not."
        )
        own = "for Color-Object Association"
        return [RowSwitch("Contextual prompts", sentence, own, "for both", numbers, "")]

    def _rules(self) -> list[RowSwitch]:
        differences = []
        scored = dict(self.run.rules)
        # Only the rule is switched: what is not found counts as before, by whichever rule.
        choice = choice_for(self.counting.rule, self.counting.unscored)
        for rule_id, source in THEIR_RULES.items():
            if rule_id == self.counting.rule:
                continue
            numbers = (
                self._counted(rule=rule_id, unscored=choice, limits={})
                if rule_id in scored
                else None
            )
            sentence = f"The rule decides what passes; this one is that of {source}."
            command = f"{self._rescore()} --rules {rule_id}"
            own = rule_of(self.counting.rule).name
            name = f"Rule ({rule_id})"
            differences.append(RowSwitch(name, sentence, own, rule_id, numbers, command))
        return differences

    def _limits(self) -> list[RowSwitch]:
        if not self.counting.limits:
            return []
        own = ", ".join(f"{name} {value:g}" for name, value in self.counting.limits.items())
        sentence = "The limits are not the rule's own."
        return [RowSwitch("Limits", sentence, own, "the rule's own", self._counted(limits={}), "")]

    def _neighbors(self) -> list[RowSwitch]:
        k = int(self.summary["k"])
        siblings = [
            other
            for other in self.others
            if int(other.summary["k"]) != k
            and dict(other.summary["masker"]) == dict(self.summary["masker"])
            and self._same_images(other)
        ]
        sibling = siblings[0] if siblings else None
        their_k = int(sibling.summary["k"]) if sibling else 5
        sentence = "The paper accepts the k nearest colors too and does not say how many."
        command = f"{self._rescore()} --k {their_k}"
        return [
            RowSwitch(
                "Neighbors", sentence, f"k = {k}", f"k = {their_k}", self._of(sibling), command
            )
        ]

    def _aggregate(self) -> list[RowSwitch]:
        if self.counting.systems == AVERAGED:
            return []
        sentence = "Table 4 averages the accuracies on level 2, level 3 and CSS."
        numbers = self._counted(systems=AVERAGED)
        return [RowSwitch("Aggregate", sentence, self.counting.systems, "mean", numbers, "")]

    def _sibling(self, masker: Mapping[str, Any], k: int) -> RunRecord | None:
        """A run that scored the same images with this masker."""
        for other in self.others:
            if (
                dict(other.summary["masker"]) == dict(masker)
                and int(other.summary["k"]) == k
                and self._same_images(other)
            ):
                return other
        return None

    def _same_images(self, other: RunRecord) -> bool:
        return self.counting.rule in dict(other.rules) and self.results.same_images(
            self.run.run_id, other.run_id
        )

    def _of(self, other: RunRecord | None) -> Callable[[], Numbers] | None:
        if other is None:
            return None
        return lambda: self.numbers.of(other.run_id, self.counting)

    def _start(self) -> str:
        return f"truehue runs start --set {self.run.set_name or 'gencolorbench'}"

    def _rescore(self) -> str:
        source = f"run:{self.run.run_id[:8]}" if self.run.kind == DRAWN else self.run.model
        return f"{self._start()} --images-of {source}"


def _masker(masker: Mapping[str, Any]) -> str:
    if masker["kind"] != GROUNDED:
        return str(masker["kind"])
    return f"{masker['detector']} and {masker['segmenter']}, {masker['variant']}"
