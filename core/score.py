"""Entry point of ``python -m core.score``; see truehue.core.cli.score."""

from truehue.core.cli.score import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
