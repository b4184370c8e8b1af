"""A manifest of somebody else's renders: ``file,mask,system,color[,object][,light]``."""

from __future__ import annotations

import csv
from pathlib import Path

from truehue.core.color.systems import SYSTEMS
from truehue.core.diagnosis.plan import FileRow
from truehue.core.errors import BadInput

COLUMNS = ("file", "mask", "system", "color")
OPTIONAL = ("object", "light")


def read_manifest(path: Path) -> list[FileRow]:
    """The rows in order; paths start at the manifest's folder.

    ``color`` is a name of the system or a hex. A row that cannot be used says so in ``problem``.
    Raises BadInput for a file that is no such manifest or has no rows.
    """
    rows: list[FileRow] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, skipinitialspace=True)
            reader.fieldnames = [name.strip().lower() for name in reader.fieldnames or []]
            missing = [name for name in COLUMNS if name not in reader.fieldnames]
            if missing:
                raise BadInput(
                    f"The manifest {path.name} lacks the column(s) {', '.join(missing)}. It needs "
                    f"a header line with {','.join(COLUMNS)}; {' and '.join(OPTIONAL)} may follow."
                )
            for row in reader:
                values = {name: (row.get(name) or "").strip() for name in (*COLUMNS, *OPTIONAL)}
                too_many = None in row  # csv's key for what no column is named for
                rows.append(_row(path, reader.line_num, values, too_many))
    except OSError as error:
        raise BadInput(f"Cannot read the manifest {path}: {error.strerror}.") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadInput(f"The manifest {path.name} is no CSV in UTF-8: {error}.") from error
    if not rows:
        raise BadInput(f"The manifest {path.name} has a header but no rows.")
    return rows


def _row(path: Path, line: int, values: dict[str, str], too_many: bool) -> FileRow:
    problem = ""
    if too_many:
        problem = "There are more values than columns; a value with commas needs quotes."
    elif not all(values[name] for name in COLUMNS):
        problem = "file, mask, system and color must all be given."
    elif values["system"].lower() not in SYSTEMS:
        problem = f"There is no color system {values['system']!r}: {', '.join(SYSTEMS)}."
    file, mask = (path.parent / values[name] for name in ("file", "mask"))
    return FileRow(
        where=f"{path.name}, line {line}",
        file=str(file.absolute()),
        mask=str(mask.absolute()),
        system=values["system"].lower(),
        color=_one_line(values["color"]),
        object=_one_line(values["object"]),
        light=_one_line(values["light"]),
        problem=problem,
        stamp=tuple(number for path in (file, mask) for number in _stamp(path)),
    )


def _one_line(name: str) -> str:
    return " ".join(name.split())


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file, zeros where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_size, stat.st_mtime_ns
