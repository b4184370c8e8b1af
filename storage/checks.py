"""Integrity checks that DuckDB does not make: references between tables, and files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truehue.core.files import content_path
from truehue.core.runs.records import NOT_KEPT
from truehue.storage.database.connection import Database
from truehue.storage.runs.images import ARCHIVE

REFERENCES = (
    (
        "the distribution {} is of the set {}, which is not stored",
        """
        SELECT place, set_id
        FROM distribution_rows ANTI JOIN distribution_sets USING (set_id)
        ORDER BY set_id, place
        """,
    ),
    (
        "the set of distributions {} has none",
        """
        SELECT set_id
        FROM distribution_sets ANTI JOIN distribution_rows USING (set_id)
        ORDER BY set_id
        """,
    ),
    (
        "the image {} is of the set of images {}, which is not stored",
        """
        SELECT place, set_id
        FROM picture_set_images ANTI JOIN picture_sets USING (set_id)
        ORDER BY set_id, place
        """,
    ),
    (
        "the set of images {} has none",
        """
        SELECT set_id
        FROM picture_sets ANTI JOIN picture_set_images USING (set_id)
        ORDER BY set_id
        """,
    ),
    (
        "the set of images {} has the image {}, which is not stored",
        """
        SELECT DISTINCT set_id, image_id
        FROM picture_set_images ANTI JOIN images USING (image_id)
        ORDER BY set_id, image_id
        """,
    ),
    (
        "the set of images {} has the mask {}, which is not stored for that image",
        """
        SELECT set_id, mask_id
        FROM picture_set_images ANTI JOIN masks USING (mask_id, image_id)
        ORDER BY set_id, mask_id
        """,
    ),
    (
        "colors were measured in the mask {} of the image {}, which is not stored for that image",
        """
        SELECT DISTINCT mask_id, image_id
        FROM (
            SELECT mask_id, image_id FROM picture_profiles
            UNION ALL SELECT mask_id, image_id FROM object_colors
        ) ANTI JOIN masks USING (mask_id, image_id)
        ORDER BY mask_id
        """,
    ),
    (
        "the mask {} is selected on the image {}, for which it is not stored",
        """
        SELECT mask_id, image_id
        FROM (SELECT * FROM selected_masks WHERE mask_id IS NOT NULL)
            ANTI JOIN masks USING (mask_id, image_id)
        ORDER BY mask_id
        """,
    ),
    (
        "the set {} has no name",
        """
        SELECT set_id
        FROM (SELECT set_id FROM distribution_sets UNION ALL SELECT set_id FROM picture_sets)
            ANTI JOIN set_views USING (set_id)
        ORDER BY set_id
        """,
    ),
    (
        "version {} of a name is of the set {}, which is not stored",
        """
        SELECT version, set_id
        FROM set_views ANTI JOIN (
            SELECT set_id FROM distribution_sets UNION ALL SELECT set_id FROM picture_sets
        ) USING (set_id)
        ORDER BY set_id, version
        """,
    ),
)


STUDY_REFERENCES = (
    (
        "the study {} has no {}",
        """
        SELECT study_id, 'plan' FROM studies ANTI JOIN study_plans USING (study_id) UNION ALL
        SELECT study_id, 'state' FROM studies ANTI JOIN study_states USING (study_id)
        ORDER BY ALL
        """,
    ),
    (
        "a {} is of the study {}, which is not stored",
        """
        SELECT DISTINCT what, study_id
        FROM (
            SELECT 'plan' AS what, study_id FROM study_plans UNION ALL
            SELECT 'state', study_id FROM study_states UNION ALL
            SELECT 'rule', study_id FROM study_rules UNION ALL
            SELECT 'link', study_id FROM study_invitations UNION ALL
            SELECT 'publication', study_id FROM study_publications UNION ALL
            SELECT 'participant', study_id FROM study_participants UNION ALL
            SELECT 'erasure', study_id FROM study_erasures
        ) ANTI JOIN studies USING (study_id)
        ORDER BY ALL
        """,
    ),
    (
        "the participant {} came in by the link {}, which is not stored for that study",
        """
        SELECT participant_id, invitation_id
        FROM study_participants ANTI JOIN study_invitations USING (invitation_id, study_id)
        ORDER BY participant_id
        """,
    ),
    (
        "the participant {} was served version {} of the plan, which is not stored",
        """
        SELECT participant_id, plan_version
        FROM study_participants ANTI JOIN study_plans
            ON study_plans.study_id = study_participants.study_id AND version = plan_version
        ORDER BY participant_id
        """,
    ),
    (
        "the number {} of the study {} has more than one participant",
        """
        SELECT number, study_id
        FROM (
            SELECT study_id, number FROM study_participants UNION ALL
            SELECT study_id, participant_number FROM study_erasures
        )
        GROUP BY study_id, number HAVING count(*) > 1
        ORDER BY study_id, number
        """,
    ),
    (
        "{} {} are of the participant {}, who is not stored",
        """
        SELECT count(*), what, participant_id
        FROM (
            SELECT 'trials' AS what, participant_id FROM study_trials UNION ALL
            SELECT 'events', participant_id FROM study_events UNION ALL
            SELECT 'decisions', participant_id FROM study_decisions UNION ALL
            SELECT 'marks', participant_id FROM coloring_marks UNION ALL
            SELECT 'layers', participant_id FROM coloring_layers
        ) ANTI JOIN study_participants USING (participant_id)
        GROUP BY what, participant_id
        ORDER BY participant_id, what
        """,
    ),
    (
        "the participant {} has {} events, and the last has the number {}",
        """
        SELECT participant_id, count(*), max(number)
        FROM study_events
        GROUP BY participant_id
        HAVING count(DISTINCT number) <> count(*) OR max(number) <> count(*) - 1
        ORDER BY participant_id
        """,
    ),
    (
        "the trial {} of the participant {} repeats the trial {}, which is not stored",
        """
        SELECT position, participant_id, original
        FROM study_trials AS repeats
        WHERE original IS NOT NULL AND NOT EXISTS (
            FROM study_trials AS trials
            WHERE trials.participant_id = repeats.participant_id
                AND trials.position = repeats.original
        )
        ORDER BY participant_id, position
        """,
    ),
    (
        "the layer of the answer {} is of no answer that is stored",
        """
        SELECT event_id FROM coloring_layers ANTI JOIN study_events USING (event_id)
        ORDER BY event_id
        """,
    ),
    (
        "the mark {} of the study {} is about the trial {} of the participant {}, which is not "
        "stored",
        """
        SELECT number, study_id, position, participant_id
        FROM coloring_marks ANTI JOIN study_trials USING (participant_id, position)
        ORDER BY study_id, number
        """,
    ),
    (
        "the coloring {} is of the sketch {}, which is not stored",
        """
        SELECT coloring_id, sketch_id FROM colorings ANTI JOIN sketches USING (sketch_id)
        ORDER BY coloring_id
        """,
    ),
)


_REFERENCES = (
    (
        "mask {} is of the image {}, which is not stored",
        """
        SELECT mask_id, image_id
        FROM masks ANTI JOIN images USING (image_id)
        ORDER BY mask_id
        """,
    ),
    (
        "evidence {} is about the image {}, which is not stored",
        """
        SELECT evidence_id, image_id
        FROM evidence ANTI JOIN images USING (image_id)
        ORDER BY evidence_id
        """,
    ),
    (
        "evidence {} was measured in the mask {}, which is not stored for that image",
        """
        SELECT evidence_id, mask_id
        FROM evidence ANTI JOIN masks USING (mask_id, image_id)
        WHERE mask_id IS NOT NULL
        ORDER BY evidence_id
        """,
    ),
    (
        "generation {} shows the image {}, which is not stored",
        """
        SELECT drawing_id, image_id
        FROM drawings ANTI JOIN images USING (image_id)
        WHERE image_id IS NOT NULL
        ORDER BY number
        """,
    ),
    (
        "generation {} is of the prompt {}, which the imported set {} does not hold",
        """
        SELECT drawing_id, prompt_id, prompt_source
        FROM drawings ANTI JOIN prompts
            ON prompts.set_id = prompt_source AND prompts.prompt_id = drawings.prompt_id
        WHERE prompt_source IN (SELECT set_id FROM prompt_sets)
        ORDER BY number
        """,
    ),
    (
        "the prompt set {} has {} of its {} prompts",
        """
        SELECT set_id, count(prompt_id), prompt_count
        FROM prompt_sets LEFT JOIN prompts USING (set_id)
        GROUP BY set_id, prompt_count
        HAVING count(prompt_id) <> prompt_count
        ORDER BY set_id
        """,
    ),
    (
        "the prompt {} is of the prompt set {}, which is not stored",
        """
        SELECT prompt_id, set_id
        FROM prompts ANTI JOIN prompt_sets USING (set_id)
        ORDER BY set_id, position
        """,
    ),
    (
        "version {} of the selection {} holds the prompt {}, which the imported set {} does not",
        """
        WITH refs AS (
            SELECT version, name, unnest(from_json(refs, '[["VARCHAR"]]')) AS ref FROM selections
        )
        SELECT version, name, ref[2], ref[1]
        FROM refs ANTI JOIN prompts ON prompts.set_id = ref[1] AND prompts.prompt_id = ref[2]
        WHERE ref[1] IN (SELECT set_id FROM prompt_sets)
        ORDER BY name, version, ref
        """,
    ),
    (
        "the run {} has the prompt {}, which is not known",
        """
        SELECT run_id, prompt
        FROM run_prompts JOIN run_numbers USING (run_no) ANTI JOIN known_prompts USING (prompt_no)
        ORDER BY run_id, prompt
        """,
    ),
    (
        "the image {} of the run {} shows the image {}, which is not stored",
        """
        SELECT position, run_id, image_id
        FROM run_items JOIN run_numbers USING (run_no) ANTI JOIN images USING (image_id)
        WHERE drawn
        ORDER BY run_id, position
        """,
    ),
    (
        "the image {} of the run {} has the mask {}, which is not stored",
        """
        SELECT position, run_id, mask_id
        FROM run_masks JOIN run_numbers USING (run_no) ANTI JOIN masks USING (mask_id)
        ORDER BY run_id, position
        """,
    ),
    (
        "verdicts of the run {} speak of the image {}, which did not come in",
        """
        SELECT DISTINCT run_id, position
        FROM run_verdicts JOIN run_numbers USING (run_no) ANTI JOIN run_items
            USING (run_no, position)
        ORDER BY run_id, position
        """,
    ),
    (
        "colors of the run {} are of the image {}, which did not come in",
        """
        SELECT DISTINCT run_id, position
        FROM (
            SELECT run_no, position FROM run_profiles UNION ALL
            SELECT run_no, position FROM run_unmeasured
        ) JOIN run_numbers USING (run_no) ANTI JOIN run_items USING (run_no, position)
        ORDER BY run_id, position
        """,
    ),
    (
        "answers are of the evaluation number {}, which is not known",
        """
        SELECT DISTINCT evaluation_no
        FROM evaluation_answers ANTI JOIN evaluations USING (evaluation_no)
        ORDER BY ALL
        """,
    ),
    (
        "evaluation number {} has a reading of the question {}, which has no answer",
        """
        SELECT DISTINCT evaluation_no, position
        FROM evaluation_readings ANTI JOIN evaluation_answers USING (evaluation_no, position)
        ORDER BY ALL
        """,
    ),
    (
        "the concept {} ({}) is said to be the prompt {}, which is not known",
        """
        SELECT concept_id, style, prompt_no
        FROM known_concepts ANTI JOIN known_prompts USING (prompt_no)
        ORDER BY concept_id, style
        """,
    ),
    (
        "extracted colors of the run {} are of the prompt {}, which is no concept of it",
        """
        SELECT DISTINCT coalesce(run_id, 'number ' || run_no), prompt_no
        FROM concept_cells LEFT JOIN run_numbers USING (run_no)
            ANTI JOIN run_prompts USING (run_no, prompt_no)
        ORDER BY ALL
        """,
    ),
    (
        "the shard {} of the run {} has {} images, of which {} are stored",
        """
        SELECT name, run_id, items, coalesce(n, 0)
        FROM run_shards JOIN run_numbers USING (run_no) LEFT JOIN (
            SELECT shard_no, count(*) AS n FROM (
                SELECT shard_no FROM run_items UNION ALL SELECT shard_no FROM run_attempts
            ) GROUP BY shard_no
        ) USING (shard_no)
        WHERE coalesce(n, 0) > items
        ORDER BY run_id, name
        """,
    ),
)


def dangling(database: Database) -> list[str]:
    """Return one sentence for each row that points at a row that is not there."""
    return [
        sentence.format(*row)
        for sentence, question in (*_REFERENCES, *REFERENCES, *STUDY_REFERENCES)
        for row in database.rows(question)
    ]


def missing_files(database: Database, images: Path, masks: Path, sketches: Path) -> list[str]:
    """Return one sentence for each row whose PNG is not there; the files are not opened."""
    roots = {"images": images, "masks": masks, "sketches": sketches}
    sentences = []
    for label, row_id, folder, sha256 in _files_of_rows(database):
        path = content_path(roots[folder], sha256)
        if not path.is_file():
            sentences.append(f"the file of {label} {row_id} is missing: {path}")
    return sentences


def named_files(database: Database) -> Iterator[tuple[str, str, str]]:
    """The kind of each row with a PNG, its id, and the file's name relative to the data folder."""
    for label, row_id, folder, sha256 in _files_of_rows(database):
        yield label, row_id, content_path(Path(folder), sha256).as_posix()


def _files_of_rows(database: Database) -> Iterator[tuple[str, str, str, str]]:
    """What each row is that has a PNG, its id, and the PNG's folder and name.

    Images of an imported run may have stayed where it came from, and a run need not keep its
    images; layers of colorings are made
    again of the events.
    """
    shelves = (
        (
            "image",
            "images",
            "SELECT image_id, image_id FROM images "
            f"WHERE source NOT IN ('{ARCHIVE}', '{NOT_KEPT}') ORDER BY 1",
        ),
        (
            "mask",
            "masks",
            "SELECT mask_id, content_sha256 FROM masks SEMI JOIN "
            f"(SELECT image_id FROM images WHERE source <> '{ARCHIVE}') USING (image_id) "
            "ORDER BY 1",
        ),
        ("sketch", "sketches", "SELECT sketch_id, sketch_id FROM sketches ORDER BY 1"),
    )
    for label, folder, question in shelves:
        for row_id, sha256 in database.rows(question):
            yield label, row_id, folder, sha256
