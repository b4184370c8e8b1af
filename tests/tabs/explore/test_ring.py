"""Ring tests on the page: a set made here, answers of others, and what may not be changed."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from truehue.core.errors import BadInput, NotStored
from truehue.core.generation.request import Cancelled
from truehue.core.ring.answers import RingAnswers
from truehue.core.verdict.rules import RULES
from truehue.tabs.explore import ring
from truehue.tabs.explore.leaderboard import leaderboard_view
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, read_as
from truehue.tabs.page.roles import OWNER

pytestmark = pytest.mark.slow


def test_a_set_is_made_answered_by_all_rules_and_by_others(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring, "IMAGES", 12)
    monkeypatch.setattr(ring, "SIZE_PX", 64)
    assert ring.ring_view(context, "")["sets"] == []

    def cancelled(*_: object) -> list[RingAnswers]:
        raise Cancelled

    # A set that the rules have not answered would stay so: it is not kept.
    with monkeypatch.context() as patched:
        patched.setattr(ring, "answer_by_rules", cancelled)
        job = context.jobs.wait(ring.start_ring(context, OWNER, EmptyRequest())["job"], 300)
    assert job.status == "cancelled"
    assert list((context.storage.data_dir / "ring").iterdir()) == []
    job = context.jobs.wait(ring.start_ring(context, OWNER, EmptyRequest())["job"], 300)
    assert job.status == "done", job.words
    name = job.result["set"]
    view = ring.ring_view(context, name)
    assert [row["name"] for row in view["rows"]] == [rule.name for rule in RULES]
    assert view["figure"] is not None
    assert len(view["figure"]["shapes"]) == len(RULES)

    # Without the key: nobody who gets the set can read the answers.
    _, content = ring.set_zip(context, name)
    archive = zipfile.ZipFile(io.BytesIO(content))
    assert not any("key" in entry for entry in archive.namelist())
    rows = archive.read(f"ring-{name}/questions.csv").decode().splitlines()[1:]
    lines = [f"{row.partition(',')[0]},yes" for row in rows]
    answers = tmp_path / "upload"
    answers.write_text("id,answer\n" + "\n".join(lines))
    wanted = read_as(ring.RingFile, {"set": name})
    taken = ring.take_answers(context, OWNER, wanted, answers, "other lab <1>.csv")
    assert taken == {"name": "other lab <1>"}
    with pytest.raises(BadInput, match="already"):
        ring.take_answers(context, OWNER, wanted, answers, "other lab <1>.csv")

    view = ring.ring_view(context, "")
    added = view["rows"][-1]
    assert (added["hit"]["text"], added["false"]["text"]) == ("100.0", "100.0")
    assert added["findings"][0].startswith("It says yes to every question.")
    assert len(view["tests"]) == (len(RULES) + 1) * len(RULES)
    _, page = ring.certificate(context, name, added["file"])
    assert b"other lab &lt;1&gt;" in page
    with pytest.raises(NotStored):
        ring.certificate(context, name, "../../key")
    csv = ring.ring_csv(context, name)[1]
    assert len(csv.splitlines()) == 1 + 6 * (len(RULES) + 1)
    # The certificates of rules whose key is there correct a leaderboard; no other.
    choice = f"ring:{name}"
    board = leaderboard_view(context, {"corrected": choice})
    assert board["choices"]["corrections"][-1]["id"] == choice
    assert f"ring test {name}" in board["correction"]["sentences"][0]
    with pytest.raises(NotStored):
        leaderboard_view(context, {"corrected": "ring:ffffffffffff"})
    results = context.storage.data_dir / "ring" / name / "results"
    earlier = (results / "paper-certificate.json").read_text()
    fields = json.loads(earlier) | {"scorer_version": "0.9"}
    (results / "paper-certificate.json").write_text(json.dumps(fields))
    with pytest.raises(BadInput, match=r"is of paper 0\.9, not of paper 1\.0"):
        leaderboard_view(context, {"corrected": choice, "rule": "paper"})
    (results / "paper-certificate.json").write_text(earlier)
    key = context.storage.data_dir / "ring" / name / "key.json"
    fields = json.loads(key.read_text())
    assert fields["set"].startswith(name)
    # Answers are still taken, so no result names the seed.
    assert not any(str(fields["seed"]) in path.read_text() for path in results.iterdir())
