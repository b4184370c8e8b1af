"""The rows of results as they count: some unscored images are incorrect by some rules.

What is stored stays as it is. :mod:`truehue.core.analysis.records` decides which images these are;
here it becomes SQL that stands in the place of the tables ``run_verdicts`` and ``run_items``.
"""

from __future__ import annotations

from truehue.core.analysis.records import NO_MASK, NOT_FOUND, NOT_FOUND_CAUSES, Slice, choice_for
from truehue.storage.results.dictionary import StringDictionary
from truehue.storage.runs.dictionaries import FAILS, STATUS_BITS, UNSCORES

VERDICTS, ITEMS = "run_verdicts", "run_items"


def verdict_rows(dictionary: StringDictionary, selection: Slice, every_rule: bool = False) -> str:
    """``run_verdicts``, or a subquery of the same columns and ``rowid``, in which images that count
    as incorrect by ``selection.unscored`` fail. The first of their objects that was not found
    leads. ``every_rule``: not by the slice's rule alone."""
    incorrect = _incorrect(dictionary, selection.unscored, "" if every_rule else selection.rule)
    others = _incorrect(dictionary, selection.unscored, "") if selection.against else ""
    if not incorrect and not others:
        return VERDICTS
    replaced = [
        f"CASE WHEN c.first IS NOT NULL AND v.status = {UNSCORES} AND {_causes(dictionary, 'v.')} "
        f"THEN {FAILS} ELSE v.status END::UTINYINT AS status",
        f"CASE WHEN c.first IS NULL THEN v.picture_status ELSE {FAILS} END::UTINYINT "
        "AS picture_status",
        "CASE WHEN c.first IS NULL THEN v.leads ELSE v.target = c.first END AS leads",
    ]
    joins = [
        f"LEFT JOIN (SELECT run_no, position, rule_no, min(target) AS first FROM {VERDICTS} "
        f"WHERE {incorrect or 'false'} GROUP BY ALL) AS c ON c.run_no = v.run_no "
        "AND c.position = v.position AND c.rule_no = v.rule_no"
    ]
    if others:
        replaced.append("v.statuses - coalesce(s.bits, 0) AS statuses")
        joins.append(_bits(others, "v"))
    return (
        f"(SELECT v.rowid AS rowid, v.* REPLACE ({', '.join(replaced)}) "
        f"FROM {VERDICTS} AS v {' '.join(joins)})"
    )


def item_rows(dictionary: StringDictionary, choice: str, rule_id: str = "") -> str:
    """``run_items``, or a subquery of the same columns in which ``statuses`` are as they count, by
    one rule or by all."""
    incorrect = _incorrect(dictionary, choice, rule_id)
    if not incorrect:
        return ITEMS
    return (
        "(SELECT i.* REPLACE (i.statuses - coalesce(s.bits, 0) AS statuses) "
        f"FROM {ITEMS} AS i {_bits(incorrect, 'i')})"
    )


def _bits(incorrect: str, table: str) -> str:
    """A join that brings ``s.bits``: one in the place of each rule by which an image is incorrect,
    the difference between the numbers of unscored and fail."""
    return (
        "LEFT JOIN (SELECT run_no, position, "
        f"bit_or(1::BIGINT << ({STATUS_BITS} * rule_no)) AS bits FROM {VERDICTS} "
        f"WHERE {incorrect} GROUP BY ALL) AS s "
        f"ON s.run_no = {table}.run_no AND s.position = {table}.position"
    )


def _incorrect(dictionary: StringDictionary, choice: str, rule_id: str) -> str:
    """The condition for rows of objects that make their image incorrect; empty for no row."""
    rules = [
        number
        for number, name in enumerate(dictionary.names["rule"])
        if rule_id in ("", name) and choice_for(name, choice) == NOT_FOUND
    ]
    causes = _causes(dictionary)
    if not rules or not causes:
        return ""
    return (
        f"rule_no IN ({', '.join(map(str, rules))}) AND status = {UNSCORES} "
        f"AND picture_status = {UNSCORES} AND {causes}"
    )


def _causes(dictionary: StringDictionary, table: str = "") -> str:
    """The condition for the causes that count, in brackets; empty where no result has one."""
    numbers = {name: index for index, name in enumerate(dictionary.names["cause"])}
    known = [str(numbers[name]) for name in NOT_FOUND_CAUSES if name in numbers]
    parts = [f"{table}cause_no IN ({', '.join(known)})"] if known else []
    if NO_MASK in numbers and dictionary.searching:
        runs = ", ".join(map(str, sorted(dictionary.searching)))
        parts.append(f"({table}cause_no = {numbers[NO_MASK]} AND {table}run_no IN ({runs}))")
    return f"({' OR '.join(parts)})" if parts else ""
