"""Entry point of ``python -m core.masks``; see truehue.core.cli.masks."""

from truehue.core.cli.masks import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
