"""References of studies with people, for :mod:`truehue.storage.checks`."""

from __future__ import annotations

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
