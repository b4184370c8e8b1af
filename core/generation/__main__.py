"""The door of ``python -m core.generation``; truehue.core.cli.models says what it does."""

from truehue.core.cli.models import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
