"""The former name of ``truehue.core.vlm``: ``python -m core.vision_language`` still works."""
