"""The door of ``python -m core.compare``; truehue.core.cli.compare says what it does."""

from truehue.core.cli.compare import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
