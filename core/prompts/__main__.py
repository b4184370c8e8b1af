"""Entry point of ``python -m core.prompts``; see truehue.core.cli.prompts."""

from truehue.core.cli.prompts import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
