"""What Python's garbage collector does not look at in tests.

A process that runs tests has imported all of them: close to a million objects, which stay. The
engine collects garbage whenever it gives up a model, and looked at each of them each time, for most
of a second.
"""

from __future__ import annotations

import atexit
import gc

import pytest

# At its end Python collects once more, and some libraries complain of what is left then.
atexit.register(gc.unfreeze)


@pytest.fixture(scope="module", autouse=True)
def frozen() -> None:
    """What is there before a file's first test is left out of its collections."""
    gc.collect()
    gc.freeze()
