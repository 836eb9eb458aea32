"""Installed operators: whose they are, what they say of themselves, and how they are told."""

from __future__ import annotations

import attrs
import pytest

from olmsolve import CatalogError, Installed, Property, RequestError, Semantics, read_request, resolve
from olmsolve.classic import ClassicProblem
from olmsolve.testing import catalog_of, package, request_for

CATALOG = catalog_of(
    package("db").channel("stable", "1.0.0 < 1.1.0"),
    package("web").channel("stable", "1.0.0").requires("db", "<1.0.0"),
)


def test_an_operator_belongs_to_one_subscription() -> None:
    """Two would update it to different bundles."""
    request = request_for(CATALOG, "db")
    [wish] = request.subscriptions
    two = [attrs.evolve(wish, name=name, installed_csv="db.v1.0.0") for name in ("one", "two")]
    operator = Installed("db.v1.0.0", "1.0.0")
    with pytest.raises(RequestError, match=r"'db.v1.0.0' is owned by two subscriptions: 'one' and 'two'"):
        attrs.evolve(request, subscriptions=two, installed=[operator])
    claimed = [attrs.evolve(two[0], installed_csv=""), two[1]]
    with pytest.raises(RequestError, match="is owned by two subscriptions: 'two' and 'one'"):
        attrs.evolve(request, subscriptions=claimed, installed=[attrs.evolve(operator, subscription="one")])


def test_an_operator_is_written_as_it_is() -> None:
    """Its own state as well: who gives way, and what replaces it."""
    leaving = Installed("old.v1", "1.0.0", gives_way=True, replaced_by="db.v1.0.0")
    request = attrs.evolve(request_for(CATALOG, "db"), installed=[leaving, Installed("db.v1.0.0", "1.0.0")])
    assert read_request(request.to_dict()) == request
    assert [operator.get("givesWay", False) for operator in request.to_dict()["installed"]] == [True, False]


def test_requirements_of_an_operator_that_must_stay_are_told_as_its_own() -> None:
    """No catalog is at fault: the properties of the operator on the cluster do not parse."""
    broken = Property("olm.constraint", {"nothing": "known"})
    request = attrs.evolve(request_for(CATALOG, "db"), installed=[Installed("own.v1", "1.0.0", [broken])])
    with pytest.raises(CatalogError, match="an installed operator that must stay has requirements") as caught:
        resolve(request)
    assert (caught.value.bundle, caught.value.property) == ("own.v1", "properties[0] (olm.constraint)")


def test_an_operator_is_in_the_block_of_its_package() -> None:
    """A search keeps a package together, whether its bundles are installed or offered."""
    request = request_for(CATALOG, "db", installed="db.v1.0.0")
    nameless = Installed("own.v1", "1.0.0")
    problem = ClassicProblem.of_request(
        attrs.evolve(request, installed=[*request.installed, nameless]), Semantics.DOCUMENTED
    )
    size = problem.visible.size
    assert {problem.block(number) for number in range(size)} == {"db", "web"}
    assert [problem.block(number) for number in (size, size + 1)] == ["db", "own.v1"]


def test_the_version_of_an_operator_is_its_own_or_its_packages() -> None:
    """A cluster says the version of an operator; where it does not, the properties of its bundle may."""
    own = Property("olm.package", {"packageName": "own", "version": "2.0.0"})
    operators = [
        Installed("a.v1", "1.0.0", [own]),
        Installed("b.v1", "", [attrs.evolve(own)]),
        Installed("c.v1", "3.0.0"),
        Installed("d.v1", ""),
    ]
    request = attrs.evolve(request_for(CATALOG, "db"), installed=operators)
    problem = ClassicProblem.of_request(request, Semantics.DOCUMENTED)
    versions = [problem.candidate(problem.visible.size + number).version for number in range(4)]
    assert versions == ["1.0.0", "2.0.0", "3.0.0", ""]


def test_operators_that_stay_are_told_in_one_order() -> None:
    """By name, whether they have to stay or a subscription has nothing newer for them."""
    request = request_for(CATALOG, "db", installed="db.v1.1.0")
    everybody = [*request.installed, Installed("zz.v1", "1.0.0"), Installed("aa.v1", "1.0.0")]
    plan = resolve(attrs.evolve(request, installed=everybody))
    assert [candidate.name for candidate in plan.kept] == ["aa.v1", "db.v1.1.0", "zz.v1"]


def test_an_operator_is_installed_once() -> None:
    """Two of one name would be one object of the cluster."""
    with pytest.raises(RequestError, match=r"'a.v1' is given 2 times") as caught:
        attrs.evolve(request_for(CATALOG, "db"), installed=[Installed("a.v1", "1.0.0"), Installed("a.v1", "2.0.0")])
    assert caught.value.field == "installed"
