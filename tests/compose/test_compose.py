"""What cutting and editing do to a catalog, and how differences are told, case by case."""

from __future__ import annotations

import attrs
import pytest

from olmsolve.authoring.compose import (
    EntryEdges,
    Keep,
    UpdateEdge,
    add_bundle,
    catalog_edges,
    deprecate,
    diff_catalogs,
    promote,
    remove_from_catalog,
    set_default_channel,
    set_edges,
    subset_catalog,
)
from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import blobs, from_blobs
from olmsolve.errors import CatalogError, RangeError
from olmsolve.render import catalog_diff_text
from tests.compose.generated import errors
from tests.compose.notation import LINE, Blob, bundle, bundles, chain, channel, entries, entry, package
from tests.growing import times_as_long
from tests.schemas import faults


def test_a_range_keeps_what_lies_between() -> None:
    """Without 1.1.0 in the middle, 1.0.0 would update to 1.2.0, which nobody has offered."""
    part = subset_catalog(LINE, [Keep("p", versions="!=1.1.0")])
    assert part == LINE


def test_the_end_of_a_part_still_replaces_what_went() -> None:
    """Whoever has 1.0.0 installed gets to 1.1.0 as before; below that was never one step."""
    part = subset_catalog(LINE, [Keep("p", versions=">=1.1.0 <2.0.0")])
    assert entries(part) == {"p.v1.1.0": ("p.v1.0.0", ()), "p.v1.2.0": ("p.v1.1.0", ())}
    assert set(part.packages["p"].bundles) == {"p.v1.1.0", "p.v1.2.0"}


def test_the_default_channel_is_chosen_anew() -> None:
    """The one with the highest head, since that is what people would be moved to."""
    names = ("1.x", "2.x", "stable")
    catalog = from_blobs(
        [
            package(),
            chain("stable", "1.0.0", "2.1.0"),
            chain("1.x", "1.0.0"),
            chain("2.x", "2.0.0", "2.1.0"),
            *bundles("1.0.0", "2.0.0", "2.1.0"),
        ]
    )
    assert subset_catalog(catalog, [Keep("p", ("1.x", "2.x"))]).packages["p"].default_channel == "2.x"
    assert subset_catalog(catalog, [Keep("p", names)]) == catalog


def test_skipped_entries_stay_where_something_skips_them() -> None:
    """1.1.0 is skipped by the head alone: without the head it would be a second one."""
    catalog = from_blobs(
        [
            package(),
            channel("stable", entry("p.v1.0.0"), entry("p.v1.1.0"), entry("p.v2.0.0", "p.v1.0.0", "p.v1.1.0")),
            *bundles("1.0.0", "1.1.0", "2.0.0"),
        ]
    )
    assert set(entries(subset_catalog(catalog, [Keep("p", versions=">=1.1.0")]))) == {"p.v1.1.0", "p.v2.0.0"}
    assert set(entries(subset_catalog(catalog, [Keep("p", versions="<2.0.0")]))) == {"p.v1.0.0"}
    # If nothing but skipped ones is asked for, the highest is the head.
    assert entries(subset_catalog(catalog, [Keep("p", versions="1.1.0")])) == {"p.v1.1.0": ("", ())}


def test_dependencies_follow_preferences() -> None:
    """Of two that provide an API the default channel's head comes, and what that requires in turn."""

    def gvk(kind: str, type_: str = "olm.gvk") -> Blob:
        return {"type": type_, "value": {"group": "g", "version": "v1", "kind": kind}}

    catalog = from_blobs(
        [
            package("p"),
            chain("stable", "1.0.0"),
            bundle("p.v1.0.0", gvk("A", "olm.gvk.required"), gvk("Nowhere", "olm.gvk.required")),
            package("q"),
            chain("stable", "1.0.0", "1.1.0", package="q"),
            bundle("q.v1.0.0", gvk("A")),
            bundle("q.v1.1.0", gvk("A"), gvk("B", "olm.gvk.required")),
            package("r", default="fast"),
            chain("fast", "1.0.0", package="r"),
            bundle("r.v1.0.0", gvk("B")),
            package("s"),
            chain("stable", "1.0.0", package="s"),
            bundle("s.v1.0.0", gvk("A"), gvk("B")),
        ]
    )
    part = subset_catalog(catalog, ["p"], dependencies=True)
    assert {package.name: sorted(package.bundles) for package in part} == {
        "p": ["p.v1.0.0"],
        "q": ["q.v1.1.0"],
        "r": ["r.v1.0.0"],
    }
    assert set(subset_catalog(catalog, ["p"]).packages) == {"p"}
    # A bundle that is kept anyway meets the requirement, although it is not the preferred one.
    assert set(subset_catalog(catalog, ["p", "s"], dependencies=True).packages) == {"p", "s"}


def test_dependencies_of_compound_constraints() -> None:
    """The first branch that can be met comes along whole; a `not` brings nothing, since it may hold or not."""

    def needs(name: str) -> Blob:
        return {"package": {"packageName": name, "versionRange": ">=1.0.0"}}

    def both(*names: str) -> Blob:
        return {"all": {"constraints": [needs(name) for name in names]}}

    parts = [both("q", "nowhere"), {"not": {"constraints": [needs("z")]}}, both("r", "s"), needs("t")]
    constraint = {"type": "olm.constraint", "value": {"failureMessage": "no", "any": {"constraints": parts}}}
    others = [
        blob
        for name in "qrstz"
        for blob in (package(name), chain("stable", "1.0.0", package=name), bundle(f"{name}.v1.0.0"))
    ]
    catalog = from_blobs([package("p"), chain("stable", "1.0.0"), bundle("p.v1.0.0", constraint), *others])
    assert set(subset_catalog(catalog, ["p"], dependencies=True).packages) == {"p", "r", "s"}
    # What is kept anyway meets a branch: all of it, or else the first branch still comes.
    assert set(subset_catalog(catalog, ["p", "t"], dependencies=True).packages) == {"p", "t"}
    assert set(subset_catalog(catalog, ["p", "s"], dependencies=True).packages) == {"p", "r", "s"}
    assert set(subset_catalog(catalog, ["p", "q"], dependencies=True).packages) == {"p", "q", "r", "s"}


@pytest.mark.parametrize(
    ("keep", "reason"),
    [
        (Keep("q"), "no such package"),
        (Keep("p", ("beta",)), "its channels are stable"),
        (Keep("p", versions=">=3.0.0"), "no bundle of the package is in >=3.0.0"),
    ],
)
def test_wishes_for_nothing_are_refused(keep: Keep, reason: str) -> None:
    """A part that lacks what was asked for would be noticed too late."""
    with pytest.raises(CatalogError, match=reason):
        subset_catalog(LINE, [keep])


def test_a_range_that_does_not_parse_is_refused() -> None:
    """It would keep nothing."""
    with pytest.raises(RangeError):
        subset_catalog(LINE, [Keep("p", versions="<v2")])


def test_adding_a_bundle() -> None:
    """The usual release: a new head that replaces the old one."""
    (new,) = from_blobs(bundles("2.1.0")).packages["p"].bundles.values()
    catalog = add_bundle(LINE, new, "stable", replaces="p.v2.0.0", skip_range=">=1.0.0 <2.1.0")
    assert errors(catalog) == []
    assert entries(catalog)["p.v2.1.0"] == ("p.v2.0.0", ())
    with pytest.raises(CatalogError, match=r"the channel has 2 heads: p\.v2\.0\.0, p\.v2\.1\.0"):
        add_bundle(LINE, new, "stable")
    with pytest.raises(CatalogError, match="has an entry for it"):
        add_bundle(catalog, new, "stable")
    with pytest.raises(CatalogError, match="another bundle of this name"):
        add_bundle(catalog, attrs.evolve(new, image="quay.io/p/q:2"), "fast")
    # A second channel, and a package that was not there.
    assert set(add_bundle(catalog, new, "fast").packages["p"].channels) == {"stable", "fast"}
    alone = add_bundle(Catalog({}), new, "fast")
    assert (alone.packages["p"].default_channel, errors(alone)) == ("fast", [])


def test_promoting_brings_what_lies_between() -> None:
    """Who follows the target has to pass through the same versions as who followed the source."""
    catalog = from_blobs(
        [
            package(),
            chain("stable", "1.0.0"),
            channel(
                "fast",
                *chain("", "1.0.0", "1.1.0")["entries"],
                entry("p.v1.1.5"),
                entry("p.v1.2.0", "p.v1.1.0", "p.v1.1.5"),
            ),
            *bundles("1.0.0", "1.1.0", "1.1.5", "1.2.0"),
        ]
    )
    promoted = promote(catalog, "p", "", "fast", "stable")
    assert errors(promoted) == []
    assert entries(promoted) == entries(catalog, "fast")
    assert set(entries(promote(catalog, "p", "p.v1.1.0", "fast", "stable"))) == {"p.v1.0.0", "p.v1.1.0"}
    assert entries(promote(catalog, "p", "", "fast", "new"), "new") == entries(catalog, "fast")
    for bundle_, source, target, reason in [
        ("p.v1.0.0", "fast", "stable", "has it already"),
        ("p.v1.1.5", "fast", "stable", "not on the channel's chain"),
        ("p.v3.0.0", "fast", "stable", "no such entry"),
        ("", "beta", "stable", "no such channel"),
    ]:
        with pytest.raises(CatalogError, match=reason):
            promote(catalog, "p", bundle_, source, target)


def test_promoting_what_does_not_lead_on_is_refused() -> None:
    """The target would have two heads."""
    catalog = from_blobs([package(), chain("stable", "1.0.0"), chain("fast", "2.0.0"), *bundles("1.0.0", "2.0.0")])
    with pytest.raises(CatalogError, match="2 heads"):
        promote(catalog, "p", "", "fast", "stable")


def test_deprecating_and_taking_it_back() -> None:
    """One entry an object, as the schema wants it, and other fields of the blob stay."""
    catalog = deprecate(deprecate(LINE, "p", "old", bundle="p.v1.0.0"), "p", "use q")
    assert errors(catalog) == []
    written = [blob for blob in blobs(catalog) if blob["schema"] == "olm.deprecations"]
    assert written == [
        {
            "schema": "olm.deprecations",
            "package": "p",
            "entries": [
                {"reference": {"schema": "olm.bundle", "name": "p.v1.0.0"}, "message": "old"},
                {"reference": {"schema": "olm.package"}, "message": "use q"},
            ],
        }
    ]
    assert deprecate(deprecate(catalog, "p", "", bundle="p.v1.0.0"), "p", "") == LINE
    for names, reason in [
        ({"bundle": "p.v9.0.0"}, "no such bundle"),
        ({"channel": "beta"}, "no such channel"),
        ({"channel": "stable", "bundle": "p.v1.0.0"}, "deprecate one package, channel or bundle at a time"),
    ]:
        with pytest.raises(CatalogError, match=reason):
            deprecate(LINE, "p", "old", **names)
    with pytest.raises(CatalogError, match="not deprecated"):
        deprecate(LINE, "p", "")


def test_setting_the_default_channel() -> None:
    """Nothing else changes."""
    catalog = from_blobs([package(), chain("stable", "1.0.0"), chain("beta", "1.0.0"), *bundles("1.0.0")])
    changed = set_default_channel(catalog, "p", "beta")
    assert [(change.kind, change.before, change.after) for change in diff_catalogs(catalog, changed).changes] == [
        ("default", "stable", "beta")
    ]


def test_edges_say_who_takes_them() -> None:
    """Classic steps over 1.1.0, which 2.0.0 skips; v1 takes the highest; a name without a bundle is told as well."""
    catalog = from_blobs(
        [
            package(),
            channel(
                "stable",
                entry("p.v1.0.0", "gone"),
                entry("p.v1.1.0", "p.v1.0.0"),
                entry("p.v2.0.0", "p.v1.0.0", "p.v1.1.0", skip_range=">=1.0.0 <1.1.0"),
            ),
            *bundles("1.0.0", "1.1.0", "2.0.0"),
        ]
    )
    assert list(catalog_edges(catalog)) == [
        UpdateEdge("p", "stable", "gone", "p.v1.0.0", ("replaces",), is_classic=True, is_v1=True),
        UpdateEdge("p", "stable", "p.v1.0.0", "p.v1.1.0", ("replaces",), is_classic=False, is_v1=False),
        UpdateEdge("p", "stable", "p.v1.0.0", "p.v2.0.0", ("replaces", "skipRange"), is_classic=True, is_v1=True),
        UpdateEdge("p", "stable", "p.v1.1.0", "p.v2.0.0", ("skips",), is_classic=True, is_v1=True),
    ]
    assert len(list(catalog_edges(catalog, "p", taken_only=True))) == 3


def test_a_difference_in_words() -> None:
    """Runs of installed versions with one change are one line, and classic and v1 are told apart where they differ."""
    new = from_blobs(
        [
            package(default="fast"),
            channel(
                "stable",
                *chain("", "1.0.0", "1.1.0", "1.2.0")["entries"],
                entry("p.v2.0.0", "p.v1.2.0"),
                entry("p.v2.1.0", "p.v2.0.0", skip_range="<1.1.1"),
            ),
            chain("fast", "2.1.0"),
            *bundles("1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.1.0"),
            package("q"),
            chain("stable", "1.0.0", package="q"),
            *bundles("1.0.0", of="q"),
        ]
    )
    new = deprecate(new, "p", "too old", bundle="p.v1.0.0")
    assert catalog_diff_text(diff_catalogs(LINE, new)).splitlines() == [
        "package p:",
        "  ~ default channel: stable -> fast",
        "  + channel fast: 1 entry",
        "  + entry p.v2.1.0 of channel stable: replaces p.v2.0.0; skipRange <1.1.1",
        "  + bundle p.v2.1.0: quay.io/p/p:1",
        "  + deprecation of olm.bundle p.v1.0.0: too old",
        "  > p.v1.0.0 in stable, OLM classic and OLM v1: -> p.v2.1.0 (was p.v1.1.0)",
        "  > p.v1.1.0 in stable, OLM classic and OLM v1: -> p.v2.1.0 (was p.v1.2.0)",
        "  > p.v2.0.0 in stable, OLM classic and OLM v1: -> p.v2.1.0 (was stays)",
        "package q:",
        "  + package q: 1 channel, 1 bundle",
    ]
    gone = diff_catalogs(
        new, from_blobs([package("q"), chain("stable", "1.0.0", package="q"), *bundles("1.0.0", of="q")])
    )
    assert [
        (upgrade.channel, upgrade.generation, len(upgrade.installed), upgrade.is_gone) for upgrade in gone.upgrades
    ] == [
        ("fast", "classic", 1, True),
        ("fast", "v1", 1, True),
        ("stable", "classic", 5, True),
        ("stable", "v1", 5, True),
    ]
    assert catalog_diff_text(diff_catalogs(LINE, LINE)) == "The catalogs are the same."


def test_a_changed_bundle_says_in_what() -> None:
    """The order of properties is no difference; a type that changed is named."""
    label = {"type": "olm.label", "value": {"label": "a"}}
    (one, same, other) = (
        from_blobs([package(), chain("stable", "1.0.0"), bundle("p.v1.0.0", *properties)])
        for properties in ([label, {"type": "x", "value": 1}], [{"type": "x", "value": 1}, label], [label])
    )
    assert not diff_catalogs(one, same)
    assert [change.to_dict() for change in diff_catalogs(one, other).changes] == [
        {"what": "changed", "kind": "bundle", "package": "p", "name": "p.v1.0.0", "field": "properties of type x"}
    ]


def test_where_classic_and_v1_change_differently_there_are_two_lines() -> None:
    """A withdrawal: the new head replaces a higher version, which v1 does not leave."""
    old = from_blobs([package(), chain("stable", "1.0.0", "2.0.0"), *bundles("1.0.0", "2.0.0")])
    new = from_blobs(
        [
            package(),
            channel("stable", *chain("", "1.0.0", "2.0.0")["entries"], entry("p.v1.0.1", "p.v2.0.0")),
            *bundles("1.0.0", "2.0.0", "1.0.1"),
        ]
    )
    assert [(upgrade.generation, upgrade.installed, upgrade.after) for upgrade in diff_catalogs(old, new).upgrades] == [
        ("classic", ("p.v2.0.0",), "p.v1.0.1")
    ]


def _needs(packages: list[str]) -> list[Blob]:
    return [
        {"type": "olm.package.required", "value": {"packageName": name, "versionRange": ">=1.0.0"}} for name in packages
    ]


def test_dependencies_are_followed_in_linear_time() -> None:
    """Sixteen times as long a chain of packages takes about sixteen times as long, where squares take 256."""
    catalogs: dict[int, Catalog] = {}
    for count in (50, 800):
        packages = [f"p{number}" for number in range(count)]
        blobs_of = [
            [
                package(name),
                chain("stable", "1.0.0", package=name),
                bundle(f"{name}.v1.0.0", *_needs(packages[number + 1 : number + 2])),
            ]
            for number, name in enumerate(packages)
        ]
        catalogs[count] = from_blobs([blob for package in blobs_of for blob in package])

    def cut(count: int) -> None:
        catalog = subset_catalog(catalogs[count], [Keep("p0")], dependencies=True)
        assert len(catalog.packages) == count

    assert times_as_long(cut, 50, 800) < 64


def test_a_chain_is_closed_where_entries_go() -> None:
    """Two entries in the middle go: the one above replaces the one below, and skips both."""
    with pytest.raises(CatalogError, match=r"p.v2.0.0 would have to replace p.v1.0.0 and skip p.v1.2.0, p.v1.1.0"):
        remove_from_catalog(LINE, "p", bundles=["p.v1.1.0", "p.v1.2.0"])
    closed = remove_from_catalog(LINE, "p", bundles=["p.v1.1.0", "p.v1.2.0"], reconnect=True)
    assert entries(closed) == {"p.v1.0.0": ("", ()), "p.v2.0.0": ("p.v1.0.0", ("p.v1.2.0", "p.v1.1.0"))}
    assert set(closed.packages["p"].bundles) == {"p.v1.0.0", "p.v2.0.0"}
    # At the end of a chain nothing is left to replace: the names stay, for clusters that have these bundles.
    assert entries(remove_from_catalog(LINE, "p", versions="<1.2.0")) == {
        "p.v1.2.0": ("p.v1.1.0", ()),
        "p.v2.0.0": ("p.v1.2.0", ()),
    }
    assert entries(remove_from_catalog(LINE, "p", versions="<1.2.0", reconnect=True))["p.v1.2.0"] == (
        "p.v1.1.0",
        ("p.v1.0.0",),
    )


def test_what_is_dropped_must_be_able_to_go() -> None:
    """A part without the middle of a chain would offer an update that nobody offered."""
    two = from_blobs([*blobs(LINE), chain("fast", "2.0.0")])
    assert set(subset_catalog(two, drop=[Keep("p", ("fast",))]).packages["p"].channels) == {"stable"}
    assert set(subset_catalog(two, ["p"], drop=[Keep("p", versions=">=1.2.0")]).packages["p"].bundles) == {
        "p.v1.0.0",
        "p.v1.1.0",
    }
    assert subset_catalog(two, drop=["p"]).packages == {}
    with pytest.raises(CatalogError, match=r"cannot be dropped, because kept bundles need it: p\.v1\.1\.0"):
        subset_catalog(two, drop=[Keep("p", versions="1.1.0")])


def test_edges_are_set_one_by_one() -> None:
    """What is not given stays; what would leave two heads is refused."""
    edges_ = EntryEdges(skips=["p.v1.1.1"], skip_range=">=1.1.0 <1.2.0")
    changed = set_edges(LINE, "p", "stable", "p.v1.2.0", edges_)
    entry_ = changed.packages["p"].channels["stable"].entries[2]
    assert (entry_.replaces, entry_.skips, entry_.skip_range) == ("p.v1.1.0", ("p.v1.1.1",), ">=1.1.0 <1.2.0")
    with pytest.raises(CatalogError, match="the channel has 2 heads"):
        set_edges(LINE, "p", "stable", "p.v1.2.0", EntryEdges(replaces=""))


def test_a_change_in_no_package_is_a_document_too() -> None:
    """Blobs of other schemas need no package; the document left the field out, against its schema."""
    before, after = from_blobs([]), from_blobs([{"schema": "example.note", "text": "new"}])
    document = diff_catalogs(before, after).to_dict()
    assert [(change["what"], change["package"], change["name"]) for change in document["changes"]] == [
        ("added", "", "")
    ]
    assert faults("olmsolve.catalog.diff", document) == []
