"""The wheel in fresh environments: with plain dependencies, each extra, without msgspec; the sdist with its tests."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.package.building import ROOT, Built, PackageError
from tests.package.environments import Environment

PROBE: Final = Path(__file__).with_name("probe.py")

REPRESENTATIVE: Final = (
    "tests/api",
    "tests/architecture",
    "tests/classic",
    "tests/fbc",
    "tests/facade",
    "tests/semver",
    "tests/cli/test_resolve.py",
    "tests/cli/test_lint.py",
    "tests/test_docs.py",
    "tests/test_documentation.py",
    "tests/test_public_api.py",
)
"""What the source distribution runs by default: the rooms that most others stand on, the facade, commands, pages."""


def extras() -> dict[str, list[str]]:
    """Return the extras of pyproject.toml with their requirements."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional: dict[str, list[str]] = project["optional-dependencies"]
    return optional


def check_installed(wheel: Path, python: str) -> Iterator[str]:
    """Yield a line about each environment that works. Raises PackageError for the first that does not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain = Environment(folder / "plain", python, [str(wheel)])
        version = plain.run("python", "-c", "import platform; print(platform.python_version())", within=folder).strip()
        plain.run("python", "-m", "pip", "check", within=folder)
        answer = _probed(plain, (), folder / "work")
        yield f"Python {version}, plain dependencies: {len(_installed(plain, folder))} packages"
        plain.uninstall("msgspec")
        if _probed(plain, (), folder / "work") != answer:
            raise PackageError(f"Python {version}: without msgspec, resolve answers otherwise")
        yield f"Python {version}, without msgspec: the same answer"
        for extra in extras():
            names = set(extras()) - {"all"} if extra == "all" else {extra}
            environment = Environment(folder / extra, python, [f"{wheel}[{extra}]"])
            environment.run("python", "-m", "pip", "check", within=folder)
            if _probed(environment, sorted(names), folder / "work") != answer:
                raise PackageError(f"Python {version}: with the extra {extra}, resolve answers otherwise")
            yield f"Python {version}, extra {extra}: {len(_installed(environment, folder))} packages"


def check_lowest(wheel: Path, python: str) -> str:
    """Return a line about the lowest versions that are declared. Raises PackageError where they do not work."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = Environment(folder / "lowest", python, [])
        names = sorted(set(extras()) - {"all"})
        environment.install_lowest(ROOT / "pyproject.toml", names)
        environment.install("--no-deps", str(wheel))
        _probed(environment, names, folder / "work")
        versions = [line for line in _installed(environment, folder) if line.startswith(("attrs=", "msgspec="))]
        return f"The lowest versions, such as {' and '.join(versions)}, work with all extras"


def _probed(environment: Environment, names: tuple[str, ...] | list[str], work: Path) -> str:
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    shown = environment.run("olmsolve", "demo", within=work)
    if "ledgerdb.v5.3.0" not in shown:
        raise PackageError(f"olmsolve demo prints no plan:\n{shown}")
    environment.run("olmsolve", "demo", "--write", "example", within=work)
    return environment.run("python", "-I", PROBE, *names, within=work / "example")


def _installed(environment: Environment, within: Path) -> list[str]:
    listed = environment.run("python", "-m", "pip", "list", "--format=freeze", within=within).split()
    return [line for line in listed if not line.startswith(("pip=", "setuptools=", "wheel="))]


def check_sdist(built: Built, python: str, *, everything: bool) -> str:
    """Run the tests of the source distribution from where it is unpacked, and return pytest's last line.

    Raises:
        PackageError: one fails.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(built.sdist) as archive:
            archive.extractall(folder, filter="data")
        root = next(path for path in folder.iterdir() if path.is_dir())
        groups = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
        environment = Environment(folder / "environment", python, [*groups["dev"], "--editable", str(root)])
        chosen = () if everything else REPRESENTATIVE
        options = ("-q", "-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider")
        return environment.run("python", "-m", "pytest", *options, *chosen, within=root).splitlines()[-1]
