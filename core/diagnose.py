"""Entry point of ``python -m core.diagnose``; see truehue.core.cli.diagnose."""

from truehue.core.cli.diagnose import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
