"""Generate: find prompts, draw them with any model, see what came of it."""
