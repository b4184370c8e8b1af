"""Where the packages of ``truehue`` lie: beside it in a checkout, in it once they are installed.

All else that an installation needs to know stands in pyproject.toml.
"""

from pathlib import Path

from setuptools import find_packages, setup

FOLDERS = ("core", "annotation", "storage", "tabs")
# The thumbnail of a Space (core/space.py); the other screenshots are the documentation's.
THUMBNAIL = "generate-light.png"
SCREENSHOTS = sorted(path.name for path in Path("assets", "screenshots").glob("*"))
PACKAGES = find_packages(include=[name for folder in FOLDERS for name in (folder, f"{folder}.*")])

setup(
    packages=["truehue", "truehue.assets", *(f"truehue.{name}" for name in PACKAGES)],
    package_dir={
        "truehue": "truehue",
        **{f"truehue.{name}": name for name in (*FOLDERS, "assets")},
    },
    package_data={"truehue": ["py.typed"], "truehue.assets": ["**/*"]},
    exclude_package_data={
        "truehue.assets": [f"screenshots/{name}" for name in SCREENSHOTS if name != THUMBNAIL]
    },
)
