"""A certificate corrects the accuracies of its scorer, and of no other."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.commands import called
from tests.core.ring.simulated import keyed, measuring
from truehue.core.cli.ring import main
from truehue.core.errors import BadInput
from truehue.core.ring.certificate import write_results
from truehue.core.ring.certified import independent_images, read_certificate
from truehue.core.ring.correction import read_verdicts
from truehue.core.ring.plan import RIGHT
from truehue.core.ring.report import RingReport, score
from truehue.core.ring.shares import share

CERTIFICATE, KEY = "lab-certificate.json", "key.json"
TRUE_PERCENT, IMAGES = 40, 1_000


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RingReport]:
    """The folder of a certificate and its key."""
    folder = tmp_path_factory.mktemp("certified")
    ring_set, key = keyed(1)
    content = json.dumps({"questions": [asdict(question) for question in key.questions.values()]})
    (folder / KEY).write_text(content)
    key = replace(key, sha256=sha256(content.encode()).hexdigest())
    report = score(ring_set, key, measuring(key, tolerance=lambda scene: 2.5, name="lab"))
    write_results(folder, [report], ())
    return folder, report


def test_rates_are_by_system_and_worth_no_more_than_their_images(
    certified: tuple[Path, RingReport],
) -> None:
    folder, report = certified
    calibration = read_certificate(folder / CERTIFICATE, folder / KEY, "lab", "1")
    assert calibration.systems == ("l2", "css")
    counts = [calibration.whole(system) for system in calibration.systems]
    assert sum(count.hits for count in counts) == report.hits.count
    assert sum(count.wrong for count in counts) == report.false_accepts.total
    for count in counts:
        assert count.independent is not None
        # The true color of an image is asked twice, by name and by code, and answered alike.
        assert count.independent[0] == pytest.approx(count.right / 2, rel=0.2)
        assert count.independent[1] < count.wrong
    twice = [name for name in "abcdefghij" for _ in range(2)]
    for some in (0, 4, 10):
        passed = share(twice, [name < "abcdefghijk"[some] for name in twice], "t")
        assert passed is not None
        assert independent_images(asdict(passed)) == pytest.approx(10, rel=0.35)


def test_an_accuracy_is_corrected_by_the_certificate_of_its_scorer(
    certified: tuple[Path, RingReport], tmp_path: Path
) -> None:
    folder, _ = certified
    count = read_certificate(folder / CERTIFICATE, folder / KEY, "lab", "1").whole("l2")
    true, wrong = IMAGES * TRUE_PERCENT // 100, IMAGES * (100 - TRUE_PERCENT) // 100
    passes = round(true * count.hits / count.right + wrong * count.accepts / count.wrong)
    lines = [f"a,l2,{i},{'yes' if i < passes else 'no'}" for i in range(IMAGES)]
    verdicts = tmp_path / "lab.csv"
    verdicts.write_text("\n".join(["run,system,prompt,verdict", *lines, "a,l2,x,unscored"]))
    options = ("--certificate", str(folder / CERTIFICATE), "--key", str(folder / KEY))
    done = called(main, "correct", str(verdicts), *options, "--version", "1", "--json")
    assert done.returncode == 0, done.stderr
    (rate,) = json.loads(done.stdout)
    assert (rate["run"], rate["task"], rate["raw"]["scored"]) == ("a", "cna", IMAGES)
    assert rate["raw"]["high"] < TRUE_PERCENT
    assert rate["corrected"]["percent"] == pytest.approx(TRUE_PERCENT, abs=0.2)
    assert rate["corrected"]["low"] < TRUE_PERCENT < rate["corrected"]["high"]
    text = called(main, "correct", str(verdicts), *options, "--version", "1").stdout
    assert "L2: passes" in text
    refused = called(main, "correct", str(verdicts), *options, "--version", "2")
    assert refused.returncode == 2
    assert "is of lab 1, not of lab 2" in refused.stderr
    verdicts.write_text("prompt,verdict\nx,perhaps\n")
    with pytest.raises(BadInput, match="line 2: a verdict is one of yes"):
        read_verdicts(verdicts)


def test_a_certificate_is_verified_by_its_key(
    certified: tuple[Path, RingReport], tmp_path: Path
) -> None:
    folder, _ = certified
    fields = json.loads((folder / CERTIFICATE).read_text())
    other = tmp_path / KEY
    other.write_text((folder / KEY).read_text() + " ")
    with pytest.raises(BadInput, match="is not the key of"):
        read_certificate(folder / CERTIFICATE, other, "lab", "1")
    with pytest.raises(BadInput, match="is of lab 1, not of truehue 1"):
        read_certificate(folder / CERTIFICATE, folder / KEY, "truehue", "1")
    changed = tmp_path / CERTIFICATE
    changed.write_text(json.dumps(fields | {"hits": fields["hits"] | {"total": 7}}))
    with pytest.raises(BadInput, match="it was changed"):
        read_certificate(changed, folder / KEY, "lab", "1")
    changed.write_text(json.dumps(fields | {"systems": {}}))
    with pytest.raises(BadInput, match="Score the answers again"):
        read_certificate(changed, folder / KEY, "lab", "1")
    changed.write_text(json.dumps(fields | {"systems": {"l2": {RIGHT: 1}}}))
    with pytest.raises(BadInput, match="is no certificate"):
        read_certificate(changed, folder / KEY, "lab", "1")
