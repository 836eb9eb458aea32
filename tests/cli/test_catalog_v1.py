"""``olmsolve catalog v1``: what OLM v1 makes of the bundles, the channels and the updates of a catalog."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from olmsolve.authoring import installable
from tests.cli.commands import Run
from tests.cli.small_cluster import blobs
from tests.recorded import real_catalog

EVERYWHERE = {"type": "olm.csv.metadata", "value": {"installModes": [{"type": "AllNamespaces", "supported": True}]}}
HERE = {"type": "olm.csv.metadata", "value": {"installModes": [{"type": "OwnNamespace", "supported": True}]}}
NEEDS = {"type": "olm.package.required", "value": {"packageName": "vault", "versionRange": ">=1.0.0"}}


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    """A package with a bundle of each verdict, in a channel that no extension can name."""
    content = blobs(versions=4, v1=[EVERYWHERE], v2=[HERE], v3=[EVERYWHERE, NEEDS])
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(json.dumps(each).replace('"stable"', '"Stable"') for each in content))
    return str(path)


def test_each_bundle_has_its_verdict(olmsolve: Run, catalog: str) -> None:
    """An author has to know which version nobody can install, by which rule, and what to change."""
    outcome = olmsolve("catalog", "v1", catalog, "--output", "json")
    assert outcome.code == 1
    document = json.loads(outcome.out)
    found = {each["bundle"]: (each["verdict"], each["rule"]) for each in document["bundles"]}
    assert found == {
        "etcd.v4": ("unknown", None),
        "etcd.v3": ("refused", "dependency"),
        "etcd.v2": ("refused", "install-mode"),
        "etcd.v1": ("installable", None),
    }
    assert [each["channel"] for each in document["channels"]] == ["Stable"]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_people_read_the_words_of_both(olmsolve: Run, catalog: str, form: str) -> None:
    """The controller's words can be searched for, and ours say what to do."""
    said = " ".join(olmsolve("catalog", "v1", catalog, "--output", form).out.split())
    assert "4 bundles: OLM v1 installs 1, refuses 2, and of 1 the catalog does not tell enough." in said
    assert "etcd.v2: unsupported bundle: bundle does not support AllNamespaces install mode; " in said
    assert "channel Stable: a lowercase RFC 1123 subdomain must consist of" in said


def test_nothing_refused_is_clean(olmsolve: Run, tmp_path: Path) -> None:
    """Continuous integration asks by exit code."""
    path = tmp_path / "catalog.json"
    path.write_text("\n".join(map(json.dumps, blobs(versions=1, v1=[EVERYWHERE]))))
    outcome = olmsolve("catalog", "v1", str(path), "--package", "etcd")
    assert (outcome.code, outcome.out) == (0, "1 bundle: OLM v1 installs 1, refuses 0.\n")
    assert olmsolve("catalog", "v1", str(path), "--package", "nonesuch").code == 2


def test_a_real_catalog_as_the_documentation_tells() -> None:
    """docs/v1.md has these numbers; the two channels are real."""
    found = installable(real_catalog("fbc-v4.20-full.tar.gz"))
    rules = [each.rule for each in found.refused]
    assert (len(found.bundles), rules.count("install-mode"), rules.count("dependency")) == (803, 53, 18)
    assert len(rules) == 71
    assert [each.channel for each in found.channels] == ["Fast", "Stable"]
    assert found.updates == ()
