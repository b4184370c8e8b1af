from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from tests.reference.database import TABLES
from tests.storage.run_samples import fill, sample_plan, sample_prompts
from tests.storage.samples import (
    answers,
    asks,
    brushed,
    drawing,
    folder_state,
    picture,
    prompts,
    verdict,
)
from truehue.core.errors import DatabaseDamaged, DatabaseNewer, StorageError
from truehue.core.prompts.concepts import build_concepts
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.records import EvidenceRecord
from truehue.core.runs.concepts import concept_of
from truehue.core.runs.folder import RunFolder
from truehue.storage import Storage
from truehue.storage.concept_images.images import Images, Masks
from truehue.storage.database import connection
from truehue.storage.database.connection import Database
from truehue.storage.database.migrations import APP_VERSION, MIGRATIONS, Migration
from truehue.storage.prompts import PromptSets
from truehue.storage.runs.dictionaries import prompts_of
from truehue.storage.runs.runs import Runs
from truehue.storage.studies.studies import Studies
from truehue.storage.trash import GOES_ALONG, Trash
from truehue.storage.verdicts.evidence import Evidence

pytestmark = pytest.mark.slow

NEXT = len(MIGRATIONS) + 1


def _add_stars(cursor) -> None:
    cursor.execute("ALTER TABLE images ADD COLUMN stars INTEGER DEFAULT 3")


def _half_done(cursor) -> None:
    cursor.execute("CREATE TABLE half (i INTEGER)")
    cursor.execute("SELECT * FROM no_such_table")


def _stored_before(database: Database, record: EvidenceRecord) -> EvidenceRecord:
    """Stores a verdict as the program did before step 13, without the key of its expectation;
    returns what it is to be afterwards."""
    images = Images(database, database.path.parent / "images")
    evidence = Evidence(database, images, Masks(database, database.path.parent / "masks", images))
    *row, expectation, time = evidence._row(record, {}, {})
    database.insert(
        "INSERT INTO evidence (evidence_id, image_id, mask_id, object_name, target, protocol, "
        f"version, parameters, status, reason, numbers, created_at) VALUES ({', '.join('?' * 12)})",
        [*row, time],
    )
    return replace(
        record, evidence_id=row[0], expectation=expectation, created_at=time.replace(tzinfo=UTC)
    )


def _path(data_dir: Path) -> Path:
    return data_dir / "truehue.duckdb"


def test_a_new_database_has_every_step_recorded(storage: Storage) -> None:
    rows = storage._database.rows("SELECT number, name, app_version FROM schema_migrations")
    assert rows == [(step.number, step.name, APP_VERSION) for step in MIGRATIONS]
    assert [step.number for step in MIGRATIONS] == list(range(1, NEXT))
    assert len({step.name for step in MIGRATIONS}) == len(MIGRATIONS)


def test_every_table_is_described(storage: Storage) -> None:
    tables = storage._database.rows("SELECT table_name FROM duckdb_tables() ORDER BY 1")
    assert sorted(TABLES) == [name for (name,) in tables]


def test_the_recorded_version_is_the_projects() -> None:
    project = Path(__file__).parents[3] / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == APP_VERSION


def test_opening_again_applies_nothing(data_dir: Path) -> None:
    with Storage.open(data_dir) as storage:
        before = storage._database.rows("SELECT * FROM schema_migrations")
    with Storage.open(data_dir) as storage:
        assert storage._database.rows("SELECT * FROM schema_migrations") == before


def test_a_table_that_somebody_added_to_one_file_keeps_no_other_from_opening(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of the tables are looked up once in a process."""
    monkeypatch.setattr(connection, "_TABLES_WITH_TIMES", {})
    with Storage.open(empty_data(data_dir)) as storage:
        storage._database.rows("CREATE TABLE notes (created_at TIMESTAMP)")
        storage._database.rows("INSERT INTO notes VALUES ('2099-01-01')")
        connection._TABLES_WITH_TIMES.clear()
        assert storage._database.newest_row().year == 2099
    with Storage.open(empty_data(data_dir.parent / "other")) as other:
        other.images.add(picture(), "a", "upload")
        assert other._database.newest_row().year < 2099


def test_a_later_step_keeps_the_rows_and_is_applied_once(data_dir: Path) -> None:
    with Storage.open(data_dir) as storage:
        record = storage.images.add(picture(), "a", "upload")
    steps = (*MIGRATIONS, Migration(NEXT, "stars", _add_stars))
    for _ in range(2):
        database = Database.open(_path(data_dir), migrations=steps)
        assert database.rows("SELECT image_id, stars FROM images") == [(record.image_id, 3)]
        database.close()


def test_a_step_that_fails_leaves_the_database_at_the_step_before(data_dir: Path) -> None:
    with Storage.open(data_dir) as storage:
        record = storage.images.add(picture(), "a", "upload")
    good = Migration(NEXT, "stars", _add_stars)
    bad = Migration(NEXT + 1, "half", _half_done)
    with pytest.raises(StorageError, match=rf"step {NEXT + 1} \(half\)"):
        Database.open(_path(data_dir), migrations=(*MIGRATIONS, good, bad))

    database = Database.open(_path(data_dir), migrations=(*MIGRATIONS, good))
    assert database.rows("SELECT image_id, stars FROM images") == [(record.image_id, 3)]
    assert database.rows("SELECT max(number) FROM schema_migrations") == [(NEXT,)]
    assert database.rows("SELECT * FROM duckdb_tables() WHERE table_name = 'half'") == []
    database.close()


def test_a_newer_database_is_refused_and_untouched(data_dir: Path) -> None:
    Storage.open(data_dir).close()
    steps = (*MIGRATIONS, Migration(NEXT, "stars", _add_stars))
    Database.open(_path(data_dir), migrations=steps).close()
    before = folder_state(data_dir)
    with pytest.raises(DatabaseNewer, match=rf"number {NEXT}.*update TrueHue"):
        Storage.open(data_dir)
    assert folder_state(data_dir) == before


def test_other_steps_under_our_numbers_are_not_ours(data_dir: Path) -> None:
    steps = (Migration(1, "users", lambda cursor: cursor.execute("CREATE TABLE users (i INT)")),)
    data_dir.mkdir()
    Database.open(_path(data_dir), migrations=steps).close()
    before = folder_state(data_dir)
    with pytest.raises(DatabaseDamaged, match="not one of TrueHue's"):
        Storage.open(data_dir)
    assert folder_state(data_dir) == before


def test_a_first_start_that_was_interrupted_is_taken_up(data_dir: Path) -> None:
    data_dir.mkdir()
    # The file exists and no step is recorded yet, as after a kill between two statements.
    Database.open(_path(data_dir), migrations=()).close()
    with Storage.open(data_dir) as storage:
        assert storage.images.count() == 0


def test_a_database_of_the_first_step_is_brought_up_with_its_rows(data_dir: Path) -> None:
    data_dir.mkdir()
    first = Database.open(_path(data_dir), migrations=MIGRATIONS[:1])
    images = Images(first, data_dir / "images")
    masks = Masks(first, data_dir / "masks", images)
    image = images.add(picture(), "a", "upload")
    mask = masks.add(image.image_id, brushed())
    evidence = _stored_before(first, verdict(image.image_id, mask.mask_id))
    tables = first.rows("SELECT table_name FROM duckdb_tables() ORDER BY 1")
    assert tables == [("evidence",), ("images",), ("masks",), ("schema_migrations",)]
    first.close()

    with Storage.open(data_dir) as storage:
        assert storage.images.recent() == [image]
        assert storage.masks.for_image(image.image_id) == [mask]
        assert storage.evidence.recent() == [evidence]
        assert storage.drawings.recent() == storage.selections.all() == []
        stored = storage.prompt_sets.add("mine", prompts(2), "csv")
        row = storage.drawings.add(
            drawing(image.image_id, prompt_source=stored.set_id, prompt_id="cna_l3-1")
        )
        storage.selections.save("basket", [(stored.set_id, "cna_l3-2")])
        assert storage.check() == []
    with Storage.open(data_dir) as storage:
        assert storage.drawings.recent() == [row]
        steps = storage._database.rows("SELECT number FROM schema_migrations ORDER BY 1")
        assert steps == [(step.number,) for step in MIGRATIONS]


def test_a_database_of_the_second_step_is_brought_up_with_its_rows(data_dir: Path) -> None:
    data_dir.mkdir()
    second = Database.open(_path(data_dir), migrations=MIGRATIONS[:2])
    images = Images(second, data_dir / "images")
    ids = [images.add(picture(seed), "", "generated").image_id for seed in range(3)]
    hat, bag = asks("Hat "), replace(asks("bag", "css:blue"), role="reference")
    wall = replace(asks("wall", "#00FF00"), role="bystander")
    wanted = [(hat, bag, wall, ObjectTarget("table")), (hat, asks("hat", "#D51C3C")), ()]
    for number, (image_id, targets) in enumerate(zip(ids, wanted, strict=True), 1):
        prompt = Prompt("-", "-", "free", targets)
        # As the program of that step stored a row: all keys of all targets in one list.
        keys = [
            f"{name}\n{color}"
            for target in targets
            if target.color is not None
            for name in (target.name.strip().lower(), "")
            for color in (target.color.hex, target.color.value)
        ]
        second.insert(
            "INSERT INTO drawings VALUES (?, ?, '', 'drawn', 'gencolorbench', ?, 'a hat', ?, ?, "
            "'moc', 'sdxl', 7, 4.5, 30, 7, 5, '', '{}', '{}', 'drawn', '', ?, 1.25, now())",
            [
                f"{number}" * 64,
                number,
                f"moc-{number}",
                json.dumps(prompt.as_json()["targets"]),
                keys,
                image_id,
            ],
        )
        _stored_before(second, answers(image_id, hat))
    before = second.rows("SELECT * EXCLUDE asked FROM drawings ORDER BY number")
    second.close()

    with Storage.open(data_dir) as storage:
        rows = storage._database.rows
        assert rows("SELECT * EXCLUDE asked FROM drawings ORDER BY number") == before
        drawings = storage.drawings.recent()
        assert [row.targets for row in drawings] == wanted[::-1]
        marks = storage.drawings.marks("gencolorbench")
        assert {key: mark.verdict for key, mark in marks.items()} == {
            "moc-1": "unscored",
            "moc-2": "pass",
            "moc-3": "pass",
        }
        # A row that is added now is the same as one that was brought up.
        storage.drawings.add_many([replace(row, drawing_id="") for row in drawings[::-1]])
        requested = [keys for (keys,) in rows("SELECT asked FROM drawings ORDER BY number")]
        assert requested[:3] == requested[3:]
        assert [len(keys) for keys in requested[:3]] == [3, 1, 0]
        with pytest.raises(StorageError, match="NOT NULL"):
            storage._database.insert("UPDATE drawings SET asked = NULL", [])
        assert storage.check() == []


def test_a_database_of_the_third_step_asks_of_bystanders_too(data_dir: Path) -> None:
    """Also where the machine stops right after: the log is replayed from a copy of the files."""
    data_dir.mkdir()
    third = Database.open(_path(data_dir), migrations=MIGRATIONS[:3])
    red, plate = asks("apple"), ObjectTarget("plate", role="bystander")
    rose = ObjectTarget("rose", role="reference")
    old = [["\n#D51C3C", "\nl3:Vivid red", "apple\n#D51C3C", "apple\nl3:Vivid red"]]
    wanted = [(red, plate), (red, rose), (red,), (plate,), ()]
    for number in range(400):
        targets = wanted[number % 5]
        prompt = Prompt("-", "-", "free", targets)
        third.insert(
            "INSERT INTO drawings VALUES (?, ?, '', 'drawn', 'gencolorbench', ?, 'a hat', ?, ?, "
            "'coa', 'sdxl', 7, 4.5, 30, 7, 5, '', '{}', '{}', 'failed', 'why', NULL, 1.25, now())",
            [
                f"{number:064x}",
                number,
                f"coa-{number}",
                json.dumps(prompt.as_json()["targets"]),
                old if red in targets else [],
            ],
        )
    before = third.rows("SELECT * EXCLUDE asked FROM drawings ORDER BY number")
    third.close()
    copied = data_dir.parent / "copied"
    with Storage.open(data_dir) as storage:
        shutil.copytree(data_dir, copied)
        target = storage._database.rows("SELECT asked FROM drawings ORDER BY number")
    with Storage.open(copied) as storage:
        rows = storage._database.rows
        assert rows("SELECT * EXCLUDE asked FROM drawings ORDER BY number") == before
        assert rows("SELECT asked FROM drawings ORDER BY number") == target
        assert [len(keys) for (keys,) in target[:5]] == [2, 2, 1, 0, 0]
        assert target == target[:5] * 80
        drawings = storage.drawings.recent(5)[::-1]
        storage.drawings.add_many([replace(row, drawing_id="") for row in drawings])
        again = rows("SELECT asked FROM drawings ORDER BY number")[-5:]
        assert again == target[:5]
        assert storage.check() == []


def test_a_database_of_the_fourth_step_takes_runs(data_dir: Path, tmp_path: Path) -> None:
    data_dir.mkdir()
    fourth = Database.open(_path(data_dir), migrations=MIGRATIONS[:4])
    images = Images(fourth, data_dir / "images")
    image = images.add(picture(), "a", "upload")
    evidence = _stored_before(fourth, verdict(image.image_id))
    fourth.close()
    with Storage.open(data_dir) as storage:
        assert storage.images.recent() == [image]
        assert storage.evidence.recent() == [evidence]
        assert storage.runs.all() == storage.results.leaderboard("paper") == []
        ids = fill(storage, tmp_path, models=("model-a",), prompts=4, images=1)
        before = storage.results.leaderboard("paper")
        # Where the machine stops right after, the log is replayed.
        copied = data_dir.parent / "copied"
        shutil.copytree(data_dir, copied)
    for folder in (data_dir, copied):
        with Storage.open(folder) as storage:
            assert [run.run_id for run in storage.runs.all()] == ids
            assert storage.results.leaderboard("paper") == before
            assert storage.check() == []


def test_a_database_of_the_fifth_step_knows_which_of_its_prompts_are_concepts(
    data_dir: Path,
) -> None:
    """By what :func:`truehue.core.runs.concepts.concept_of` says of a prompt, as in a new run."""
    data_dir.mkdir()
    apple, banana = (
        next(prompt for prompt in build_concepts() if prompt.concept == word)
        for word in ("apple", "banana")
    )
    mixed = (
        apple,
        replace(banana, source="a set of one's own"),
        replace(banana, id="somebody's banana"),
        replace(banana, text="A yellow banana."),
        *sample_prompts(3),
    )
    fifth = Database.open(_path(data_dir), migrations=MIGRATIONS[:5])
    with fifth.transaction() as cursor:
        numbers = prompts_of(cursor, mixed)
    fifth.close()
    with Storage.open(data_dir) as storage:
        known = storage._database.rows("SELECT * FROM known_concepts ORDER BY prompt_no")
        assert storage.check() == []
    message = [(number, concept_of(item)) for number, item in zip(numbers, mixed, strict=True)]
    # Those of one's own are in sets and folders of runs, and here is neither.
    named = [(number, item) for number, item in message if item and not item[0].startswith("own:")]
    assert known == [(number, *item) for number, item in named]
    assert len(known) == 2


def test_a_database_of_the_ninth_step_learns_whose_each_judgment_is(data_dir: Path) -> None:
    """Also where the machine stops right after: the log is replayed from a copy of the files."""
    data_dir.mkdir()
    ninth = Database.open(_path(data_dir), migrations=MIGRATIONS[:9])
    # Every answer to a question replaced the one before, whoever had given it; an empty one took
    # that back. Answers of visitors are among the makers; the rows that take back are not.
    values = [
        ("mug", "pass", "", "owner"),
        ("mug", "fail", "ann", "ann"),
        ("mug", "", "", "ann"),
        ("hat", "pass", "ann", "ann"),
        ("hat", "fail", "ben", "ben"),
        ("bag", "pass", "", "owner"),
        ("bag", "", "", "owner"),
        ("hat", "", "", "ben"),
        ("hat", "pass", "", "owner"),
    ]
    statuses = json.dumps({"paper": {"version": "1.0", "status": "pass"}})
    for number, (question, answer, maker, _) in enumerate(values):
        ninth.insert(
            "INSERT INTO verdict_judgments VALUES (?, ?, ?, ?, 'why', 'paper', ?, 'image', 'mask', "
            "'', -1, 'mug', '{}', now())",
            [f"id {number}", number, question, answer, statuses],
        )
        if maker:
            ninth.insert(
                "INSERT INTO makers VALUES ('judgment', ?, ?, now())", [f"id {number}", maker]
            )
    ninth.insert("INSERT INTO makers VALUES ('image', 'id 1', 'ann', now())", [])
    before = ninth.rows("SELECT * FROM verdict_judgments ORDER BY number")
    ninth.close()
    copied = data_dir.parent / "copied"
    with Storage.open(data_dir):
        shutil.copytree(data_dir, copied)
    for folder in (data_dir, copied):
        with Storage.open(folder) as storage:
            rows = storage._database.rows
            table = "FROM verdict_judgments ORDER BY number"
            assert rows(f"SELECT * EXCLUDE actor {table}") == before
            assert rows(f"SELECT actor {table}") == [(actor,) for *_, actor in values]
            # What others had replaced counts again, and what was taken back does not.
            counting = [
                (judgment.judgment_id, judgment.actor) for judgment in storage.judgments.all()
            ]
            assert counting == [("id 8", "owner"), ("id 3", "ann"), ("id 0", "owner")]
            assert rows("SELECT kind FROM makers") == [("image",)]
            assert storage.check() == []


def test_a_database_of_the_sixth_step_begins_to_count_its_writes(data_dir: Path) -> None:
    """Also where the machine stops right after: the log is replayed from a copy of the files."""
    data_dir.mkdir()
    sixth = Database.open(_path(data_dir), migrations=MIGRATIONS[:6])
    images = Images(sixth, data_dir / "images")
    image = images.add(picture(), "a", "upload")
    assert sixth.tally() is None
    assert not (data_dir / "truehue.duckdb.confirmed").exists()
    sixth.close()
    copied = data_dir.parent / "copied"
    with Storage.open(data_dir) as storage:
        assert storage.images.recent() == [image]
        assert storage.losses.unread() == []
        before = storage._database.tally()
        second = storage.images.add(picture(1), "b", "upload")
        counted = storage._database.tally()
        assert before is not None
        assert counted is not None
        assert (before.writes, counted.writes) == (0, 1)
        assert counted.database_id == before.database_id
        shutil.copytree(data_dir, copied)
    for folder in (data_dir, copied):
        with Storage.open(folder) as storage:
            assert storage._database.tally() == counted
            assert {item.image_id for item in storage.images.recent()} == {
                image.image_id,
                second.image_id,
            }
            assert storage.losses.unread() == storage.check() == []


def test_a_database_of_the_twelfth_step_knows_what_each_verdict_answers(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a row that is added now does; also where the machine stops right after, and for what was
    deleted before."""
    data_dir.mkdir()
    twelfth = Database.open(_path(data_dir), migrations=MIGRATIONS[:12])
    images = Images(twelfth, data_dir / "images")
    ids = [images.add(picture(seed), "", "generated").image_id for seed in range(3)]
    apple, plate = asks("apple"), ObjectTarget("Plate", role="bystander")
    differs = {**answers("", apple).target, "relation": "differs"}
    values = [
        answers(ids[0], apple),
        verdict(ids[0], object_name=" plate", target=differs, status="fail"),
        verdict(ids[0], object_name="plate", target=differs, version="2"),
        answers(ids[1], asks("")),
        verdict(ids[1], object_name="Apple", target={"value": "l3:Vivid red"}),
        verdict(ids[2], target={"name": "some red"}),
    ]
    before = [_stored_before(twelfth, record) for record in values]
    old = [["\n#D51C3C", "\nl3:Vivid red", "apple\n#D51C3C", "apple\nl3:Vivid red"]]
    for number, (image_id, targets) in enumerate(
        [(ids[0], (apple, plate)), (ids[1], (apple,)), (ids[2], ())], 1
    ):
        prompt = Prompt("-", "-", "free", targets)
        twelfth.insert(
            "INSERT INTO drawings VALUES (?, ?, '', 'drawn', 'gencolorbench', ?, 'a hat', ?, ?, "
            "'coa', 'sdxl', 7, 4.5, 30, 7, 5, '', '{}', '{}', 'drawn', '', ?, 1.25, now())",
            [
                f"{number:064x}",
                number,
                f"coa-{number}",
                json.dumps(prompt.as_json()["targets"]),
                old if targets else [],
                image_id,
            ],
        )
    with monkeypatch.context() as earlier:  # later steps make these tables
        earlier.delitem(GOES_ALONG["image"], "object_colors")
        earlier.delitem(GOES_ALONG["image"], "selected_masks")
        gone = Trash(twelfth, data_dir).move("image", [ids[1]])
    twelfth.close()
    copied = data_dir.parent / "copied"
    with Storage.open(data_dir):
        shutil.copytree(data_dir, copied)
    for folder in (data_dir, copied):
        with Storage.open(folder) as storage:
            storage.trash.restore(gone.trash_id)
            rows = storage._database.rows
            assert sorted(storage.evidence.recent(), key=before.index) == before
            assert [
                row.version
                for row in storage.evidence.for_image(ids[0])
                if "plate" in row.object_name
            ] == ["2", "1"]
            drawings = sorted(storage.drawings.recent(), key=lambda row: row.drawing_id)
            storage.drawings.add_many([replace(row, drawing_id="") for row in drawings])
            keys = [target for (target,) in rows("SELECT asked FROM drawings ORDER BY number")]
            assert sorted(keys[:3]) == sorted(keys[3:])
            marks = storage.drawings.marks("gencolorbench")
            assert {key: mark.verdict for key, mark in marks.items()} == {
                "coa-1": "pass",
                "coa-2": "pass",
                "coa-3": "pass",
            }
            assert storage.check() == []


def test_a_study_of_the_seventeenth_step_can_be_published(data_dir: Path) -> None:
    data_dir.mkdir()
    seventeenth = Database.open(_path(data_dir), migrations=MIGRATIONS[:17])
    study_id = Studies(seventeenth).add({"title": "Reds"}, "ann").id
    seventeenth.close()
    with Storage.open(data_dir) as storage:
        assert storage.publications.all() == []
        page = storage.publications.publish(study_id, "token", True, "ann")
    with Storage.open(data_dir) as storage:
        assert storage.publications.of(study_id) == page
        assert storage.check() == []


def test_runs_of_the_eighteenth_step_know_concepts_of_ones_own(data_dir: Path) -> None:
    """Of an imported set by the set, of a file by the run's folder; others stay as they were."""
    data_dir.mkdir()
    banana = replace(build_concepts()[0], id="mine", text="Look: a banana", concept="banana")
    no_concept = replace(banana, id="none", concept="", modifier="")
    eighteenth = Database.open(_path(data_dir), migrations=MIGRATIONS[:18])
    stored = PromptSets(eighteenth).add("Mine", [banana], "csv")
    of_set = replace(banana, source=stored.set_id)
    of_file = replace(banana, id="ripe", modifier="ripe", source="file")
    gone = replace(of_file, source="gone")
    runs = Runs(eighteenth, data_dir / "images", data_dir / "masks")
    for root, ones in (
        ("runs", (no_concept, of_file)),
        ("elsewhere", (gone,)),
        ("else", (of_set,)),
    ):
        plan = replace(sample_plan(images=1), prompts=ones, rules=())
        runs.register(RunFolder.create(data_dir / root, plan))
    as_now = eighteenth.rows("SELECT * FROM known_concepts ORDER BY prompt_no")
    eighteenth.rows("DELETE FROM known_concepts")
    eighteenth.close()
    with Storage.open(data_dir) as storage:
        known = storage._database.rows("SELECT * FROM known_concepts ORDER BY prompt_no")
        own = {concept.words for concept in storage.profiles.own_concepts()}
        assert storage.check() == []
    assert len(as_now) == 3
    # The folder of one run lies outside of the data folder.
    assert known == [row for row in as_now if row[0] != 2]
    assert own == {"banana", "ripe banana"}
