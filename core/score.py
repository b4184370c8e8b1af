"""The door of ``python -m core.score``; truehue.core.cli.score says what it does."""

from truehue.core.cli.score import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
