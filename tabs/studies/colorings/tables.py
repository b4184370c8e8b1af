"""The tables of a study of colorings, beside those that every study has."""

from __future__ import annotations

from typing import Any

from truehue.annotation.quality.control import Level, Outcome
from truehue.core.export.columns import NUMBER, TEXT, TRUTH, WHOLE, Column
from truehue.tabs.studies.colorings.exports import (
    actions,
    colorings,
    concepts,
    distributions,
    reviews,
)
from truehue.tabs.studies.colorings.submitted import MAIN, SECOND, TRAINING
from truehue.tabs.studies.tables import COMPUTED, DONE, PERSON, PLAN, SHOWN, StudyTable

_LAB, _SHARE, _MS, _TIME, _PX = (
    "CIELAB units",
    "share, 0 to 1",
    "milliseconds",
    "ISO 8601, UTC",
    "pixels",
)
EXPERT, RESEARCHER = "the expert", "the researcher"


def _column(kind: str) -> Any:
    def made(name: str, source: str, meaning: str, unit: str = "", **more: Any) -> Column:
        return Column(name, kind, source, meaning, unit, **more)

    return made


_text, _whole, _number, _truth = (_column(kind) for kind in (TEXT, WHOLE, NUMBER, TRUTH))
_PARTICIPANT = _whole(
    "participant", PERSON, "The participant's number by order of enrolment.", "1 up", always=True
)
_POSITION = _whole("position", SHOWN, "Place of the trial, in serving.", "0 upward", always=True)
_CASE = _text("case", PLAN, "Id of the case: a concept.", always=True)
_WORDS = _text("words", PLAN, "What the designer read.", always=True)
_LEVEL = _text(
    "level",
    COMPUTED,
    "Which colorings: every first one (all), without what experts found inconsistent (majority), "
    "or as the rule and researchers' marks leave them (marks).",
    allowed=tuple(Level),
    always=True,
)

COLORING_TABLES: tuple[StudyTable, ...] = (
    StudyTable(
        "colorings",
        "Final colorings, including practice and second colorings",
        "a coloring",
        (
            _PARTICIPANT,
            _POSITION,
            _CASE,
            _WORDS,
            _text("group", PLAN, "Group for separate results."),
            _text(
                "purpose",
                SHOWN,
                "Purpose of the trial. Practice is never in results.",
                allowed=(MAIN, SECOND, TRAINING),
                always=True,
            ),
            _whole("original", SHOWN, "Position of the coloring that a second one repeats."),
            _text("sketch", PLAN, "Id of the sketch: sketches/ID.png in all.zip.", always=True),
            _text("file", COMPUTED, "The colors alone as PNG in all.zip.", always=True),
            _text("at", DONE, "When it was finished.", _TIME, always=True),
            _number("response_ms", DONE, "From the whole sketch on screen to the end.", _MS),
            _number("active_ms", DONE, "Time in which something was done.", _MS),
            _whole("actions", DONE, "Actions in its log.", "actions"),
            _whole("revisions", DONE, "How often it was opened again.", always=True),
            _text("checksum", DONE, "CRC-32 of the page's layer (RGBA bytes).", "8 hex digits"),
            _truth("matches", COMPUTED, "Whether replaying the log gives the same layer."),
            _number("colored", COMPUTED, "Pixels with a color, of all.", _SHARE),
            _number("background", COMPUTED, "Colored part of the paper around it.", _SHARE),
            _truth("background_part", DONE, "Whether that was said to be part of the concept."),
            _text("problem", COMPUTED, "Why it could not be measured."),
            _truth("flagged", COMPUTED, "Whether the concept is among those of least consensus."),
            _whole("yes", EXPERT, "Experts who found it consistent with the concept.", "votes"),
            _whole("no", EXPERT, "Experts who found it inconsistent.", "votes"),
            _text("outcome", COMPUTED, "What the votes give.", allowed=tuple(Outcome)),
            _text(
                "mark", RESEARCHER, "A decision on this coloring.", allowed=("kept", "discarded")
            ),
            _text("mark_reason", RESEARCHER, "Why it was decided so."),
            _truth("kept_majority", COMPUTED, "Whether it is in results at that level."),
            _truth("kept_marks", COMPUTED, "Whether it is in results at that level."),
            _text(
                "reasons",
                COMPUTED,
                "Reasons for exclusion at the level of the rule, separated by semicolons.",
            ),
            _text(
                "weights",
                COMPUTED,
                "Its own distribution over the 71 bins of UW-71, by the extraction that images "
                "of models go through: a list of 71 shares.",
                "JSON",
            ),
        ),
        colorings,
    ),
    StudyTable(
        "actions",
        "The log of the canvas, from which each coloring can be replayed exactly",
        "an action",
        (
            _PARTICIPANT,
            _POSITION,
            _whole("number", DONE, "Order within the trial.", "0 upward", always=True),
            _text(
                "do",
                DONE,
                "What was done. Undo and redo are of the actions before, in order.",
                allowed=("fill", "stroke", "clear", "undo", "redo"),
                always=True,
            ),
            _text("color", DONE, "Color of a fill or stroke; empty takes color away.", "#rrggbb"),
            _whole("x", DONE, "Of a fill: column of the click.", _PX),
            _whole("y", DONE, "Of a fill: row of the click.", _PX),
            _whole("closing", DONE, "Of a fill: index of the closing whose region was filled."),
            _whole("diameter", DONE, "Of a stroke: width of the brush.", _PX),
            _whole("within", DONE, "Of a stroke: index of the closing whose region bounds it."),
            _text("points", DONE, "Of a stroke: x0, y0, x1, y1, …: a list.", "JSON"),
        ),
        actions,
    ),
    StudyTable(
        "reviews",
        "All expert reviews, in order",
        "an answer of an expert",
        (
            _whole("number", EXPERT, "Order within the study.", "0 upward", always=True),
            _whole(
                "reviewer",
                EXPERT,
                "Number of the expert, in the order of first reviews.",
                "1 up",
                always=True,
            ),
            _PARTICIPANT,
            _POSITION,
            _CASE,
            _truth("consistent", EXPERT, "The answer; empty takes the one before back."),
            _text("at", EXPERT, "When it was stored.", _TIME, always=True),
            _truth(
                "counts",
                COMPUTED,
                "Whether it counts: it is the last by this expert, and of the coloring as it is.",
                always=True,
            ),
        ),
        reviews,
    ),
    StudyTable(
        "concepts",
        "Consensus and certainty of every concept",
        "a concept and a level",
        (
            _CASE,
            _WORDS,
            _LEVEL,
            _whole("colorings", COMPUTED, "Included colorings.", "colorings", always=True),
            _whole("pairs", COMPUTED, "Pairs of these.", "pairs", always=True),
            _number("emd_lab", COMPUTED, "Mean EMD over all pairs (equation 6).", _LAB),
            _truth("flagged", COMPUTED, "Among those of least consensus.", always=True),
            _number(
                "width_lab",
                COMPUTED,
                "Radius around P_H (EMD) in which that of all designers lies with 95%, at the "
                "rule's level; of colorings all alike, made of the spread of all concepts.",
                _LAB,
            ),
            _number("narrowing_lab", COMPUTED, "Expected reduction by one more coloring.", _LAB),
        ),
        concepts,
    ),
    StudyTable(
        "distributions",
        "P_H: people's distribution of every concept over UW-71",
        "a concept, a level and a bin with a share",
        (
            _CASE,
            _WORDS,
            _LEVEL,
            _whole("colorings", COMPUTED, "Colorings that it is of.", "colorings", always=True),
            _whole("bin", COMPUTED, "Bin of UW-71 in canonical order.", "0 to 70", always=True),
            _text("hex", COMPUTED, "Its color.", "#RRGGBB", always=True),
            _number("share", COMPUTED, "Its share; bins without one are omitted.", _SHARE),
        ),
        distributions,
    ),
)
"""In the order of the codebook."""
