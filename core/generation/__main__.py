"""Entry point of ``python -m core.generation``; see truehue.core.cli.models."""

from truehue.core.cli.models import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
