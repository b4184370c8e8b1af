"""``python -m tests.bench.backups [COUNT]``: backups of a data folder under load, each restored.

Seven threads of an app's storage store images, selections, judgments, votes, a run and evaluations
(tests/storage/backup/load.py) while the command makes COUNT backups, 20 by default, as a process of
its own that asks the app for its database. Each is restored by the command, too, and looked through
for all that was confirmed before it began. Then bytes of the last are cut and flipped. The exit
status is 1 where something was lost or not refused.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.running import command
from tests.storage.backup.load import loaded, lost
from truehue.core.errors import BadInput
from truehue.storage.backup.restore import restore
from truehue.tabs.accounts.control import Control

COUNT, DAMAGES = 20, 200


def _called(*text: str) -> float:
    """The seconds that the command took. Raises CalledProcessError with what it said."""
    start = time.perf_counter()
    done = subprocess.run(command(*text), capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise SystemExit(f"{text} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return time.perf_counter() - start


def _refused(path: Path, into: Path) -> bool:
    try:
        restore(path, into)
    except BadInput:
        return not into.exists()
    return False


def _damaged(whole: Path, damages: int) -> int:
    """How many of so many cut and so many flipped copies are refused and leave nothing."""
    content, chance, refused = whole.read_bytes(), random.Random(7), 0
    damaged = whole.with_name("damaged.zip")
    for _ in range(damages):
        index, bit = chance.randrange(len(content)), 1 << chance.randrange(8)
        for other in (
            content[:index],
            content[:index] + bytes([content[index] ^ bit]) + content[index + 1 :],
        ):
            damaged.write_bytes(other)
            refused += _refused(damaged, whole.with_name("into"))
    return refused


def main(count: int) -> int:
    """Prints what was found; returns the exit status."""
    used, losses, confirmed = [], 0, []
    with tempfile.TemporaryDirectory(prefix="t") as name:
        root = Path(name)
        data, path, new = root / "d", root / "a.zip", root / "new"
        with loaded(data) as (storage, load):
            control = Control(storage.accounts, data, storage.copy_database)
            if not control.begin():
                raise SystemExit("The command cannot ask this process.")
            load.wait(3)
            for turn in range(count):
                confirmed = load.confirmed()
                used.append(_called("backup", str(path), "--replace", "--data", str(data)))
                after = len(load.confirmed())
                with load.paused():
                    _called("restore", str(path), str(new))
                    result = lost(new, confirmed)
                losses += len(result)
                meanwhile = after - len(confirmed)
                print(
                    f"{turn + 1:3}: {len(confirmed):,} confirmed before, {meanwhile:,} meanwhile, "
                    f"{used[-1]:.1f} s, {path.stat().st_size / 1e6:.1f} MB, "
                    f"{len(result)} lost or missing {result[:3] or ''}",
                    flush=True,
                )
                subprocess.run(["rm", "-r", str(new)], check=True)
            control.close()
        kinds = Counter(item.kind for item in confirmed)
        print("Before the last: " + ", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common()))
        print(f"{count} backups, median {statistics.median(used):.1f} s: {losses} lost or missing")
        refused = _damaged(path, DAMAGES)
        print(f"{refused} of {2 * DAMAGES} cut and flipped copies refused")
    return int(losses > 0 or refused < 2 * DAMAGES)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT))
