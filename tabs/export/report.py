"""A run put together as a report: what was run, the numbers with their intervals, the figures, the
failures, the references."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from truehue.core.analysis.board import (
    AVERAGE,
    AVERAGED,
    TABLE_TASKS,
    BoardRow,
    Rate,
    board,
)
from truehue.core.analysis.intervals import SENTENCE
from truehue.core.analysis.records import RunRecord, Slice, WallItem
from truehue.core.analysis.unscored import LEFT_OUT, NOT_FOUND, default_for, note_for
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.export.bibliography import references
from truehue.core.export.report_parts import (
    Block,
    Cell,
    Chart,
    Code,
    Facts,
    Report,
    Section,
    Shot,
    Shots,
    Table,
    Words,
)
from truehue.core.export.source import ExportRun, imported_words
from truehue.core.export.summary import look
from truehue.core.generation.registry import name_of
from truehue.core.prompts.prompt import TASKS
from truehue.core.published import table as published_table
from truehue.core.runs.records import STORED
from truehue.core.runs.score import CAUSES
from truehue.core.verdict.rules import DIFFERS, RULES
from truehue.core.version import VERSION
from truehue.tabs.explore.analyses import KINDS, figure_view
from truehue.tabs.explore.board_csv import PUBLISHED
from truehue.tabs.explore.board_rows import apart_words, interval_text, part_note
from truehue.tabs.explore.images import GONE, NOT_EXPORTED
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import many
from truehue.tabs.runs.words import guidance_words, masker_words, set_title

MOST_SHOTS, MOST_A_TASK = 60, 10
MOST_REASONS = 20
THUMB_PX = 192
Step = Callable[[str], None]
"""Told what is being done; raises to end the work."""


def report_of(context: Context, run: ExportRun, rule_id: str = "", step: Step = print) -> Report:
    """The report of one run, by ``rule_id`` where one rule is looked at: the run's first if empty.

    The run's results must have come in. Raises BadInput for a rule that the run was not judged by,
    NotStored for a run that is not here.
    """
    record = context.storage.runs.get(run.run_id)
    judged = dict(record.rules)
    if not judged:
        return _of_concepts(run, record)
    rule_id = rule_id or next(iter(judged))
    if rule_id not in judged:
        raise BadInput(f"The run was not judged by {rule_id[:40]!r}: {', '.join(judged)}.")
    created_at = datetime.now(UTC)
    kind = "pictures of" if run.plan.kind == STORED else "drawn by"
    below = (
        f"{many(record.items, 'picture')} {kind} {name_of(record.model)}, judged by "
        f"{'; '.join(rule_name(rule_id) for rule_id in judged)} · report of {created_at:%d %b %Y}"
    )
    step("Counting")
    sections = [
        Section("What was run", _what(run, record)),
        Section("Accuracy by task", _board(context, record)),
        Section("Without a score", _unscored(context, run, record)),
    ]
    step("Drawing figures")
    sections.append(
        Section(
            f"Figures, by the rule {rule_name(rule_id)}",
            tuple(_charts(context, run.run_id, rule_id)),
        )
    )
    step("Gathering failures")
    sections.append(
        Section(
            f"Failures, by the rule {rule_name(rule_id)}",
            tuple(_failures(context, run.run_id, rule_id)),
        )
    )
    sections.append(Section("References", (Code(references([run])),)))
    return Report(record.name, below, tuple(sections))


def _of_concepts(run: ExportRun, record: RunRecord) -> Report:
    """The report of a run that asks no color: what was run, and what could not be measured."""
    kind = "pictures of" if run.plan.kind == STORED else "drawn by"
    below = (
        f"{many(record.items, 'picture')} {kind} {name_of(record.model)} · report of "
        f"{datetime.now(UTC):%d %b %Y}"
    )
    seen = look(run.folder)
    words = (
        f"The run asks for no color, so no rule judges it. The colors of "
        f"{many(seen.concepts - seen.unmeasured.total(), 'picture')} were measured: the tab "
        "Compare sets them beside people's."
    )
    lost: list[Block] = []
    for title, head, reasons in (
        ("Pictures whose colors could not be measured", "Why", seen.unmeasured),
        ("Pictures that could not be drawn", "Reason", run.reasons),
    ):
        if reasons:
            rows = tuple(
                (Cell(reason, words=True), Cell(f"{count:,}"))
                for reason, count in reasons.most_common(MOST_REASONS)
            )
            lost.append(Table(title, (head, "Pictures"), rows))
    return Report(
        record.name,
        below,
        (
            Section("What was run", _what(run, record)),
            Section("Colors of concepts", (Words(words), *lost)),
            Section("References", (Code(references([run])),)),
        ),
    )


def rule_name(rule_id: str) -> str:
    """What people call a rule; its id where it is not here."""
    return next((rule.name for rule in RULES if rule.id == rule_id), rule_id)


def _what(run: ExportRun, record: RunRecord) -> tuple[Block, ...]:
    plan, about = run.plan, run.folder.summary()
    seeds = f"{plan.seed} to {plan.seed + plan.seeds - 1}" if plan.seeds > 1 else f"{plan.seed}"
    drawn = plan.kind != STORED
    pairs = [
        ("Run", f"{run.run_id}, begun {str(about.get('created_at', ''))[:16].replace('T', ' ')}"),
        ("Model", f"{name_of(plan.model)} ({plan.model})" if drawn else plan.model),
        ("Prompts", f"{many(len(plan.prompts), 'prompt')} of {set_title(plan.set_name)}"),
        ("Pictures", f"{record.items:,} of {record.total:,}, {record.failed:,} could not be drawn"),
        ("Images a prompt", f"{plan.images}, seeds {seeds}" if drawn else "as they were"),
        ("Settings", _settings(plan) if drawn else ""),
        ("Masks", masker_words(about["masker"])),
        ("Rules", "; ".join(f"{rule_name(rule_id)} {version}" for rule_id, version in plan.rules)),
        (
            "Neighbors",
            ""
            if not plan.rules
            else f"k = {plan.k}: that many names beside the asked one are accepted too"
            if plan.k
            else "k = 0: only the asked color is accepted",
        ),
        ("Drawn with", "; ".join(_way(way) for way in run.made_by)),
        ("Came from", imported_words(run.imported)),
        ("Report by", f"TrueHue {VERSION}"),
    ]
    return (Facts(tuple((name, value) for name, value in pairs if value)),)


def _settings(plan: Any) -> str:
    words = [
        f"{plan.size_px} × {plan.size_px} pixels" if plan.size_px else "the model's own size",
        guidance_words({"guidance": plan.guidance, "guidances": plan.guidances}),
        f"{plan.steps} steps" if plan.steps else "",
        f"without: {plan.negative_text}" if plan.negative_text else "",
        *(f"{name}: {value}" for name, value in plan.options.items()),
    ]
    return " · ".join(word for word in words if word)


def _way(way: dict[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value}" for name, value in way.items() if name not in ("model",)
    )


def _board(context: Context, record: RunRecord) -> tuple[Block, ...]:
    tasks = [(task, task.upper()) for task in TABLE_TASKS]
    rows, unscored = [], []
    notes: dict[str, None] = {}
    remarks: list[str] = []
    for rule_id, version in record.rules:
        tallies = context.storage.results.board(rule_id, (record.run_id,))
        row = board(tallies, AVERAGED).get(record.run_id)
        name = f"{rule_name(rule_id)} {version}"
        rows.append(_row(name, row, [task for task, _ in tasks]))
        if default_for(rule_id) == NOT_FOUND:
            # The other way, and how many images make the difference.
            tallies = context.storage.results.board(rule_id, (record.run_id,), unscored=LEFT_OUT)
            other = board(tallies, AVERAGED).get(record.run_id)
            if row and other and row.scored > other.scored:
                rows.append(_row(f"{name}, not found left out", other, [task for task, _ in tasks]))
                notes[note_for(rule_id)] = None
        sentences = _remarks(row) if row else []
        remarks += [f"{rule_name(rule_id)}, {sentence}" for sentence in sentences]
        if row and row.others:
            unscored += [
                f"{rule_name(rule_id)}: {TASKS.get(task, task)} {_percent(rate)}"
                for task, rate in row.others.items()
            ]
    head = ("Rule", *(name for _, name in tasks), "Average", "Unscored")
    means = "a task is the mean of L2, L3 and CSS, Average that of the five tasks."
    note = " ".join((f"Percent of scored images that pass; {means}", SENTENCE, *notes, *remarks))
    own_table = Table("This run", head, tuple(rows), note, even=True)
    others = (Words("Other tasks: " + "; ".join(unscored) + "."),) if unscored else ()
    meanings = Facts(tuple((name, TASKS[task]) for task, name in tasks))
    return (own_table, meanings, *others, _published())


def _row(name: str, row: BoardRow | None, tasks: Sequence[str]) -> tuple[Cell, ...]:
    if row is None:
        return (Cell(name), *[Cell("–")] * (len(tasks) + 2))
    cells = []
    for task in tasks:
        cell = row.cells.get(task)
        cells.append(_rate(cell.rate, cell.few, part_note(cell)) if cell else Cell("–"))
    share = 100.0 * (row.images - row.scored) / row.images if row.images else 0.0
    unscored = Cell(f"{row.images - row.scored:,}", f"{share:.1f}% of {row.images:,}")
    few = any(cell.few for cell in row.cells.values())
    return (Cell(name), *cells, _rate(row.average, few, ""), unscored)


def _rate(rate: Rate, few: bool, note: str) -> Cell:
    if rate.percent is None:
        return Cell("–", note or ("not whole" if rate.scored else ""))
    bounds = f"{interval_text(rate, few).replace('–', ' to ')}, n {rate.scored:,}"
    return Cell(f"{rate.percent:.1f}", "; ".join(word for word in (bounds, note) if word))


def _remarks(row: BoardRow) -> list[str]:
    """What a number alone does not say: paper has nothing to hover over."""
    sentences = []
    for task, cell in row.cells.items():
        if cell.apart:
            sentences.append(f"{task.upper()}: {apart_words(cell)}.")
    return sentences


def _percent(rate: Rate) -> str:
    if rate.percent is None:
        return "–"
    return f"{rate.percent:.1f}% ({interval_text(rate, rate.few)}, n {rate.scored:,})"


def _published() -> Table:
    table = published_table(PUBLISHED)
    columns = {column.ours: column.name for column in table.columns}
    shown = [columns[task] for task in (*TABLE_TASKS, AVERAGE)]
    # An empty last column keeps the tasks below those of the run.
    head = ("Model", *(task.upper() for task in TABLE_TASKS), "Average", "")
    rows = tuple(
        (
            Cell(row.keys["model"]),
            *(
                Cell((row.printed[name] or "–") + ("?" if table.doubt(row, name) else ""))
                for name in shown
            ),
            Cell(""),
        )
        for row in table.rows
    )
    doubts = [
        f" ? {row.keys['model']}, {head_name}, {row.printed[name]}: {table.doubt(row, name)}"
        for row in table.rows
        for name, head_name in zip(shown, head[1:], strict=False)
        if table.doubt(row, name)
    ]
    note = (
        f"{table.source}. {table.how} The authors' own pictures, prompts and protocol: beside "
        f"yours for comparison, never ranked with them.{''.join(doubts)}"
    )
    tag = "published under paper"
    return Table(f"{table.number}: {table.title}", head, rows, note, tag, even=True)


def _unscored(context: Context, run: ExportRun, record: RunRecord) -> tuple[Block, ...]:
    causes: dict[str, Counter[str]] = {}
    for rule_id, _ in record.rules:
        for row in context.storage.results.unscored(Slice(rule_id, (record.run_id,))):
            causes.setdefault(row.cause, Counter())[rule_id] += row.count
    blocks: list[Block] = []
    if causes:
        rules = [rule_id for rule_id, _ in record.rules]
        rows = tuple(
            (
                Cell(CAUSES.get(cause, cause), words=True),
                *(Cell(f"{counts[rule_id]:,}") for rule_id in rules),
            )
            for cause, counts in sorted(causes.items(), key=lambda entry: -entry[1].total())
        )
        blocks.append(Table("Pictures without a score", ("Why", *map(rule_name, rules)), rows))
    else:
        blocks.append(Words("Every picture has a pass or a fail by every rule."))
    reasons = run.reasons
    if reasons:
        shown = reasons.most_common(MOST_REASONS)
        rows = tuple((Cell(reason, words=True), Cell(f"{count:,}")) for reason, count in shown)
        more = len(reasons) - len(shown)
        note = f"and {more:,} more reasons; the table of results has all." if more else ""
        blocks.append(Table("Pictures that could not be drawn", ("Reason", "Pictures"), rows, note))
    return tuple(blocks)


def _charts(context: Context, run_id: str, rule_id: str) -> Iterable[Block]:
    for name in KINDS:
        view = figure_view(context, name, {"rule": rule_id, "runs": run_id})
        figure = view["figure"]
        empty = view["empty"] or "There is too little to draw."
        yield Chart(
            view["title"],
            without_clicks(view["words"]),
            figure,
            "" if figure else empty,
            view["stands"] if figure else "",
        )


def without_clicks(words: str) -> str:
    """What is said of a figure, without what it does on the page: paper has no clicks."""
    parts = [part for part in re.split(r"(?<=[.;])\s+", words) if " click" not in part]
    return re.sub(r";$", ".", " ".join(parts))


def _failures(context: Context, run_id: str, rule_id: str) -> Iterable[Block]:
    results = context.storage.results
    gone = NOT_EXPORTED if context.storage.runs.get(run_id).summary.get("imported") else GONE
    selection = Slice(rule_id, (run_id,), status="fail")
    total = results.count(selection)
    if not total:
        yield Words("No picture fails by this rule.")
        return
    items = list(results.wall(selection, limit=MOST_SHOTS))
    for task in sorted(group.key[0] for group in results.groups(selection, ("task",))):
        items += results.wall(
            Slice(rule_id, (run_id,), task=task, status="fail"), limit=MOST_A_TASK
        )
    unique = {item.position: item for item in items}
    yield Words(
        f"{many(len(unique), 'picture')} of {total:,} that fail: the {MOST_SHOTS} with the largest "
        f"ΔE00, and up to {MOST_A_TASK} of each task. Left half: asked color; right half: found "
        "color.",
        soft=True,
    )
    for task, name in TASKS.items():
        own = sorted(
            (item for item in unique.values() if item.task == task),
            key=lambda item: -(item.delta_e00 or 0.0),
        )
        if own:
            shots = tuple(_shot(context, item, gone) for item in own)
            yield Shots(f"{name} ({task.upper()}), {len(own):,}", shots)


def _shot(context: Context, item: WallItem, gone: str) -> Shot:
    picture, missing = b"", "no picture"
    if item.image_id:
        try:
            picture = thumbnail(context, item.image_id)
        except TrueHueError:
            missing = gone
    number = "" if item.delta_e00 is None else f"{item.delta_e00:.1f} ΔE00"
    target = f"not {item.color_name}" if item.relation == DIFFERS else item.color_name
    return Shot(
        picture,
        missing,
        item.text,
        item.object_name or "no object",
        target,
        item.asked_hex,
        item.found_hex,
        number,
        item.told,
    )


def thumbnail(context: Context, image_id: str) -> bytes:
    """A PNG of a stored picture, at most THUMB_PX wide and high. Raises StorageError where its
    file is not here."""
    from PIL import Image

    picture = Image.fromarray(context.storage.images.srgb8(image_id))
    picture.thumbnail((THUMB_PX, THUMB_PX), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
