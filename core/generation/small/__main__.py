"""The door of ``python -m core.generation.small``; truehue.core.cli.small says what it does."""

from truehue.core.cli.small import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
