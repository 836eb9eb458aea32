"""Every fix for a random extension, by its definition: it comes to rest where it should, and nothing less does."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st

import olmsolve
from olmsolve import v1
from tests.extensions.notation import answer, bundle, catalog, channel, entry, request

# -- every fix, by definition

VERSIONS = ["1.0.0", "1.1.0", "2.0.0", "3.0.0"]


@st.composite
def requests(draw: st.DrawFn) -> v1.ExtensionRequest:
    version = st.sampled_from(VERSIONS)
    entries = st.lists(
        st.builds(entry, version, st.one_of(st.just(""), version), st.sampled_from(["", "<2.0.0"])),
        max_size=4,
        unique_by=lambda drawn: str(drawn["name"]),
    )
    catalogs = []
    for name in "ab"[: draw(st.integers(1, 2))]:
        known = draw(st.dictionaries(st.sampled_from(["c", "d"]), entries, max_size=2))
        blobs = [channel(name, *listed) for name, listed in known.items()]
        there = draw(st.sets(version))
        refused = draw(st.sets(version, max_size=1))
        blobs += [bundle(version, *(["olm.constraint"] if version in refused else [])) for version in sorted(there)]
        tier = draw(st.sampled_from("112"))
        catalogs.append(v1.ClusterCatalog(name, catalog(*blobs), {"tier": tier}, draw(st.integers(0, 1))))
    return request(
        *catalogs,
        installed=draw(st.sampled_from(["", *VERSIONS])),
        version=draw(st.sampled_from(["", "<2", "1.1.0", ">=3"])),
        channels=draw(st.sampled_from([[], ["c"], ["e"]])),
        selector=draw(st.sampled_from([None, v1.LabelSelector({"tier": "1"})])),
    )


def updates(extension_request: v1.ExtensionRequest) -> list[tuple[str, str]] | None:
    """What the extension gets, one bundle after the other, as far as it comes to rest; None if it does not."""
    steps: list[tuple[str, str]] = []
    for _ in range(10):
        try:
            resolution = v1.resolve(extension_request)
        except v1.ResolutionError:
            return None
        steps.append((resolution.catalog, resolution.bundle))
        if resolution.bundle == resolution.installed:
            return steps
        extension_request = attrs.evolve(
            extension_request, installed=v1.InstalledBundle(resolution.bundle, resolution.full_version)
        )
    return None


def changed(extension_request: v1.ExtensionRequest, changes: tuple[Any, ...]) -> v1.ExtensionRequest:
    for change in changes:
        extension_request = change.apply(extension_request)
    return extension_request


def jumps_anywhere(extension_request: v1.ExtensionRequest) -> bool:
    """Whether the extension would take versions that nobody named, past all edges; of its own ranges one has a top."""
    version = extension_request.extension.version
    return extension_request.extension.upgrade_constraint_policy == v1.SELF_CERTIFIED and (
        version in ("", ">=3") or version[:2] == "<="
    )


@given(requests())
def test_fixes_of_failures_come_to_rest_and_are_minimal(extension_request: v1.ExtensionRequest) -> None:
    """Each fix leads to a bundle and to rest, and no part of it does, but for force without a top of the range."""
    outcome = answer(extension_request)
    if isinstance(outcome, v1.ExtensionResolution):
        return
    for fix in olmsolve.explanation(outcome).extension_fixes or ():
        assert updates(changed(extension_request, fix.changes)) is not None
        assert not jumps_anywhere(changed(extension_request, fix.changes))
        for size in range(len(fix.changes)):
            for part in combinations(fix.changes, size):
                partly_changed = changed(extension_request, part)
                assert updates(partly_changed) is None or jumps_anywhere(partly_changed)


def test_no_change_is_needless_where_two_need_each_other() -> None:
    """A range with force is no fix without the channels, nor force without its range; the channels alone are one."""
    known = catalog(channel("d", entry("2.0.0"), entry("3.0.0")), *map(bundle, ["1.0.0", "2.0.0", "3.0.0"]))
    outcome = answer(request(v1.ClusterCatalog("a", known), installed="2.0.0", channels=["c"]))
    assert not isinstance(outcome, v1.ExtensionResolution)
    fixes = olmsolve.explanation(outcome).extension_fixes or ()
    assert [fix.resolution.bundle for fix in fixes] == ["p.v2.0.0", "p.v2.0.0"]
    assert [len(fix.changes) for fix in fixes] == [1, 1]


@given(requests(), st.sampled_from(VERSIONS))
def test_ways_to_a_bundle_lead_there(extension_request: v1.ExtensionRequest, version: str) -> None:
    """Each way out of "why not" ends at rest, and passes the bundle; without it, the extension never gets there."""
    reply = olmsolve.why_not(extension_request, version=version)
    verdict = reply.verdict.value
    if verdict == "absent":
        assert all(
            f"p.v{version}" not in c.catalog.packages["p"].bundles for c in extension_request.catalogs if c.catalog
        )
        return
    if verdict == "selected":
        assert reply.selected is not None
        assert reply.selected.version == version
        return
    goal = reply.candidates[0].catalog, reply.candidates[0].bundle
    now = updates(extension_request)
    if verdict == "later":
        assert now is not None
        assert goal[1] in [name for _, name in now]
        return
    for fix in reply.fixes:
        way = updates(changed(extension_request, fix.changes))
        assert way is not None
        assert goal in way
