"""What people write in their own typed programs: mypy checks this file as theirs, and it runs as a test.

A signature that gets vaguer turns an ``assert_type`` into an error of the type checker, long before a user sees it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_type

import olmsolve
from olmsolve import v1

if TYPE_CHECKING:
    # Strict mypy refuses an `ignore` that nothing needs: these lines fail once a misspelt name is taken for one.
    from olmsolve import Bundel  # type: ignore[attr-defined]  # noqa: F401
    from olmsolve.fbc import laod  # type: ignore[attr-defined]  # noqa: F401

CATALOG = [
    {"schema": "olm.package", "name": "blue", "defaultChannel": "stable"},
    {"schema": "olm.channel", "package": "blue", "name": "stable", "entries": [{"name": "blue.v1.0.0"}]},
    {
        "schema": "olm.bundle",
        "package": "blue",
        "name": "blue.v1.0.0",
        "properties": [{"type": "olm.package", "value": {"packageName": "blue", "version": "1.0.0"}}],
    },
]


def sources(folder: Path) -> tuple[olmsolve.Source, ...]:
    """A catalog as a request sees it."""
    (folder / "catalog.json").write_text("\n".join(json.dumps(blob) for blob in CATALOG))
    catalog = assert_type(olmsolve.load(folder), olmsolve.Catalog)
    return (olmsolve.Source("main", "olm", 0, catalog),)


def test_resolving(tmp_path: Path) -> None:
    """The first thing that everybody writes: what is known about a plan without reading the documentation."""
    wish = olmsolve.Subscription("wish", "team", "blue")
    request = olmsolve.Request(("team", "olm"), sources(tmp_path), (wish,))
    resolution = assert_type(olmsolve.resolve(request, timeout=5), olmsolve.Resolution)
    installs = assert_type(resolution.installs, tuple[olmsolve.Install, ...])
    assert_type(installs[0].name, str)
    assert_type(resolution.to_dict(), dict[str, Any])
    assert [install.name for install in installs] == ["blue.v1.0.0"]


def test_house_rules(tmp_path: Path) -> None:
    """Rules are values; a package is named by text, and a list of one kind of rule is a list of rules."""
    rules = [olmsolve.Never("red", "blue", name="colours"), olmsolve.Never(olmsolve.Bundles("green"), name="no green")]
    wish = olmsolve.Subscription("wish", "team", "blue")
    request = olmsolve.Request(("team", "olm"), sources(tmp_path), (wish,), house_rules=rules)
    assert_type(request.house_rules, tuple[olmsolve.classic.HouseRule, ...])
    assert_type(rules[0].bundles, olmsolve.Bundles)
    resolver = olmsolve.Resolver(request.sources)
    mixed = [olmsolve.AtLeastOne("blue", name="some blue"), olmsolve.Prefer("blue", name="blue first")]
    assert resolver.is_satisfiable([], namespaces=["team", "olm"], house_rules=mixed)
    assert [install.name for install in olmsolve.resolve(request).installs] == ["blue.v1.0.0"]


def test_failing(tmp_path: Path) -> None:
    """Reasons are objects, with types that tools can tell apart."""
    wish = olmsolve.Subscription("wish", "team", "green")
    resolver = olmsolve.Resolver(sources(tmp_path), semantics="controller")
    try:
        resolver.resolve([wish], namespaces=["team", "olm"])
    except olmsolve.Unsatisfiable as failure:
        kinds = [assert_type(reason.kind, str) for reason in failure.core]
        explanation = assert_type(olmsolve.explanation(failure), olmsolve.Explanation)
    assert kinds == ["UnknownPackage"]
    statements = [assert_type(node.statement, str) for conflict in explanation.conflicts for node in conflict.nodes]
    assert len(statements) == 1
    for fix in explanation.fixes or ():
        assert_type(fix.request, olmsolve.Request)
        assert_type(fix.resolution, olmsolve.Resolution)


def test_extensions(tmp_path: Path) -> None:
    """The same verb, another answer: the overload must say which."""
    catalogs = [v1.ClusterCatalog("main", sources(tmp_path)[0].catalog)]
    request = v1.ExtensionRequest(v1.Extension("blue"), catalogs)
    resolution = assert_type(olmsolve.resolve(request), v1.ExtensionResolution)
    assert resolution.bundle == "blue.v1.0.0"
    assert_type(olmsolve.why(request), olmsolve.ExtensionWhy)
    assert_type(olmsolve.why_not(resolution, version="1.0.0"), olmsolve.ExtensionWhyNot)
    assert_type(olmsolve.diff(request, [request]), olmsolve.ExtensionDiff)
    assert_type(olmsolve.held_back(request), tuple[v1.HeldBack, ...])
    for fix in olmsolve.explanation(resolution).extension_fixes or ():
        assert_type(fix.resolution, v1.ExtensionResolution)


def test_copies_with_other_fields(tmp_path: Path) -> None:
    """Requests are attrs classes in their source and candidates are not, to type checkers; one function copies both."""
    request = olmsolve.Request(("team", "olm"), sources(tmp_path), (olmsolve.Subscription("wish", "team", "blue"),))
    kept = assert_type(olmsolve.evolve(request, eligibility=[lambda candidate: ""]), olmsolve.Request)
    candidate = assert_type(olmsolve.resolve(kept).installs[0].candidate, olmsolve.Candidate)
    assert assert_type(olmsolve.evolve(candidate, channel="next"), olmsolve.Candidate).channel == "next"


def test_findings(tmp_path: Path) -> None:
    """Checks of a pipeline."""
    sources(tmp_path)
    for finding in olmsolve.validate(tmp_path):
        assert_type(finding, olmsolve.Finding)
        assert_type(finding.severity, olmsolve.Severity)
