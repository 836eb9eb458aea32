"""Ten real packages moved to OLM v1 on paper: an API server takes what is written, and the controller installs it."""

from __future__ import annotations

from functools import cache
from typing import Any

import attrs

import olmsolve as library
from olmsolve import v1
from olmsolve.catalog import Catalog
from olmsolve.cluster.extensions import admission_fault, bundle_objects
from olmsolve.lifecycle import Migration, Move, migrations, move_to_v1
from tests.recorded import real_catalog

PACKAGES = 10


@cache
def moves() -> tuple[Catalog, dict[str, tuple[Migration, Move]]]:
    """Return the moves of the first packages of the full catalog that can move: they have an update before them."""
    catalog = real_catalog("fbc-v4.20-full.tar.gz")
    by_package: dict[str, tuple[Migration, Move]] = {}
    for name, package in sorted(catalog.packages.items()):
        channel = package.channels[package.default_channel]
        bundles = {entry.name for entry in channel.entries} & package.bundles.keys()
        document = {
            "namespaces": ["shop"],
            "installed": [],
            "subscriptions": [{"name": name, "package": name, "channel": channel.name}],
        }
        for bundle in sorted(bundles):
            version = next(
                str(p.value["version"]) for p in package.bundles[bundle].properties if p.type == "olm.package"
            )
            request = library.read_request(
                {**document, "catalogs": [{"name": "real", "namespace": "shop", "file": "real"}]}
                | {"installed": [{"name": bundle, "version": version, "subscription": name}]},
                load=lambda _: catalog,
            )
            (migration,) = migrations(request).subscriptions
            move = move_to_v1(migration, request)
            if move is not None and migration.path:
                by_package[name] = (migration, move)
                break
        if len(by_package) == PACKAGES:
            break
    return catalog, by_package


def manifests(move: Move) -> dict[str, Any]:
    """Return the objects of *move* by kind."""
    return {object_["kind"]: object_ for objects in move.files.values() for object_ in objects}


def test_an_api_server_takes_each_extension_and_it_begins_with_what_is_there() -> None:
    """The pinned version selects the installed bundle, and each step of the range the next one: nothing jumps."""
    _, by_package = moves()
    assert len(by_package) == PACKAGES
    for name, (migration, move) in by_package.items():
        extension = manifests(move)["ClusterExtension"]
        assert admission_fault(extension) == "", name
        wish = extension["spec"]["source"]["catalog"]
        request = migration.request
        assert request is not None
        pinned = v1.Extension(wish["packageName"], version=wish["version"], channels=wish.get("channels", ()))
        current = attrs.evolve(request, extension=pinned, installed=None)
        resolution = v1.resolve(current)
        assert resolution.bundle == migration.installed, name
        for step in migration.path:
            following = attrs.evolve(
                current,
                extension=attrs.evolve(pinned, version=step.version),
                installed=v1.installed_after(current, resolution),
            )
            resolution, current = v1.resolve(following), following
            assert resolution.bundle == step.bundle, name


def test_the_role_covers_the_objects_of_each_bundle() -> None:
    """As PreflightPermissions checks: every object can be made, and every rule of the operator be granted."""
    catalog, by_package = moves()
    known = 0
    for name, (migration, move) in by_package.items():
        rules = manifests(move)["ClusterRole"]["rules"]
        content = v1.bundle_content(catalog.packages[name].bundles[migration.installed])
        allowed = {rule["resources"][0]: rule for rule in rules if "create" in rule["verbs"]}
        for object_ in bundle_objects(content, v1.InstallSettings(namespace="shop")):
            known += 1
            assert f"{object_.kind.lower()}s" in allowed, (name, object_)
        for permission in content.strategy.get("clusterPermissions") or ():
            assert all(rule in rules for rule in permission["rules"]), name
    assert known > PACKAGES


def test_the_definitions_are_handed_over_before_the_extension_comes() -> None:
    """As recorded: a definition without the labels of the release refuses the extension."""
    catalog, by_package = moves()
    for name, (migration, move) in by_package.items():
        titles = [step.title for step in move.steps]
        definitions = v1.bundle_content(catalog.packages[name].bundles[migration.installed]).crd_names
        if not definitions:
            continue
        assert (
            titles.index("Take classic OLM away")
            < titles.index("Hand the definitions over")
            < titles.index("Install the same bundle")
        )
        (labelling,) = (step for step in move.steps if step.title == "Hand the definitions over")
        for command in labelling.commands:
            assert all(definition in command.split() for definition in definitions), name
