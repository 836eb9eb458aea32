"""A kind of predicate from outside the package: "provides at least so many APIs of a group", a requirement on a sum.

Everything that resolving, explaining and renaming must know of a kind is here: its test, its words, which of its fields
are names, and how a constraint states it. The second reading of bundles, which judges answers, learns a kind apart
(``answers/plain_reading``): it shares nothing with the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, ClassVar

import attrs
import pytest

import olmsolve
from olmsolve.answers.reducing import anonymised
from olmsolve.predicates import LEAVES, NameKind, NoneOf, Predicate, Published, stated


@attrs.frozen(cache_hash=True)
class ProvidesAtLeast(Predicate):
    """The bundle provides at least *least* APIs of *group*."""

    NAMES: ClassVar[Mapping[str, NameKind]] = {"group": "groups"}
    group: str
    least: int
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        return sum(gvk.group == self.group for gvk in published.gvks) >= self.least

    def __str__(self) -> str:
        return f"at least {self.least} APIs of {self.group}"


def _read(fields: Mapping[str, Any], path: str, message: str) -> Predicate:
    """Read ``{"apis": {"group": "example.com", "least": 2}}``."""
    return ProvidesAtLeast(fields["group"], fields["least"], message=message)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEAVES, "apis", _read)


def _request(constraint: dict[str, Any], *, most: int) -> olmsolve.Request:
    """Return a request for ``app``, which states *constraint*, beside packages that provide up to *most* APIs."""
    blobs: list[dict[str, Any]] = []
    for package, apis in [("app", 0), *((f"gives-{count}", count) for count in range(1, most + 1))]:
        properties = [{"type": "olm.package", "value": {"packageName": package, "version": "1.0.0"}}]
        kinds = [f"Kind{number}" for number in range(apis)]
        # Providers of one API exclude each other, and these are to be selected together.
        gvks = [{"group": "example.com", "version": f"v{apis}", "kind": kind} for kind in kinds]
        properties += [{"type": "olm.gvk", "value": gvk} for gvk in gvks]
        if package == "app":
            properties.append({"type": "olm.constraint", "value": {"failureMessage": "too few", **constraint}})
        entries = [{"name": f"{package}.v1"}]
        blobs += [
            {"schema": "olm.package", "name": package, "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": package, "name": "stable", "entries": entries},
            {"schema": "olm.bundle", "package": package, "name": f"{package}.v1", "properties": properties},
        ]
    catalog = olmsolve.from_blobs(blobs)
    source = olmsolve.Source("main", "olm", 0, catalog)
    return olmsolve.Request(["olm"], [source], [olmsolve.Subscription("app", "olm", "app")])


APIS = {"apis": {"group": "example.com", "least": 2}}


def test_a_bundle_gets_what_the_kind_accepts() -> None:
    """One API is too few; of two providers that have enough, the first in the order is taken."""
    plan = olmsolve.resolve(_request(APIS, most=3))
    assert [install.name for install in plan.installs] == ["app.v1", "gives-2.v1"]
    [reason] = plan.installs[1].wanted_by
    assert str(reason) == "app.v1, which requires at least 2 APIs of example.com"


@pytest.mark.parametrize(
    ("constraint", "most", "installed"),
    [
        ({"not": {"constraints": [APIS]}}, 3, ["app.v1"]),
        (
            {"any": {"constraints": [APIS, {"gvk": {"group": "g", "version": "v1", "kind": "K"}}]}},
            2,
            ["app.v1", "gives-2.v1"],
        ),
        (
            {"all": {"constraints": [APIS, {"apis": {"group": "example.com", "least": 3}}]}},
            3,
            ["app.v1", "gives-2.v1", "gives-3.v1"],
        ),
    ],
    ids=["not", "any", "all"],
)
def test_compounds_take_the_kind_as_they_take_others(
    constraint: dict[str, Any], most: int, installed: list[str]
) -> None:
    """Documented semantics: a bundle of its own for each leaf, and none for a negated one."""
    assert [install.name for install in olmsolve.resolve(_request(constraint, most=most)).installs] == installed


def test_a_failure_is_explained_in_the_kinds_own_words() -> None:
    """Nothing provides two APIs: the reason names the requirement, and the author's message is told."""
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(_request(APIS, most=1))
    assert "requires at least 2 APIs of example.com, which no bundle provides [too few]" in str(failure.value)
    text = olmsolve.explanation_text(olmsolve.explanation(failure.value))
    assert "requires at least 2 APIs of example.com" in text
    assert "too few" in text


def test_words_without_a_rule_of_their_own_read_well() -> None:
    """A kind that says nothing else is a property of a bundle."""
    assert stated(NoneOf((ProvidesAtLeast("g", 2),)), rules_out=True) == "excludes a bundle with at least 2 APIs of g"


def test_the_kinds_names_are_renamed() -> None:
    """The group is called the same in the requirement and in what bundles provide, so the answer is the same."""
    renamed = anonymised(_request(APIS, most=2))
    assert isinstance(renamed, olmsolve.Request)
    assert len(olmsolve.resolve(renamed).installs) == 2
    bundles = [bundle for package in renamed.sources[0].catalog for bundle in package.bundles.values()]
    [constraint] = [
        property_.value for property_ in chain(*(b.properties for b in bundles)) if property_.type == "olm.constraint"
    ]
    assert constraint == {"apis": {"group": "group-1.example.com", "least": 2}}
