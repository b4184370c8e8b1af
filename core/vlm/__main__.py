"""The door of ``python -m core.vlm``; truehue.core.cli.vlm says what it does."""

from truehue.core.cli.vlm import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
