"""The licences of everything that olmsolve installs, with all extras, and whether Apache-2.0 goes with them."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.package.building import PackageError
from tests.package.environments import Environment

# Licences under which a program may use a library whatever its own licence is. Those with a weak copyleft (LGPL, MPL)
# ask that changes of the library itself be published, which nobody makes here.
_PERMISSIVE: Final = ("Apache", "BSD", "MIT", "ISC", "PSF", "Python Software Foundation", "Unlicense", "0BSD", "Zlib")
_WEAK_COPYLEFT: Final = ("MPL", "Mozilla Public License", "LGPL", "Lesser General Public License")
_KNOWN: Final = re.compile("|".join(map(re.escape, (*_PERMISSIVE, *_WEAK_COPYLEFT))))
# A GPL without an exception would be the licence of every program that uses olmsolve.
_REFUSED: Final = re.compile(r"\bA?GPL|(?<!Lesser )General Public License|Commercial|Proprietary")

_PROGRAM: Final = """
import importlib.metadata, json
print(json.dumps([
    {
        "name": package.metadata["Name"],
        "version": package.version,
        "expression": package.metadata.get("License-Expression") or "",
        "classifiers": [line.rpartition(" :: ")[2] for line in package.metadata.get_all("Classifier") or ()
                        if line.startswith("License :: OSI Approved ::")],
        "text": (package.metadata.get("License") or "").strip().split("\\n")[0][:60],
        "file": "".join(file.read_text()[:300] for file in package.files or () if "LICENSE" in file.name)[:600],
    }
    for package in importlib.metadata.distributions()
]))
"""


class Licensed(NamedTuple):
    """A package with its version, and its licence in its own words."""

    name: str
    version: str
    licence: str

    def __str__(self) -> str:
        return f"{self.name:<28} {self.version:<18} {self.licence}"


def licences(wheel: Path, python: str) -> list[Licensed]:
    """Return everything that the *wheel* installs with all extras, by name. Raises PackageError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = Environment(folder / "environment", python, [f"{wheel}[all]"])
        document = json.loads(environment.run("python", "-I", "-c", _PROGRAM, within=folder))
    return sorted(
        Licensed(package["name"], package["version"], _licence(package))
        for package in document
        if package["name"] not in ("olmsolve", "pip", "setuptools", "wheel")
    )


def _licence(package: dict[str, Any]) -> str:
    """Return the licence that the metadata of a *package* states, or else the title of its licence file."""
    stated = package["expression"] or ", ".join(package["classifiers"]) or package["text"]
    titles = ("Apache License", "MIT License", "BSD 3-Clause License")
    return stated or next((title for title in titles if title.lower() in package["file"].lower()), "unknown")


def refused(packages: list[Licensed]) -> list[Licensed]:
    """Return the packages whose licence is unknown, or does not go with Apache-2.0."""
    return [package for package in packages if not _KNOWN.search(package.licence) or _REFUSED.search(package.licence)]


def check_licences(wheel: Path, python: str) -> list[str]:
    """Return a line about each package. Raises PackageError where a licence does not go with Apache-2.0."""
    packages = licences(wheel, python)
    if bad := refused(packages):
        raise PackageError("licences that do not go with Apache-2.0, or are unknown:\n" + "\n".join(map(str, bad)))
    return list(map(str, packages))
