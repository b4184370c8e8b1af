"""The door of ``python -m core.prompts``; core.cli.prompts says what it does."""

from core.cli.prompts import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
