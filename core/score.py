"""The door of ``python -m core.score``; core.cli.score says what it does."""

from core.cli.score import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
