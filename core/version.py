"""The version of TrueHue, as pyproject.toml states it."""

VERSION = "0.1.0"
