"""The SQL of the leaderboard, of figures, of counts of failures and of rule disagreements.

:mod:`truehue.storage.results.pages` has the SQL of pages of failures, and
:mod:`truehue.storage.results.items` that of their rows.

Each query reads only the columns that it needs. Rows of ``run_verdicts`` are objects; exactly one
of an image and a rule leads: it decided, and its status is the image's. A query that speaks of no
object counts those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import duckdb

from truehue.core.analysis.ranks import PromptScores
from truehue.core.analysis.records import (
    LEFT_OUT,
    CauseCount,
    Count,
    Drift,
    FailureItem,
    ImageVerdict,
    PromptTally,
    RuleAgreement,
    Slice,
)
from truehue.core.cache import LruCache
from truehue.core.errors import BadInput, NotStored
from truehue.storage.database.connection import Database
from truehue.storage.results.dictionary import (
    COLUMNS,
    OBJECT_FIELDS,
    PICTURE,
    StringDictionary,
    condition,
    set_fields,
)
from truehue.storage.results.facets import Facets, facets, images_sql, keys_of, objects_sql
from truehue.storage.results.items import item_rows, items, snapshot, tallies_within, verdict_rows
from truehue.storage.results.pages import (
    MAX_ROWS,
    PageRows,
    image_verdicts,
    images_of_text,
    page,
    prompt_texts,
)
from truehue.storage.results.scored import ScoredImage, prompt_scores, scored_images
from truehue.storage.runs.dictionaries import FAILS, PASSES, UNSCORES
from truehue.storage.runs.runs import Runs

__all__ = ["CELLS", "GROUPS", "Results"]

GROUPS = tuple(COLUMNS)
"""The fields that :meth:`Results.groups` can count by."""

_KEPT = 128
_T = TypeVar("_T")
CELLS = ("both", "only_a", "only_b", "neither", "unscored")
"""Both pass; one alone does, the other fails; both fail; either has no score."""

_OF_CELL = {
    "": "true",
    "both": f"a = {PASSES} AND b = {PASSES}",
    "only_a": f"a = {PASSES} AND b = {FAILS}",
    "only_b": f"a = {FAILS} AND b = {PASSES}",
    "neither": f"a = {FAILS} AND b = {FAILS}",
    "unscored": f"a > {FAILS} OR b > {FAILS}",
}


@dataclass(frozen=True)
class RunPair:
    """Two runs by their ids, and what of them is looked at."""

    run_a: str
    run_b: str
    selection: Slice


def pairs(
    database: Database,
    dictionary: StringDictionary,
    runs: RunPair,
    cell: str,
    limit: int,
    after: str | None,
    start: int | None = None,
) -> list[tuple[FailureItem, FailureItem]]:
    """A page of pairs, in the order of the prompts; see
    :meth:`truehue.storage.results.queries.Results.pairs`."""
    if cell not in _OF_CELL:
        raise BadInput(f"There is no cell {cell[:40]!r}: give one of {', '.join(CELLS)}.")
    limit = max(1, min(int(limit), MAX_ROWS))
    begin = _parse(after) if after else (-1, -1)
    if start is not None and not after:
        begin = _before(database, dictionary.number("run", runs.run_a), start)
    with snapshot(database) as cursor:
        rows = cursor.execute(
            f"{_joined_sql(dictionary, runs)} SELECT prompt_no, image, a_place, "
            f"b_place FROM joined WHERE ({_OF_CELL[cell]}) AND (prompt_no, image) > (?, ?) "
            f"ORDER BY prompt_no, image LIMIT {limit}",
            list(begin),
        ).fetchall()
        first, second = (
            _items_to_show(cursor, dictionary, run, runs.selection, [row[index] for row in rows])
            for run, index in ((runs.run_a, 2), (runs.run_b, 3))
        )
    return [
        (replace(first[a], cursor=f"{prompt}.{image}"), second[b]) for prompt, image, a, b in rows
    ]


def pair_counts(database: Database, dictionary: StringDictionary, runs: RunPair) -> dict[str, int]:
    """How many pairs each cell has, ``all`` of them, and of how many ``prompts`` they are."""
    # count_if is NULL where there is no row.
    counts = ", ".join(f"count(*) FILTER ({_OF_CELL[cell]})" for cell in CELLS)
    row = database.rows(
        f"{_joined_sql(dictionary, runs)} "
        f"SELECT count(*), count(DISTINCT prompt_no), {counts} FROM joined"
    )[0]
    return dict(zip(("all", "prompts", *CELLS), row, strict=True))


def _joined_sql(dictionary: StringDictionary, runs: RunPair) -> str:
    """SQL for ``joined``: the pairs, with what the rule says of each."""
    selection, both = runs.selection, (runs.run_a, runs.run_b)
    rule = dictionary.rule(selection.rule)
    numbers = [dictionary.number("run", run) for run in both]
    status = f"((statuses >> {2 * rule}) & 3)" if rule >= 0 else "0"
    images = item_rows(dictionary, selection.unscored, selection.rule)
    sides = [
        f"{side} AS (SELECT prompt_no, image, position AS {side}_place, {status} AS {side} "
        f"FROM {images} WHERE run_no = {number} AND {status} > 0)"
        for side, number in zip("ab", numbers, strict=True)
    ]
    chosen = set_fields(selection)
    narrowed = ""
    if chosen:
        location = condition(dictionary, replace(selection, runs=both))
        narrowed = (
            f"SEMI JOIN (SELECT DISTINCT prompt_no, image FROM {verdict_rows(dictionary, selection)} "
            f"WHERE {location}) AS meant USING (prompt_no, image)"
        )
    return (
        f"WITH {', '.join(sides)}, "
        f"joined AS (SELECT * FROM a JOIN b USING (prompt_no, image) {narrowed})"
    )


def _items_to_show(
    cursor: duckdb.DuckDBPyConnection,
    dictionary: StringDictionary,
    run: str,
    selection: Slice,
    positions: list[int],
) -> dict[int, FailureItem]:
    """The row to show of each image: the first object that is asked for, else the one that
    leads."""
    object_slice = replace(selection, runs=(run,), status="", cause="", found_l2="")
    everything = Slice(rule=selection.rule, runs=(run,))
    table = verdict_rows(dictionary, selection)
    rows: dict[int, int] = {}
    for part in (
        (object_slice, everything) if set_fields(object_slice) & OBJECT_FIELDS else (everything,)
    ):
        page_rows = cursor.execute(
            "SELECT position, arg_min(v.rowid, target) "
            f"FROM (SELECT unnest(?::INTEGER[]) AS position) JOIN {table} AS v "
            f"USING (position) WHERE {condition(dictionary, part)} GROUP BY position",
            [positions],
        ).fetchall()
        for position, row in page_rows:
            rows.setdefault(position, row)
    return {
        item.position: item for item in items(cursor, dictionary, list(rows.values()), {}, table)
    }


def _before(database: Database, run_no: int, position: int) -> tuple[int, int]:
    """The position before that of an image; raises NotStored if there is no such image."""
    rows = database.rows(
        "SELECT prompt_no, image - 1 FROM run_items WHERE run_no = ? AND position = ?",
        [run_no, position],
    )
    if not rows:
        raise NotStored(f"The run has no image {position:,} yet. Begin at the first pair.")
    return rows[0][0], rows[0][1]


def _parse(text: str) -> tuple[int, int]:
    try:
        prompt, image = text.split(".")
        return int(prompt), int(image)
    except ValueError as error:
        raise BadInput(
            f"The page after {text[:60]!r} does not exist: begin at the first."
        ) from error


class Results:
    """The results of all visible runs. It never writes; any thread may call.

    Answers are cached until new results arrive, so that a repeated figure is fast.
    """

    def __init__(self, database: Database, runs: Runs) -> None:
        self._database = database
        self._runs = runs
        self._saved: LruCache[tuple[int, Any]] = LruCache(_KEPT)

    def leaderboard(
        self,
        rule: str,
        runs: Sequence[str] = (),
        limits: Mapping[str, float] | None = None,
        unscored: str = "",
        seeds: Sequence[int] = (),
        judged: bool = False,
    ) -> list[PromptTally]:
        """Counts of passes of the prompts of each run, task and system by a rule.

        Prompts with equal numbers of passes, scores and images share a row. With ``limits``
        they are counted by :func:`truehue.storage.results.items.tallies_within`. ``unscored`` as
        of a Slice. With ``seeds`` only their images count, by the rule's own limits alone; with
        ``judged`` the images that the rule judged are counted beside those that count.
        """
        if limits and (seeds or judged):
            raise BadInput("Other limits go neither with some of the seeds nor with judged images.")
        chosen = f"AND seed IN ({', '.join(str(int(seed)) for seed in seeds)})" if seeds else ""

        def ask(dictionary: StringDictionary) -> list[PromptTally]:
            number = dictionary.rule(rule)
            if number < 0:
                return []
            if limits:
                in_runs = _in_runs(dictionary, runs)
                selection = Slice(rule, unscored=unscored)
                with self._database.snapshot():
                    moved = tallies_within(
                        self._database, dictionary, number, limits, in_runs, selection
                    )
                return _tallies(dictionary, moved)
            status = f"((statuses >> {2 * number}) & 3)"
            own = joined = ""
            if judged:
                own = f", count_if(((own >> {2 * number}) & 3) IN ({PASSES}, {FAILS})) AS judged"
                joined = f"""JOIN (
                    SELECT run_no, position, statuses AS own
                    FROM {item_rows(dictionary, LEFT_OUT, rule)}
                ) USING (run_no, position)"""
            rows = self._database.rows(f"""
                SELECT run_no, task_no, system_no, passes, scored, images, count(*)
                    {", judged" if judged else ""}
                FROM (
                    SELECT run_no, task_no, system_no, prompt_no,
                        count_if({status} = {PASSES}) AS passes,
                        count_if({status} IN ({PASSES}, {FAILS})) AS scored,
                        count(*) AS images {own}
                    FROM {item_rows(dictionary, unscored, rule)} {joined}
                    WHERE {status} > 0 {chosen} {_in_runs(dictionary, runs)}
                    GROUP BY ALL
                )
                GROUP BY ALL ORDER BY ALL
            """)
            return _tallies(dictionary, rows)

        key = ("board", rule, tuple(runs), tuple((limits or {}).items()), unscored, chosen, judged)
        return list(self._once(key, ask))

    def prompt_scores(
        self, rule: str, runs: Sequence[str], unscored: str = "", every: bool = False
    ) -> list[PromptScores]:
        """The share of passes of every prompt and run (:mod:`truehue.storage.results.scored`)."""

        def ask(dictionary: StringDictionary) -> list[PromptScores]:
            return prompt_scores(self._database, dictionary, rule, runs, unscored, every)

        return list(self._once(("scores", rule, tuple(runs), unscored, every), ask))

    def scored_images(self, rule: str, run: str) -> list[ScoredImage]:
        """The images of a run that a rule passes or fails. Raises :class:`NotStored`."""
        return list(
            self._once(
                ("scored", rule, run),
                lambda dictionary: scored_images(self._database, dictionary, rule, run),
            )
        )

    def same_images(self, run_a: str, run_b: str) -> bool:
        """Whether two runs have the same images of the same prompts, pixel by pixel."""

        def ask(dictionary: StringDictionary) -> bool:
            numbers = [dictionary.number("run", run) for run in (run_a, run_b)]
            images, others, shared = self._database.rows(
                "SELECT (SELECT count(*) FROM run_items WHERE run_no = ? AND drawn), "
                "(SELECT count(*) FROM run_items WHERE run_no = ? AND drawn), "
                "(SELECT count(*) FROM run_items AS a JOIN run_items AS b "
                "USING (prompt_no, image, image_id) "
                "WHERE a.run_no = ? AND b.run_no = ? AND a.drawn AND b.drawn)",
                [*numbers, *numbers],
            )[0]
            return bool(images) and images == others == shared

        return self._once(("same", run_a, run_b), ask)

    def unscored(self, selection: Slice) -> list[CauseCount]:
        """Why images have no score, by run and task, the most first."""

        def ask(dictionary: StringDictionary) -> list[CauseCount]:
            rows = self._database.rows(f"""
                SELECT run_no, task_no, cause_no, count(*) AS n
                FROM {verdict_rows(dictionary, selection)}
                WHERE {condition(dictionary, selection)} AND leads AND picture_status = {UNSCORES}
                GROUP BY ALL ORDER BY run_no, task_no, n DESC, cause_no
            """)
            tasks, causes = dictionary.names["task"], dictionary.names["cause"]
            return [
                CauseCount(dictionary.run_ids[run], tasks[task], causes[cause], count)
                for run, task, cause, count in rows
            ]

        return list(self._once(("unscored", selection), ask))

    def groups(self, selection: Slice, by: Sequence[str], images: bool = False) -> list[Count]:
        """Passes, fails and unscored by one or more fields of :data:`GROUPS`.

        Objects are counted where ``by`` or the slice speaks of an object or a color, else images.
        With ``images`` every count is of images, by the image's own status: an image counts once in
        each group that one of its objects belongs to. Fields of the color leave out objects that
        must not have it. The field ``found_l2`` counts what was measured, ``modifier`` names of
        level 3 (one that is in two groups in both), ``basic`` names of level 2, and ``category``
        objects that have one. Raises :class:`BadInput` for another field.
        """
        by = tuple(by)
        wrong = [name for name in by if name not in GROUPS]
        if wrong or not by or len(set(by)) < len(by):
            raise BadInput(f"Count by one or more of {', '.join(GROUPS)}, each once.")

        def ask(dictionary: StringDictionary) -> list[Count]:
            location = condition(dictionary, selection, by)
            table = verdict_rows(dictionary, selection)
            source = (images_sql if images else objects_sql)(by, table, location)
            columns = ", ".join(f"by{position}" for position, _ in enumerate(by))
            rows = self._database.rows(f"""
                SELECT {columns}, count_if(status = {PASSES}), count_if(status = {FAILS}),
                    count_if(status = {UNSCORES})
                FROM ({source}) GROUP BY ALL ORDER BY ALL
            """)
            total: dict[tuple[str, ...], Counter[int]] = {}
            for row in rows:
                for key in keys_of(dictionary, by, row[: len(by)]):
                    counts = total.setdefault(key, Counter())
                    for index, count in enumerate(row[len(by) :]):
                        counts[index] += count
            return [
                Count(key, numbers[0], numbers[1], numbers[2]) for key, numbers in total.items()
            ]

        return list(self._once(("groups", selection, by, images), ask))

    def drift(self, selection: Slice) -> list[Drift]:
        """Where each target color went, over the objects that were measured."""

        def ask(dictionary: StringDictionary) -> list[Drift]:
            rows = self._database.rows(f"""
                SELECT color_no, avg(l), avg(a), avg(b), count(*), count_if(status = {PASSES})
                FROM {verdict_rows(dictionary, selection)}
                WHERE {condition(dictionary, selection, ("color",))} AND l IS NOT NULL
                GROUP BY color_no ORDER BY color_no
            """)
            return [
                Drift(
                    dictionary.colors[color].value,
                    dictionary.colors[color].label,
                    dictionary.colors[color].hex,
                    dictionary.colors[color].lab,
                    (lab[0], lab[1], lab[2]),
                    count,
                    passes,
                )
                for color, *lab, count, passes in rows
            ]

        return list(self._once(("drift", selection), ask))

    def agreement(self, runs: Sequence[str] = (), unscored: str = "") -> list[RuleAgreement]:
        """What each two rules say of the same images; ``unscored`` as of a Slice."""

        def ask(dictionary: StringDictionary) -> list[RuleAgreement]:
            rows = self._database.rows(
                f"SELECT statuses, count(*) FROM {item_rows(dictionary, unscored)} WHERE statuses > 0 "
                f"{_in_runs(dictionary, runs)} GROUP BY statuses"
            )
            rules = dictionary.names["rule"]
            agreements = []
            for first in range(len(rules)):
                for second in range(first + 1, len(rules)):
                    cells: Counter[tuple[int, int]] = Counter()
                    for statuses, count in rows:
                        a, b = statuses >> 2 * first & 3, statuses >> 2 * second & 3
                        if a and b:
                            cells[a, b] += count
                    both = cells[PASSES, PASSES]
                    only_a, only_b = cells[PASSES, FAILS], cells[FAILS, PASSES]
                    neither = cells[FAILS, FAILS]
                    rest = cells.total() - both - only_a - only_b - neither
                    if cells:
                        agreements.append(
                            RuleAgreement(
                                rules[first], rules[second], both, only_a, only_b, neither, rest
                            )
                        )
            return agreements

        return list(self._once(("agreement", tuple(runs), unscored), ask))

    def page(
        self,
        selection: Slice,
        sort: str = "delta_e00",
        descending: bool = True,
        limit: int = 60,
        after: str | None = None,
    ) -> list[FailureItem]:
        """A page of images, at most 500; ``after`` is the ``cursor`` of the last one before.

        ``sort`` is ``delta_e00``, ``misfit``, ``recent`` (when it came in), ``prompt``, or
        ``score:`` and the id of a measure (:mod:`truehue.core.scores.measures`). An image
        with several objects that fit stands once, with the first of them in that order. Raises
        :class:`BadInput` for an order or a cursor that is none.
        """
        one_a_picture = bool(set_fields(selection) & OBJECT_FIELDS)
        return self._with_dictionary(
            lambda dictionary: page(
                self._database,
                dictionary,
                PageRows(
                    condition(dictionary, selection),
                    one_a_picture,
                    verdict_rows(dictionary, selection),
                ),
                sort,
                descending,
                limit,
                after,
            )
        )

    def count(self, selection: Slice) -> int:
        """How many images there are."""

        def ask(dictionary: StringDictionary) -> int:
            number = "count(*)"
            if set_fields(selection) & OBJECT_FIELDS:
                number = f"count(*) FILTER (single) + count(DISTINCT {PICTURE}) FILTER (NOT single)"
            location = condition(dictionary, selection)
            table = verdict_rows(dictionary, selection)
            return int(self._database.rows(f"SELECT {number} FROM {table} WHERE {location}")[0][0])

        return int(self._once(("count", selection), ask))

    def facets(self, selection: Slice) -> Facets:
        """The values of each filter: value, label and number of matching images.

        Each is counted with all other filters on.
        """
        values_by_facet: Facets = self._once(
            ("facets", selection), lambda dictionary: facets(self._database, dictionary, selection)
        )
        return {name: list(values) for name, values in values_by_facet.items()}

    def verdicts_of_image(
        self, run_id: str, position: int, unscored: str = LEFT_OUT
    ) -> list[FailureItem]:
        """Every rule's say on every object of one image; empty where it did not come in yet.

        As it is stored, or as it counts by ``unscored`` of a Slice. Raises :class:`NotStored` for a
        run that is not here.
        """

        def ask(dictionary: StringDictionary) -> list[FailureItem]:
            run_no = dictionary.number("run", run_id)
            table = verdict_rows(dictionary, Slice(unscored=unscored), every_rule=True)
            with snapshot(self._database) as cursor:
                rows = cursor.execute(
                    "SELECT rowid FROM run_verdicts WHERE run_no = ? AND position = ? "
                    "ORDER BY rule_no, target",
                    [run_no, int(position)],
                ).fetchall()
                return items(cursor, dictionary, [row for (row,) in rows], {}, table)

        return self._with_dictionary(ask)

    def of_images(self, image_ids: Collection[str]) -> list[ImageVerdict]:
        """Every rule's say on every object of some images, by image (whole ids)."""
        return self._with_dictionary(
            lambda dictionary: image_verdicts(self._database, dictionary, image_ids)
        )

    def prompt_texts(self, image_ids: Collection[str]) -> dict[str, str]:
        """The prompt of each of some images (whole ids) that was drawn of one."""
        return prompt_texts(self._database, image_ids)

    def images_of_text(self, text: str, limit: int = 200) -> list[str]:
        """The images that were generated from a prompt's text, by a user or by a run."""
        return images_of_text(self._database, text, limit)

    def pairs(
        self,
        run_a: str,
        run_b: str,
        selection: Slice,
        cell: str = "",
        limit: int = 60,
        after: str | None = None,
        start: int | None = None,
    ) -> list[tuple[FailureItem, FailureItem]]:
        """Images of two runs with the same prompt and number, in the order of the prompts.

        ``cell`` is one of :data:`CELLS`, or empty for all. ``start`` is the position in the first
        run of the image to begin with. Filters on what came out (status, cause, found color)
        have to fit one of the two. Raises :class:`BadInput` for another cell or a cursor that is
        none, :class:`NotStored` for a run or image.
        """
        runs = RunPair(run_a, run_b, selection)
        return self._with_dictionary(
            lambda dictionary: pairs(self._database, dictionary, runs, cell, limit, after, start)
        )

    def pair_counts(self, run_a: str, run_b: str, selection: Slice) -> dict[str, int]:
        """How many pairs each of :data:`CELLS` has, ``all`` of them, and their ``prompts``."""
        counts: dict[str, int] = self._once(
            ("pairs", run_a, run_b, selection),
            lambda dictionary: pair_counts(
                self._database, dictionary, RunPair(run_a, run_b, selection)
            ),
        )
        return dict(counts)

    def _text(self) -> StringDictionary:
        return self._keep("words", lambda: StringDictionary.read(self._database))

    def _once(self, key: object, ask: Callable[[StringDictionary], _T]) -> _T:
        """The kept answer; the answer of ``ask`` where nothing is kept or something came in."""
        return self._keep(key, lambda: self._with_dictionary(ask))

    def _with_dictionary(self, ask: Callable[[StringDictionary], _T]) -> _T:
        """The answer to a question that is put with all words at hand."""
        try:
            return ask(self._text())
        except IndexError:
            # A row that came in after the words were read has a number that is none of theirs.
            return ask(StringDictionary.read(self._database))

    def _keep(self, key: object, make: Callable[[], _T]) -> _T:
        # What comes in meanwhile may or may not be in an answer: then it is made again.
        changes = self._runs.changes
        answer: _T = self._saved.get(
            key, lambda: (changes, make()), lambda saved: saved[0] == changes
        )[1]
        return answer


def _tallies(dictionary: StringDictionary, rows: Sequence[tuple[Any, ...]]) -> list[PromptTally]:
    tasks, systems = dictionary.names["task"], dictionary.names["system"]
    return [
        PromptTally(dictionary.run_ids[run], tasks[task], systems[system], *rest)
        for run, task, system, *rest in rows
    ]


def _in_runs(dictionary: StringDictionary, runs: Sequence[str]) -> str:
    numbers = dictionary.runs(runs)
    return "" if numbers is None else f"AND run_no IN ({', '.join(map(str, numbers)) or 'NULL'})"
