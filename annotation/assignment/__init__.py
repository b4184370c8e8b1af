"""Assignment of stimuli to participants: balanced in order and side, seeded, replayable."""
