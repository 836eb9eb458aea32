"""System constraints: a bundle that the cluster refuses is never selected, and the answer says why."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Iterable
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from olmsolve import Resolver, Source, Unsatisfiable, resolve, v1
from olmsolve.catalog import Catalog, fbc
from olmsolve.classic import Installed, NotEligible, Request, Subscription
from olmsolve.cluster import (
    Api,
    ApisFitGroup,
    SupportsTargets,
    WorksOnKubernetes,
    WorksOnOpenShift,
    bundle_csv,
    candidate_csv,
    cluster_eligibility,
    group_eligibility,
)
from olmsolve.cluster.operator_groups import GroupSurface, NamespaceSet
from olmsolve.eligibility import CandidateFacts, Eligibility, refusal
from olmsolve.errors import ManifestError, VersionError
from olmsolve.predicates import Property
from tests.cluster.manifests import csv, group, state
from tests.scale import scaled

API = {"group": "g.io", "version": "v1", "kind": "K"}


def metadata(*modes: str, kube: str = "") -> dict[str, Any]:
    supported = [{"type": mode, "supported": True} for mode in modes]
    return {"type": "olm.csv.metadata", "value": {"installModes": supported, "minKubeVersion": kube}}


def bundle(version: str, *properties: dict[str, Any], package: str = "p") -> dict[str, Any]:
    published = {"type": "olm.package", "value": {"packageName": package, "version": version}}
    return {
        "schema": "olm.bundle",
        "package": package,
        "name": f"{package}.v{version}",
        "properties": [published, *properties],
    }


def catalog(*bundles: dict[str, Any]) -> Catalog:
    """One package with one channel, whose entries replace each other in the order given."""
    names = [item["name"] for item in bundles]
    entries = [{"name": name, "replaces": before} for name, before in zip(names, ["", *names], strict=False)]
    return fbc.from_blobs(
        [
            {"schema": "olm.package", "name": "p", "defaultChannel": "c"},
            {"schema": "olm.channel", "package": "p", "name": "c", "entries": entries},
            *bundles,
        ]
    )


TWO = catalog(
    bundle("1.0.0", metadata("AllNamespaces", kube="1.20.0"), {"type": "olm.maxOpenShiftVersion", "value": "4.15"}),
    bundle("2.0.0", metadata("OwnNamespace", kube="1.30.0"), {"type": "olm.gvk", "value": API}),
)


def request(*eligibility: Eligibility, source: Catalog = TWO, installed: Iterable[Installed] = ()) -> Request:
    return Request(
        namespaces=("ns",),
        sources=(Source("cs", "ns", 0, source),),
        subscriptions=(Subscription("s", "ns", "p"),),
        installed=tuple(installed),
        eligibility=eligibility,
    )


def selected(*eligibility: Eligibility, source: Catalog = TWO) -> str:
    (install,) = resolve(request(*eligibility, source=source)).installs
    return install.candidate.name


def other_group(*targets: str) -> GroupSurface:
    return GroupSurface("og", "other", NamespaceSet(targets), frozenset({Api("g.io", "v1", "K")}))


OWN = GroupSurface("og", "ns", NamespaceSet(["ns"]))


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (SupportsTargets("ns", ("",)), "p.v1.0.0"),
        (SupportsTargets("ns", ("ns",)), "p.v2.0.0"),
        (ApisFitGroup(OWN, (other_group("ns"),)), "p.v1.0.0"),
        (ApisFitGroup(OWN, (other_group("elsewhere"),)), "p.v2.0.0"),
        (ApisFitGroup(OWN, (), is_static=True), "p.v1.0.0"),
        (ApisFitGroup(attrs.evolve(OWN, provided_apis=frozenset({Api("g.io", "v1", "K")})), (), True), "p.v2.0.0"),
        (WorksOnKubernetes("1.29.9"), "p.v1.0.0"),
        (WorksOnKubernetes("v1.30.0-eks-4"), "p.v2.0.0"),
        (WorksOnOpenShift("4.15.3"), "p.v2.0.0"),
    ],
)
def test_the_next_best_candidate_is_taken(constraint: Eligibility, expected: str) -> None:
    """A refused bundle is as if it were not offered, and nothing else changes."""
    assert selected() == "p.v2.0.0"
    assert selected(constraint) == expected


def test_the_core_names_every_refusal_that_matters() -> None:
    """Each in the words of its constraint; a request that could do otherwise has no such reason."""
    restricted = request(WorksOnOpenShift("4.16.0"), SupportsTargets("ns", ("a", "b")))
    with pytest.raises(Unsatisfiable) as failed:
        resolve(restricted)
    assert [str(reason) for reason in failed.value.core] == [
        "subscription s needs one of p.v2.0.0 (c, ns/cs), p.v1.0.0 (c, ns/cs)",
        (
            "p.v2.0.0 (c, ns/cs) may not be selected here: UnsupportedOperatorGroup: "
            "MultiNamespace InstallModeType not supported, cannot configure to watch 2 namespaces"
        ),
        "p.v1.0.0 (c, ns/cs) may not be selected here: it works up to OpenShift 4.15, and the cluster has 4.16",
    ]
    refused = [reason for reason in failed.value.core if isinstance(reason, NotEligible)]
    assert [reason.to_dict()["kind"] for reason in refused] == ["NotEligible", "NotEligible"]
    assert pickle.loads(pickle.dumps(refused)) == refused  # noqa: S301 - our own bytes


def test_what_is_installed_is_not_asked_about() -> None:
    """An installed operator may stay where its updates are refused."""
    here = Installed("p.v1.0.0", "1.0.0", TWO.packages["p"].bundles["p.v1.0.0"].properties, subscription="s")
    restricted = request(SupportsTargets("ns", ("a", "b")), installed=[here])
    plan = resolve(restricted)
    assert plan.installs == ()
    assert [kept.name for kept in plan.kept] == ["p.v1.0.0"]


def test_dependencies_are_held_to_the_same_rules() -> None:
    """No dependency may bring in a bundle that the cluster refuses."""
    requires = {"type": "olm.gvk.required", "value": API}
    source = fbc.from_blobs(
        [
            {"schema": "olm.package", "name": "p", "defaultChannel": "c"},
            {"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1.0.0"}]},
            bundle("1.0.0", metadata("OwnNamespace"), requires),
            {"schema": "olm.package", "name": "q", "defaultChannel": "c"},
            {"schema": "olm.channel", "package": "q", "name": "c", "entries": [{"name": "q.v1.0.0"}]},
            bundle("1.0.0", metadata("AllNamespaces"), {"type": "olm.gvk", "value": API}, package="q"),
        ]
    )
    assert len(resolve(request(source=source)).installs) == 2
    with pytest.raises(Unsatisfiable, match=r"q\.v1\.0\.0 .* may not be selected here: UnsupportedOperatorGroup"):
        resolve(request(SupportsTargets("ns", ("ns",)), source=source))


def test_embedders_bring_their_own() -> None:
    """Any function of a candidate will do; so will a service that resolves many requests."""

    def only_first(candidate: CandidateFacts) -> str:
        return "" if candidate.version == "1.0.0" else f"{candidate.catalog}: {candidate.package} is not reviewed"

    assert isinstance(only_first, Eligibility)
    assert selected(only_first) == "p.v1.0.0"
    resolver = Resolver([Source("cs", "ns", 0, TWO)])
    plan = resolver.resolve([Subscription("s", "ns", "p")], namespaces=["ns"], eligibility=[only_first])
    assert [install.candidate.name for install in plan.installs] == ["p.v1.0.0"]


@settings(max_examples=scaled(60))
@given(st.sets(st.integers(0, 5)), st.booleans())
def test_refusing_is_the_same_as_not_offering(refused: set[int], installed: bool) -> None:
    """The oracle is a catalog without the refused bundles in which everything else can be updated from anything."""
    names = [f"p.v{n}.0.0" for n in range(6)]
    first = catalog(*(bundle(f"{n}.0.0") for n in range(6)))
    allowed = [n for n in range(6) if n not in refused]

    def constraint(candidate: CandidateFacts) -> str:
        return "no" if int(candidate.version.split(".")[0]) in refused else ""

    if not allowed:
        with pytest.raises(Unsatisfiable):
            resolve(request(constraint, source=first))
        return
    # Candidates go from the head down, so the highest that is left is taken.
    assert selected(constraint, source=first) == names[max(allowed)]


def test_the_constraints_of_a_namespace_come_from_its_group() -> None:
    """No group, several, one without targets: nothing may act there, so nothing is selected."""

    def first_word(*documents: dict[str, Any]) -> str:
        constraints = group_eligibility(state(*documents), "ns")
        facts = CandidateFacts("p.v2.0.0", "p", "2.0.0", "ns/cs", TWO.packages["p"].bundles["p.v2.0.0"].properties)
        return refusal(facts, constraints).partition(":")[0]

    assert first_word() == "NoOperatorGroup"
    assert first_word(group("ns", ["ns"]), group("ns", ["ns"], name="two")) == "TooManyOperatorGroups"
    assert first_word(group("ns", None, selector={"matchLabels": {"no": "match"}})) == "NoTargetNamespaces"
    # A manifest that no cluster has seen has no status: what it asks for counts.
    assert first_word(group("ns", None, targetNamespaces=["ns"])) == ""
    assert first_word(group("ns", None)) == "UnsupportedOperatorGroup"
    contested = group("b", None, provided="K.v1.g.io")
    assert first_word(group("ns", None, targetNamespaces=["ns"]), contested) == "InterOperatorGroupOwnerConflict"
    assert first_word(group("ns", ["ns"])) == ""
    assert first_word(group("ns", [""])) == "UnsupportedOperatorGroup"
    assert first_word(group("ns", ["ns"]), group("b", [""], provided="K.v1.g.io")) == "InterOperatorGroupOwnerConflict"
    assert first_word(group("ns", ["ns"], staticProvidedAPIs=True)) == "CannotModifyStaticOperatorGroupProvidedAPIs"


def test_a_cluster_has_all_of_them() -> None:
    """Versions are constraints only where they are known."""
    cluster = state(group("ns", ["ns"]))
    assert cluster_eligibility(cluster, "ns") == group_eligibility(cluster, "ns")
    constraints = cluster_eligibility(cluster, "ns", kubernetes="1.30.0", openshift="4.16.0")
    assert constraints[2:] == (WorksOnKubernetes("1.30.0"), WorksOnOpenShift("4.16.0"))
    assert selected(*constraints) == "p.v2.0.0"


def test_extensions_of_v1_are_refused_after_the_fact() -> None:
    """The bundle that won is refused, and nothing else is tried: as for all of v1's validations."""
    extension_request = v1.ExtensionRequest(
        extension=v1.Extension("p"),
        catalogs=(v1.ClusterCatalog("cs", TWO),),
        validations=(v1.eligible(WorksOnKubernetes("1.29.0")),),
    )
    with pytest.raises(v1.BundleRefusedError, match=r"needs Kubernetes 1\.30\.0"):
        v1.resolve(extension_request)


# -- what bundles tell of their operator


def properties(*items: tuple[str, Any]) -> tuple[Property, ...]:
    return tuple(Property(kind, value) for kind, value in items)


def encoded(manifest: object) -> dict[str, str]:
    return {"data": base64.b64encode(json.dumps(manifest).encode()).decode()}


def test_the_operator_is_read_from_either_property() -> None:
    """Older catalogs hold the whole manifest, newer ones the parts that checks need."""
    manifest = csv("anywhere", name="p.v1", modes=["OwnNamespace"])
    whole = bundle_csv("p.v1", properties(("olm.bundle.object", encoded(manifest))))
    part = bundle_csv("p.v1", properties(("olm.csv.metadata", {"installModes": manifest["spec"]["installModes"]})))
    assert whole is not None
    assert part is not None
    assert whole.install_modes == part.install_modes
    assert whole.name == part.name == "p.v1"


@pytest.mark.parametrize(
    "items",
    [
        (),
        (("olm.bundle.object", {"data": "not base64"}),),
        (("olm.bundle.object", {"data": base64.b64encode(b"kind: ClusterServiceVersion").decode()}),),
        (("olm.bundle.object", encoded([1])),),
        (("olm.bundle.object", encoded({"kind": "ConfigMap"})),),
        (("olm.bundle.object", {"data": base64.b64encode(b"[" * 100_000).decode()}),),
        (("olm.bundle.object", None),),
        (("olm.csv.metadata", "text"),),
    ],
)
def test_a_bundle_that_tells_nothing_is_not_refused(items: tuple[tuple[str, Any], ...]) -> None:
    """Missing information refuses no bundle, whatever else is in the property."""
    candidate = CandidateFacts("p.v1", "p", properties=properties(*items))
    assert candidate_csv(candidate) is None
    assert refusal(candidate, [SupportsTargets("ns", ("ns",)), WorksOnKubernetes("1.0.0")]) == ""


def test_an_operator_that_cannot_be_read_is_refused_and_named() -> None:
    """Name the field; another bundle may still be selected."""
    candidate = CandidateFacts("p.v1", "p", properties=properties(("olm.csv.metadata", {"installModes": "all"})))
    with pytest.raises(ManifestError):
        _ = candidate_csv(candidate)
    assert refusal(candidate, [SupportsTargets("ns", ("ns",))]) == (
        "its ClusterServiceVersion cannot be read: spec.installModes: must be a list, not a string"
    )


@pytest.mark.parametrize(
    ("minimum", "cluster", "refused"),
    [
        ("1.30.0", "1.30.0", False),
        ("1.30", "v1.30.0+k3s1", False),
        ("1.30.0", "1.30.0-rc.1", False),
        ("1.30.1", "1.30.0", True),
        ("v1.9.0", "1.10.0", False),
        ("new", "1.30.0", True),
        ("", "1.30.0", False),
    ],
)
def test_kubernetes_versions_are_compared_by_their_numbers(minimum: str, cluster: str, refused: bool) -> None:
    """Distributions put their own words behind the numbers."""
    candidate = CandidateFacts("p.v1", "p", properties=properties(("olm.csv.metadata", {"minKubeVersion": minimum})))
    assert bool(WorksOnKubernetes(cluster)(candidate)) is refused


@pytest.mark.parametrize(
    ("maximum", "cluster", "refused"),
    [
        ("4.15", "4.15.9", False),
        ("4.15", "4.16.0-rc.1", True),
        ("4.23", "5.0.0", False),
        ("5.0", "4.23.1", False),
        ("4.22", "4.23.0", True),
        ("soon", "4.15.0", True),
    ],
)
def test_openshift_versions_are_compared_by_minor_version(maximum: str, cluster: str, refused: bool) -> None:
    """4.23 and 5.0 are the same; a value that cannot be read refuses the bundle."""
    candidate = CandidateFacts("p.v1", "p", properties=properties(("olm.maxOpenShiftVersion", maximum)))
    assert bool(WorksOnOpenShift(cluster)(candidate)) is refused


@pytest.mark.parametrize("constraint", [WorksOnKubernetes, WorksOnOpenShift])
def test_a_cluster_has_a_version(constraint: type[WorksOnKubernetes | WorksOnOpenShift]) -> None:
    """Raise when the constraint is made, not when the first bundle is judged."""
    with pytest.raises(VersionError):
        constraint("newest")
