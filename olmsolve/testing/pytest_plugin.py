"""The pytest plugin: catalogs and requests from files as fixtures, ``--olmsolve-catalog PATH``.

It is there wherever olmsolve is installed, under the name ``olmsolve``. Fixtures:

* ``olmsolve_catalog``: the catalog of ``--olmsolve-catalog``, or of ``olmsolve_catalog`` in pytest's configuration
  (relative to it); tests that use it are skipped where neither is given;
* ``olmsolve_load``: a function from a path, relative to the test's folder, to a catalog, read once in a session;
* ``olmsolve_request``: a function from a path, relative to the test's folder, to the request in that document.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from olmsolve.catalog import Catalog
    from olmsolve.classic import Request
    from olmsolve.v1 import ExtensionRequest

_CATALOG = "olmsolve_catalog"
_CATALOGS = pytest.StashKey[dict[Path, "Catalog"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option and its counterpart in configuration files."""
    parser.getgroup("olmsolve").addoption(
        "--olmsolve-catalog", metavar="PATH", help="the catalog of the fixture olmsolve_catalog: a folder or a file"
    )
    parser.addini(_CATALOG, "the catalog of the fixture olmsolve_catalog, relative to this file", default="")


def _loaded(config: pytest.Config, path: Path) -> Catalog:
    """Return the catalog at *path*, read once in a session. Raises CatalogError."""
    # Imported here: pytest loads the plugin for every session, and most need no catalog.
    from olmsolve.catalog import index_files

    catalogs = config.stash.setdefault(_CATALOGS, {})
    path = path.resolve()
    if path not in catalogs:
        catalogs[path] = index_files.load(path)
    return catalogs[path]


@pytest.fixture(scope="session")
def olmsolve_catalog(pytestconfig: pytest.Config) -> Catalog:
    """Return the catalog of ``--olmsolve-catalog``, or of the configuration; skip the test where there is none."""
    typed = pytestconfig.getoption("--olmsolve-catalog")
    if typed:
        return _loaded(pytestconfig, pytestconfig.invocation_params.dir / str(typed))
    configured = str(pytestconfig.getini(_CATALOG))
    if not configured:
        pytest.skip("no catalog: give --olmsolve-catalog PATH, or olmsolve_catalog in pytest's configuration")
    return _loaded(pytestconfig, pytestconfig.rootpath / configured)


@pytest.fixture
def olmsolve_load(request: pytest.FixtureRequest) -> Callable[[str | Path], Catalog]:
    """Return a function that loads a catalog from a path relative to the test's folder, once in a session."""
    folder = request.path.parent
    config = request.config
    return lambda path: _loaded(config, folder / path)


@pytest.fixture
def olmsolve_request(request: pytest.FixtureRequest) -> Callable[[str | Path], Request | ExtensionRequest]:
    """Return a function that reads the request document at a path relative to the test's folder."""
    folder = request.path.parent
    config = request.config

    def read(path: str | Path) -> Request | ExtensionRequest:
        from olmsolve.requests import read_situation

        [question] = read_situation(folder / path, load=lambda file: _loaded(config, file)).questions
        return question.request()

    return read
