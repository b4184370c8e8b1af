"""The door of ``python -m core.vision_language``; truehue.core.cli.ask.command says what it
does."""

from truehue.core.cli.ask.command import main
from truehue.core.command import run_command

if __name__ == "__main__":
    run_command(main)
