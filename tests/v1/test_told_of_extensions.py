"""Facts that extensions are told beside their answer: near misses, obstacles, counts and names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from olmsolve import CatalogError, evolve, v1
from olmsolve.catalog import Catalog, Package
from olmsolve.errors import VersionError
from olmsolve.predicates import Property
from olmsolve.v1 import ExtensionNeeds, version_of
from tests.v1.path_catalogs import catalog, entry, request, steps

CHAIN = catalog({"stable": [entry("0.1.1"), entry("0.1.2", "0.1.1"), entry("0.1.3", "0.1.2")]})


def test_a_route_does_not_lead_through_a_version_that_cannot_be_read() -> None:
    """OLM v1 never installs such a bundle, so nothing is reached from it."""
    content = catalog({"c": [entry("1.0.0"), entry("v2.0.0", "1.0.0"), entry("3.0.0", "v2.0.0")]})
    with pytest.raises(v1.NoBundlesError) as failed:
        v1.resolve(request(content, "1.0.0", version="3.0.0"))
    (funnel,) = failed.value.explanation.funnels
    assert (funnel.nearest.route, funnel.nearest.edges_from) == ((), ())


@pytest.mark.parametrize("value", ["text", {"version": 1}, {"version": "1.0.0", "release": 1}])
def test_a_package_property_of_another_form_states_no_version(value: object) -> None:
    """The reason is that of the decoder, which comes before any look at the text of a version."""
    with pytest.raises(VersionError, match="error unmarshalling package property"):
        version_of("p.v1", [Property("olm.package", value)], release_support=True)


def test_updates_come_near_where_edges_count() -> None:
    """Where they do not, or nothing is installed, no bundle is nearer than others because an edge leads to it."""
    nothing = v1.ExtensionRequest(v1.Extension("p", version=">=9"), [v1.ClusterCatalog("a", CHAIN)])
    free = request(CHAIN, "0.1.1", version=">=9", upgrade_constraint_policy="SelfCertified")
    for extension_request, updates in (
        (nothing, ()),
        (free, ()),
        (request(CHAIN, "0.1.1", version=">=9"), ("p.v0.1.2",)),
    ):
        with pytest.raises(v1.NoBundlesError) as failed:
            v1.resolve(extension_request)
        (funnel,) = failed.value.explanation.funnels
        assert funnel.nearest is not None
        assert (funnel.nearest.updates, funnel.nearest.below) == (updates, "0.1.3")


def test_what_a_path_leaves_out_is_told_from_its_end() -> None:
    """Not from where it began: the last bundle of the path is what is installed then."""
    content = catalog({"c": [entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("9.0.0")]})
    path = v1.path(request(content, "1.0.0"))
    assert steps(path) == ["1.1.0"]
    assert [str(held_back) for held_back in path.held_back] == ["p.v9.0.0 (a): no update leads to it from p.v1.1.0"]


def test_an_update_is_told_by_the_name_of_its_request_or_package() -> None:
    """A request without a name has its package."""
    update = v1.ExtensionUpdate("mine", "p", "p.v1", "p.v2", "2.0.0", "a")
    assert str(update) == "mine from p.v1 to p.v2 (a)"
    assert str(evolve(update, extension="", before="")) == "p gets p.v2 (a)"


@pytest.mark.parametrize(("count", "ending"), [(6, "p4, p5 or p6"), (7, "p4, p5 or 2 more")])
def test_of_many_candidates_five_are_named(count: int, ending: str) -> None:
    """A requirement of a plan may have hundreds; where one alone would be left, its name is as short as its number."""
    assert str(ExtensionNeeds("p", tuple(f"p{number}" for number in range(1, count + 1)))).endswith(ending)


def test_a_catalog_that_offers_deprecated_bundles_alone_keeps_none() -> None:
    """Where another catalog has one that is not, the funnel is empty at the last filter."""
    old = v1.ClusterCatalog("old", catalog({"c": [entry("2.0.0")]}, ("p.v2.0.0",)))
    resolution = v1.resolve(v1.ExtensionRequest(v1.Extension("p"), [v1.ClusterCatalog("a", CHAIN), old]))
    counts = {funnel.catalog: (funnel.edges, funnel.deprecation) for funnel in resolution.explanation.funnels}
    assert counts == {"a": (3, 3), "old": (1, 0)}


class _DamagedPackages(Mapping[str, Package]):
    """The packages of a catalog whose content is only read, and found damaged, when somebody asks for one."""

    def __getitem__(self, name: str) -> Package:
        raise CatalogError("damaged")

    def __iter__(self) -> Iterator[str]:
        raise CatalogError("damaged")

    def __len__(self) -> int:
        raise CatalogError("damaged")


def test_content_that_turns_out_to_be_unreadable_hides_no_other() -> None:
    """Catalogs that the extension does not use are read when somebody asks what they have."""
    unused = v1.ClusterCatalog("b", Catalog(_DamagedPackages()), available=False)
    view = v1.ObstacleView(v1.ExtensionRequest(v1.Extension("p"), [unused, v1.ClusterCatalog("a", CHAIN)]))
    assert [catalog.name for catalog, _ in view.offered()] == ["a"]
