"""The door of ``python -m core.measure``; truehue.core.cli.measure says what it does."""

from truehue.core.cli.measure import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
