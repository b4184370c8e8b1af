"""The contents of a study: cases, questions, stimuli, plans and presets."""
