"""The door of ``python -m core.masks``; truehue.core.cli.masks says what it does."""

from truehue.core.cli.masks import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
