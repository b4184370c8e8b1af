"""A run as a dataset for the hub: its tables, and its accuracies as ``.eval_results`` of the model's
repository (https://huggingface.co/docs/hub/eval-results) and in the schema of Every Eval Ever
(https://evalevalai.com, PyPI ``every-eval-ever``)."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truehue.core.analysis.intervals import Rate
from truehue.core.analysis.records import (
    NO_MASK,
    NOT_FOUND,
    NOT_FOUND_CAUSES,
    SEARCHING,
    default_for,
)
from truehue.core.errors import BadInput
from truehue.core.export.bibliography import references
from truehue.core.export.codebook import NOTE, codebook_text
from truehue.core.export.columns import Column
from truehue.core.export.dataset.folder import (
    SPLIT,
    DatasetAbout,
    DatasetColumn,
    DatasetTable,
    write_dataset,
    yaml_text,
)
from truehue.core.export.source import ExportRun, plan_out
from truehue.core.export.tables import COLORS, RESULTS, Sheet, write_parquet_to
from truehue.core.files import whole_folder
from truehue.core.generation.registry import model
from truehue.core.prompts.prompt import TASKS
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import SHARED
from truehue.core.runs.summary import seeds_text
from truehue.core.verdict.rules import FAIL, PASS, UNSCORED
from truehue.core.version import VERSION

EVAL_RESULTS = ".eval_results/truehue.yaml"
EVERY_EVAL, EVERY_EVAL_VERSION = "every_eval_ever", "0.3.0"
"""The folder of the log, laid out as the datastore of Every Eval Ever wants it, and its schema."""
_ACCURACIES = (
    f"`{EVAL_RESULTS}` is for a pull request to the model's repository; `{EVERY_EVAL}/` has the same "
    "accuracies for Every Eval Ever.\n\n"
)
_DEPLOYED = {"served": "externally_managed", "folder": "unknown"}


@dataclass(frozen=True)
class TaskAccuracy:
    """How many images of a task pass by a rule."""

    task: str
    rule: str
    version: str
    rate: Rate


def share_run(folder: RunFolder, target: Path, dataset_id: str, license: str) -> None:
    """Write the dataset folder of a run, whole or not at all; images are not in it.

    Raises BadInput for a folder that is there and for a run without a result, BadShard for a
    damaged run.
    """
    if target.exists():
        raise BadInput(f"{target} is there already. Name a new folder.")
    run = ExportRun(folder)
    if not run.done:
        raise BadInput("The run has no result yet. Start or resume it first.")
    about = _about(run, dataset_id, license)
    tables = [_table(run, "results", RESULTS)]
    tables += [_table(run, "colors", COLORS)] if run.measures else []
    with whole_folder(target) as half:
        write_dataset(half, about, tables)
        (half / "codebook.md").write_text(codebook_text([run]), encoding="utf-8")
        (half / "references.bib").write_text(about.citation, encoding="utf-8")
        accuracies = accuracies_of(run, half / tables[0].file)
        if accuracies:
            path = half / EVAL_RESULTS
            path.parent.mkdir()
            path.write_text(_eval_results(about, accuracies), encoding="utf-8")
            log = _every_eval(about, run, accuracies)
            path = half / EVERY_EVAL / _datastore_path(log["model_info"]["id"], run.run_id)
            path.parent.mkdir(parents=True)
            text = json.dumps(log, indent=1, ensure_ascii=False)
            path.write_text(text + "\n", encoding="utf-8")


def accuracies_of(run: ExportRun, results: Path) -> list[TaskAccuracy]:
    """The accuracies of a run by task and rule, from its table of results. Unscored images are left
    out, or count as fails, as the leaderboard has it for each rule by default."""
    import pyarrow.parquet as pq

    names = ["leads", "rule", "task", "picture_status", "cause", "position", "status"]
    table = pq.read_table(results, columns=names)
    rows = list(zip(*(table[name].to_pylist() for name in names), strict=True))
    failures = {*NOT_FOUND_CAUSES, *([NO_MASK] if run.plan.masker.kind == SEARCHING else [])}
    versions = dict(run.plan.rules)

    def counts_as_fail(rule: str, cause: str) -> bool:
        return cause in failures and default_for(rule) == NOT_FOUND

    excluded = {
        (position, rule)
        for _, rule, _, _, cause, position, status in rows
        if rule in versions and status == UNSCORED and not counts_as_fail(rule, cause)
    }
    counts = Counter(
        (leads, rule, task, (position, rule) in excluded, status, cause)
        for leads, rule, task, status, cause, position, _ in rows
    )
    rates: dict[tuple[str, str], Rate] = {}
    for (leads, rule, task, is_excluded, status, cause), count in counts.items():
        if not leads or rule not in versions:
            continue
        failed = status == FAIL or (status != PASS and counts_as_fail(rule, cause))
        failed = failed and not is_excluded
        rate = Rate(count * (status == PASS), count * failed)
        rate += Rate(unscored=count - rate.scored)
        rates[task, rule] = rates.get((task, rule), Rate()) + rate
    return [
        TaskAccuracy(task, rule, versions[rule], rate)
        for (task, rule), rate in sorted(rates.items())
        if rate.percent is not None
    ]


def _about(run: ExportRun, dataset_id: str, license: str) -> DatasetAbout:
    plan, counts = run.plan, run.counts
    settings = json.dumps(plan_out(run), indent=1, ensure_ascii=False)
    return DatasetAbout(
        dataset_id,
        license,
        plan.name,
        f"Verdicts on the colors of {counts.done:,} images by {plan.model}, for {len(plan.prompts):,} "
        f"prompts of {plan.set_name}. The images are not in it.",
        f"{counts.done:,} of {counts.total:,} images have a result; {counts.failed:,} could not be "
        f"generated. {NOTE} `codebook.md` has rules, thresholds and causes.\n\n"
        f"{_ACCURACIES if run.judges else ''}## Settings\n\n"
        f"```json\n{settings}\n```",
        ("text-to-image", "evaluation"),
        ("text-to-image",),
        references([run]),
        {
            "dataCollection": f"Images by {plan.model} for the prompts of {plan.set_name}, with "
            f"{seeds_text(run.folder.summary())}.",
            "machineAnnotationTools": "TrueHue "
            + VERSION
            + ", rules "
            + (", ".join(" ".join(rule) for rule in plan.rules) or "none")
            + f"; masks by {plan.masker.kind}.",
            "dataAnnotationProtocol": "A rule measures the pixels of each object's mask and compares "
            "their color with the target color. codebook.md has versions and thresholds.",
            "dataUseCases": "Comparison of generators and of rules on the same prompts, rule and "
            "version. Numbers of different rules or versions are not comparable.",
            "dataLimitations": "Unscored images are neither passes nor fails; their causes are in the "
            "table. Light, shade and the mask influence the measured color.",
            "personalSensitiveInformation": "No data about people is in it.",
        },
    )


def _table(run: ExportRun, config: str, sheet: Sheet) -> DatasetTable:
    def write(path: Path) -> int:
        import pyarrow.parquet as pq

        with path.open("xb") as file:
            write_parquet_to(file, [run], sheet=sheet)
        return int(pq.read_metadata(path).num_rows)

    return DatasetTable(config, tuple(map(_column, sheet.columns)), write)


def _column(column: Column) -> DatasetColumn:
    unit = f" ({column.unit})" if column.unit else ""
    return DatasetColumn(column.name, column.kind, f"{column.meaning}{unit}")


def _eval_results(about: DatasetAbout, accuracies: list[TaskAccuracy]) -> str:
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    return yaml_text(
        eval_result_entries_to_yaml(
            [
                EvalResultEntry(
                    dataset_id=about.dataset_id,
                    task_id=f"{item.task}-{item.rule}",
                    value=round(item.rate.percent or 0.0, 2),
                    date=datetime.now(UTC).date().isoformat(),
                    source_url=about.url,
                    source_name="TrueHue run",
                    notes=f"{TASKS[item.task]}, rule {item.rule} {item.version}: {item.rate.passes} "
                    f"of {item.rate.scored} images pass, {item.rate.unscored} unscored",
                )
                for item in accuracies
            ]
        )
    )


def _every_eval(
    about: DatasetAbout, run: ExportRun, accuracies: list[TaskAccuracy]
) -> dict[str, Any]:
    now = int(datetime.now(UTC).timestamp())
    about_model = _model_info(run)
    return {
        "schema_version": EVERY_EVAL_VERSION,
        "evaluation_id": f"{about.dataset_id}/{about_model['id']}/{now}",
        "retrieved_timestamp": str(now),
        "source_metadata": {
            "source_name": about.title,
            "source_type": "evaluation_run",
            "source_organization_name": about.dataset_id.partition("/")[0],
            "source_organization_url": about.url,
            "evaluator_relationship": "other",
            "additional_details": {"run_id": run.run_id},
        },
        "eval_library": {"name": "truehue", "version": VERSION},
        "model_info": about_model,
        "evaluation_results": [_every_result(about, run, item) for item in accuracies],
    }


def _datastore_path(model_id: str, run_id: str) -> Path:
    """``data/BENCHMARK/DEVELOPER/MODEL/UUID.json``; one run always has the same."""
    developer, _, name = re.sub(r"[^\w./-]", "_", model_id).partition("/")
    digest = hashlib.sha256(run_id.encode()).digest()
    number = uuid.UUID(bytes=digest[:16], version=4)
    return Path("data", "truehue", developer, name.replace("/", "_"), f"{number}.json")


def _every_result(about: DatasetAbout, run: ExportRun, item: TaskAccuracy) -> dict[str, Any]:
    interval = item.rate.interval
    assert interval is not None, "only what is scored has an accuracy"
    return {
        "evaluation_result_id": f"{item.task}-{item.rule}",
        "evaluation_name": f"{TASKS[item.task]}, rule {item.rule}",
        "source_data": {
            "dataset_name": run.plan.set_name,
            "source_type": "hf_dataset",
            "hf_repo": about.dataset_id,
            "hf_split": SPLIT,
            "samples_number": item.rate.scored + item.rate.unscored,
        },
        "metric_config": {
            "evaluation_description": "Share of images whose objects have the target colors.",
            "metric_id": f"truehue.{item.rule}.accuracy",
            "metric_name": "Accuracy",
            "metric_kind": "accuracy",
            "metric_unit": "proportion",
            "metric_parameters": {"rule": item.rule, "rule_version": item.version},
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {
            "score": item.rate.passes / item.rate.scored,
            "details": {"scored": str(item.rate.scored), "unscored": str(item.rate.unscored)},
            "uncertainty": {
                "confidence_interval": {
                    "lower": interval[0] / 100.0,
                    "upper": interval[1] / 100.0,
                    "confidence_level": 0.95,
                    "method": "Wilson, of independent images",
                },
                "num_samples": item.rate.scored,
            },
        },
        "generation_config": {"additional_details": _generation(run)},
    }


def _generation(run: ExportRun) -> Mapping[str, str]:
    plan = run.plan
    values = {
        "images_per_prompt": plan.images,
        "seed": plan.seed,
        "seeds": plan.seed_mode if plan.seed_mode != SHARED else None,
        "guidance": plan.guidance,
        "steps": plan.steps,
        "size_px": plan.size_px,
    }
    return {name: str(value) for name, value in values.items() if value is not None}


def _model_info(run: ExportRun) -> dict[str, Any]:
    name = run.plan.model
    try:
        entry = model(name)
    except BadInput:  # images that were imported, by a model that only has a name
        entry = None
    repo = entry.repo if entry else ""
    # A path of this machine is no model's name.
    shown = name.rpartition("/")[2] if name.startswith("folder:") else name
    return {
        "name": entry.name if entry and entry.kind != "folder" else shown,
        "id": repo or f"{'truehue' if entry and entry.kind == 'renderer' else 'unknown'}/{shown}",
        "additional_details": {
            "deployment_type": _DEPLOYED.get(entry.kind, "self_deployed") if entry else "unknown",
            "model_availability": "open_weights" if repo else "unknown",
        },
    }
