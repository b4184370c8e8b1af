"""Scores of a run as files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.storage.run_samples import sample_plan, sample_run
from truehue.core.export.columns import CODEBOOK_KEY, SCORE_COLUMNS
from truehue.core.runs.folder import RunFolder
from truehue.core.scores.measures import measure_of
from truehue.core.scores.records import IMAGE
from truehue.core.scores.scoring import score_image
from truehue.tabs.export.routes import export_routes
from truehue.tabs.export.service import export
from truehue.tabs.page.context import Context


def test_scores_leave_with_the_table_and_alone(context: Context, tmp_path: Path) -> None:
    folder: RunFolder = sample_run(
        context.storage.data_dir / "runs", sample_plan(prompts=4, images=1)
    )
    context.storage.runs.ingest(folder)
    delta = measure_of("delta_sat")
    export(context, folder, "csv", tmp_path / "run.csv")
    assert not (tmp_path / "run-scores.csv").exists()
    app = FastAPI()
    app.include_router(export_routes(context))
    with TestClient(app) as client:
        location = f"/api/runs/{folder.run_id}/scores"
        assert client.get(f"{location}.csv").status_code == 404
        images = context.storage.scores.images_without(delta, folder.run_id)
        scores = [
            score_image(delta, image, context.storage.images.srgb8(image)) for image in images
        ]
        context.storage.scores.add_many(scores)
        sent = client.get(f"{location}.csv")
        assert "attachment" in sent.headers["content-disposition"]
        rows = list(csv.DictReader(io.StringIO(sent.text)))
        book = client.get(f"{location}.codebook.json").json()
        table = pq.read_table(io.BytesIO(client.get(f"{location}.parquet").content))
    values = context.storage.scores.values(delta, IMAGE, images)
    assert {row["image_id"]: float(row["value"]) for row in rows} == values
    assert list(rows[0]) == [column.name for column in SCORE_COLUMNS]
    assert {row["parameters"] for row in rows} == {'{"natural_saturation": 0.33}'}
    assert [measure["id"] for measure in book["measures"]] == ["mean_saturation", "delta_sat"]
    assert json.loads(table.schema.metadata[CODEBOOK_KEY]) == book
    assert table.column("value").to_pylist() == [float(row["value"]) for row in rows]
    for format in ("csv", "parquet"):
        export(context, folder, format, tmp_path / f"run.{format}")
        assert (tmp_path / f"run-scores.{format}").stat().st_size > 100
    assert json.loads((tmp_path / "run-scores.codebook.json").read_text()) == book
