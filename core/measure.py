"""The door of ``python -m core.measure``; core.cli.measure says what it does."""

from core.cli.measure import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
