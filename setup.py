"""Where the packages of ``truehue`` lie: beside it in a checkout, in it once they are installed.

All else that an installation needs to know stands in pyproject.toml.
"""

from setuptools import find_packages, setup

FOLDERS = ("core", "annotation", "storage", "tabs")
PACKAGES = find_packages(include=[name for folder in FOLDERS for name in (folder, f"{folder}.*")])

setup(
    packages=["truehue", "truehue.assets", *(f"truehue.{name}" for name in PACKAGES)],
    package_dir={
        "truehue": "truehue",
        **{f"truehue.{name}": name for name in (*FOLDERS, "assets")},
    },
    # Pictures of the documentation stay behind.
    package_data={"truehue": ["py.typed"], "truehue.assets": ["**/*"]},
    exclude_package_data={"truehue.assets": ["screenshots/*"]},
)
