"""Files of distributions: histograms over UW-71, association ratings, palettes; CSV or JSON.

- Wide CSV: a column ``concept`` (or without a name; optionally ``modifier``, ``contributor``,
  ``people``) and one column for each bin. A bin's column is named by its index 0 to 70 (``bin0``,
  ``bin_00``) or its color (``#RRGGBB`` or ``L,a,b``), or a row of colors follows the header.
- Transposed CSV: one row for each bin, with ``index`` or ``hex`` or ``L,a,b`` or ``r,g,b``, and
  one column for each concept.
- Long CSV of palettes: ``concept``, ``contributor``, ``hex`` (or ``r,g,b`` or ``L,a,b``) and
  ``weight``; without weights all colors weigh the same.
- Exports of Compare: wide CSV with the columns ``label``, ``kind`` (``pictures``, or a key of
  truehue.core.concepts.records.KINDS) and ``method`` for each row.
- JSON: ``{"concept": [71 numbers]}``, or a list of objects with ``concept`` and ``weights`` or
  ``palette``.
- 71 bare numbers, of one concept that the caller names.

A row with ``people`` 0 belongs to no person: its contributor is its label.
Colors, if given, identify the bin; an index that contradicts its color is refused.
Cells are separated by commas, semicolons or tabs; decimal commas are read if the whole file uses
them.
"""

from __future__ import annotations

from truehue.core.concepts.reading.bins import (
    AS_58,
    CONTRIBUTOR,
    INDEX,
    MODIFIER,
    PEOPLE,
    RATINGS,
    SHARES,
    VALUE,
    WEIGHT,
    WORDS,
    FileRefused,
    by_color,
    color_in,
    index_in,
    normalize_header,
)
from truehue.core.concepts.reading.collector import RowCollector
from truehue.core.concepts.reading.from_json import looks_like_json, take_json
from truehue.core.concepts.reading.tables import (
    ColorColumns,
    TextTable,
    bare_numbers,
    is_turned_by_first_column,
    read_headerless,
    read_table,
    read_transposed,
    read_wide,
    take_palettes,
)
from truehue.core.concepts.records import DistributionFile
from truehue.core.errors import BadInput
from truehue.core.text_tables import TextSource, open_text

__all__ = ["AS_58", "MAX_BYTES", "RATINGS", "SHARES", "FileRefused", "read_distributions"]

MAX_BYTES = 64 * 2**20
_ADVICE = "Save the table as UTF-8 text, CSV or JSON."


def read_distributions(
    name: str,
    content: bytes,
    *,
    as_58: bool = False,
    normalize: bool | str = False,
    text: str | None = None,
) -> DistributionFile:
    """Reads the file called ``name``.

    ``as_58`` takes 58 numbers for UW-58's bins. ``normalize`` divides rows that do not sum to 1 by
    their sum: with RATINGS, or True, they are ratings then; with SHARES they were counts, percent
    or rounded shares, and are histograms. ``text`` is the concept of numbers that have none beside
    them; a file that names its concepts keeps its own.

    A row that cannot be read is a sentence in ``problems``, and the others come in. Raises
    FileRefused, with the offer that would help, for a file whose bins cannot be told and for one
    without any row that can be read; BadInput for what is empty, too large or no text, and for
    another ``normalize``.
    """
    if normalize not in (True, False, "", RATINGS, SHARES):
        raise BadInput(f"Numbers are normalized as {RATINGS} or as {SHARES}, not otherwise.")
    if len(content) > MAX_BYTES:
        raise FileRefused(
            f"{name} is too large: a file of distributions may have at most "
            f"{MAX_BYTES // 2**20} MB. Split it."
        )
    gathering = RowCollector(name, RATINGS if normalize is True else normalize or "")
    with open_text(content, name, _ADVICE) as source:
        if looks_like_json(source):
            gathering.notes.extend(source.notes)
            return gathering.finish(take_json(source, gathering, as_58, text))
        return gathering.finish(_take_table(source, gathering, as_58, text))


def _take_table(source: TextSource, gathering: RowCollector, as_58: bool, text: str | None) -> bool:
    """Reads a CSV file; True where its rows are palettes."""
    table = read_table(source)
    gathering.notes.extend(table.notes)
    bare = bare_numbers(table)
    if bare is not None:
        numbers, above = bare
        named = text if not above or normalize_header(above) in VALUE else above
        read_headerless(table, gathering, as_58, named, numbers)
    elif _is_wide(table):
        read_wide(table, gathering, as_58, text)
    elif ColorColumns(table).places or table.column(INDEX) is not None:
        if _is_long(table, as_58):
            take_palettes(table, gathering, text)
            return True
        read_transposed(table, gathering, as_58, text)
    elif is_turned_by_first_column(table):
        read_transposed(table, gathering, as_58, text, unnamed=True)
    else:
        read_wide(table, gathering, as_58, text)
    return False


def _is_wide(table: TextTable) -> bool:
    """Whether most columns are called by a bin."""
    bins = 0
    for header in table.header:
        try:
            bins += index_in(header) is not None or color_in(header) is not None
        except BadInput:
            bins += 1
    return 2 * bins > len(table.header)


def _is_long(table: TextTable, as_58: bool) -> bool:
    """Whether a table with colors in its rows is of palettes, and not of bins."""
    colors = ColorColumns(table)
    if not colors.places:
        return False
    if table.column(WORDS) is not None:
        return True
    labels = (*WEIGHT, *MODIFIER, *CONTRIBUTOR, *PEOPLE)
    rest = [header for index, header in enumerate(table.header) if index not in colors.places]
    if not all(normalize_header(header) in labels for header in rest):
        return False
    # A color of every bin, each once, with one number: a histogram that was turned.
    try:
        row_colors = [colors.color(record) for record in table.rows if not record.why]
        by_color(row_colors, ["a row"] * len(row_colors), as_58, table.name)
    except (BadInput, IndexError):
        return True
    return not rest
