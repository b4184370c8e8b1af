"""Of a run's report: accuracies corrected for the rule's errors, by people, and the run's rank."""

from __future__ import annotations

from collections.abc import Iterator

from truehue.core.analysis.audit import MIN_JUDGED
from truehue.core.analysis.judge_error import NAMES, Corrected, corrected_by_run
from truehue.core.analysis.leaderboard import AVERAGE, AVERAGED, TABLE_TASKS, leaderboard
from truehue.core.analysis.records import LEFT_OUT, RunRecord
from truehue.core.export.report import Block, Cell, Paragraph, Table
from truehue.core.verdict.rules import RULE_NAMES
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.sources.audits import accuracy_by_people, audit_answers, audit_studies
from truehue.tabs.sources.trust import (
    RANKS,
    Shared,
    calibration_for,
    correction_text,
    people_text,
    ranks_of,
    runs_with_bad_controls,
    shared_by,
)

_COLUMNS = (*TABLE_TASKS, AVERAGE)
NO_AUDIT = (
    "No people have judged a random sample of these images. The command truehue runs audit makes "
    "the study."
)


def trust_blocks(context: Context, record: RunRecord, actor: Actor) -> Iterator[Block]:
    """The blocks of the section; nothing on people for an ``actor`` who may not see studies."""
    rows: list[tuple[Cell, ...]] = []
    notes: dict[str, None] = {}
    bad_controls = bool(runs_with_bad_controls(context, [record]))
    explained: set[str] = set()
    for choice, where in NAMES.items():
        for rule_id, _ in record.rules:
            name = f"{RULE_NAMES.get(rule_id, rule_id)}, errors {where}"
            calibration, reason = calibration_for(choice, rule_id, record, bad_controls)
            tallies = context.storage.results.leaderboard(
                rule_id, (record.run_id,), unscored=LEFT_OUT
            )
            entries = leaderboard(tallies, AVERAGED)
            if calibration is None or record.run_id not in entries:
                notes[f"{name}: not corrected, because {reason or 'nothing is scored'}."] = None
                continue
            calibrations = {record.run_id: calibration}
            cells = corrected_by_run(tallies, entries, calibrations)[record.run_id]
            rows.append((Cell(name), *(_cell(cells.get(column)) for column in _COLUMNS)))
            borrowed = dict.fromkeys(part for cell in cells.values() for part in cell.borrowed)
            # The first rule's example stands for all; what is assumed is the same.
            if choice not in explained:
                explained.add(choice)
                text = correction_text(calibration, list(borrowed))
                notes |= dict.fromkeys([*text.lead, *text.more])
            reasons: dict[str, list[str]] = {}
            for column, cell in cells.items():
                if cell.reason and column != AVERAGE:
                    reasons.setdefault(cell.reason, []).append(column.upper())
            notes |= {
                f"{name} ({', '.join(columns)}): {why}.": None for why, columns in reasons.items()
            }
    head = ("Rule", *(column.upper() for column in TABLE_TASKS), "Average")
    title = "Accuracy corrected for the rule's errors; images without a score excluded"
    if rows:
        yield Table(title, head, tuple(rows), " ".join(notes), even=True)
    elif notes:
        yield Paragraph(" ".join(notes))
    if allowed(actor, "study"):
        yield from _people(context, record)
    yield from _ranks(context, record)


def _cell(cell: Corrected | None) -> Cell:
    if cell is None or cell.percent is None:
        return Cell("–", "not corrected" if cell else "")
    return Cell(f"{cell.percent:.1f}", f"{cell.low:.1f} to {cell.high:.1f}")


def _people(context: Context, record: RunRecord) -> Iterator[Block]:
    studies = audit_studies(context).get(record.run_id, [])
    audit = audit_answers(context, record.run_id, studies)
    if audit is None:
        yield Paragraph(NO_AUDIT, soft=True)
        return
    judged = False
    for rule_id, _ in record.rules:
        people = accuracy_by_people(context, record.run_id, rule_id, audit)
        if people is not None:
            judged = True
            yield Paragraph(f"{people_text(people, RULE_NAMES.get(rule_id, rule_id))}.")
    if not judged:
        total = count_noun(len(audit.sampled), "image")
        yield Paragraph(
            f"People have judged {len(audit.shares):,} of the {total} of an audit. An accuracy by "
            f"people takes {MIN_JUDGED}, and a sample of every task and color system.",
            soft=True,
        )


def _shared(run: RunRecord, rule_id: str) -> Shared | None:
    """None for a run whose plan is of a time when less was checked: it is compared with none."""
    try:
        return shared_by(run, rule_id) if rule_id in dict(run.rules) else None
    except (KeyError, TypeError, ValueError):
        return None


def _ranks(context: Context, record: RunRecord) -> Iterator[Block]:
    """The run among finished runs of the same prompts that are stored beside it and shown."""
    sentences = []
    for rule_id, _ in record.rules:
        shared = shared_by(record, rule_id)
        runs = [
            run.run_id
            for run in context.storage.runs.all()
            if run.items >= run.total and _shared(run, rule_id) == shared
        ]
        tallies = context.storage.results.leaderboard(rule_id, tuple(runs)) if runs else []
        entries = list(leaderboard(tallies, AVERAGED).values())
        ranks = ranks_of(context.storage.results, rule_id, entries, AVERAGED, "")
        own = {column: ranges.get(record.run_id) for column, ranges in ranks.items()}
        texts = [
            f"{column.upper() if column != AVERAGE else 'Average'} {ranked.text}"
            for column, ranked in own.items()
            if ranked
        ]
        if texts:
            name = RULE_NAMES.get(rule_id, rule_id)
            sentences.append(f"Rank by {name} among {len(entries)} runs: {', '.join(texts)}.")
    if sentences:
        yield Paragraph(
            " ".join([*sentences, f"Rank 1–3: {RANKS} Corrected numbers have no ranks."])
        )
