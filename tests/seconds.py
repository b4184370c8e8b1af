"""``python -m tests.seconds REPORT.xml``: keeps how long tests take, for tests/conftest.py.

REPORT.xml is pytest's (``--junitxml``) of a whole run on a machine with nothing beside it. Only
tests of three tenths of a second and more are kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

KEPT_S = 0.3
FILE = Path(__file__).with_name("seconds.json")


def seconds_of(report: Path) -> dict[str, float]:
    """Seconds by node id, in one decimal place, of setup, call and teardown together."""
    out = {}
    for case in ElementTree.parse(report).iter("testcase"):
        place, seconds = case.get("classname", "").replace(".", "/"), float(case.get("time", 0))
        if seconds >= KEPT_S:
            out[f"{place}.py::{case.get('name')}"] = round(seconds, 1)
    return dict(sorted(out.items()))


if __name__ == "__main__":
    FILE.write_text(json.dumps(seconds_of(Path(sys.argv[1])), indent=0) + "\n")
