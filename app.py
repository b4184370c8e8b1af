"""TrueHue's page: ``python app.py``, where a Space looks for it, too.

``python app.py runs`` does whole runs without the page, ``admin`` makes the accounts of those who
sign in, ``backup`` and ``restore`` copy the data folder. All commands: ``python -m truehue``.
"""

from truehue.core.command import run_command
from truehue.tabs.command.serve import main

if __name__ == "__main__":
    run_command(main, teardown=False)
