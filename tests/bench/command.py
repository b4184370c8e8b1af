"""``python -m tests.bench.command``: ``truehue measure`` on one image, over importing what it uses.

Each is a fresh process, in turn: the command, ``import truehue; truehue.measure``, and ``import
numpy, cv2, PIL.Image``. Processor time is that of the process, from its start to its end. Compiled
modules lie in a folder of the bench, as those of an installed package lie beside it. Goals: at most
twice the processor time of the imports, and 0.4 s by the clock, which is a wait of a person.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image

from tests.bench.scenes import photographs

ROOT = Path(__file__).resolve().parents[2]
RUNS = 15
GOAL, GOAL_S = 2.0, 0.4
SIDES = (512, 1024)
IMPORTS = "import numpy, cv2, PIL.Image"
LIBRARY = "import truehue; truehue.measure"
COMMAND = "from truehue.__main__ import main; main()"


def seconds(code: str, arguments: Sequence[str], environment: Mapping[str, str]) -> list[float]:
    """Processor time and time of a process that runs ``code``."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    end, after = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [used, end - start]


def main() -> None:
    """Prints the medians and their ratios, taken round by round."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        processes: dict[str, tuple[str, list[str]]] = {
            "the imports": (IMPORTS, []),
            LIBRARY: (LIBRARY, []),
        }
        for side in SIDES:
            scene = photographs(side)[0]
            image, mask = f"{folder}/{side}.png", f"{folder}/{side}-mask.png"
            Path(image).write_bytes(scene.png)
            Image.fromarray(scene.mask).save(mask)
            options = ["measure", image, "--mask", mask, "--target", "navy"]
            processes[f"truehue measure, {side} px"] = COMMAND, options
        used: dict[str, list[list[float]]] = {name: [] for name in processes}
        for run in range(RUNS + 1):
            for name, (code, arguments) in processes.items():
                found = seconds(code, arguments, environment)
                if run:  # the first round compiles
                    used[name].append(found)
    imports = used["the imports"]
    for name, times in used.items():
        processor, clock = (statistics.median(values) for values in zip(*times, strict=True))
        ratio = statistics.median(a[0] / b[0] for a, b in zip(times, imports, strict=True))
        line = f"{name:<32}{processor:6.3f} s of processor, {clock:6.3f} s of time, {ratio:5.2f}"
        if "measure," in name:
            verdicts = ["met" if met else "NOT met" for met in (ratio <= GOAL, clock <= GOAL_S)]
            line += f"   goals {GOAL}: {verdicts[0]}, {GOAL_S} s: {verdicts[1]}"
        print(line)
    print(f"medians of {RUNS} rounds; ratios are of processor time to `{IMPORTS}`")


if __name__ == "__main__":
    main()
