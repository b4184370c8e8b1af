"""The door of ``python -m core.masks``; core.cli.masks says what it does."""

from core.cli.masks import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
