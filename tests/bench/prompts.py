"""``python -m tests.bench.prompts``: browsing 44,464 prompts, over DuckDB and a plain loop.

One question is a search with one page of 50 rows and the counts of all facets. DuckDB answers it
from a table in memory: the words by ILIKE on the folded text, then one GROUP BY a facet over the
rows that are left. The loop reads every prompt in Python. All three have to agree on total, rows
and every count, or the exit status is 1. Ours is also timed with its memory of past results, as
when a person turns pages. Times are of processors, of all cores.
"""

from __future__ import annotations

import platform
import sys
import time
from collections import Counter
from functools import partial
from itertools import cycle

import duckdb
import numpy as np

from tests.bench.__main__ import medians_ms
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.search import FACETS, Page, PromptIndex, Query
from truehue.core.prompts.search.query import fold_text
from truehue.core.prompts.sets import prompt_set

SEVERAL = {"objects": frozenset({"several objects"})}
QUESTIONS = {
    "empty, all facets": Query(),
    "vivid green": Query("vivid green"),
    "vivid green, several objects": Query("vivid green", SEVERAL),
    "one letter: g": Query("g"),
    "deep page, by text": Query(sort="text", offset=40_000),
}
Answer = tuple[int, list[int], dict[str, dict[str, int]]]


def values_of(prompt: Prompt, hue_of: dict[str, str]) -> dict[str, set[str]]:
    """All facet values of a prompt."""
    colors = {target.color.value for target in prompt.targets if target.color}
    counted = ("no object", "one object", "several objects")[min(len(prompt.targets), 2)]
    single = {
        "set": prompt.source,
        "task": prompt.task,
        "objects": counted,
        "system": prompt.system,
        "level": prompt.level,
        "notation": prompt.notation,
        "template": prompt.template,
        "concept": prompt.concept,
        "modifier_kind": prompt.modifier_kind,
        "modifier": prompt.modifier,
        "style": prompt.style,
        "drawn": "not drawn",
        "verdict": "no verdict",
    }
    return {name: {value} - {""} for name, value in single.items()} | {
        "color": colors,
        "hue": {hue_of[color] for color in colors},
        "category": {prompt.category, *(t.category for t in prompt.targets)} - {""},
        "object": {target.name for target in prompt.targets},
    }


def hues(index: PromptIndex) -> dict[str, str]:
    """The hue family of each color, as the index has it: the peers only count."""
    by_hue: dict[str, str] = {}
    families = next(facet for facet in index.search(Query()).facets if facet.name == "hue")
    for family in families.values:
        chosen = {"hue": frozenset({family.value})}
        for row in index.matching(Query(chosen=chosen, sort="set")).tolist():
            colors = {t.color.value for t in index.prompts[row].targets if t.color}
            if len(colors) == 1:
                by_hue[colors.pop()] = family.value
    return by_hue


class Loop:
    """The plain loop: words and values of each prompt are ready, the question is asked of each."""

    def __init__(self, lines: list[str], values: list[dict[str, set[str]]]) -> None:
        self.lines, self.values = lines, values

    def answer(self, query: Query) -> Answer:
        starts = [f" {word}" for word in fold_text(query.text).split()]
        counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
        rows = []
        for row, line in enumerate(self.lines):
            if not all(start in line for start in starts):
                continue
            own = self.values[row]
            missed = [name for name, chosen in query.chosen.items() if not own[name] & chosen]
            if len(missed) > 1:
                continue
            for name in missed or FACETS:
                counts[name].update(own[name])
            if not missed:
                rows.append(row)
        if query.sort == "text":
            rows.sort(key=lambda row: self.lines[row])
        page = rows[query.offset : query.offset + query.limit]
        return len(rows), page, {name: dict(count) for name, count in counts.items()}


class Duck:
    """DuckDB in memory: one row a prompt, and one table a facet that can have several values."""

    def __init__(self, lines: list[str], values: list[dict[str, set[str]]]) -> None:
        self.base = duckdb.connect(":memory:")
        self.counted = [name for name in FACETS if any(len(own[name]) != 1 for own in values)]
        self.one = [name for name in FACETS if name not in self.counted]
        frame: dict[str, np.ndarray] = {
            "row": np.arange(len(lines)),
            "line": np.array(lines, dtype=object),
        }
        for name in self.one:
            frame[f"v_{name}"] = np.array([min(own[name]) for own in values], dtype=object)
        self._table("prompts", frame)
        for name in self.counted:
            pairs = [(row, value) for row, own in enumerate(values) for value in own[name]]
            columns = list(zip(*pairs, strict=True)) or [(), ()]
            self._table(
                f"f_{name}",
                {
                    "row": np.array(columns[0], dtype=np.int64),
                    "value": np.array(columns[1], dtype=object),
                },
            )

    def _table(self, name: str, frame: dict[str, np.ndarray]) -> None:
        self.base.register("given", frame)
        self.base.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        self.base.unregister("given")

    def answer(self, query: Query) -> Answer:
        tokens = fold_text(query.text).split()
        text = " AND ".join(["line ILIKE ?"] * len(tokens)) or "true"
        likes = [f"% {word}%" for word in tokens]
        chosen = {name: sorted(values) for name, values in query.chosen.items()}
        columns = ", ".join(["row", "line", *(f"v_{name}" for name in self.one)])
        self.base.execute(
            f"CREATE OR REPLACE TEMP TABLE hits AS SELECT {columns} FROM prompts WHERE {text}",
            likes,
        )
        counts = {}
        for name in FACETS:
            location, values = self._where({k: v for k, v in chosen.items() if k != name})
            source = "hits" if name in self.one else f"hits JOIN f_{name} USING (row)"
            column = f"v_{name}" if name in self.one else "value"
            counts[name] = dict(
                self.base.execute(
                    f"SELECT {column}, count(*) FROM {source} WHERE {location} GROUP BY 1", values
                ).fetchall()
            )
        location, values = self._where(chosen)
        total = self.base.execute(f"SELECT count(*) FROM hits WHERE {location}", values).fetchall()
        order = "line, row" if query.sort == "text" else "row"
        rows = self.base.execute(
            f"SELECT row FROM hits WHERE {location} ORDER BY {order} LIMIT ? OFFSET ?",
            [*values, query.limit, query.offset],
        ).fetchall()
        return total[0][0], [row for (row,) in rows], counts

    def _where(self, chosen: dict[str, list[str]]) -> tuple[str, list[object]]:
        clauses, values = [], list[object]()
        for name, wanted in chosen.items():
            if name in self.one:
                clauses.append(f"list_contains(?, v_{name})")
            else:
                clauses.append(f"row IN (SELECT row FROM f_{name} WHERE list_contains(?, value))")
            values.append(wanted)
        return " AND ".join(clauses) or "true", values


def ours(page: Page) -> Answer:
    """An answer of the index in the form of the others."""
    counts = {
        facet.name: {value.value: value.count for value in facet.values if value.count}
        for facet in page.facets
    }
    return page.total, list(page.rows), counts


def main() -> int:
    prompts = prompt_set("gencolorbench").prompts()
    start = time.process_time()
    index = PromptIndex(prompts)
    built = time.process_time() - start
    hue_of = hues(index)
    lines = [f" {' '.join(fold_text(prompt.text).split())} " for prompt in prompts]
    values = [values_of(prompt, hue_of) for prompt in prompts]
    loop, duck = Loop(lines, values), Duck(lines, values)
    # Results are remembered for each marks: more of them than are kept, and nothing is.
    fresh = cycle([index.marks({}) for _ in range(200)])
    marks = index.marks({})
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, DuckDB {duckdb.__version__}"
    )
    print(f"{len(prompts):,} prompts, index built in {built:.2f} s. Medians in ms;")
    print("ratios are the time of the other / ours without its memory.")
    print(f"{'':30}{'ours':>8}{'again':>8}{'DuckDB':>9}{'ratio':>8}{'loop':>9}{'ratio':>8}")
    agreed = True
    for name, query in QUESTIONS.items():
        answers = [ours(index.search(query)), duck.answer(query), loop.answer(query)]
        if not answers[0] == answers[1] == answers[2]:
            print(f"The answers to {name!r} disagree.", file=sys.stderr)
            agreed = False
            continue
        new, again, ducks, loops = medians_ms(
            lambda: index.search(query, next(fresh)),  # noqa: B023  called before the next
            partial(index.search, query, marks),
            partial(duck.answer, query),
            partial(loop.answer, query),
        )
        print(
            f"{name:30}{new:8.2f}{again:8.3f}{ducks:9.1f}{ducks / new:8.1f}"
            f"{loops:9.1f}{loops / new:8.1f}"
        )
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
