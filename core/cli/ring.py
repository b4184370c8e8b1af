"""``truehue ring``: test any color scorer on a sealed set of renders of known color.

Exit status 0 on success, 2 for bad input, 130 after Ctrl+C.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from dataclasses import asdict
from pathlib import Path

from truehue.core.command import JSON, Command, arg, command, percent_line
from truehue.core.errors import BadInput
from truehue.core.files import replace_file
from truehue.core.ring.answers import answer_by_rules, answers_text, read_answers
from truehue.core.ring.certificate import summary_text, write_results
from truehue.core.ring.certified import read_certificate
from truehue.core.ring.comparison import compare
from truehue.core.ring.correction import correct_verdicts, correction_text, read_verdicts
from truehue.core.ring.folder import default_key_path, make_set, open_set, read_key
from truehue.core.ring.plan import DEFAULT_IMAGES, DEFAULT_SIZE_PX
from truehue.core.ring.report import score
from truehue.core.verdict.rules import RULES

EPILOG = """\
examples:
  truehue ring make --out set
  truehue ring answer set --out truehue.csv
  truehue ring score truehue.csv --set set --key set-key.json
  truehue ring score lab.csv vlm.csv --rules all --set set --key set-key.json --out results
  truehue ring correct lab.csv --certificate results/lab-certificate.json --key set-key.json
"""
_RANDOM_SEEDS = 2**62
_KEY = arg("--key FILE", "the key of the set", type=Path, required=True)


@command(
    "make",
    "render a set of questions and write its answers, the key, to another file",
    arg("--out DIR", "new folder of the set", type=Path, required=True),
    arg("--seed S", "a number that nobody can guess (default: a random one)", type=int),
    arg("--n N", "images (default %(default)s)", default=DEFAULT_IMAGES),
    arg("--size PX", "side of the images (default %(default)s)", default=DEFAULT_SIZE_PX),
    arg("--key FILE", "new file of the answers (default: DIR-key.json, beside DIR)", type=Path),
)
def make(options: argparse.Namespace) -> int:
    """Makes a set."""
    seed = secrets.randbelow(_RANDOM_SEEDS) if options.seed is None else options.seed
    key = options.key or default_key_path(options.out)
    made = make_set(options.out, key, seed, options.n, options.size, percent_line())
    print(
        f"Set {made.name}: {len(made.rows):,} questions about {made.images:,} images in "
        f"{options.out}. Give the folder to those who answer.\n"
        f"Key: {key}. Keep it, and the seed {seed}, until all answers are in. "
        f"Its SHA-256 is {made.key_sha256}."
    )
    return 0


@command(
    "answer",
    "answer the questions of a set by one of TrueHue's rules",
    arg("set SET", "folder of the set", type=Path),
    arg("--out FILE.csv", "new file of the answers", type=Path, required=True),
    arg(
        "--rule ID",
        f"one of {', '.join(entry.id for entry in RULES)} (default %(default)s)",
        default=RULES[0].id,
    ),
)
def answer(options: argparse.Namespace) -> int:
    """Writes the answers of a rule."""
    if options.out.exists():
        raise BadInput(f"{options.out} exists already. Give another file.")
    answers = answer_by_rules(open_set(options.set), [options.rule], percent_line())[0]
    replace_file(options.out, answers_text(answers).encode())
    print(f"{len(answers.answers):,} answers by {answers.scorer} {answers.version}: {options.out}")
    return 0


@command(
    "score",
    "score answers: hits, false accepts, bias and calibration, with a certificate",
    arg(
        "answers ANSWERS.csv",
        "columns id, answer (yes, no or unscored) and perhaps confidence (0 to 1)",
        nargs="*",
        type=Path,
    ),
    arg(
        "--rules IDS",
        "rules that answer too, comma separated, of "
        f"{', '.join(entry.id for entry in RULES)}; or all",
        default="",
    ),
    arg("--set DIR", "folder of the set", type=Path, required=True),
    _KEY,
    arg("--name NAME", "name of the scorer (default: that of the file)", default=""),
    arg("--version TEXT", "version of the scorer", default=""),
    arg("--out DIR", "folder of the certificates (default: that of the first answers)", type=Path),
    JSON,
)
def score_answers(options: argparse.Namespace) -> int:
    """Scores files of answers, and compares several."""
    if len(options.answers) > 1 and (options.name or options.version):
        raise BadInput("--name and --version are for one file of answers.")
    ring_set = open_set(options.set)
    key = read_key(options.key, ring_set)
    scorers = [
        read_answers(path, ring_set, options.name, options.version) for path in options.answers
    ]
    if options.rules:
        names = [name.strip() for name in options.rules.split(",") if name.strip() != "all"]
        scorers += answer_by_rules(ring_set, names, percent_line())
    if not scorers:
        raise BadInput("Give a file of answers, or --rules.")
    pairs = compare(key, scorers)
    reports = [score(ring_set, key, entry) for entry in scorers]
    folder = options.out or (options.answers[0].parent if options.answers else Path("."))
    files = write_results(folder, reports, pairs)
    if options.json:
        fields = {
            "reports": [report.as_json() for report in reports],
            "pairs": [asdict(pair) for pair in pairs],
        }
        print(json.dumps(fields, ensure_ascii=False))
    else:
        print(summary_text(reports, pairs), end="")
    print(f"Written: {', '.join(map(str, files))}", file=sys.stderr)
    return 0


@command(
    "correct",
    "correct a scorer's accuracies for its errors, by its certificate",
    arg(
        "verdicts VERDICTS.csv",
        "a line an image: prompt, verdict (yes, no or unscored), and perhaps run, task and system",
        type=Path,
    ),
    arg("--certificate FILE.json", "the scorer's certificate", type=Path, required=True),
    _KEY,
    arg("--name NAME", "name of the scorer (default: that of the file)", default=""),
    arg("--version TEXT", "version of the scorer", default=""),
    JSON,
)
def correct(options: argparse.Namespace) -> int:
    """Prints the raw and the corrected accuracies of every run."""
    scorer = options.name or options.verdicts.stem
    calibration = read_certificate(options.certificate, options.key, scorer, options.version)
    rates = correct_verdicts(read_verdicts(options.verdicts), calibration)
    if options.json:
        print(json.dumps([asdict(rate) for rate in rates], ensure_ascii=False))
    else:
        print(correction_text(rates, calibration), end="")
    return 0


@command(
    "vlm",
    "write the questions as a question set for truehue vlm run; it holds the answers",
    arg("set SET", "folder of the set", type=Path),
    arg("out OUT", "new folder of the question set", type=Path),
    _KEY,
)
def vlm(options: argparse.Namespace) -> int:
    """Writes a question set for VLMs."""
    from truehue.core.ring.vlm import write_vlm_set

    ring_set = open_set(options.set)
    made = write_vlm_set(options.out, ring_set, read_key(options.key, ring_set))
    print(
        f"{made.questions_count:,} questions about {made.images_count:,} images in {options.out}.\n"
        f"Answer them: truehue vlm run {options.out} EVALUATION --model MODEL\n"
        "Then: truehue vlm score EVALUATION --answers ANSWERS.csv; truehue ring score ANSWERS.csv"
    )
    return 0


COMMAND = Command(
    "ring",
    "Tests any color scorer on a sealed set of renders of known color: hits, false accepts, bias, "
    "calibration, and a certificate.",
    (make, answer, score_answers, correct, vlm),
    epilog=EPILOG,
    former="-m truehue.core.cli.ring",
)
main = COMMAND.main
