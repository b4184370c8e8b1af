"""The door of ``python -m core.compare``; core.cli.compare.command says what it does."""

from core.cli.compare.command import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
