"""About how large the exports of a run will be, told before they are made."""

from __future__ import annotations

from pathlib import Path

from tabs.page.context import Context
from tabs.runs.supervisor import RunSupervisor
from tabs.runs.words import bytes_words

TIMES = {"csv": 8.0, "parquet": 1.2, "zip": 2.0}
"""What an export takes for each byte of the run's shards, which are compressed columns: measured on
runs of 120 pictures by five rules."""


def sizes_view(context: Context, run_id: str) -> dict[str, str]:
    """``about 3.4 MB`` by the kind of export, for those whose size follows from the run's files.

    Raises NotStored for a run that is not here.
    """
    folder = context.service(RunSupervisor).folder(run_id)
    shards = sum(path.stat().st_size for path in folder.shards())
    pictures = _bytes_below(folder.images) + _bytes_below(folder.masks)
    if not shards:
        return {}
    found = {kind: shards * times for kind, times in TIMES.items()}
    found["images"] = found["zip"] + pictures
    return {kind: f"about {bytes_words(count)}" for kind, count in found.items()}


def _bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.png"))
