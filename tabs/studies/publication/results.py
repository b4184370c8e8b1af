"""The results of a study as tables of its public page, by the study's kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truehue.annotation.studies.cases import Kind
from truehue.core.analysis.intervals import wilson
from truehue.core.color.spaces import hex_of
from truehue.core.color.uw71 import uw71
from truehue.tabs.studies.colorings.exports import ColoringExport
from truehue.tabs.studies.colorings.quality import quality_json
from truehue.tabs.studies.publication.cells import (
    SHARES,
    WIDTH,
    Axis,
    Cell,
    Format,
    Number,
    Table,
    axis_of,
    decimal_text,
    number_cell,
    share_text,
    whole,
)
from truehue.tabs.studies.results_numbers import percent, plain
from truehue.tabs.studies.tables_rows import ExportData

INCLUDED, EVERYBODY = "included", "everybody"
_HEADS = {INCLUDED: "After exclusion", EVERYBODY: "All participants"}
_OVER_PEOPLE = "Intervals: 95%, over resampled participants."
_STRENGTHS = (
    "A model with a higher strength wins more votes; 0 is the mean of all models. Bradley–Terry with "
    "ties (Davidson), in logits, MAP with a N(0, 5²) prior. " + _OVER_PEOPLE
)
_RATE = "How often people preferred a model over all others. A tie counts as half a win."
_MAX_COLORS = 4
_MIN_NAMED = 0.03
_MAX_BARRED = 2
Items = Callable[[Mapping[str, Any]], Sequence[Mapping[str, Any]]]
Measure = Callable[[Mapping[str, Any]], Number]


@dataclass(frozen=True)
class Strip:
    """A distribution of colors as touching fields: where each begins, how wide it is, its color."""

    fields: tuple[tuple[float, float, str], ...]


@dataclass(frozen=True)
class ConceptRow:
    """People's colors of a concept: the strip, the largest shares in words, and the numbers."""

    case: str
    words: str
    strip: Strip
    colors: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class ChoiceRow:
    """A choice of a question with how often it was given."""

    letter: str
    text: str
    count: int
    share: str
    right: bool


@dataclass(frozen=True)
class QuestionRow:
    """A question with its choices, and the share that was right with its interval."""

    case: str
    words: str
    task: str
    choices: tuple[ChoiceRow, ...]
    right: Cell
    answers: int


def result_tables(results: Mapping[str, Any]) -> list[Table]:
    """What a study of votes or questions found, in the order of the page."""
    match results["study"]["kind"]:
        case Kind.PAIRS:
            return list(_pairs(results))
        case Kind.RATINGS:
            line = Axis(0.0, 10.0)
            text = f"How people rated each model on average, from 0 to 10. {_OVER_PEOPLE}"
            ratings = ("Ratings", lambda row: whole(row["ratings"]))
            table = _ranked(
                results,
                Table("Ratings", text, ("Model",), ()),
                lambda summary: summary["ratings"],
                lambda row: row["mean"],
                decimal_text,
                line,
                [ratings],
            )
            return [table, *_by_group(results, "ratings", "mean", decimal_text, line)]
        case Kind.BEST_OF:
            text = f"How often people chose each model as the best of those shown. {_OVER_PEOPLE}"
            table = _ranked(
                results,
                Table("First choices", text, ("Model",), ()),
                lambda summary: summary["first_choices"],
                lambda row: row["share"],
                share_text,
                SHARES,
                [("Times shown", lambda row: whole(row["shown"]))],
            )
            return [table, *_by_group(results, "first_choices", "share", share_text, SHARES)]
        case Kind.QUESTIONS:
            return [_accuracy(results)]
    return []


def _pairs(results: Mapping[str, Any]) -> Iterator[Table]:
    strengths = [row["strength"] for over in _overs(results) for row in results[over]["strengths"]]
    if strengths:
        yield _ranked(
            results,
            Table("Strengths", _STRENGTHS, ("Model",), (), _separated(results)),
            lambda summary: summary["strengths"],
            lambda row: row["strength"],
            decimal_text,
            axis_of(strengths, 0.0),
            [
                ("Rank", lambda row: Cell(_rank(row), right=True)),
                ("Votes", lambda row: whole(row["votes"])),
            ],
        )
    rates = sorted(results[INCLUDED]["win_rates"], key=lambda row: _falling(row["rate"]))
    yield _ranked(
        results,
        Table("Win rates", f"{_RATE} {_OVER_PEOPLE}", ("Model",), ()),
        lambda summary: summary["win_rates"],
        lambda row: row["rate"],
        share_text,
        Axis(0.0, 1.0, 0.5),
        [
            ("Won", lambda row: whole(row["wins"])),
            ("Lost", lambda row: whole(row["losses"])),
            ("Tied", lambda row: whole(row["ties"])),
        ],
    )
    if len(rates) > 2:
        yield _against(results, [row["model"] for row in rates])
    groups = results[INCLUDED]["groups"]
    if len(groups) > 1:
        line = axis_of([row["strength"] for group in groups for row in group["strengths"]], 0.0)
        rows = [{**group, "rows": group["strengths"], "count": group["votes"]} for group in groups]
        yield _groups(rows, "strength", "Strengths by category", decimal_text, line)


def _separated(results: Mapping[str, Any]) -> tuple[str, ...]:
    why = results[INCLUDED]["strengths_why"]
    return (why,) if why else ()


def _rank(row: Mapping[str, Any]) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return str(low) if low == high else f"{low}–{high}"


def _overs(results: Mapping[str, Any]) -> tuple[str, ...]:
    """Whose answers are shown: once where nobody is left out."""
    return (INCLUDED,) if results["same"] else (INCLUDED, EVERYBODY)


def _heads(results: Mapping[str, Any]) -> tuple[str, ...]:
    overs = _overs(results)
    return ("All participants",) if len(overs) == 1 else tuple(_HEADS[over] for over in overs)


def _ranked(
    results: Mapping[str, Any],
    table: Table,
    items: Items,
    measure: Measure,
    text: Format,
    line: Axis,
    more: Sequence[tuple[str, Callable[[Mapping[str, Any]], Cell]]],
) -> Table:
    """A table of models and one number, after exclusion and with everybody."""
    by_over = {
        over: {row["model"]: row for row in items(results[over])} for over in _overs(results)
    }
    order = by_over[INCLUDED] or by_over.get(EVERYBODY, {})
    rows = []
    for model in sorted(order, key=lambda name: _falling(measure(order[name]))):
        summaries = [by_over[over].get(model) for over in by_over]
        numbers = [number_cell(row and measure(row), text, line) for row in summaries]
        extra = [cell(summaries[0]) if summaries[0] else whole(None) for _, cell in more]
        rows.append((Cell(model), *numbers, *extra))
    heads = (*table.heads, *_heads(results), *(name for name, _ in more))
    return Table(table.title, table.text, heads, tuple(rows), table.notes)


def _falling(number: Number) -> float:
    """Sorts by the value, the highest first and what has none last."""
    return math.inf if number["value"] is None else -number["value"]


def _against(results: Mapping[str, Any], models: Sequence[str]) -> Table:
    """How often the model of the row won against that of the column."""
    rates = {(row["model"], row["other"]): row["rate"] for row in results[INCLUDED]["against"]}
    rows = tuple(
        (
            Cell(model),
            *(
                Cell("", right=True)
                if model == other
                else number_cell(rates.get((model, other)), percent)
                for other in models
            ),
        )
        for model in models
    )
    text = "How often the model of the row won against that of the column. A tie is half a win."
    return Table("Pairwise win rates", text, ("Wins of", *models), rows)


def _by_group(
    results: Mapping[str, Any], name: str, measure: str, text: Format, line: Axis
) -> list[Table]:
    groups = results[INCLUDED]["by_group"]
    if len(groups) < 2:
        return []
    rows = [{**group, "rows": group[name], "count": group["answers"]} for group in groups]
    return [_groups(rows, measure, "By category", text, line)]


def _groups(
    groups: Sequence[Mapping[str, Any]], measure: str, title: str, text: Format, line: Axis
) -> Table:
    """A row per category of cases, a column per model."""
    models = list(dict.fromkeys(row["model"] for group in groups for row in group["rows"]))
    shown = line if len(models) <= _MAX_BARRED else None  # more bars leave no room for numbers
    rows = []
    for group in groups:
        numbers = {row["model"]: row[measure] for row in group["rows"]}
        cells = [number_cell(numbers.get(model), text, shown) for model in models]
        rows.append((Cell(group["group"] or "no category"), whole(group["count"]), *cells))
    text_of = f"The same numbers within each category of cases. {_OVER_PEOPLE}"
    return Table(title, text_of, ("Category", "Answers", *models), tuple(rows))


def _accuracy(results: Mapping[str, Any]) -> Table:
    """The share of right answers by task, with chance."""
    shares = results[INCLUDED]["questions"]
    several = len(shares["tasks"]) > 1
    parts = [*shares["tasks"], *([shares["overall"]] if several else [])]
    rows = [_accuracy_row(item) for item in parts]
    if several and shares["macro"] is not None:
        rows.append(_accuracy_row({**shares["macro"], "skips": None, "answers": None}))
    over = dict.fromkeys(item["over_words"] for item in parts)
    text = "How often people answered correctly. “Cannot tell” counts as not correct."
    heads = ("Task", _heads(results)[0], "Chance", "Cannot tell", "Answers")
    return Table("Accuracy", text, heads, tuple(rows), (f"Intervals: 95%; {'; '.join(over)}.",))


def _accuracy_row(item: Mapping[str, Any]) -> tuple[Cell, ...]:
    chance = item["chance"]
    return (
        Cell(item["name"]),
        number_cell(item["share"], share_text, Axis(0.0, 1.0, chance)),
        Cell("–" if chance is None else percent(chance), right=True),
        whole(item["skips"]),
        whole(item["answers"]),
    )


def question_rows(results: Mapping[str, Any]) -> list[QuestionRow]:
    """Every question with the answers of the participants whose answers count."""
    if results["study"]["kind"] != Kind.QUESTIONS:
        return []
    answers = results[INCLUDED]["questions"]["answers"]
    return [_question_row(item, answers[item["case"]]) for item in results["asked"]]


def _question_row(item: Mapping[str, Any], answers: Mapping[str, Any]) -> QuestionRow:
    counts, skips = answers["counts"], answers["skips"]
    total = sum(counts) + skips
    choices = [
        ChoiceRow(
            choice["letter"], choice["text"], count, _of(count, total), index == item["right"]
        )
        for index, (choice, count) in enumerate(zip(item["choices"], counts, strict=True))
    ]
    if skips:
        choices.append(ChoiceRow("", "cannot tell", skips, _of(skips, total), False))
    right = Cell("–", right=True)
    if total:
        share = counts[item["right"]] / total
        low, high = wilson(share, total)
        right = Cell(percent(share), f"[{low:.0f}%, {high:.0f}%]", right=True)
    return QuestionRow(item["case"], item["words"], item["task"], tuple(choices), right, total)


def _of(count: int, total: int) -> str:
    return percent(count / total) if total else "–"


def concept_rows(export: ColoringExport) -> list[ConceptRow]:
    """People's colors of every concept, with how far the colorings agree and how sure they are."""
    facts = export.facts
    quality = {row["case"]: row for row in quality_json(facts)["concepts"]}
    rows = []
    for case_id, weights in facts.distributions(facts.level).items():
        concept = quality.get(case_id)
        if concept is None:
            continue
        named = [color for color in concept["colors"][:_MAX_COLORS] if color["share"] >= _MIN_NAMED]
        after = concept["after"]
        rows.append(
            ConceptRow(
                case_id,
                concept["words"],
                strip_of(weights),
                " · ".join(f"{color['share']:.0%} {color['name']}" for color in named),
                (
                    whole(after["colorings"]),
                    _lab(after["emd_lab"], after["why"]),
                    _lab(concept["width_lab"], concept["width_why"]),
                ),
            )
        )
    return rows


def _lab(value: float | None, why: str) -> Cell:
    shown = plain(value)
    return Cell("–" if shown is None else f"{shown:.1f}", why=why, right=True)


def strip_of(weights: np.ndarray) -> Strip:
    """The strip of a distribution ``(71,)``, the largest share first."""
    fields, left = [], 0.0
    for index in np.argsort(-weights, kind="stable"):
        width = 2 * WIDTH * float(weights[index])
        if width > 0:
            fields.append((round(left, 2), round(width, 2), hex_of(uw71()[index].srgb8)))
            left += width
    return Strip(tuple(fields))


@dataclass(frozen=True)
class Measured:
    """A measure of agreement with its number of each summary, or None where there is none."""

    name: str
    text: Format
    line: Axis
    numbers: Sequence[Number | None]


def reliability(data: ExportData) -> Table:
    """How far participants agree, or experts who reviewed colorings, and how they answered."""
    if data.colorings is not None:
        reviews = quality_json(data.colorings.facts)["reviews"]
        text = "How far experts who looked at the same colorings agree, with 95% intervals."
        return _agreement(text, ("Experts",), _of_reviews(reviews), (reviews["words"],))
    now = data.results[INCLUDED]
    side = now["side_bias"]
    notes = (now["agreement"]["words"], side["words"] if side else "")
    text = "How consistently people answered, with 95% intervals."
    return _agreement(text, _heads(data.results), _of_answers(data), notes)


def _agreement(
    text: str, heads: Sequence[str], measures: Sequence[Measured], notes: Sequence[str]
) -> Table:
    rows = tuple(
        (
            Cell(item.name),
            *(number_cell(number, item.text, item.line) for number in item.numbers),
        )
        for item in measures
        if any(item.numbers)
    )
    return Table("Agreement", text, ("Measure", *heads), rows, tuple(filter(None, notes)))


_BEYOND_CHANCE = Axis(-0.2, 1.0, 0.0)


def _of_reviews(reviews: Mapping[str, Any]) -> list[Measured]:
    return [
        Measured("Observed agreement", share_text, SHARES, [reviews["observed"]]),
        Measured("Fleiss’ κ", decimal_text, _BEYOND_CHANCE, [reviews["kappa"]]),
        Measured("Krippendorff’s α", decimal_text, _BEYOND_CHANCE, [reviews["alpha"]]),
    ]


def _of_answers(data: ExportData) -> list[Measured]:
    results, plan = data.results, data.source.plan
    summaries = [results[over] for over in _overs(results)]
    agreements = [item["agreement"] for item in summaries]
    sides = [item["side_bias"] and item["side_bias"]["left_share"] for item in summaries]
    ties = [item["tie_share"] for item in summaries]
    skips = [item["skip_share"] for item in summaries]
    kappas, alphas = ([item[name] for item in agreements] for name in ("kappa", "alpha"))
    observed = [item["observed"] for item in agreements]
    alpha = f"Krippendorff’s α ({agreements[0]['scale']})"
    inter_rater = [item["inter_rater_spearman"] for item in agreements]
    ratings = [Measured("Inter-rater Spearman", decimal_text, _BEYOND_CHANCE, inter_rater)]
    tie = [Measured("Ties", share_text, SHARES, ties)]
    side = [Measured("First position chosen", share_text, Axis(0.0, 1.0, 0.5), sides)]
    choices = [
        Measured("Observed agreement", share_text, SHARES, observed),
        Measured("Fleiss’ κ", decimal_text, _BEYOND_CHANCE, kappas),
    ]
    return [
        *(tie if plan.kind is Kind.PAIRS and plan.tie else ()),
        *([Measured("Cannot tell", share_text, SHARES, skips)] if plan.skip else ()),
        *(side if plan.kind is Kind.PAIRS else ()),
        *(choices if plan.kind is not Kind.RATINGS else ()),
        Measured(alpha, decimal_text, _BEYOND_CHANCE, alphas),
        *(ratings if plan.kind is Kind.RATINGS else ()),
    ]


def metric_table(results: Mapping[str, Any]) -> Table | None:
    """Metrics against people's answers; None where there are none."""
    validation = results[INCLUDED]["validation"]
    rows = validation["rows"]
    if not rows:
        return None
    columns = [
        (name, head, text)
        for name, head, text in (
            ("pearson", "Pearson", decimal_text),
            ("spearman", "Spearman", decimal_text),
            ("kendall", "Kendall", decimal_text),
            ("agreement", "Agreement", share_text),
        )
        if any(row[name] is not None and row[name]["value"] is not None for row in rows)
    ]
    of = validation["of"]
    cells = tuple(
        (
            Cell(row["name"]),
            *(number_cell(row[name], text) for name, _, text in columns),
            whole(row["pairs"]),
        )
        for row in rows
    )
    heads = ("Metric", *(head for _, head, _ in columns), of.capitalize())
    text = f"How far metrics agree with people. Intervals: 95%, over resampled {of}."
    notes = tuple(filter(None, (*validation["sentences"], validation["caution"])))
    return Table("Metrics and people", text, heads, cells, notes)
