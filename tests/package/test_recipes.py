"""The Homebrew formula and the conda recipe: made of a source distribution, whose digest and requirements they have."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from pathlib import Path

import pytest
import yaml

from olmsolve import __version__
from tests.package.test_metadata import PROJECT
from tests.recipes import conda_recipe, formula


@pytest.fixture
def sdist(tmp_path: Path) -> Path:
    """A source distribution with the metadata that the project's own has, and nothing else."""
    lines = ["Metadata-Version: 2.4", "Name: olmsolve", f"Version: {__version__}", f"Summary: {PROJECT['description']}"]
    lines += [f"Project-URL: {name}, {url}" for name, url in PROJECT["urls"].items()]
    lines += [f"License-Expression: {PROJECT['license']}", f"Requires-Python: {PROJECT['requires-python']}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in PROJECT["dependencies"]]
    lines += ["Provides-Extra: cli", "Requires-Dist: rich>=13.7; extra == 'cli'", "", "# olmsolve", ""]
    path = tmp_path / f"olmsolve-{__version__}.tar.gz"
    content = "\n".join(lines).encode()
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo(f"olmsolve-{__version__}/PKG-INFO")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return path


def test_the_formula_names_this_very_file(sdist: Path) -> None:
    """Homebrew refuses a file with another digest, and a description that is too long."""
    text = formula(sdist)
    address = f"https://github.com/olmsolve/olmsolve/releases/download/v{__version__}/{sdist.name}"
    assert f'  url "{address}"\n' in text
    assert f'  sha256 "{hashlib.sha256(sdist.read_bytes()).hexdigest()}"\n' in text
    assert '  license "Apache-2.0"\n' in text
    described = re.search(r'desc "(.*)"', text)
    assert described is not None
    assert len(described[1]) <= 80
    assert not described[1].endswith(".")
    # Of Ruby's own syntax nothing is left open, and no field of the template.
    opened = len(re.findall(r" do$|^ *def |^class ", text, re.MULTILINE))
    assert opened == len(re.findall(r"^ *end$", text, re.MULTILINE)) == 3
    assert re.findall(r"(?<!#)\{\w+\}", text) == []


def test_the_recipe_has_the_requirements_of_the_package(sdist: Path) -> None:
    """A requirement that is added to the package is in the next release's recipe; extras are not."""
    recipe = yaml.safe_load(conda_recipe(sdist))
    assert recipe["source"]["sha256"] == hashlib.sha256(sdist.read_bytes()).hexdigest()
    assert recipe["package"] == {"name": "olmsolve", "version": __version__}
    python, *run = recipe["requirements"]["run"]
    assert python == f"python {PROJECT['requires-python']}"
    assert {requirement.replace(" ", "").replace("_", "-") for requirement in run} == set(PROJECT["dependencies"])
    assert recipe["requirements"]["host"][0] == python
    scripts = {f"{name} = {target}" for name, target in PROJECT["scripts"].items()}
    assert set(recipe["build"]["entry_points"]) == scripts


def test_what_is_no_source_distribution_is_refused(tmp_path: Path) -> None:
    """A wheel, say."""
    path = tmp_path / "x.tar.gz"
    with tarfile.open(path, "w:gz"):
        pass
    with pytest.raises(ValueError, match=r"x\.tar\.gz has no PKG-INFO"):
        formula(path)
