"""Installed operators as a catalog of their own, ordered by name."""

from __future__ import annotations

from olmsolve.catalog.index import Fault, Group, InstalledIndex
from olmsolve.predicates import GVK, HasLabel, InPackage, Property, ProvidesGVK, Requirement
from olmsolve.semver import BlangRange

API = {"group": "g", "version": "v1", "kind": "K"}


def test_operators_answer_like_a_catalog() -> None:
    """The number of an operator is its position by name, and candidates come in this order."""
    index = InstalledIndex(
        [
            ("web.v2", "2.0.0", (Property("olm.gvk", API), Property("olm.label.required", {"label": "l"}))),
            (
                "db.v1",
                "",
                (Property("olm.package", {"packageName": "db", "version": "1.5.0"}), Property("olm.gvk", API)),
            ),
            ("bad.v1", "1.0.0", (Property("olm.label.required", {"label": 1}),)),
        ]
    )
    assert (len(index), index.names, index.versions) == (3, ["bad.v1", "db.v1", "web.v2"], ["1.0.0", "", "2.0.0"])
    assert [str(facts.version) for facts in index.published] == ["1.0.0", "1.5.0", "2.0.0"]
    assert index.candidates(ProvidesGVK(GVK("g", "v1", "K"))) == [1, 2]
    assert index.candidates(ProvidesGVK(GVK("g", "v2", "K"))) == []
    assert index.candidates(InPackage("db", BlangRange.parse("<2.0.0"))) == [1]
    assert index.candidates(InPackage("db", BlangRange.parse(">=2.0.0"))) == []
    assert index.candidates(InPackage("web", BlangRange.parse(">=2.0.0"))) == []
    assert index.candidates(HasLabel("l")) == []
    assert set(index.groups(1)) == {Group("package", "db"), Group("api", "g/v1/K")}
    assert index.requires(1) == ()
    for _ in range(2):
        assert index.requires(2) == (Requirement(HasLabel("l"), "olm.label.required", 1),)
        fault = index.requires(0)
        assert isinstance(fault, Fault)
        assert (fault.bundle, fault.property) == ("bad.v1", "properties[0] (olm.label.required): label")


def test_no_operators_are_no_candidates() -> None:
    """Most requests begin on an empty cluster."""
    assert len(InstalledIndex([])) == 0
    assert InstalledIndex([]).candidates(HasLabel("l")) == []
