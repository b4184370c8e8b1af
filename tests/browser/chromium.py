"""Finds a Chromium for the browser tests and installs one where there is none.

``python -m tests.browser.chromium`` prints the path of a usable browser, or ends with what to do.
The order: the environment's ``CHROMIUM``, a system browser, Debian's package (as root or by
``sudo -n``), Playwright's own download. Chromium without a window ("headless shell") is the same
engine and takes a fifth less time for a page: of two that are here it is the first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
INSTALL = ("apt-get", "install", "-y", "-qq", "--no-install-recommends")
NONE_FOUND = (
    "No Chromium found and none could be installed. Install one (Debian: apt-get install chromium) "
    "or set CHROMIUM to its path, then run make test again."
)


def find() -> str | None:
    """The path of an installed Chromium, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def _apt(sudo: list[str]) -> bool:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if subprocess.run([*sudo, "apt-get", "update", "-qq"], env=quiet).returncode:
        return False
    # Distributions that have no package of the shell have one of the browser.
    return any(
        subprocess.run(
            [*sudo, *INSTALL, package, "fonts-dejavu-core"], env=quiet, stdout=subprocess.DEVNULL
        ).returncode
        == 0
        for package in (SHELL, "chromium")
    )


def install() -> None:
    """Installs Chromium; raises SystemExit with what to do when no way worked."""
    if shutil.which("apt-get"):
        if os.geteuid() == 0 and _apt([]):
            return
        allowed = shutil.which("sudo") and not subprocess.run(["sudo", "-n", "true"]).returncode
        if allowed and _apt(["sudo", "-n"]):
            return
    done = subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"])
    if done.returncode:
        raise SystemExit(NONE_FOUND)


def main() -> None:
    """Prints the path of a browser, installed if need be; raises SystemExit where there is none."""
    path = find()
    if path is None:
        install()
        # An installer can end well and leave nothing that runs: a package that is only a stub, or
        # a browser outside the PATH.
        path = find()
    if path is None:
        raise SystemExit(NONE_FOUND)
    print("Chromium for the browser tests:", path)


if __name__ == "__main__":
    main()
