"""Who gets which stimuli, in which order, at which side: balanced, seeded, replayable."""
