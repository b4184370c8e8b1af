"""What a study asks, about what, and how often: cases, stimuli, plans, presets."""
