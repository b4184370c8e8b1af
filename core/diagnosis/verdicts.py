"""The table of all judgments, ``verdicts.csv.gz``, and what its columns mean."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Iterable, Iterator

from truehue.core.diagnosis.scoring import COLUMNS, JudgmentRow

MEANING: dict[str, str] = {
    "object": "Object of the renderer, or of the manifest.",
    "light": "Light of the renderer, or of the manifest.",
    "seed": "Seed of viewpoint, turn, light direction and backdrop; 0 for images of a manifest.",
    "system": "Color system: l1, l2, l3 (ISCC-NBS) or css.",
    "color": "True color of the target material: name in the system, or hex.",
    "second": "Hex of the second material inside the mask; empty where there is one material.",
    "asked": "Color that the image was scored against.",
    "relation": "true: asked is the true color. near: it is one of the five nearest distinct "
    "colors of the system that lie at least 10 ΔE00 from the true one.",
    "rule": "Id of the rule; report.json has its version and parameters.",
    "status": "pass, fail or unscored. near with pass is a false accept.",
    "delta_e00": "CIEDE2000 between the measured color and the target color.",
    "delta_chroma": "Distance in the a*b* plane (CIELAB, D65, 2 degrees).",
    "hue_deg": "Difference of h_ab in degrees, 0 to 180; 0 where a color is near neutral.",
    "margin": "Largest value over threshold of the scored metrics: a pass is below 1.",
    "confidence_percent": "How sure the rule is of its verdict, 50 to 100, where it says.",
}
assert tuple(MEANING) == COLUMNS

VERDICTS = "verdicts.csv.gz"


def csv_of(rows: Iterable[JudgmentRow]) -> str:
    """Rows as CSV without a header."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(row.as_fields() for row in rows)
    return text.getvalue()


def rows_of_csv(text: str) -> list[JudgmentRow]:
    """The rows of :func:`csv_of`. Raises ValueError for other text."""
    try:
        return [JudgmentRow.from_fields(values) for values in csv.reader(io.StringIO(text))]
    except (TypeError, csv.Error) as error:
        raise ValueError(str(error)) from error


def verdicts_csv(rows: Iterable[JudgmentRow]) -> Iterator[bytes]:
    """``verdicts.csv.gz`` in pieces, header first."""
    pieces = zlib.compressobj(6, zlib.DEFLATED, 31)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, row in enumerate(rows, 1):
        writer.writerow(row.as_fields())
        if number % 5000 == 0:
            yield pieces.compress(text.getvalue().encode())
            text.seek(0)
            text.truncate()
    yield pieces.compress(text.getvalue().encode()) + pieces.flush()


def codebook() -> str:
    """The text of ``codebook.md``."""
    lines = "\n".join(f"| {name} | {meaning} |" for name, meaning in MEANING.items())
    return (
        "# verdicts.csv.gz\n\n"
        "One line per image, rule and color that it was scored against. UTF-8, comma separated, "
        "one header line; an empty field is no value. Numbers have six significant digits.\n\n"
        f"| column | meaning |\n|---|---|\n{lines}\n\n"
        "Rates in report.json count unscored judgments as asked, so they are no hits. "
        "Their intervals are Wilson's, 95%.\n"
    )
