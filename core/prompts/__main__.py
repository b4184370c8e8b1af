"""The door of ``python -m core.prompts``; truehue.core.cli.prompts says what it does."""

from truehue.core.cli.prompts import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
