"""Why a run's numbers are not the printed ones: the share of each difference, for the page."""

from __future__ import annotations

from collections.abc import Mapping

from truehue.core.analysis.leaderboard import AVERAGE, AVERAGED, TABLE_TASKS
from truehue.core.analysis.records import choice_for
from truehue.core.published import LEADERBOARD, counterpart, table
from truehue.core.reproduce.leaderboard_gap import Counting, run_gaps
from truehue.core.verdict.rules import DEFAULT_RULE, rule
from truehue.tabs.charts.gap import GapView, gap_json, without_gap
from truehue.tabs.explore.leaderboard_rows import EACH
from truehue.tabs.explore.limits import limits_of
from truehue.tabs.page.context import Context

NO_RUN = "There is no run of this model here. This command says what it needs, and starts it:"


def gap_view(context: Context, params: Mapping[str, str]) -> GapView:
    """The gap of the run ``run`` to the printed row of ``model``, counted by ``rule``, ``systems``,
    ``unscored`` and limits as the leaderboard is. Raises BadInput for what is unknown, NotStored for
    the run."""
    published = table(LEADERBOARD)
    printed = published.row(model=params.get("model", ""))
    rule_id = rule(params.get("rule") or DEFAULT_RULE).id
    ids = counterpart(published.paper.id, printed.keys["model"]).ids
    command = f"truehue reproduce gencolorbench --table 4 --models {ids[0]}" if ids else ""
    if not params.get("run"):
        return without_gap("", NO_RUN, command)
    run = context.storage.runs.get(params["run"])
    others = [other for other in context.storage.runs.all() if other.items and not other.hidden]
    systems = params.get("systems") or AVERAGED
    counting = Counting(
        rule_id,
        AVERAGED if systems == EACH else systems,
        choice_for(rule_id, params.get("unscored") or ""),
        limits_of(params, rule_id),
    )
    results = context.storage.results
    gaps = {
        published.column(gap.column).ours: gap
        for gap in run_gaps(results, run, others, counting, printed, published.columns)
    }
    if not gaps:
        return without_gap(run.name, "This run has no number in a column of the table.")
    titles = {column: column.upper() for column in TABLE_TASKS} | {AVERAGE: "Average"}
    return gap_json(run.name, gaps, titles)
