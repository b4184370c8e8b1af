"""The door of ``python -m core.diagnose``; core.cli.diagnose says what it does."""

from core.cli.diagnose import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
