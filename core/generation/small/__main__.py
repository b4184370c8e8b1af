"""The door of ``python -m core.generation.small``; truehue.core.cli.small.command says what it
does."""

from truehue.core.cli.small.command import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
