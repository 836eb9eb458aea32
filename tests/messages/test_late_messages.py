"""Messages that only processes and long tests produced, which a run of the suite does not see."""

from __future__ import annotations

import base64
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve
from olmsolve.answers import plain_reading
from olmsolve.authoring.checks import validate
from olmsolve.catalog.fbc import read_bundle
from olmsolve.cli.commands import explain, serve
from olmsolve.cluster import PlanUnderWay
from olmsolve.errors import CatalogError, RequestError
from olmsolve.predicates import Predicate, Property, Published
from olmsolve.semver.scheme import PEP440
from olmsolve.serving import ServedCatalog
from olmsolve.testing import catalog_of, package, request_for
from tests.images.building import write_files
from tests.messages.test_catalogs import write_bundle


class Anything(Predicate):
    """A predicate of a program, which JSON does not have."""

    def test(self, published: Published) -> bool:
        return True

    def __str__(self) -> str:
        return "any bundle"


def test_a_constraint_that_is_too_large() -> None:
    """A shared part can make a small value as large as one likes, so that its size is summed before it is read."""
    with pytest.raises(plain_reading.UnreadableRequirementError, match="has more than 131072 bytes"):
        plain_reading.constraint({"failureMessage": "x" * 131_072})


def test_digests_of_predicates() -> None:
    """Nothing reads the value of a property of one's own, but the digest of the catalog covers it."""
    catalog = catalog_of(package("shop").channel("stable", "1.0.0").having("shelf", Anything()))
    with pytest.raises(RequestError) as caught:
        olmsolve.certificate(olmsolve.resolve(request_for(catalog, "shop")))
    words = "properties: any bundle is a predicate of a program, which a certificate cannot hold"
    assert str(caught.value) == words


def test_the_text_of_a_predicate() -> None:
    """It has none: the property says so by its type."""
    with pytest.raises(RequestError) as caught:
        _ = Property("olm.constraint", Anything()).text
    words = "olm.constraint: any bundle is a predicate of a program, which cannot be written down"
    assert str(caught.value) == words


def test_a_manifest_that_is_too_deep(tmp_path: Path) -> None:
    """A manifest inside a bundle has its own depth, which the depth of the catalog does not show."""
    data = base64.b64encode(b"[" * 300 + b"]" * 300).decode()
    blob = {
        "schema": "olm.bundle",
        "package": "a",
        "name": "a.v1",
        "image": "quay.example.com/a:1",
        "properties": [{"type": "olm.bundle.object", "value": {"data": data}}],
    }
    (tmp_path / "catalog.json").write_text(json.dumps(blob))
    messages = [finding.message for finding in validate(tmp_path / "catalog.json")]
    assert "data is not YAML or JSON: nested more than 250 levels deep" in messages


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (5, "spec must be an object, not the number 5"),
        ({"names": []}, "spec.names must be an object, not a list"),
        ({"versions": ["v1"]}, "spec.versions[0] must be an object, not a string"),
        ({"group": 7}, "spec.group must be a string, not the number 7"),
    ],
)
def test_definitions_that_make_no_sense(tmp_path: Path, spec: Any, message: str) -> None:
    """The types of a ClusterServiceVersion are checked at once, those of a definition where it is read."""
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}
    folder = write_bundle(tmp_path, {})
    write_files(folder, {"manifests/crd.yaml": yaml.safe_dump(definition).encode()})
    with pytest.raises(CatalogError) as caught:
        read_bundle(folder)
    assert f"{message} (CustomResourceDefinition)" in str(caught.value)


def test_what_comes_of_a_plan_under_way() -> None:
    """OLM writes no second install plan for what the first one brings."""
    plan = olmsolve.resolve(request_for(catalog_of(package("shop").channel("stable", "1.0.0")), "shop"))
    words = "This request can be satisfied: the install plan that is under way brings shop.v1.0.0."
    assert explain._closing(plan, [PlanUnderWay("ns", "install-a", ("shop.v1.0.0",))]) == words


def test_a_change_that_cannot_be_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broken file is told on standard error, and whoever asks gets what was there before."""
    path = tmp_path / "catalog.json"
    path.write_text("".join(map(json.dumps, package("shop").channel("stable", "1.0.0").blobs())))
    served = ServedCatalog(str(path), serve._valid)
    before = served.now
    path.write_text('{"schema": "olm.package", "name": "shop", "defaultChannel": "gone"}')
    look = served.reload_if_changed
    # The loop ends with the error, and the test with the looks.
    looks_left = iter(range(500))

    def look_until_told() -> Any:
        next(looks_left)
        try:
            return look()
        except CatalogError:
            signal.raise_signal(signal.SIGINT)
            raise

    monkeypatch.setattr(served, "reload_if_changed", look_until_told)
    serve._serve_until_told(served, [], 0.01)
    stderr = capsys.readouterr().err
    assert "is not valid: " in stderr
    assert stderr.endswith("; the catalog before the change is still served\n")
    assert served.now is before


def test_a_scheme_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions of Python packages are compared by a package that olmsolve does not bring."""
    monkeypatch.setitem(sys.modules, "packaging.version", None)
    with pytest.raises(RequestError) as caught:
        PEP440.key("1.0")
    assert "pep440: needs the package packaging" in str(caught.value)
    assert caught.value.hint == "pip install packaging"
