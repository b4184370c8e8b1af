"""What runs are called where several stand together: by what makes one another than the next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from truehue.core.analysis.records import RunRecord
from truehue.core.generation.registry import name_of
from truehue.core.prompts.sets import PROMPT_SETS

MOST_CHARACTERS = 30
_SETS = {prompt_set.id: prompt_set.title for prompt_set in PROMPT_SETS}


def _failure(run: RunRecord) -> str:
    acted = str(run.summary.get("options", {}).get("failure") or "")
    return "no failure" if acted in ("", "none") else acted


def _guidance(run: RunRecord) -> str:
    scales = run.summary.get("guidances") or [run.summary.get("guidance")]
    scale_words = [f"{scale:g}" for scale in scales if scale is not None]
    return f"guidance {', '.join(scale_words)}" if scale_words else "own guidance"


def _model(run: RunRecord) -> str:
    return name_of(run.model).partition(" (")[0]


FEATURES: Sequence[Callable[[RunRecord], str]] = (
    _model,
    _failure,
    lambda run: f"seed {run.summary.get('seed', 0)}",
    lambda run: f"{run.summary['size_px']} px" if run.summary.get("size_px") else "own size",
    _guidance,
    lambda run: f"{run.summary['steps']} steps" if run.summary.get("steps") else "own steps",
    lambda run: str(run.summary.get("options", {}).get("light") or ""),
    lambda run: str(run.summary.get("masker", {}).get("kind") or ""),
    lambda run: f"k = {run.summary.get('k', 0)}",
    lambda run: f"{run.summary.get('prompts', 0):,} prompts",
    lambda run: _SETS.get(run.set_name, run.set_name),
    lambda run: "scored" if run.kind == "stored" else "drawn",
)
"""What tells runs apart, what people look for first in front."""


def run_labels(runs: Iterable[RunRecord]) -> dict[str, str]:
    """A name of at most 30 characters for each run, by its id; no two are alike.

    A name that a person gave stays. Of the others, those of one model are told apart by as few of
    :data:`FEATURES` as it takes, and by a piece of the id where nothing else differs.
    """
    listed = list(runs)
    own_names = {run.run_id: run.name for run in listed if not _has_made_name(run)}
    labels = {**_by_features([run for run in listed if run.run_id not in own_names]), **own_names}
    short = {run_id: shortened(text) for run_id, text in labels.items()}
    often = Counter(short.values())
    return {
        run.run_id: short[run.run_id]
        if often[short[run.run_id]] == 1
        else f"{shortened(short[run.run_id], MOST_CHARACTERS - 9)} ({run.run_id[:6]})"
        for run in listed
    }


def shortened(text: str, limit: int = MOST_CHARACTERS) -> str:
    """The words, cut at the end where they are too long."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip(' ·,')}…"


def _has_made_name(run: RunRecord) -> bool:
    """Whether the name was made of the model and the set, and not given by a person."""
    return name_of(run.model) in run.name or run.model in run.name


def _by_features(runs: Sequence[RunRecord]) -> dict[str, str]:
    groups: Mapping[str, list[RunRecord]] = {"": list(runs)}
    parts: dict[str, list[str]] = {run.run_id: [] for run in runs}
    for feature in FEATURES:
        next_groups: dict[str, list[RunRecord]] = defaultdict(list)
        for key, own in groups.items():
            values = {run.run_id: feature(run) for run in own}
            apart = len(own) > 1 and len(set(values.values())) > 1
            for run in own:
                if apart and values[run.run_id]:
                    parts[run.run_id].append(values[run.run_id])
                next_groups[f"{key}|{values[run.run_id]}" if apart else key].append(run)
        groups = next_groups
    labels = {}
    for run in runs:
        texts, model = parts[run.run_id], _model(run)
        if not texts:
            labels[run.run_id] = model
        elif texts[0] != model:
            labels[run.run_id] = " · ".join(texts)
        else:
            # What differs is said whole; a long name of a model gives way.
            rest = " · ".join(texts[1:])
            room = MOST_CHARACTERS - len(rest) - 3
            labels[run.run_id] = f"{rest} · {shortened(model, max(room, 6))}" if rest else model
    return labels
