"""The bundled small model: its scenes, captions, architecture and training."""
