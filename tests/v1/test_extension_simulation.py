"""Extensions that nobody changes: scenarios, and random ones against resolving them by hand, one round at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st

from olmsolve import v1
from olmsolve.catalog import Catalog, fbc
from olmsolve.render import extension_simulation_text

Blob = dict[str, Any]


def bundle(package: str, version: str) -> Blob:
    properties = [{"type": "olm.package", "value": {"packageName": package, "version": version}}]
    return {"schema": "olm.bundle", "package": package, "name": f"{package}.v{version}", "properties": properties}


def package(name: str, *entries: tuple[str, str]) -> list[Blob]:
    """A package with one channel, of versions and what each replaces ("": nothing)."""
    listed = [
        {"name": f"{name}.v{version}", "replaces": f"{name}.v{replaces}" if replaces else ""}
        for version, replaces in entries
    ]
    channel = {"schema": "olm.channel", "package": name, "name": "stable", "entries": listed}
    return [channel, *(bundle(name, version) for version, _ in entries)]


def extension(
    name: str, *catalogs: Catalog | v1.ClusterCatalog, installed: str = "", **wish: Any
) -> v1.ExtensionRequest:
    named = [
        catalog if isinstance(catalog, v1.ClusterCatalog) else v1.ClusterCatalog(letter, catalog)
        for letter, catalog in zip("abc", catalogs, strict=False)
    ]
    before = v1.InstalledBundle(f"{name}.v{installed}", installed) if installed else None
    return v1.ExtensionRequest(v1.Extension(name, **wish), named, before, name=f"my-{name}")


CHAIN = [("1.0.0", ""), ("1.1.0", "1.0.0"), ("2.0.0", "1.1.0")]
CONTENT = fbc.from_blobs([*package("p", *CHAIN), *package("q", *CHAIN), *package("r", *CHAIN)])


def test_each_extension_makes_one_update_in_a_round() -> None:
    """Extensions do not wait for each other, and end on what they stay on."""
    simulation = v1.simulate([extension("p", CONTENT, installed="1.0.0"), extension("q", CONTENT, installed="1.1.0")])
    assert [[update.bundle for update in round_.updates] for round_ in simulation.rounds] == [
        ["p.v1.1.0", "q.v2.0.0"],
        ["p.v2.0.0"],
    ]
    assert [resting.bundle for resting in simulation.resting] == ["p.v2.0.0", "q.v2.0.0"]
    assert simulation.is_settled


def test_failing_extensions_are_left_over() -> None:
    """One fails at once, one cannot even be read, and neither ends the others."""
    simulation = v1.simulate(
        [
            extension("p", CONTENT, version="9.x"),
            extension("q", CONTENT, version="banana"),
            extension("r", CONTENT, installed="1.1.0"),
        ]
    )
    assert [(failure.extension, type(failure.error).__name__) for failure in simulation.failed] == [
        ("my-p", "NoBundlesError"),
        ("my-q", "VersionRangeError"),
    ]
    assert [resting.bundle for resting in simulation.resting] == ["r.v2.0.0"]
    assert not simulation.is_settled


def test_what_is_held_back_at_rest_is_told() -> None:
    """At rest means that nothing changes by itself, not that there is nothing newer."""
    simulation = v1.simulate([extension("p", CONTENT, installed="1.0.0", version="<2")])
    assert [str(held_back) for held_back in simulation.resting[0].held_back] == [
        "p.v2.0.0 (a): outside the version range <2"
    ]


def test_nothing_to_simulate() -> None:
    """A cluster may have no extensions."""
    assert v1.simulate([]).to_dict()["settled"] is True
    assert extension_simulation_text(v1.simulate([]).to_dict()) == "There are no extensions."


def test_a_simulation_as_text(snapshot: Callable[[str, str], None]) -> None:
    """Rounds first, then where each extension ends."""
    simulation = v1.simulate(
        [
            extension("p", CONTENT, installed="1.0.0"),
            extension("q", CONTENT, version="1.1.0"),
            extension("r", CONTENT, version="9.x", installed="1.0.0"),
        ]
    )
    snapshot("extension-simulation.txt", extension_simulation_text(simulation.to_dict()))


VERSIONS = ["1.0.0", "1.1.0", "2.0.0", "3.0.0"]


@st.composite
def extensions(draw: st.DrawFn) -> v1.ExtensionRequest:
    version = st.sampled_from(VERSIONS)
    catalogs = []
    for name in "ab"[: draw(st.integers(1, 2))]:
        entries = draw(st.lists(st.tuples(version, st.one_of(st.just(""), version)), unique_by=lambda pair: pair[0]))
        old = [
            {"reference": {"schema": "olm.bundle", "name": f"p.v{old_version}"}}
            for old_version in draw(st.sets(version))
        ]
        deprecations = {"schema": "olm.deprecations", "package": "p", "entries": old}
        content = fbc.from_blobs([*package("p", *entries), deprecations])
        catalogs.append(v1.ClusterCatalog(name, content, priority=draw(st.integers(0, 1))))
    return extension("p", *catalogs, installed=draw(st.sampled_from(["", *VERSIONS])))


@given(st.lists(extensions(), max_size=3))
def test_simulated_as_resolved_by_hand(requests: list[v1.ExtensionRequest]) -> None:
    """Resolving every extension again and again makes the same updates, in the same rounds, and none twice."""
    simulation = v1.simulate(requests)
    current = list(requests)
    rounds = []
    for _ in range(2 * len(VERSIONS) + 1):
        updates = []
        for position, request in enumerate(current):
            try:
                answer = v1.resolve(request)
            except v1.ResolutionError:
                continue
            if answer.bundle != answer.installed:
                updates.append(answer.bundle)
                installed = v1.InstalledBundle(answer.bundle, answer.full_version)
                current[position] = attrs.evolve(request, installed=installed)
        if not updates:
            break
        rounds.append(updates)
    else:
        raise AssertionError("the extensions never come to rest")
    assert [[update.bundle for update in round_.updates] for round_ in simulation.rounds] == rounds
    assert len(simulation.resting) + len(simulation.failed) == len(requests)
    for request, rest in zip(current, simulation.resting, strict=False) if simulation.is_settled else ():
        assert request.installed is not None
        assert (rest.bundle, v1.resolve(request).bundle) == (request.installed.name, request.installed.name)
