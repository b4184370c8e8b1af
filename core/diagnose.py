"""The door of ``python -m core.diagnose``; truehue.core.cli.diagnose says what it does."""

from truehue.core.cli.diagnose import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
