"""``python -m tests.recipes SDIST FOLDER``: a Homebrew formula and a conda recipe for a built source distribution.

Both take the version, the digest and the requirements from the file itself, and download it from the page of the
release. ``release.yml`` writes them beside the other files of a release: the formula goes into the tap
``olmsolve/homebrew-tap``, the recipe into a feedstock.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tarfile
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Final

import yaml

__all__ = ["conda_recipe", "formula", "write_recipes"]

_RELEASE: Final = "https://github.com/olmsolve/olmsolve/releases/download/v{version}/{file}"
_PYTHON: Final = "3.13"
# Packages that conda has under another name.
_IN_CONDA: Final = {"semantic-version": "semantic_version"}

_FORMULA: Final = """\
# Written by python -m tests.recipes for olmsolve {version}; the next release writes it anew.
class Olmsolve < Formula
  include Language::Python::Virtualenv

  desc "{summary}"
  homepage "{homepage}"
  url "{url}"
  sha256 "{digest}"
  license "{license}"

  depends_on "python@{python}"

  def install
    virtualenv_create(libexec, "python{python}")
    # The packages that it requires come as wheels, in the versions that are newest at the time.
    system libexec/"bin/python", "-m", "ensurepip"
    system libexec/"bin/python", "-m", "pip", "install", "#{{buildpath}}[cli]"
    bin.install_symlink libexec/"bin/olmsolve", libexec/"bin/kubectl-olmsolve"
    generate_completions_from_executable(bin/"olmsolve", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/olmsolve --version")
    assert_match "bundles to install", shell_output("#{{bin}}/olmsolve demo")
  end
end
"""


def _metadata(sdist: Path) -> Message:
    """Return the metadata in *sdist*. Raises ValueError where it has none."""
    with tarfile.open(sdist) as archive:
        for member in archive:
            if member.name.count("/") == 1 and member.name.endswith("/PKG-INFO"):
                content = archive.extractfile(member)
                assert content is not None, "it is a file"
                return message_from_string(content.read().decode("utf-8"))
    raise ValueError(f"{sdist.name} has no PKG-INFO: it is no source distribution")


def _source(sdist: Path, version: str) -> tuple[str, str]:
    """Return the address from which *sdist* will be downloaded, and its digest."""
    return _RELEASE.format(version=version, file=sdist.name), hashlib.sha256(sdist.read_bytes()).hexdigest()


def _homepage(metadata: Message) -> str:
    urls = dict(url.split(", ", 1) for url in metadata.get_all("Project-URL", []))
    return urls["Homepage"]


def formula(sdist: Path) -> str:
    """Return the Homebrew formula that installs *sdist*."""
    metadata = _metadata(sdist)
    url, digest = _source(sdist, metadata["Version"])
    # Homebrew wants no full stop, and at most 80 characters.
    summary = metadata["Summary"].partition(":")[0].rstrip(".")
    return _FORMULA.format(
        version=metadata["Version"],
        summary=summary,
        homepage=_homepage(metadata),
        url=url,
        digest=digest,
        license=metadata["License-Expression"],
        python=_PYTHON,
    )


def conda_recipe(sdist: Path) -> str:
    """Return the conda recipe (``meta.yaml``) that installs *sdist*: its requirements, without those of extras."""
    metadata = _metadata(sdist)
    url, digest = _source(sdist, metadata["Version"])
    required = [requirement for requirement in metadata.get_all("Requires-Dist", []) if "extra ==" not in requirement]
    python = f"python {metadata['Requires-Python']}"
    recipe = {
        "package": {"name": metadata["Name"], "version": metadata["Version"]},
        "source": {"url": url, "sha256": digest},
        "build": {
            "noarch": "python",
            "number": 0,
            "script": "python -m pip install . --no-deps --no-build-isolation -vv",
            "entry_points": [f"{name} = olmsolve.__main__:program" for name in ("olmsolve", "kubectl-olmsolve")],
        },
        "requirements": {
            "host": [python, "pip", "hatchling >=1.24", "hatch-fancy-pypi-readme >=24.1"],
            "run": [python, *sorted(map(_in_conda, required))],
        },
        "test": {"imports": ["olmsolve"], "commands": ["olmsolve --version", "olmsolve demo"]},
        "about": {
            "home": _homepage(metadata),
            "license": metadata["License-Expression"],
            "license_file": "LICENSE",
            "summary": metadata["Summary"],
        },
        "extra": {"recipe-maintainers": ["olmsolve"]},
    }
    return yaml.safe_dump(recipe, sort_keys=False, width=1000)


def _in_conda(requirement: str) -> str:
    """Return a *requirement* as conda writes it: ``attrs>=23.2`` is ``attrs >=23.2``."""
    matched = re.fullmatch(r"([A-Za-z0-9._-]+)(.*)", requirement.partition(";")[0].strip())
    assert matched is not None, requirement
    name = matched[1].lower()
    return f"{_IN_CONDA.get(name, name)} {matched[2]}".strip()


def write_recipes(sdist: Path, folder: Path) -> tuple[Path, Path]:
    """Write the formula and the recipe for *sdist* into *folder*, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "olmsolve.rb", folder / "meta.yaml"
    for path, text in zip(paths, (formula(sdist), conda_recipe(sdist)), strict=True):
        path.write_text(text, "utf-8")
    return paths


def main() -> None:
    """Write both, and print their paths."""
    if len(sys.argv) != 3:
        sys.exit("usage: python -m tests.recipes SDIST FOLDER")
    for path in write_recipes(Path(sys.argv[1]), Path(sys.argv[2])):
        print(path)


if __name__ == "__main__":
    main()
