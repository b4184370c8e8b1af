"""Masks of objects: people's selections, GrabCut, white ground; clean-up, display, description."""
