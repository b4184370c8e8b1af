"""The door of ``python -m core.vision_language``; core.cli.ask.command says what it does."""

from core.cli.ask.command import main
from core.command import run_command

if __name__ == "__main__":
    run_command(main)
