"""``python -m tests.bench.traced_counts FILE CHOSEN REPORTED``: the counts of ``path_traced.json``.

``CHOSEN`` and ``REPORTED`` are folders with what ``tests/bench/path_traced.py`` wrote, several with a
comma between. The object of each scene gets every 8th color of level 2 and CSS in three exposures
(:mod:`tests.bench.rule_variants`). Each image is scored by the main rules for its true color, for five
near names and for five of the other system. Figures that ``FILE`` has of other versions of a rule stay.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.new_ground import MAIN_RULES, OTHER, TRUE, targets
from tests.bench.rule_variants import EVERY, exposures
from truehue.core.color.spaces import srgb8_to_linear1
from truehue.core.diagnosis.colors import SET_SYSTEMS, set_colors
from truehue.core.diagnosis.figures import SCHEMA
from truehue.core.verdict.measure import measure_by_rules
from truehue.core.verdict.rules import PASS, rule

LIGHTS = "in overcast, window, sun, soft box, spot and two lamps"
ABOUT = {
    "chosen-on": (
        "Path-traced 1",
        f"{{}} scenes {LIGHTS}. Constants and confidence of truehue 1.2 were chosen on these.",
    ),
    "reported-on": (
        "Path-traced 2",
        f"{{}} other scenes {LIGHTS}, looked at once after truehue 1.2 was chosen.",
    ),
}
COUNTS = ("hits", "asked", "false_accepts", "tried", "other_accepts", "other_tried")
BINS = (50, 60, 70, 80, 90, 95)


class Counts:
    """Counts of one set by rule, color system, light and metering, and verdicts by confidence."""

    def __init__(self, set_id: str) -> None:
        self.set_id = set_id
        self.figures: dict[tuple[str, str, str, str], dict[str, int]] = defaultdict(
            lambda: dict.fromkeys(COUNTS, 0)
        )
        self.bins: dict[tuple[str, int], list[tuple[float, bool, float]]] = defaultdict(list)

    def add_image(
        self, image: np.ndarray, mask: np.ndarray, color: str, system: str, parts: dict[str, str]
    ) -> None:
        """Scores an image; ``parts`` are its light and its metering."""
        names = {TRUE: COUNTS[:2], OTHER: COUNTS[4:]}
        for relation, target in targets(color, system):
            passes, scored = names.get(relation, COUNTS[2:4])
            for result in measure_by_rules(image, mask, target, MAIN_RULES):
                verdict = result.verdict
                for by, key in (("all", ""), *parts.items()):
                    figure = self.figures[verdict.rule, system, by, key]
                    figure[passes] += verdict.status == PASS
                    figure[scored] += 1
                percent = verdict.confidence_percent
                if percent is not None:
                    least = max(least for least in BINS if percent >= least)
                    right = (verdict.status == PASS) == (relation == TRUE)
                    weight = 1.0 if relation == TRUE else 0.5
                    self.bins[verdict.status, least].append((percent, right, weight))

    def add_folder(self, folder: Path) -> int:
        """Scores the scenes of a folder, and returns how many there are."""
        paths = sorted(folder.glob("*.npz"))
        for number, path in enumerate(paths):
            with np.load(path) as scene:
                light = str(scene["light"])
            for system in SET_SYSTEMS:
                for color in set_colors(system)[number % EVERY :: EVERY]:
                    albedo1 = srgb8_to_linear1(np.array(color.srgb8))
                    for metering, image, mask in exposures(path, number, albedo1):
                        parts = {"light": light, "metering": metering}
                        self.add_image(image, mask, color.name, system, parts)
        return len(paths)

    def figure_rows(self) -> list[dict[str, Any]]:
        """The counts as the file has them."""
        return [
            {
                "set": self.set_id,
                "rule": rule_id,
                "version": rule(rule_id).version,
                "system": system,
                "by": by,
                "key": key,
                **{name: int(count) for name, count in counts.items()},
            }
            for (rule_id, system, by, key), counts in sorted(
                self.figures.items(), key=lambda item: MAIN_RULES.index(item[0][0])
            )
        ]

    def reliability_rows(self) -> list[dict[str, Any]]:
        """What truehue's confidence said, and how often it was right."""
        rows = []
        for (status, least), entries in sorted(self.bins.items()):
            said, right, weight = np.array(entries, dtype=np.float64).T
            rows.append(
                {
                    "set": self.set_id,
                    "status": status,
                    "from_percent": least,
                    "verdicts": len(entries),
                    "said_percent": round(float(np.average(said, weights=weight)), 2),
                    "right_percent": round(100.0 * float(np.average(right, weights=weight)), 2),
                }
            )
        return rows


def main(path: Path, folders: dict[str, list[Path]]) -> None:
    """Writes the file."""
    stored = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else []
    sets, figures, calibration = [], [], []
    for set_id, of_set in folders.items():
        counts = Counts(set_id)
        scenes = sum(counts.add_folder(folder) for folder in of_set)
        name, words = ABOUT[set_id]
        sets.append({"id": set_id, "name": name, "words": words.format(scenes), "scenes": scenes})
        rows = counts.figure_rows()
        versions = {(row["rule"], row["version"]) for row in rows}
        figures += rows
        figures += [
            row
            for row in stored
            if row["set"] == set_id and (row["rule"], row["version"]) not in versions
        ]
        calibration += counts.reliability_rows()
    data = {"schema": SCHEMA, "sets": sets, "figures": figures, "calibration": calibration}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        {
            set_id: [Path(folder) for folder in text.split(",")]
            for set_id, text in zip(ABOUT, sys.argv[2:4], strict=True)
        },
    )
