"""The view of Compare on guidance, model size and categories: their effect on the distance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

from truehue.core.concepts.metrics import MEANINGS, METRICS
from truehue.core.concepts.scores import KINDS, Score, scores
from truehue.core.concepts.tables import (
    ALL,
    BY_CATEGORY,
    BY_KIND,
    Alignment,
    GuidanceLine,
    Number,
    column_of,
    groups_in_order,
    guidance_sweep,
    parameters_of,
    size_sweep,
)
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import STYLES
from truehue.tabs.charts.figure_parts import HeatCell, heat_map, label, line_style
from truehue.tabs.compare.tables.charts import (
    Chart,
    ChartJson,
    Row,
    interval_text,
    run_names,
)
from truehue.tabs.compare.tables.frame import Frame, FrameJson, frame_of
from truehue.tabs.compare.tables.published import ARROWS, WHY_OTHERS, PrintedTables
from truehue.tabs.compare.tables.published import KINDS as KIND_NAMES
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.compare.tables.view import STYLE_NAMES, NumberChoices
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.figures import INK, PANEL, SOFT
from truehue.tabs.page.shared_answers import NamedChoice
from truehue.tabs.sources.distributions import written_scale

WEAKEST_SHADE = 6.0


@dataclass(frozen=True)
class Mark:
    """One number of a run: ``x`` guidance or billions of parameters, ``low`` and ``high`` the
    interval, None where there is none."""

    run: str
    x: float
    y: float
    low: float | None
    high: float | None
    hover: str


def lines(marks: Sequence[Mark], runs: Mapping[str, str], unit: str) -> dict[str, Any]:
    """One line a run over guidance scales, told apart by dash and shape."""
    series = []
    for index, name, own in _by_run(sorted(marks, key=lambda mark: mark.x), runs):
        dash, shape = line_style(index)
        color = INK if index % 2 == 0 else SOFT
        line = {"color": color, "width": 2, "dash": dash}
        series.append(
            _series(name, own, (shape, 9, color), color) | {"mode": "lines+markers", "line": line}
        )
    scales = sorted({mark.x for mark in marks})
    x = {
        "title": "Guidance scale",
        "tickvals": scales,
        "ticktext": [written_scale(scale) for scale in scales],
    }
    return _with_legend(series, x, unit)


def by_size(marks: Sequence[Mark], runs: Mapping[str, str], unit: str) -> dict[str, Any]:
    """Each run at its model's size in billions of parameters, on a log scale."""
    series = [
        _series(name, own, (line_style(index)[1], 11, INK), SOFT)
        for index, name, own in _by_run(marks, runs)
    ]
    sizes = sorted({mark.x for mark in marks})
    x = {
        "type": "log",
        "title": "Parameters, billions",
        "tickvals": sizes,
        "ticktext": [f"{size:g}" for size in sizes],
    }
    return _with_legend(series, x, unit)


def _by_run(
    marks: Sequence[Mark], runs: Mapping[str, str]
) -> Iterator[tuple[int, str, list[Mark]]]:
    """The place, name and marks of each run that has any."""
    for index, (run, name) in enumerate(run_names(runs).items()):
        own = [mark for mark in marks if mark.run == run]
        if own:
            yield index, name, own


def _series(
    name: str, own: Sequence[Mark], look: tuple[str, int, str], bars: str
) -> dict[str, Any]:
    """Hollow marks of that shape, size and color, with their intervals."""
    symbol, size, color = look
    line = {"width": 2, "color": color}
    return {
        "name": name,
        "rows": [asdict(mark) for mark in own],
        "marker": {"symbol": symbol, "size": size, "color": PANEL, "line": line},
        "error": {"along": "y", "color": bars, "thickness": 1, "width": 3},
        "showlegend": True,
        "cliponaxis": False,
    }


def _with_legend(
    series: Sequence[Mapping[str, Any]], x: Mapping[str, Any], unit: str
) -> dict[str, Any]:
    return {
        "height": 380,
        "margin": {"l": 54, "r": 14, "t": 40, "b": 46},
        "series": series,
        "x": x,
        "y": {"title": unit},
        "legend": True,
    }


@dataclass(frozen=True)
class Tile:
    """A number of a run in a category, None where there is none; ``better`` 0 (worst of the table)
    to 1 (best)."""

    value: float | None
    text: str
    better: float
    hover: str


def heat(
    tiles: Sequence[Sequence[Tile]], categories: Sequence[str], runs: Mapping[str, str]
) -> dict[str, Any]:
    """Runs down, categories across; the stronger a cell is shaded, the farther from people."""
    cells = [
        [
            HeatCell(
                None
                if tile.value is None
                else WEAKEST_SHADE + (100.0 - WEAKEST_SHADE) * (1.0 - tile.better),
                tile.text,
                tile.hover,
            )
            for tile in row
        ]
        for row in tiles
    ]
    across = [label(name.capitalize()) for name in categories]
    return heat_map(cells, across, list(run_names(runs).values()), row_px=34)


PARTS = ("guidance", "size", "category")
NUMBER_COLUMNS = ("value", "low", "high", "concepts", "excluded")
FIGURE_5 = (
    "The paper shows guidance in Figure 5 and prints no table of it, so there are no "
    "published numbers to compare with. Its text says that EMD rises and PCC falls with "
    "guidance for "
    "OmniGen2, SD 3 and SD 3.5, and that SDXL, Sana and Qwen-Image stay as they are; and that size "
    "and alignment are not correlated."
)


class GuidanceView(TypedDict):
    """The figures by :data:`PARTS`, None where there are no numbers."""

    frame: FrameJson
    choices: NumberChoices
    figures: dict[str, ChartJson | None]
    published: PrintedTables


def guidance_view(
    context: Context, people: ReferenceSets, query: Mapping[str, str]
) -> GuidanceView:
    """The three figures for ``people``, ``method``, ``runs``, ``metric``, ``kind`` and ``style``,
    empty for all. Raises BadInput for a choice that there is not."""
    frame = frame_of(context, people, query, each_scale=True)
    choice = Choice(query)
    charts = charts_of(frame, choice)
    return {
        "frame": frame.as_json(),
        "choices": {
            "metric": [
                {"id": meaning, "name": METRICS[meaning].name, "title": MEANINGS[meaning]}
                for meaning in MEANINGS
            ],
            "kind": [
                {"id": "", "name": "All concepts"},
                *(NamedChoice(id=kind, name=KIND_NAMES[kind]) for kind in KINDS),
            ],
            "style": [
                {"id": "", "name": "Both styles"},
                *(NamedChoice(id=style, name=STYLE_NAMES[style]) for style in STYLES),
            ],
        },
        "figures": {part: charts[part].as_json() if part in charts else None for part in PARTS},
        "published": {
            "title": "The paper's Figure 5",
            "told": FIGURE_5,
            "after": WHY_OTHERS,
            "tables": [],
        },
    }


def guidance_csv(context: Context, people: ReferenceSets, query: Mapping[str, str]) -> str:
    """The numbers of the figure ``part``, as CSV; as :func:`guidance_view`."""
    part = query.get("part") or PARTS[0]
    if part not in PARTS:
        raise BadInput(f"There is no figure {part!r}: {', '.join(PARTS)}.")
    charts = charts_of(frame_of(context, people, query, each_scale=True), Choice(query))
    if part not in charts:
        raise BadInput("There is nothing to export yet: these figures need people and runs.")
    return charts[part].csv()


class Choice:
    """The number, kind of concepts and style that are meant; kind and style empty for all."""

    def __init__(self, query: Mapping[str, str]) -> None:
        self.metric = query.get("metric") or "emd_lab"
        self.kind, self.style = query.get("kind", ""), query.get("style", "")
        if self.metric not in MEANINGS:
            raise BadInput(f"There is no number {self.metric[:20]!r}: {', '.join(MEANINGS)}.")
        if self.kind not in ("", *KINDS) or self.style not in ("", *STYLES):
            raise BadInput("These concepts or this style do not exist. Open the view again.")

    @property
    def unit(self) -> str:
        """The number as an axis writes it."""
        metric = METRICS[self.metric]
        unit = {"Lab": ", ΔE*ab", "nats": ", nats", "degrees": ", °"}.get(metric.unit, "")
        better = ARROWS["higher" if metric.better == "high" else "lower"].strip()
        return f"{metric.name}{unit} ({better} better)"

    @property
    def words(self) -> str:
        """What the numbers are of."""
        kind = KIND_NAMES[self.kind].lower() if self.kind else "all concepts"
        style = STYLE_NAMES[self.style].lower() if self.style else "both styles"
        return f"{MEANINGS[self.metric]}; {kind}, {style}."


def charts_of(frame: Frame, choice: Choice) -> dict[str, Chart]:
    """The charts by :data:`PARTS`; none without people or distributions."""
    if not frame.ready:
        return {}
    return {
        "guidance": _by_guidance(frame, choice),
        "size": _by_size(frame, choice),
        "category": _by_category(frame, choice),
    }


def _by_guidance(frame: Frame, choice: Choice) -> Chart:
    cells = [cell for cell in frame.cells.kept if choice.style in ("", cell.style)]
    sweep = guidance_sweep(
        cells, frame.weights, metrics=(choice.metric,), by=BY_KIND if choice.kind else ALL
    )
    assert sweep is not None  # nobody stops it
    shown = [line for line in sweep if line.group == (choice.kind or ALL) and _whole(sweep, line)]
    marks, rows, alone = [], [], []
    for line in shown:
        points = [(scale, number) for scale, number in line.points if number.value is not None]
        if len(points) == 1:
            alone.append(frame.names[line.run_id])
        for scale, number in points:
            marks.append(
                _mark(frame, line.run_id, scale, number, f"guidance {written_scale(scale)}")
            )
            rows.append(Row((frame.names[line.run_id], written_scale(scale), *_values(number))))
    stands = (
        "How closely each run's colors match people's as guidance changes. Each line covers "
        "the concepts that its run has at all of its scales; bars are 95% intervals over "
        "concepts."
    )
    if alone:
        stands += f" With only one scale: {', '.join(alone)}."
    return Chart(
        "guidance-guidance",
        "Agreement by guidance",
        choice.words,
        lines(marks, _names(frame), choice.unit) if marks else None,
        ("run", "guidance", *NUMBER_COLUMNS),
        tuple(rows),
        stands,
        "" if marks else _no_scale(frame),
        "As ColorConceptBench, Figure 5.",
    )


def _no_scale(frame: Frame) -> str:
    """Why there is no line."""
    if not frame.scales:
        return "No run records the guidance scale of its images."
    if not any(cell.guidance is not None for cell in frame.cells.kept):
        return "The colors at each guidance scale have not been measured yet: see above."
    return "No selected concept has a value at all scales of a run."


def _whole(sweep: tuple[GuidanceLine, ...], line: GuidanceLine) -> bool:
    """Whether a line is of all styles of its run that are meant: runs of one style have no line of
    all together."""
    return line.style == ALL or not any(
        other.style == ALL and other.run_id == line.run_id for other in sweep
    )


def _scores(frame: Frame, choice: Choice) -> list[Score]:
    """Of all scales together, of the kind and style that are meant."""
    cells = [
        cell
        for cell in frame.cells.kept
        if cell.guidance is None and choice.style in ("", cell.style)
    ]
    score_list = scores(cells, frame.weights)
    assert score_list is not None  # nobody stops it
    return [score for score in score_list if choice.kind in ("", score.concept.modifier_kind)]


def _numbers(score_list: Iterable[Score], metric: str) -> dict[str, Number]:
    """One number a run, over the concepts that all runs have."""
    rows: dict[str, list[Score]] = {}
    for score in score_list:
        rows.setdefault(score.run_id, []).append(score)
    return column_of(rows, metric, common=True)


def _by_size(frame: Frame, choice: Choice) -> Chart:
    numbers = _numbers(_scores(frame, choice), choice.metric)
    column = (ALL, ALL, choice.metric)
    table = Alignment(
        tuple(numbers),
        (ALL,),
        (ALL,),
        (choice.metric,),
        {(run, column): number for run, number in numbers.items()},
        common=True,
    )
    (line,) = size_sweep(table, parameters_of({run.run_id: run.model for run in frame.runs}))
    marks, rows = [], []
    for size, run, number in line.points:
        marks.append(_mark(frame, run, size, number, f"{size:g} billion parameters"))
        rows.append(Row((frame.names[run], size, *_values(number))))
    stands = (
        "How closely models of different sizes match people's colors. Concepts that all runs "
        "share, all scales pooled; bars are 95% intervals."
    )
    if line.spearman is None:
        stands += " There are too few models of known size for a correlation."
    else:
        stands += f" Spearman's rank correlation of size and number: {line.spearman:.2f}."
    if line.unsized:
        names = ", ".join(frame.names[run] for run in line.unsized)
        stands += f" Size unknown or not applicable: {names}."
    return Chart(
        "guidance-size",
        "Agreement by model size",
        choice.words,
        by_size(marks, _names(frame), choice.unit) if marks else None,
        ("run", "parameters in billions", *NUMBER_COLUMNS),
        tuple(rows),
        stands,
        "" if marks else "No run uses a model of known size. The renderer has none.",
        "As ColorConceptBench, section 5.2. Sizes are those of the denoiser, from the registry.",
    )


def _by_category(frame: Frame, choice: Choice) -> Chart:
    score_list = _scores(frame, choice)
    by_category: dict[str, list[Score]] = {}
    for score in score_list:
        by_category.setdefault(score.concept.category, []).append(score)
    names = groups_in_order(by_category, BY_CATEGORY)
    columns = {name: _numbers(by_category[name], choice.metric) for name in names}
    names = tuple(
        name for name in names if any(number.value is not None for number in columns[name].values())
    )
    values = [
        number.value
        for name in names
        for number in columns[name].values()
        if number.value is not None
    ]
    runs = [run for run in frame.runs if any(run.run_id in columns[name] for name in names)]
    tiles, rows = [], []
    for run in runs:
        numbers = {name: columns[name].get(run.run_id, Number(None, 0, {})) for name in names}
        tiles.append(
            [
                _tile(frame, run.run_id, name, number, values, choice.metric)
                for name, number in numbers.items()
            ]
        )
        rows += [
            Row((frame.names[run.run_id], name, *_values(number)))
            for name, number in numbers.items()
        ]
    return Chart(
        "guidance-category",
        "By category",
        choice.words + " Darker means farther from people.",
        heat(tiles, names, {run.run_id: frame.names[run.run_id] for run in runs})
        if values
        else None,
        ("run", "category", *NUMBER_COLUMNS),
        tuple(rows),
        "How closely each run matches people's colors, by category. Concepts that all runs "
        "share, all scales pooled.",
        "" if values else "No concept is in all of these runs and in these people's colors.",
        "Categories are ColorConceptBench's seven.",
    )


def _tile(
    frame: Frame, run_id: str, name: str, number: Number, values: Sequence[float], metric: str
) -> Tile:
    head = f"{label(frame.names[run_id], 60)}<br><b>{label(name, 60)}</b><br>"
    if number.value is None:
        return Tile(None, "", 0.0, head + "no concept")
    low, high = min(values), max(values)
    value = 0.5 if high == low else (number.value - low) / (high - low)
    better = value if METRICS[metric].better == "high" else 1.0 - value
    return Tile(number.value, _short(number.value, metric), better, head + _about(number))


def _mark(frame: Frame, run_id: str, x: float, number: Number, location: str) -> Mark:
    assert number.value is not None  # the callers look
    hover = f"<b>{label(frame.names[run_id], 60)}</b>, {location}<br>{_about(number)}"
    return Mark(run_id, x, number.value, number.low, number.high, hover)


def _about(number: Number) -> str:
    left = sum(number.left_out.values())
    between = None if number.low is None or number.high is None else (number.low, number.high)
    text = f"{number.value:.3f}" + (f" ({interval_text(between, 3)})" if between else "")
    return f"{text}<br>{count_noun(number.count, 'concept')}, {left:,} excluded"


def _values(number: Number) -> tuple[Any, ...]:
    return number.value, number.low, number.high, number.count, sum(number.left_out.values())


def _short(value: float, metric: str) -> str:
    decimals = 1 if METRICS[metric].unit in ("Lab", "degrees") else 2
    # No "-0.00", which rounding may leave.
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def _names(frame: Frame) -> dict[str, str]:
    return {run.run_id: frame.names[run.run_id] for run in frame.runs}
