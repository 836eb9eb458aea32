"""Bundles whose requirements lead back to another version of themselves: each that is reported has no plan."""

from __future__ import annotations

import random
from typing import Any

import pytest

from olmsolve import Catalog, Unsatisfiable, from_blobs, lint, read_request, resolve
from olmsolve.catalog import blobs


def catalog(*bundles: tuple[str, list[dict[str, Any]]]) -> Catalog:
    """Bundles by NAME-VERSION with their further properties; each package has one chain of its versions."""
    all_blobs: list[dict[str, Any]] = []
    packages: dict[str, list[str]] = {}
    for name, properties in bundles:
        package, version = name.split("-")
        packages.setdefault(package, []).append(name)
        own = {"type": "olm.package", "value": {"packageName": package, "version": version}}
        all_blobs.append(
            {
                "schema": "olm.bundle",
                "name": name,
                "package": package,
                "image": "q/x:1",
                "properties": [own, *properties],
            }
        )
    for package, names in packages.items():
        entries = [
            {"name": name} | ({"replaces": before} if before else {})
            for name, before in zip(names, [None, *names], strict=False)
        ]
        all_blobs += [
            {"schema": "olm.package", "name": package, "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": package, "name": "stable", "entries": entries},
        ]
    return from_blobs(all_blobs)


def needs(package: str, versions: str) -> dict[str, Any]:
    return {"type": "olm.package.required", "value": {"packageName": package, "versionRange": versions}}


def api(kind: str, type_: str = "olm.gvk") -> dict[str, Any]:
    return {"type": type_, "value": {"group": "x.example.com", "version": "v1", "kind": kind}}


def circular(catalog: Catalog) -> dict[str, str]:
    """The messages by bundle."""
    return {finding.bundle: finding.message for finding in lint(catalog) if finding.code == "requirements-circular"}


def test_a_way_back_to_another_version() -> None:
    """Each range is fine by itself, and the package can never be installed."""
    content = catalog(
        ("lamp-1.0.0", [needs("bulb", ">=1.0.0")]),
        ("lamp-2.0.0", []),
        ("bulb-1.0.0", [needs("lamp", ">=2.0.0")]),
        ("bulb-1.1.0", [needs("lamp", ">=2.0.0")]),
    )
    assert circular(content) == {
        "lamp-1.0.0": "no cluster can install it from this catalog alone: lamp-1.0.0 requires package bulb in >=1.0.0;"
        " bulb-1.0.0 requires package lamp in >=2.0.0; only lamp-2.0.0 meets it, another bundle of package lamp"
    }


def test_a_way_back_to_another_owner_of_an_api() -> None:
    """One operator owns an API: who requires a second owner beside itself waits forever."""
    content = catalog(
        ("lamp-1.0.0", [api("Lamp"), needs("bulb", ">=1.0.0")]),
        ("lamp-1.1.0", [api("Lamp"), needs("bulb", ">=1.0.0")]),
        ("bulb-1.0.0", [api("Lamp")]),
        ("bulb-1.1.0", [api("Lamp")]),
    )
    assert circular(content) == {
        "lamp-1.0.0": "no cluster can install it from this catalog alone: lamp-1.0.0 requires package bulb in >=1.0.0;"
        " only bulb-1.0.0 (and 1 more) meets it, which provides an API that lamp-1.0.0 provides too; the same in"
        " 1 other bundle: lamp-1.1.0"
    }


def test_a_way_back_that_nothing_here_meets() -> None:
    """Whichever catalog brings a lamp from 2.0.0 on: it cannot stand beside lamp 1.0.0, which waits for it."""
    content = catalog(("lamp-1.0.0", [needs("bulb", ">=1.0.0")]), ("bulb-1.0.0", [needs("lamp", ">=2.0.0")]))
    assert circular(content) == {
        "lamp-1.0.0": "no cluster can install it from this catalog alone: lamp-1.0.0 requires package bulb in >=1.0.0;"
        " bulb-1.0.0 requires package lamp in >=2.0.0; only another bundle of package lamp could meet it, and"
        " the catalogs have none"
    }
    assert circular(catalog(("lamp-1.0.0", [needs("lamp", ">=2.0.0")])))
    assert not circular(catalog(("lamp-1.0.0", [needs("bulb", ">=2.0.0")]), ("bulb-1.0.0", [])))


def test_circles_that_close_are_fine() -> None:
    """Two operators that require each other are installed together; what another catalog may meet is not judged."""
    content = catalog(
        ("lamp-1.0.0", [needs("bulb", ">=1.0.0"), needs("lamp", ">=1.0.0"), needs("elsewhere", ">=1.0.0")]),
        ("bulb-1.0.0", [needs("lamp", ">=1.0.0"), {"type": "olm.constraint", "value": {"cel": {"rule": "1 +"}}}]),
    )
    assert circular(content) == {}


def random_catalog(generator: random.Random) -> Catalog:
    bundles = []
    for package in "abcd":
        for version in range(1, generator.randint(2, 4)):
            properties = [
                needs(
                    generator.choice("abcd"), f"{generator.choice(('>=', '<=', '', '!='))}{generator.randint(1, 3)}.0.0"
                )
                for _ in range(generator.choice((0, 1, 1, 2)))
            ]
            bundles.append((f"{package}-{version}.0.0", properties + [api(package)] * generator.randint(0, 1)))
    return catalog(*bundles)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_reported_has_no_plan(seed: int) -> None:
    """The resolver is the judge: a subscription that begins with the bundle cannot be satisfied."""
    content = random_catalog(random.Random(seed))
    for finding in lint(content):
        if finding.code == "requirements-circular":
            wish = {"name": "s", "package": finding.package, "channel": "stable", "startingCSV": finding.bundle}
            request = {
                "namespaces": ["n"],
                "catalogs": [{"name": "c", "namespace": "n", "blobs": list(blobs(content))}],
                "subscriptions": [wish | {"namespace": "n", "source": "c", "sourceNamespace": "n"}],
            }
            with pytest.raises(Unsatisfiable):
                resolve(read_request(request))


def test_the_random_catalogs_have_some() -> None:
    """A law about nothing holds always."""
    circles = [circular(random_catalog(random.Random(seed))) for seed in range(60)]
    assert sum(map(bool, circles)) > 10
