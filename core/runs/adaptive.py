"""Several models' runs over the same prompts, of which only the images are generated that tell most
of the models' order.

The runs are ordinary ones over the whole set; *resume* does the rest of each. ``adaptive/ID.json``
beside them holds every round: its draws and all that was fixed before them, so that the tests can be
computed again from it and the runs' results. ``adaptive.json`` in each run's folder says how sure
the order is: a sentence, and the models with their ranks. The archive of a run has both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from truehue.core.analysis.adaptive import AdaptiveOrder, features_of
from truehue.core.analysis.difficulty import Answers, easiness
from truehue.core.analysis.ranks import RankRange
from truehue.core.analysis.sequential import Sample
from truehue.core.batch.folder import json_bytes, json_object
from truehue.core.batch.locks import hold_lock
from truehue.core.batch.results import tables
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import replace_file
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.records import DRAWN, RunPlan
from truehue.core.runs.worker import RunWork
from truehue.core.verdict.rules import PASS, UNSCORED

FORMAT = 1
FOLDER, FILE = "adaptive", "adaptive.json"
PERCENT = 3.0
"""Of the whole set's images, what is generated at most where nothing else is said."""
MAX_TEXT = 1_000
"""Characters of a sentence or name in an archive."""
MAX_ANSWERS, MAX_RUNS = 200_000, 8
"""Of earlier runs, what the difficulty of prompts is learned from at most."""

_NUMBERS = ("positions", "weights", "models", "expected", "means")


class RankedModel(TypedDict):
    """A model of a comparison: its estimated accuracy over the whole set with the interval, in
    percent, the range of its rank, and the models that it is better than."""

    run_id: str
    model: str
    percent: float
    low: float
    high: float
    rank: list[int]
    rank_text: str
    better_than: list[str]


class Comparison:
    """The adaptive rounds of some runs. Raises BadInput for runs that do not fit together."""

    def __init__(self, folders: Sequence[RunFolder]) -> None:
        # By their ids: the same models in another order are the same comparison.
        self.folders = sorted(folders, key=lambda folder: folder.run_id)
        summaries = [folder.summary() for folder in self.folders]
        check_runs(summaries)
        self.plan = self.folders[0].plan()
        self.models = [str(summary["model"]) for summary in summaries]
        self.rule = self.plan.rules[0]
        root = self.folders[0].path.parent
        self.path = rounds_file(root, comparison_id([folder.run_id for folder in self.folders]))
        base = learned_easiness(self.plan, self.rule, root, self.folders)
        features = features_of(self.plan.prompts)
        self.order = AdaptiveOrder(features, len(summaries), base, self.plan.images, self.plan.seed)
        self.unscored = 0
        self._results: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._rounds: list[dict[str, Any]] = self._saved_rounds()
        while len(self.order.samples) < len(self._rounds) and self.take_up():
            pass

    @property
    def total(self) -> int:
        """The images of the whole set, of all models."""
        return self.plan.total * len(self.folders)

    @property
    def images(self) -> int:
        """The images that all rounds until now took, of all models."""
        return int(self.images_each.sum())

    @property
    def images_each(self) -> np.ndarray:
        """The same of each model, int64 ``(models,)``."""
        seen = np.zeros((len(self.folders), self.plan.total), dtype=bool)
        for sample in self.order.samples:
            seen[np.ix_(sample.models, sample.positions)] = True
        return np.asarray(seen.sum(axis=1))

    def budget(self, percent: float) -> int:
        """So many percent of the images of all models."""
        return int(self.total * percent / 100.0)

    @property
    def pairs(self) -> int:
        """All pairs of models."""
        return len(self.folders) * (len(self.folders) - 1) // 2

    @property
    def decided(self) -> int:
        """The pairs of which one is known to be better."""
        return int(self.order.test.better().sum())

    def ranking(self) -> list[RankedModel]:
        """The models, the best estimate first; empty before the first round."""
        if not self.order.samples:
            return []
        test = self.order.test
        accuracy, intervals, better = test.accuracy(), test.intervals(), test.better()
        rows: list[RankedModel] = []
        for index in np.argsort(-accuracy, kind="stable").tolist():
            ahead, behind = better[:, index], better[index]
            rank = RankRange(1 + int(ahead.sum()), len(better) - int(behind.sum()), len(better))
            rows.append(
                {
                    "run_id": self.folders[index].run_id,
                    "model": self.models[index],
                    # An estimate without bias may lie a little outside.
                    "percent": 100.0 * max(0.0, min(float(accuracy[index]), 1.0)),
                    "low": 100.0 * float(intervals[index, 0]),
                    "high": 100.0 * float(intervals[index, 1]),
                    "rank": [rank.best, rank.worst],
                    "rank_text": rank.text,
                    "better_than": [self.models[other] for other in np.flatnonzero(behind)],
                }
            )
        return rows

    def next_sample(self, budget: int) -> Sample | None:
        """The round that is under way, or else a new one, which is written down first; None where
        all is decided, or ``budget`` images of all models are used up."""
        if len(self.order.samples) < len(self._rounds):
            return _sample(self._rounds[-1])
        open_models = int(np.count_nonzero(self.order.open_pairs()))
        if not open_models:
            return None
        size = self.order.round_size((budget - self.images) // open_models)
        if not size:
            return None
        sample = self.order.choose(size)
        self._rounds.append(_sample_json(sample))
        self._save()
        return sample

    def take_up(self) -> bool:
        """Takes up the results of the round that is under way; False where some are missing."""
        sample = _sample(self._rounds[len(self.order.samples)])
        rows = []
        for model in sample.models.tolist():
            if (row := self._passes(model, sample.positions)) is None:
                return False
            rows.append(row)
        for model in sample.models.tolist():
            self.unscored += int(self._results[model][1][sample.positions].sum())
        self.order.add(sample, np.array(rows))
        return True

    def _passes(self, model: int, positions: np.ndarray) -> np.ndarray | None:
        """Passes at some positions, 0 or 1; None where results are missing. Results that were read
        before are not read again."""
        for read in (False, True):
            if read or model not in self._results:
                self._results[model] = results_of(self.folders[model], self.rule)
            passes = self._results[model][0][positions]
            if not np.isnan(passes).any():
                return np.asarray(passes)
        return None

    def _saved_rounds(self) -> list[dict[str, Any]]:
        if not self.path.is_file():
            return []
        record = json_object(self.path)
        rounds = record.get("rounds")
        if record.get("format") != FORMAT or not isinstance(rounds, list):
            raise BadInput(f"{self.path} holds no rounds that this TrueHue reads. Move it away.")
        return rounds

    def _save(self) -> None:
        record = {
            "format": FORMAT,
            "runs": [folder.run_id for folder in self.folders],
            "rule": list(self.rule),
            "rounds": self._rounds,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.path, json_bytes(record))


def play_rounds(
    comparison: Comparison,
    budget: int,
    generate: Callable[[RunFolder, np.ndarray], None],
    after_round: Callable[[], None] = lambda: None,
) -> bool:
    """Rounds until the order is decided, or ``budget`` images of all models are used; False where a
    round was broken off, which is then the next one.

    ``generate`` makes the images of one run at some positions; a run that was paused meanwhile ends
    the round. Raises InUse while another process is at the same comparison.
    """
    comparison.path.parent.mkdir(parents=True, exist_ok=True)
    busy = "Another process is at this adaptive comparison. Wait for it, or pause one of its runs."
    with hold_lock(comparison.path.with_suffix(".lock"), busy):
        while (sample := comparison.next_sample(budget)) is not None:
            for model in sample.models.tolist():
                folder = comparison.folders[model]
                if folder.desired_state() == "run":
                    generate(folder, np.unique(sample.positions))
                if folder.desired_state() != "run":
                    break
            if not comparison.take_up():
                return False
            after_round()
    return True


def check_runs(summaries: Sequence[Mapping[str, Any]]) -> None:
    """Raises BadInput where runs cannot be compared by adaptive rounds."""
    first = summaries[0]
    if len(summaries) < 2:
        raise BadInput("An adaptive comparison needs two or more models.", "models")
    if any(summary["kind"] != DRAWN for summary in summaries):
        raise BadInput(
            "An adaptive comparison chooses what to generate; stored images are there already."
        )
    if not first["rules"]:
        raise BadInput(
            "An adaptive comparison is of accuracies, and no prompt names a target color.", "set"
        )
    for name in ("prompts_sha256", "images"):
        if any(summary[name] != first[name] for summary in summaries):
            raise BadInput(
                "An adaptive comparison needs the same prompts and images for all models. The "
                "reference renderer takes no guidance scales.",
                "models",
            )
    if any(summary["rules"][:1] != first["rules"][:1] for summary in summaries):
        raise BadInput("An adaptive comparison needs the same first rule for all models.")


def save_order(comparison: Comparison, text: str) -> None:
    """Writes into each run's folder how sure the order is: ``text``, and the models."""
    record = {
        "format": FORMAT,
        "comparison": comparison.path.stem,
        "text": text,
        "order": comparison.ranking(),
    }
    for folder in comparison.folders:
        replace_file(folder.path / FILE, json_bytes(record))


def saved_order(folder: Path) -> tuple[str, list[RankedModel]]:
    """The sentence in a run's folder, and the models; both empty where there are none, or they
    cannot be read."""
    if not (folder / FILE).is_file():
        return "", []
    try:
        record = json_object(folder / FILE)
        order = list(record.get("order", []))
        is_whole = all(set(RankedModel.__annotations__) == set(row) for row in order)
    except (BadInput, TypeError):
        return "", []
    return str(record.get("text", "")), order if is_whole else []


def comparison_id(run_ids: Sequence[str]) -> str:
    """16 hex characters that name the comparison of some runs."""
    return hashlib.sha256(",".join(sorted(run_ids)).encode()).hexdigest()[:16]


def rounds_file(root: Path, comparison: str) -> Path:
    """Where the rounds of a comparison lie, beside its runs."""
    return root / FOLDER / f"{comparison}.json"


def portable_order(folder: RunFolder) -> bytes | None:
    """The order that chose a run's images, with every round of it, for an archive; None where the
    run has none that can be read."""
    try:
        order = json_object(folder.path / FILE)
        comparison = str(order.get("comparison", ""))
        rounds = json_object(rounds_file(folder.path.parent, comparison))
        return json_bytes(checked_order({**rounds, **order}, folder.run_id, folder.total))
    except BadInput:
        return None


def checked_order(record: Any, run_id: str, total: int) -> dict[str, Any]:
    """What an archive says of the adaptive order of a run of ``total`` images, as it was checked.
    Raises BadInput, a part of a sentence."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise BadInput("it has another format")
    runs, rule, rounds = (record.get(name) for name in ("runs", "rule", "rounds"))
    if not isinstance(runs, list) or not all(isinstance(name, str) for name in runs):
        raise BadInput("it names no runs")
    if run_id not in runs or record.get("comparison") != comparison_id(runs):
        raise BadInput("it is not of this run")
    if not isinstance(rule, list) or list(map(type, rule)) != [str, str]:
        raise BadInput("it names no rule")
    if not isinstance(rounds, list) or not rounds:
        raise BadInput("it has no rounds")
    text, order = record.get("text", ""), record.get("order", [])
    if not _is_text(text):
        raise BadInput("its sentence is no text")
    if not isinstance(order, list) or len(order) > len(runs) or not all(map(_is_ranked, order)):
        raise BadInput("its models have no ranks")
    return {
        "format": FORMAT,
        "comparison": record["comparison"],
        "text": text,
        "order": order,
        "runs": runs,
        "rule": rule,
        "rounds": [_sample_json(_checked_sample(row, len(runs), total)) for row in rounds],
    }


def unpack_order(record: Mapping[str, Any], folder: Path) -> None:
    """Lays what :func:`checked_order` gave beside a run, as a comparison made here does. Rounds that
    are here already stay: those of the other runs may be newer."""
    order = {name: record[name] for name in ("format", "comparison", "text", "order")}
    rounds = {name: record[name] for name in ("format", "runs", "rule", "rounds")}
    path = rounds_file(folder.parent, record["comparison"])
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json_bytes(rounds))
    replace_file(folder / FILE, json_bytes(order))


def _is_ranked(row: Any) -> bool:
    """Whether it is a :class:`RankedModel`."""
    if not isinstance(row, dict) or set(row) != set(RankedModel.__annotations__):
        return False
    texts = (row["run_id"], row["model"], row["rank_text"])
    numbers = (row["percent"], row["low"], row["high"])
    return (
        all(map(_is_text, texts))
        and all(type(number) in (int, float) and np.isfinite(number) for number in numbers)
        and isinstance(row["rank"], list)
        and list(map(type, row["rank"])) == [int, int]
        and isinstance(row["better_than"], list)
        and all(map(_is_text, row["better_than"]))
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _checked_sample(row: Any, models: int, total: int) -> Sample:
    """A round from elsewhere, whose arrays fit each other. Raises BadInput."""
    sample = _sample(row)
    draws, chosen = sample.positions.shape, sample.models.shape
    integers = sample.positions, sample.models
    fits = (
        len(draws) == len(chosen) == 1
        and sample.weights.shape == draws
        and sample.means.shape == chosen
        and sample.expected.shape == (*chosen, *draws)
        and all(array.dtype.kind == "i" and (array >= 0).all() for array in integers)
        and (sample.models < models).all()
        and (sample.positions < total).all()
        and all(
            array.dtype.kind in "if" and np.isfinite(array).all()
            for array in (sample.weights, sample.expected, sample.means)
        )
        and np.isfinite([sample.max_weight, sample.max_gap]).all()
    )
    if not fits:
        raise BadInput("a round of it is damaged")
    return sample


def results_of(folder: RunFolder, rule: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Passes of a run's images by a rule, ``(total,)``: 1 or 0, nan without a result; and which of
    them have no score, which count as incorrect. Raises BadInput."""
    passes, unscored = np.full(folder.total, np.nan), np.zeros(folder.total, dtype=bool)
    for table in tables(RunWork(folder.path), ("position", "verdicts")):
        index = table["position"].to_numpy()
        passes[index], unscored[index] = _verdicts(table, rule)
    return passes, unscored


def _verdicts(table: Any, rule: tuple[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """For each image of a table whether it passes (0 or 1), and whether it has no score."""
    import pyarrow.compute as pc

    status = np.full(table.num_rows, UNSCORED, dtype=object)
    lists = table["verdicts"].combine_chunks()
    of_image = pc.list_parent_indices(lists).to_numpy()
    name, leads, found = (
        pc.struct_field(pc.list_flatten(lists), field).to_numpy(zero_copy_only=False)
        for field in ("rule", "leads", "picture_status")
    )
    chosen = (name == rule[0]) & leads.astype(bool)
    status[of_image[chosen]] = found[chosen]
    return (status == PASS).astype(float), status == UNSCORED


def learned_easiness(
    plan: RunPlan, rule: tuple[str, str], root: Path, without: Sequence[RunFolder]
) -> np.ndarray:
    """The easiness of each prompt in logits, by the newest runs in ``root`` of the same prompts and
    rule; 0 without any. It only guides the choice: no test relies on it."""
    indices = {_key(prompt): index for index, prompt in enumerate(plan.prompts)}
    models: list[np.ndarray] = []
    units: list[np.ndarray] = []
    correct: list[np.ndarray] = []
    for folder in run_folders(root):
        if len(models) >= MAX_RUNS or sum(map(len, units)) >= MAX_ANSWERS:
            break
        if any(folder.run_id == other.run_id for other in without):
            continue
        try:
            index, passes = _stored_answers(folder, rule, indices)
        except TrueHueError:
            continue  # a run that cannot be read teaches nothing
        if len(index):
            units.append(index)
            correct.append(passes)
            models.append(np.full(len(index), len(models)))
    if not models:
        return np.zeros(len(plan.prompts))
    answers = Answers(*(np.concatenate(part) for part in (models, units, correct)))
    return easiness(answers, features_of(plan.prompts))


def _stored_answers(
    folder: RunFolder, rule: tuple[str, str], indices: dict[tuple[str, str], int]
) -> tuple[np.ndarray, np.ndarray]:
    """Scored images of a run: the indices of their prompts, and whether they pass."""
    if list(rule) not in folder.summary()["rules"]:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    known = np.array([indices.get(_key(prompt), -1) for prompt in folder.plan().prompts])
    units, correct = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    if (known >= 0).any():
        for table in tables(RunWork(folder.path), ("prompt", "verdicts")):
            index = known[table["prompt"].to_numpy()]
            passes, unscored = _verdicts(table, rule)
            known_prompt = (index >= 0) & ~unscored
            units.append(index[known_prompt])
            correct.append(passes[known_prompt])
    return np.concatenate(units), np.concatenate(correct)


def _key(prompt: Prompt) -> tuple[str, str]:
    return prompt.id, prompt.text


def _sample_json(sample: Sample) -> dict[str, Any]:
    return {
        **{name: getattr(sample, name).tolist() for name in _NUMBERS},
        "max_weight": sample.max_weight,
        "max_gap": sample.max_gap,
    }


def _sample(record: dict[str, Any]) -> Sample:
    """A round as it was written down. Raises BadInput."""
    try:
        arrays = {name: np.array(record[name]) for name in _NUMBERS}
        return Sample(
            **arrays, max_weight=float(record["max_weight"]), max_gap=float(record["max_gap"])
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"A round of the adaptive comparison is not whole: {error!r}.") from error
