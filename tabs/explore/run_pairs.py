"""Two runs on the same prompts: counts, a test, and the pairs of images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypedDict

from truehue.core.analysis.intervals import wilson
from truehue.core.analysis.names import run_labels
from truehue.core.analysis.paired import CELLS, PairCounts
from truehue.core.analysis.records import RunRecord, note_for
from truehue.core.errors import BadInput
from truehue.tabs.charts.slice import slice_of
from truehue.tabs.explore.failures import MAX_POSITION, page_size
from truehue.tabs.explore.images import ResultJson, image_json, stand_in_tags
from truehue.tabs.page.context import Context, runs_of
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.links import whole


class RunLabel(TypedDict):
    """A run that can be chosen."""

    id: str
    label: str


class RunPairCounts(TypedDict):
    """How many pairs pass in both runs, in one, or in neither, of those with two scores."""

    both: int
    only_a: int
    only_b: int
    neither: int
    unscored: int
    scored: int


class RunPairsView(TypedDict):
    """A page of the pairs of runs ``a`` and ``b``; ``pinned`` where it begins with a given one."""

    runs: list[RunLabel]
    pairs: list[list[ResultJson]]
    next: str
    pinned: bool
    a: str
    b: str
    sentence: str
    test: str
    empty: str
    counts: RunPairCounts


def compare_view(context: Context, query: Mapping[str, str]) -> RunPairsView:
    """A page of the image pairs of two runs, their counts, and the runs to choose from.

    ``query`` holds the slice; ``a`` and ``b``, runs (else the newest two); ``cell`` of
    :data:`truehue.core.analysis.paired.CELLS` or empty for all; ``limit`` and ``after``; ``at``,
    the position in the first run of the picture to begin with. Raises BadInput for an unknown cell
    or one run twice, NotStored for an unknown run.
    """
    shown = runs_of(context)
    names = run_labels(shown)
    # A run without a picture, or one that names no color, has nothing to compare here; one that
    # a link names is listed all the same.
    named = (query.get("a"), query.get("b"))
    runs = [run for run in shown if run.items > run.failed and run.rules]
    listed = [*runs, *(run for run in shown if run.run_id in named and run not in runs)]
    answer: RunPairsView = {
        "runs": [
            {
                "id": run.run_id,
                "label": names[run.run_id]
                + ("" if run in runs else " · no image" if run.rules else " · names no color"),
            }
            for run in listed
        ],
        "pairs": [],
        "next": "",
        "pinned": False,
        "a": "",
        "b": "",
        "sentence": "",
        "test": "",
        "empty": "",
        "counts": _counts(PairCounts()),
    }
    if len(runs) < 2 and not (query.get("a") and query.get("b")):
        return answer
    first, second = _two(context, runs, query)
    cell = query.get("cell", "")
    if cell and cell not in CELLS:
        raise BadInput(f"There is no part {cell!r} of the table: {', '.join(CELLS)}.")
    selection, results, limit = slice_of(query), context.storage.results, page_size(query)
    totals = results.pair_counts(first.run_id, second.run_id, selection)
    counts = PairCounts(**{name: totals[name] for name in (*CELLS, "unscored")})
    index = whole(query.get("at", ""), MAX_POSITION)
    pairs = results.pairs(
        first.run_id,
        second.run_id,
        selection,
        cell,
        limit=limit,
        after=query.get("after", ""),
        start=index,
    )
    tags = stand_in_tags(context, [item for pair in pairs for item in pair])
    runs_by_id = {run.run_id: run for run in (*shown, first, second)}
    name_a, name_b = names.get(first.run_id, first.name), names.get(second.run_id, second.name)
    return answer | {
        "a": first.run_id,
        "b": second.run_id,
        "counts": _counts(counts),
        "sentence": " ".join(
            (
                _versions(first, second, selection.rule)
                + _sentence(counts, name_a, name_b, totals["prompts"]),
                note_for(selection.rule, selection.unscored),
            )
        ).strip(),
        "test": _test(counts, totals["all"] > totals["prompts"]),
        "pairs": [[image_json(item, runs_by_id, names, tags) for item in pair] for pair in pairs],
        "next": pairs[-1][0].cursor if len(pairs) == limit else "",
        "pinned": index is not None,
        "empty": _nothing(counts, cell),
    }


def _versions(first: RunRecord, second: RunRecord, rule_id: str) -> str:
    """A warning where the two runs were judged by different versions of the rule."""
    version, other = (dict(run.rules).get(rule_id) for run in (first, second))
    if version is None or other is None or version == other:
        return ""
    return (
        f"Scored by different versions of {rule_id}, {version} and {other}: part of the difference "
        "may be the rule's. Score the images of the earlier one again in Runs. "
    )


def _two(
    context: Context, runs: Sequence[RunRecord], query: Mapping[str, str]
) -> tuple[RunRecord, RunRecord]:
    """The two runs that were named; for one that was not, the newest of the others with results,
    if possible one on the same prompts."""
    named = [query.get("a", ""), query.get("b", "")]
    if named[0] and named[0] == named[1]:
        raise BadInput("Both are the same run: choose two that differ.")
    chosen = [context.storage.runs.get(run_id) if run_id else None for run_id in named]
    for index, other in ((0, 1), (1, 0)):
        if chosen[index] is None:
            partner = chosen[other]
            candidates = [run for run in runs if partner is None or run.run_id != partner.run_id]
            # With a partner, those that share its prompts come first; without, those that share
            # theirs with another run.
            of_set = Counter(map(_prompts, candidates))
            candidates.sort(
                key=lambda run: (
                    of_set[_prompts(run)] < 2
                    if partner is None
                    else 2 * (run.set_name != partner.set_name)
                    + (_prompts(run) != _prompts(partner)),
                    run.items <= run.failed,
                )
            )
            if not candidates:
                raise BadInput("Two runs are needed to compare.")
            chosen[index] = candidates[0]
    first, second = chosen
    assert first is not None
    assert second is not None
    return first, second


def _prompts(run: RunRecord) -> str:
    return str(run.summary.get("prompts_sha256", run.set_name))


def _counts(counts: PairCounts) -> RunPairCounts:
    return {
        "both": counts.both,
        "only_a": counts.only_a,
        "only_b": counts.only_b,
        "neither": counts.neither,
        "unscored": counts.unscored,
        "scored": counts.scored,
    }


def _sentence(counts: PairCounts, name_a: str, name_b: str, prompts: int) -> str:
    """Both shares of passes. Their intervals take a prompt as the trial, since images of one prompt
    are alike: with several images a prompt they are rather wide."""
    if counts.percent_a is None or counts.percent_b is None:
        return ""
    unscored = (
        f" {count_noun(counts.unscored, 'more pair')} unscored in at least one."
        if counts.unscored
        else ""
    )
    trials = min(prompts, counts.scored)
    return (
        f"Of {count_noun(counts.scored, 'pair')} with two scores A ({name_a}) passes "
        f"{_with_interval(counts.percent_a, trials)} and B ({name_b}) "
        f"{_with_interval(counts.percent_b, trials)}.{unscored}"
    )


def _with_interval(percent: float, trials: int) -> str:
    low, high = wilson(percent / 100.0, trials)
    return f"{percent:.1f}% ({low:.1f}–{high:.1f})"


def _test(counts: PairCounts, alike: bool) -> str:
    """McNemar's test in words; ``alike``: some prompts have several images, which are alike."""
    p = counts.p_value
    if p is None:
        return "No pair differs." if counts.scored else ""
    apart = counts.only_a + counts.only_b
    value = f"p = {p:.3f}" if p >= 0.001 else f"p = {p:.1e}" if p >= 1e-300 else "p below 1e-300"
    return (
        f"McNemar’s exact test on the {count_noun(apart, 'pair')} that "
        f"differ{'s' if apart == 1 else ''}: {value}, two-sided."
        + (
            " Pairs count as independent; images of one prompt are alike, so p is smaller than it "
            "should be."
            if alike
            else ""
        )
    )


def _nothing(counts: PairCounts, cell: str) -> str:
    if cell and (counts.scored or counts.unscored):
        return "No pair of this kind. Choose another number of the table."
    return (
        "These runs share no image of the same prompt and number under these filters. Remove a "
        "filter above, or choose two runs on the same prompts."
    )
