"""The groups of comparable runs of the leaderboard.

Comparable are runs with the same prompts, masks, k and rule.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truehue.core.analysis.records import RunRecord
from truehue.core.prompts.sets import PROMPT_SETS
from truehue.core.verdict.rules import RULES, rule
from truehue.tabs.batches.list import unreadable_text
from truehue.tabs.batches.messages import facts
from truehue.tabs.library.service import SetInfo
from truehue.tabs.page.errors import count_noun
from truehue.tabs.sources.trust import Shared, shared_by


@dataclass(frozen=True)
class Group:
    """Runs that may be compared: ``name`` is their prompt set, ``words`` what else they share."""

    id: str
    name: str
    words: str
    prompts: int
    whole: bool
    runs: Sequence[RunRecord]


def groups(
    runs: Iterable[RunRecord],
    rule_id: str,
    sets: Sequence[SetInfo],
    pictured: Mapping[str, int] | None = None,
) -> list[Group]:
    """The runs by what makes them comparable: the whole benchmark first, then larger sets first.

    Within a group the runs keep their order. ``pictured`` is how many prompts of a run have a
    picture, by run id.
    """
    members: dict[Shared, list[RunRecord]] = {}
    for run in runs:
        members.setdefault(shared_by(run, rule_id), []).append(run)
    lists: dict[tuple[str, int], set[str]] = {}
    for set_name, prompts, digest, *_ in members:
        lists.setdefault((set_name, prompts), set()).add(digest)
    board_groups = [
        _group(shared, own, rule_id, sets, len(lists[shared[:2]]) > 1, pictured or {})
        for shared, own in members.items()
    ]
    return sorted(board_groups, key=lambda group: (not group.whole, -group.prompts))


def _group(
    shared: Shared,
    runs: Sequence[RunRecord],
    rule_id: str,
    sets: Sequence[SetInfo],
    several: bool,
    pictured: Mapping[str, int],
) -> Group:
    set_name, prompts, listed, masks, k, version = shared
    prompt_set = next(
        (candidate for candidate in sets if set_name in (candidate.title, candidate.id)), None
    )
    whole = (
        prompt_set is not None
        and prompt_set.id == PROMPT_SETS[0].id
        and prompt_set.count == prompts
    )
    if whole:
        part = "the whole benchmark"
    elif prompt_set is None:
        part = "a selection, not the benchmark"
    elif prompt_set.count == prompts:
        part = "all of this set, not the benchmark"
    else:
        part = f"a part of its {prompt_set.count:,}"
    parts = [count_noun(prompts, "prompt"), part, masks, *([f"k = {k}"] if k else [])]
    counts = [pictured[run.run_id] for run in runs if run.run_id in pictured]
    if counts and max(counts) < prompts:
        least = f"{min(counts):,} to " if min(counts) < max(counts) else ""
        parts.insert(2, f"images of {least}{max(counts):,} of them")
    if several:
        # The same name and number, yet other prompts: the two are told apart by their digests.
        parts.insert(1, f"list {listed[:6]}")
    by = f"{rule(rule_id).name} {version}"
    if version != rule(rule_id).version:
        by += ", an earlier version: to rank them with others, score their images again in Runs"
    parts.append(by)
    name = prompt_set.title if prompt_set else set_name or "Prompts without a name"
    digest = hashlib.sha256(repr(shared).encode()).hexdigest()[:12]
    return Group(digest, name, " · ".join(parts), prompts, whole, runs)


def describe_unread(run: RunRecord) -> str:
    """Why a run cannot stand in any group, empty for one that can: what is kept of it may be from
    a time when less was checked, and no other run may suffer from that."""
    try:
        shared_by(run, RULES[0].id)
        facts(run)
    except Exception as error:
        return unreadable_text(error)
    return ""
