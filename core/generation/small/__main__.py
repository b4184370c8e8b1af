"""Entry point of ``python -m core.generation.small``; see truehue.core.cli.small."""

from truehue.core.cli.small import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
