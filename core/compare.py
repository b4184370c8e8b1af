"""Entry point of ``python -m core.compare``; see truehue.core.cli.compare."""

from truehue.core.cli.compare import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
