"""A process that resolves over an index reads no packages, whatever it tells beside the plan."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import loading
from olmsolve.catalog.index_files import write_index
from olmsolve.catalog.index_files.opening import _FileOriginals
from olmsolve.predicates import Property
from tests.cli.commands import Outcome, Run, runner
from tests.index_files.files import write_blobs
from tests.recorded import shared
from tests.scenarios.dumps.files import cluster_arguments
from tests.scenarios.notation import request_document
from tests.yaml_files import yaml_documents

_TESTS = Path(__file__).parents[1]


def scenarios(*files: Path) -> list[Any]:
    """Every scenario of *files* as a parameter."""
    documents = (document for file in files for document in yaml_documents(file))
    return [pytest.param(document, id=document["name"]) for document in documents]


class Reads:
    """What was read of catalogs behind indexes: how many *catalogs*, and of how many *bundles* the raw properties."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.catalogs = 0
        self.bundles = 0
        load, properties = loading._load_path, _FileOriginals.properties

        def loaded(*arguments: Any) -> Catalog:
            self.catalogs += 1
            return load(*arguments)

        def parsed(*arguments: Any) -> tuple[Property, ...]:
            self.bundles += 1
            return properties(*arguments)

        monkeypatch.setattr(loading, "_load_path", loaded)
        monkeypatch.setattr(_FileOriginals, "properties", parsed)


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def answers(olmsolve: Run, arguments: tuple[object, ...]) -> Iterator[Outcome]:
    """The answer as text and as JSON."""
    for form in ("text", "json"):
        yield olmsolve("resolve", *arguments, "--output", form)


def compared(
    olmsolve: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...], catalogs: list[Path]
) -> tuple[Reads, list[Outcome]]:
    """Resolve without indexes and with them, and compare; return what was read with them, and the answers."""
    expected = list(answers(olmsolve, arguments))
    for path in catalogs:
        write_index(path)
    reads = Reads(monkeypatch)
    outcomes = list(answers(olmsolve, arguments))
    assert outcomes == expected
    return reads, outcomes


def with_files(document: Mapping[str, Any], folder: Path) -> tuple[Path, list[Path]]:
    """Write a request *document* and its catalogs into *folder*; return the files."""
    paths = [write_blobs(folder / f"{catalog['name']}.jsonl", catalog["blobs"]) for catalog in document["catalogs"]]
    catalogs = [
        {**{key: value for key, value in catalog.items() if key != "blobs"}, "file": path.name}
        for catalog, path in zip(document["catalogs"], paths, strict=True)
    ]
    request = folder / "request.json"
    request.write_text(json.dumps({**document, "catalogs": catalogs}), "utf-8")
    return request, paths


@pytest.mark.parametrize("scenario", scenarios(_TESTS / "held_back" / "scenarios.yaml"))
def test_what_is_held_back(
    scenario: dict[str, Any], olmsolve: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Channels, edges, versions and the order of candidates are columns of the index: no bundle is read for them."""
    request, catalogs = with_files(request_document(scenario), tmp_path)
    semantics = ("--semantics", scenario.get("semantics", "documented"))
    reads, outcomes = compared(olmsolve, monkeypatch, (request, *semantics), catalogs)
    if outcomes[0].code == 0:
        assert (reads.catalogs, reads.bundles) == (0, 0)
        assert ("Held back:" in outcomes[0].out) == bool(scenario["heldBack"])


@pytest.mark.parametrize("scenario", scenarios(*sorted((_TESTS / "scenarios" / "dumps").glob("*.yaml"))))
def test_clusters(scenario: dict[str, Any], olmsolve: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What hinders a namespace, deprecations among it, is told without reading packages. OLM v1 reads the packages."""
    arguments = cluster_arguments(scenario, tmp_path)
    catalogs = [Path(argument.partition("=")[2]) for argument in arguments if "=" in argument]
    reads, outcomes = compared(olmsolve, monkeypatch, arguments, catalogs)
    if outcomes[0].code == 0 and not scenario.get("extensions"):
        assert reads.catalogs == 0


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real catalog beside its index."""
    catalog = tmp_path_factory.mktemp("indexed") / "community-prod.jsonl.gz"
    shutil.copyfile(shared() / "catalogs" / catalog.name, catalog)
    write_index(catalog)
    return catalog


@pytest.mark.parametrize("package", ["hive-operator", "cert-manager", "project-quay"])
def test_large_packages(package: str, olmsolve: Run, monkeypatch: pytest.MonkeyPatch, indexed: Path) -> None:
    """A package with hundreds of bundles, one of which is newer in another channel, costs no look at any of them."""
    reads = Reads(monkeypatch)
    outcomes = list(answers(olmsolve, ("--catalog", f"community={indexed}", "--subscribe", package)))
    assert [outcome.code for outcome in outcomes] == [0, 0]
    assert ("Held back:" in outcomes[0].out) == (package == "hive-operator")
    assert (reads.catalogs, reads.bundles) == (0, 0)
