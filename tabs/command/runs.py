"""``python -m truehue runs``: whole runs without the page.

It works on run folders alone. It reads the database only for sets and images that are stored there,
and ingests the results at the end unless the app has the database open.

Exit status 0 if a run is finished, 3 if it was paused or cancelled, 2 for bad input, with its
message on standard error.
"""

from __future__ import annotations

import argparse
import json
import secrets
import shutil
import sys
from pathlib import Path

from truehue.core.analysis.audit import ANSWERS, IMAGES
from truehue.core.batch.folder import PLAN
from truehue.core.cli.cluster_files import CLUSTER_OPTIONS
from truehue.core.cli.slurm import SCRIPT_OPTIONS
from truehue.core.color.systems import SYSTEMS
from truehue.core.command import (
    ENDPOINTS,
    MODELS_FOLDER,
    Command,
    arg,
    command,
    data_folder,
    flag,
    group,
    percent_line,
)
from truehue.core.errors import BadInput, DatabaseBusy
from truehue.core.export import FORMATS
from truehue.core.export.archive_import import INCOMING, open_archive
from truehue.core.export.source import ExportRun, imported_from, left_out_text
from truehue.core.export.tables import companion_files
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.masks.grounded.variants import VARIANTS
from truehue.core.prompts.prompt import TASKS
from truehue.core.prompts.sets import PROMPT_SETS
from truehue.core.refinement.settings import VARIANTS as VARIANTS_OF_CFR
from truehue.core.runs.adaptive import PERCENT
from truehue.core.runs.folder import RunFolder, folder_named
from truehue.core.runs.protocols import PROTOCOLS
from truehue.core.runs.records import ALL, KEPT_ONE_IN, SHARED
from truehue.core.verdict.rules import RULES
from truehue.tabs.command import adaptive, array, audit, start, status
from truehue.tabs.command.status import runs_root, status_json
from truehue.tabs.page.errors import count_noun
from truehue.tabs.runs.request import (
    CFR_MAPS,
    DEFAULT_IMAGES,
    DEFAULT_RULES,
    DETECTOR,
    SEGMENTER,
)

EPILOG = """\
examples:
  python -m truehue runs start --set mini --model sdxl-base-1.0 --images 4
  python -m truehue runs start --set mini --limit 200 --size 256 --yes
  python -m truehue runs start --set mini --model sd3-medium --estimate-only --price-per-hour 2.5
  python -m truehue runs start --set mini --images-of sdxl-base-1.0 --masker grounded
  python -m truehue runs start --set mini --images-from ~/renders --model my-model --masker grounded
  python -m truehue runs start --set concepts --model sdxl-base-1.0 --images 5 --guidance 3,5,7,9
  python -m truehue runs start --set gencolorbench --protocol gencolorbench-paper --model sd3-medium
  python -m truehue runs start --set mini --model sd3.5-medium --cfr full --lambda 0.7 --cfr-map cfm
  python -m truehue runs start --set gencolorbench --model sd3-medium --model sana-1.6b --adaptive
  python -m truehue runs status
  python -m truehue runs resume 3f2a
  python -m truehue runs start --set gencolorbench --model sd3-medium --plan-only
  python -m truehue runs script 3f2a --slurm --array 16 > job.sh
  python -m truehue runs script 3f2a --skypilot --array 4 --mount /models=s3://lab/models > job.yaml
  python -m truehue runs work 3f2a --shard 3/16
  python -m truehue runs merge 3f2a
  python -m truehue runs export 3f2a --format zip --with-images
  python -m truehue runs export 3f2a --out report.html
  python -m truehue runs import a-run.truehue.zip
  python -m truehue runs audit 3f2a --n 200
A run is named by its name or by the first characters of its id. Ctrl+C pauses it; nothing is done
twice and nothing is lost, whatever ends it.
"""
FOLDERS = (
    data_folder("the app's data folder, with runs in its runs/"),
    arg(
        "--shared DIR",
        "the folder of runs, where it is another one that several machines see",
    ),
    flag("--json", "JSON, for programs"),
)
WORKERS = (
    arg(
        "--workers N",
        "worker processes (default: one per GPU, or per core without weights)",
        type=int,
    ),
    arg(
        "--ray ADDRESS",
        "work on Ray's cluster at this address; without one, on RAY_ADDRESS or this machine",
        nargs="?",
        const="",
    ),
    MODELS_FOLDER,
    ENDPOINTS,
)
LOCAL_WORKERS = (WORKERS[0], *WORKERS[2:])
RUN = arg("name RUN", "its name, or the first characters of its id")
_SETS = ", ".join(prompt_set.id for prompt_set in PROMPT_SETS)
_RULE_IDS = ", ".join(rule.id for rule in RULES)
START_OPTIONS = (
    group(
        "prompts",
        arg(
            "--set SET",
            f"{_SETS}, selection:NAME, an imported set, a file of prompts, or a folder of "
            "them as one set (default mini, or the protocol's)",
            default="",
        ),
        arg("--task", ", ".join(TASKS), default=""),
        arg("--system", ", ".join(SYSTEMS), default=""),
        arg(
            "--concepts WORDS",
            "of a set of concepts these alone, comma separated: banana, rotten banana; 'banana *' "
            "for an object with all its modifiers",
            default="",
        ),
        arg(
            "--limit N",
            "at most N prompts, evenly spaced: every task and system keeps its share; concepts "
            "object by object, each with its modifiers; the same N is the same prompts",
        ),
    ),
    group(
        "images",
        arg(
            "--model ID",
            "the model; several are one run each (default reference-renderer; python -m truehue "
            "models models lists them)",
            action="append",
        ),
        arg(
            "--images-of MODEL",
            "score the stored images of this model, or of run:RUN, and generate none",
        ),
        arg(
            "--images-from FOLDER",
            "import this folder of images that --model made, then score them",
        ),
        arg(
            "--images N",
            f"images a prompt (and guidance scale), with one seed each (default {DEFAULT_IMAGES})",
            default="",
        ),
        arg(
            "--protocol --settings NAME",
            "a paper's preset of all that is not said otherwise (images, seeds, steps, guidance, "
            f"size, masks, rules): {', '.join(entry.id for entry in PROTOCOLS)} "
            "(default: TrueHue's own)",
            default="",
        ),
        arg(
            "--seed N",
            "the first seed (default 0, or the protocol's)",
            default="",
        ),
        arg(
            "--seeds MODE",
            "shared: the same seeds for every prompt; per-prompt: seeds derived from --seed and the "
            "prompt's id (default shared)",
            default=SHARED,
        ),
        arg(
            "--keep-images WHICH",
            f"all; sample: 1 in {KEPT_ONE_IN}, chosen by prompt and number; none (default all); "
            "masks, colors and verdicts always stay",
            default=ALL,
        ),
        arg("--size PX", "side (default: the model's own)"),
        arg("--steps N", "default: the model's own"),
        arg(
            "--guidance X[,X…]",
            "one, or several scales: every seed is generated with each of them (default: the "
            "model's own)",
        ),
        arg(
            "--batch N",
            "generate N seeds of a prompt together, faster on a GPU; the pixels differ from those of "
            "one by one, and the plan and each row name it (default 1)",
            default="1",
        ),
        arg("--negative TEXT", "negative prompt", default=""),
        arg(
            "--cfr VARIANT",
            f"lower guidance where colors are too vivid: {', '.join(VARIANTS_OF_CFR)}",
            default="",
        ),
        arg("--lambda X", "of --cfr, 0 to 1: how far", dest="cfr_strength"),
        arg(
            "--cfr-map MAP",
            "where: saturation of a first pass, predicted (one pass), cfm (attention of the registered "
            "CFM over a first pass), or an image file in which white is most (default saturation)",
            default=CFR_MAPS[0],
        ),
        arg("--light", f"renderer: {', '.join(LIGHTS)}", default="studio"),
        arg("--failure", f"renderer: {', '.join(FAILURES)}", default="none"),
    ),
    group(
        "judging",
        arg(
            "--masker",
            "exact: masks that came with the image; whole: the whole image; salient: the object that "
            "stands out; grounded: by detector and segmenter "
            "(default: exact for the renderer and stored images, else grounded)",
        ),
        arg("--detector ID", f"default {DETECTOR}"),
        arg("--segmenter ID", f"default {SEGMENTER}"),
        arg("--presence ID", "model of the presence check (default: none)"),
        arg("--variant", f"{', '.join(item.id for item in VARIANTS)} (default paper)"),
        arg(
            "--rules IDS",
            "not used for concepts, whose colors are measured; comma separated, of "
            f"{_RULE_IDS} (default {','.join(DEFAULT_RULES)})",
            default="",
        ),
        arg("--k N", "neighbors that paper and truehue accept too (default 0)", default=""),
        arg("--munsell FILE.csv", "samples for the released rule"),
    ),
    arg("--name", "name of the run", default=""),
    arg(
        "--adaptive [PERCENT]",
        "of two models or more: generate only the images that tell most of the models' order, until "
        "every pair is decided, or at most so many percent of the images (default 3)",
        nargs="?",
        type=adaptive.percent,
        const=PERCENT,
    ),
    flag("--estimate-only", "print the estimate and stop"),
    flag("--plan-only", "make the run and stop, for a job array: runs script, runs work"),
    arg("--price-per-hour X", "machine cost per hour, for the estimate of the cost"),
    flag("--no-trial", "do not time a 3-image test where no earlier run gives an estimate"),
    flag(
        "--yes",
        "start without confirmation or test; without a terminal there is no confirmation",
    ),
)


@command(
    "export",
    "a run as a table, archive, report or references",
    *FOLDERS,
    RUN,
    arg("--format", "default: by the ending of --out", choices=tuple(FORMATS)),
    arg("--out PATH", "the file, or a folder for it (default: the current one)"),
    flag("--with-images", "zip: pack images and masks too"),
    arg(
        "--rule ID",
        f"html: the rule of figures and failures, of {', '.join(rule.id for rule in RULES)} "
        "(default: the run's first)",
        default="",
    ),
    description="; ".join(f"{name}: {text}" for name, text in FORMATS.items()),
)
def export_run(options: argparse.Namespace) -> int:
    """Writes the file, and says which."""
    from truehue.tabs.export.service import file_name

    folder = folder_named(runs_root(options), options.name)
    path = Path(options.out or ".").expanduser()
    format = options.format or path.suffix.removeprefix(".")
    if format not in FORMATS:
        if options.out and path.suffix:
            raise BadInput(f"Say which format {path.name} is: --format {'|'.join(FORMATS)}.")
        format = "csv"
    if path.is_dir():
        path = path / file_name(folder, format)
    if options.with_images and format != "zip":
        raise BadInput("Images are packed into an archive: --format zip.")
    remark = _export(options, folder, format, path)
    tabled = format in ("csv", "parquet")
    files = [path, *(companion_files([ExportRun(folder)], path) if tabled else [])]
    if options.json:
        print(
            json.dumps(
                {
                    "run_id": folder.run_id,
                    "format": format,
                    "message": remark,
                    "files": [str(file) for file in files],
                }
            )
        )
    else:
        print("\n".join(str(file) for file in files))
        if remark:
            print(remark, file=sys.stderr)
    return 0


def _export(options: argparse.Namespace, folder: RunFolder, format: str, path: Path) -> str:
    from truehue.core.export import write

    if format != "html":
        return write(
            folder,
            format,
            path,
            with_images=options.with_images,
            progress=percent_line(not options.json),
        )
    from truehue.storage.store import Storage
    from truehue.tabs.export.service import export
    from truehue.tabs.shell.compose import make_context

    # A database of its own, below the runs so that pictures are linked and not copied: the app
    # may have the other one open, and a shared folder of runs has none.
    index = runs_root(options) / INCOMING / f"report-{secrets.token_hex(8)}"
    try:
        with Storage.open(index) as storage:
            context = make_context(storage, str(options.data))
            try:
                return export(
                    context,
                    folder,
                    format,
                    path,
                    rule=options.rule,
                    progress=percent_line(not options.json),
                )
            finally:
                context.close()
    finally:
        shutil.rmtree(index, ignore_errors=True)


@command(
    "import",
    "an archive that someone exported, or the folder of a run, into the database",
    *FOLDERS,
    arg("file FILE", "NAME.truehue.zip, or the folder of a run"),
)
def import_run(options: argparse.Namespace) -> int:
    """Makes a run of an archive, and puts its results into the database."""
    path = Path(options.file).expanduser()
    if path.is_dir():
        if not (path / PLAN).is_file():
            raise BadInput(f"{path} is no folder of a run: it has no {PLAN}.")
        folder = RunFolder(path)
    elif path.is_file():
        folder = open_archive(path, runs_root(options), progress=percent_line(not options.json))
    else:
        raise BadInput(f"There is no file {path}.")
    remark = _taken_in(options, folder)
    if options.json:
        print(json.dumps({**status_json(folder), "imported": imported_from(folder.path)}))
    else:
        summary = folder.summary()
        count = count_noun(ExportRun(folder).done, "image")
        print(f"{summary['name']}, run {folder.run_id}: {count}.")
        if left_out := left_out_text(imported_from(folder.path)):
            print(left_out, file=sys.stderr)
    print(remark, file=sys.stderr)
    return 0


def _taken_in(options: argparse.Namespace, folder: RunFolder) -> str:
    from truehue.storage.store import Storage

    try:
        with Storage.open(options.data) as storage:
            storage.runs.register(folder)
            count = storage.runs.ingest(folder)
            if imported_from(folder.path):
                storage.runs.complete(folder)
            refused = storage.runs.refused(folder.run_id)
    except DatabaseBusy:
        inside = Path(options.data).expanduser().resolve() / "runs"
        if folder.path.resolve().parent == inside:
            return f"The app that has {options.data} open imports the results."
        raise BadInput(
            f"The app has {options.data} open. Copy {folder.path} into {inside}, or end the app "
            "first."
        ) from None
    if refused:
        raise BadInput("\n".join(f"{name}: {why}" for name, why in refused.items()))
    return f"{count_noun(count, 'image')} imported into the database of {options.data}."


COMMAND = Command(
    "runs",
    "Generates images for a set of prompts, selects objects and scores the images.",
    (
        Command(
            "start",
            "starts a run, or resumes the one of the same plan",
            (*FOLDERS, *WORKERS, *START_OPTIONS),
            adaptive.start,
            epilog=EPILOG,
        ),
        Command("resume", "resumes a run", (*FOLDERS, *WORKERS, RUN), start.resume),
        Command(
            "retry",
            "resumes a run, and retries failed images",
            (*FOLDERS, *WORKERS, RUN),
            start.retry,
        ),
        Command(
            "pause",
            "stops a run after the images in work, wherever it is executed",
            (*FOLDERS, RUN),
            status.pause,
        ),
        Command(
            "cancel",
            "cancels it; finished images stay, and resume still works",
            (*FOLDERS, RUN),
            status.cancel,
        ),
        Command(
            "status",
            "progress of one run, or of all",
            (*FOLDERS, arg("name RUN", "without it: all runs", nargs="?")),
            status.status,
        ),
        Command("list", "all runs, a line each", FOLDERS, status.list_runs),
        Command(
            "work",
            "does one share of a run, as a task of a job array; the database stays as it is",
            (
                *FOLDERS,
                *LOCAL_WORKERS,
                RUN,
                arg("--shard K/N", "the share: 3/16 is the third of 16", required=True),
                flag("--retry-failed", "retry failed images of the share"),
                flag("--resume", "lift an earlier pause of the whole run"),
            ),
            array.work,
        ),
        Command(
            "merge",
            "counts what the tasks of a job array did, and ingests it; says what is missing",
            (
                *FOLDERS,
                RUN,
                arg("copies FOLDER", "copies of the run's folder with more results", nargs="*"),
            ),
            array.merge_run,
        ),
        Command(
            "script",
            "prints a file that does a run on Slurm, Ray or SkyPilot",
            (*FOLDERS[:2], *LOCAL_WORKERS, RUN, SCRIPT_OPTIONS, CLUSTER_OPTIONS),
            array.script,
        ),
        export_run,
        import_run,
        Command(
            "audit",
            "makes a study in which people judge a random sample of a run's images",
            (
                *FOLDERS,
                RUN,
                arg("--n N", f"images to judge (default {IMAGES})", default=IMAGES),
                arg("--answers N", f"answers per image (default {ANSWERS})", default=ANSWERS),
                arg(
                    "--rule ID",
                    f"the rule that is audited, of {_RULE_IDS} (default: the run's first)",
                    default="",
                ),
                arg("--seed N", "chooses the images (default 0)", default=0),
                arg(
                    "--language TAG",
                    "of the questions, en or de; names of objects and colors stay English "
                    "(default en)",
                    default="en",
                ),
            ),
            audit.audit_run,
        ),
    ),
    epilog=EPILOG,
    former="app.py runs",
    stopped=("Stopped before anything began.", 3),
)
main = COMMAND.main
