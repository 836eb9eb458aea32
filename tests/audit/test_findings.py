"""Each kind of finding in the smallest catalog that has it, and nothing where nothing is wrong."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from olmsolve import BackendError, Incomplete, Property, RequestError, Source
from olmsolve.answers.auditing import (
    AuditFinding,
    BrokenChannel,
    CircularUpdates,
    DeadBecause,
    DeadBundle,
    EmptyChannel,
    HeadNotInstallable,
    NoUpdate,
    RecordedReason,
    UpdateNotInstallable,
    audit,
)
from tests.audit.catalogs import sources

HERE = "olm/main"
NOWHERE = {"needs-package": "nowhere >=1.0.0"}


def findings_of(**packages: Any) -> tuple[AuditFinding, ...]:
    return audit(sources(**packages)).findings


def test_nothing_is_wrong() -> None:
    """Updates by replaces, skips and skipRange, and requirements that other packages meet, are no findings."""
    report = audit(
        sources(
            app={
                "channels": {
                    "stable": [
                        {"name": "app.v3.0.0", "replaces": "app.v2.0.0", "skips": ["app.v2.1.0"]},
                        {"name": "app.v2.1.0", "replaces": "app.v2.0.0"},
                        {"name": "app.v2.0.0", "skipRange": "<2.0.0"},
                    ]
                },
                "bundles": {"app.v3.0.0": [{"needs-package": "db >=1.0.0"}]},
            },
            db={"channels": {"stable": "db.v1.0.0"}},
        )
    )
    assert report.clean
    assert report.findings == ()
    assert (len(report.packages), report.channels, report.bundles) == (2, 2, 4)


def test_a_head_that_cannot_be_installed() -> None:
    """The finding says what people get instead, and why; the bundle is dead, and older ones never come to it."""
    head = "a.v2.0.0"
    because = (
        RecordedReason("a.v2.0.0 (stable, olm/main) requires package nowhere in >=1.0.0, which no bundle provides"),
    )
    findings = findings_of(a={"channels": {"stable": "a.v2.0.0 > a.v1.0.0"}, "bundles": {head: [NOWHERE]}})
    assert findings == (
        HeadNotInstallable(HERE, "a", "stable", head, "a.v1.0.0", reasons=because),
        UpdateNotInstallable(HERE, "a", "stable", "a.v1.0.0", ("a.v1.0.0",), (), (head,), reasons=because),
        DeadBundle(HERE, "a", head, DeadBecause.UNSATISFIABLE, reasons=because),
    )


def test_a_channel_from_which_nothing_can_be_installed() -> None:
    """Then a subscription gets nothing."""
    (head, dead) = findings_of(a={"channels": {"stable": "a.v1.0.0"}, "bundles": {"a.v1.0.0": [NOWHERE]}})
    assert isinstance(head, HeadNotInstallable)
    assert head.instead == ""
    assert isinstance(dead, DeadBundle)


def test_an_update_that_cannot_be_taken() -> None:
    """The chain is torn where an update cannot be installed, for all versions below, although the head can be."""
    (update, dead) = findings_of(
        a={
            "channels": {"stable": "a.v4.0.0 > a.v3.0.0 > a.v2.0.0 > a.v1.0.0"},
            "bundles": {"a.v3.0.0": [NOWHERE]},
        }
    )
    assert isinstance(update, UpdateNotInstallable)
    assert update.bundle == "a.v2.0.0"
    assert update.updates == ("a.v3.0.0",)
    assert update.versions == ("a.v2.0.0", "a.v1.0.0")
    assert update.staying == ()
    assert "nowhere" in str(update.reasons[0])
    assert isinstance(dead, DeadBundle)
    assert dead.bundle == "a.v3.0.0"


def test_an_update_that_can_be_passed_by() -> None:
    """Where the nearest update fails, the controller takes another one: no path is broken."""
    (dead,) = findings_of(
        a={
            "channels": {
                "stable": [
                    {"name": "a.v4.0.0", "replaces": "a.v3.0.0"},
                    {"name": "a.v3.0.0", "replaces": "a.v2.0.0"},
                    {"name": "a.v2.0.0", "replaces": "a.v1.0.0"},
                    {"name": "a.v1.0.0"},
                ]
            },
            "bundles": {},
        },
        b={
            "channels": {
                "stable": [
                    {"name": "b.v4.0.0", "replaces": "b.v3.0.0", "skipRange": "<4.0.0"},
                    {"name": "b.v3.0.0", "replaces": "b.v2.0.0", "skipRange": "<3.0.0"},
                    {"name": "b.v2.0.0"},
                ]
            },
            "bundles": {"b.v3.0.0": [NOWHERE]},
        },
    )
    assert isinstance(dead, DeadBundle)
    assert dead.bundle == "b.v3.0.0"


def test_an_installed_version_that_cannot_stay_either() -> None:
    """Then the namespace cannot be resolved at all, which is worse than an update that does not come."""
    findings = findings_of(
        a={
            "channels": {"stable": "a.v2.0.0 > a.v1.0.0"},
            "bundles": {"a.v2.0.0": [NOWHERE], "a.v1.0.0": [NOWHERE]},
        }
    )
    (update,) = (finding for finding in findings if isinstance(finding, UpdateNotInstallable))
    assert any("a.v1.0.0 (installed) requires package nowhere" in str(reason) for reason in update.staying)
    assert str(update).endswith("and it cannot stay installed")


def test_a_stranded_version() -> None:
    """An entry that only a skipped one replaces has no update: the order of a channel steps over skipped entries."""
    (stranded,) = findings_of(
        a={
            "channels": {
                "stable": [
                    {"name": "a.v3.0.0", "skips": ["a.v2.0.0"]},
                    {"name": "a.v2.0.0", "replaces": "a.v1.0.0"},
                    {"name": "a.v1.0.0"},
                ]
            }
        }
    )
    assert stranded == NoUpdate(HERE, "a", "stable", "a.v1.0.0", ("a.v1.0.0",), ())


def test_updates_that_go_round() -> None:
    """A skipRange that contains later versions leads back to where the only other update cannot be taken."""
    findings = findings_of(
        a={
            "channels": {
                "stable": [
                    {"name": "a.v3.0.0", "replaces": "a.v2.0.0"},
                    {"name": "a.v2.0.0", "replaces": "a.v1.0.0"},
                    {"name": "a.v1.0.0", "skipRange": ">=2.0.0 <3.0.0"},
                ]
            },
            "bundles": {"a.v3.0.0": [NOWHERE]},
        }
    )
    (circle,) = (finding for finding in findings if isinstance(finding, CircularUpdates))
    assert circle.circle == ("a.v2.0.0", "a.v1.0.0")
    assert circle.versions == ("a.v2.0.0", "a.v1.0.0")
    assert "a.v2.0.0 > a.v1.0.0 > a.v2.0.0" in str(circle)


def test_an_update_to_itself_is_none() -> None:
    """A bundle that its own skipRange contains is "updated" to itself, for ever."""
    findings = findings_of(
        a={
            "channels": {
                "stable": [
                    {"name": "a.v2.0.0", "replaces": "a.v1.0.0"},
                    {"name": "a.v1.0.0", "skipRange": "<=1.0.0", "replaces": "a.v0.9.0"},
                    {"name": "a.v0.9.0", "skipRange": "<=1.0.0"},
                ]
            },
            "bundles": {"a.v2.0.0": [NOWHERE]},
        }
    )
    (stop,) = (finding for finding in findings if isinstance(finding, UpdateNotInstallable))
    assert (stop.bundle, stop.updates, stop.versions) == ("a.v1.0.0", ("a.v2.0.0",), ("a.v1.0.0", "a.v0.9.0"))


def test_channels_without_an_order() -> None:
    """Nobody can subscribe to one; its bundles can still be started with, so they are not dead."""
    (broken,) = findings_of(a={"channels": {"stable": [{"name": "a.v1.0.0"}, {"name": "a.v2.0.0"}]}})
    assert isinstance(broken, BrokenChannel)
    assert broken.channel == "stable"
    assert "2 chains" in str(broken.reasons[0])


def test_channels_without_a_bundle() -> None:
    """Entries without a bundle cannot be installed."""
    (source,) = sources(a={"channels": {"stable": "a.v1.0.0"}})
    package = attrs.evolve(source.catalog.packages["a"], bundles={})
    changed = attrs.evolve(source, catalog=attrs.evolve(source.catalog, packages={"a": package}))
    assert audit([changed]).findings == (EmptyChannel(HERE, "a", "stable"),)


def test_bundles_in_no_channel() -> None:
    """Nothing can name them, whatever is installed."""
    (source,) = sources(a={"channels": {"stable": "a.v2.0.0 > a.v1.0.0"}})
    package = source.catalog.packages["a"]
    channel = attrs.evolve(package.channels["stable"], entries=package.channels["stable"].entries[:1])
    changed = attrs.evolve(package, channels={"stable": channel})
    catalog = attrs.evolve(source.catalog, packages={"a": changed})
    report = audit([attrs.evolve(source, catalog=catalog)])
    assert report.findings == (DeadBundle(HERE, "a", "a.v1.0.0", DeadBecause.NO_CHANNEL),)


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"type": "olm.deprecated", "value": {}}, "is deprecated"),
        ({"type": "olm.constraint", "value": {"cel": {"rule": "1"}}}, "cel.rule"),
    ],
    ids=["deprecated", "requirement"],
)
def test_prohibited_bundles(item: dict[str, Any], words: str) -> None:
    """The resolver never selects them, whatever is installed."""
    (update, dead) = findings_of(
        a={
            "channels": {"stable": "a.v3.0.0 > a.v2.0.0 > a.v1.0.0"},
            "bundles": {"a.v2.0.0": [item]},
        }
    )
    assert isinstance(update, UpdateNotInstallable)
    assert isinstance(dead, DeadBundle)
    assert dead.because is DeadBecause.PROHIBITED
    assert words in str(dead.reasons[0])


def test_skipped_bundles_are_not_dead() -> None:
    """A subscription can start with them."""
    entries = [{"name": "a.v2.0.0", "skips": ["a.v1.0.0"]}, {"name": "a.v1.0.0"}]
    assert findings_of(a={"channels": {"stable": entries}}) == ()


def test_the_same_bundle_in_and_out_of_order() -> None:
    """A bundle that needs its own package can take itself only where it is a candidate: not where it is skipped."""
    itself = {"needs-package": "a 1.0.0"}
    findings = findings_of(
        a={
            "channels": {
                "skipping": [{"name": "a.v2.0.0", "skips": ["a.v1.0.0"]}, {"name": "a.v1.0.0"}],
                "stable": "a.v1.0.0",
            },
            "bundles": {"a.v1.0.0": [itself]},
        }
    )
    # Started with in the channel that skips it, it would need the one of the other channel beside itself.
    assert findings == ()


def test_other_catalogs_help() -> None:
    """All catalogs are visible to every question, whatever namespaces they are in."""
    needs = {"app.v1.0.0": [{"needs-package": "db >=1.0.0"}]}
    app = sources(app={"channels": {"stable": "app.v1.0.0"}, "bundles": needs})
    db = Source("other", "elsewhere", -5, sources(db={"channels": {"stable": "db.v1.0.0"}})[0].catalog)
    assert not audit(app).clean
    assert audit([*app, db]).clean


def test_semantics_are_those_asked_for() -> None:
    """Two bundles can meet an "all" as documented; the controller wants one that meets all of it."""
    parts = [{"package": {"packageName": name, "versionRange": ">=1.0.0"}} for name in ("b", "c")]
    given = sources(
        a={
            "channels": {"stable": "a.v1.0.0"},
            "bundles": {"a.v1.0.0": [{"constraint": {"all": {"constraints": parts}}}]},
        },
        b={"channels": {"stable": "b.v1.0.0"}},
        c={"channels": {"stable": "c.v1.0.0"}},
    )
    assert audit(given).clean
    report = audit(given, semantics="controller")
    assert [finding.kind for finding in report.findings] == ["HeadNotInstallable", "DeadBundle"]
    assert report.semantics == "controller"


def test_what_cannot_be_audited() -> None:
    """Wrong arguments are refused before any work."""
    given = sources(a={"channels": {"stable": "a.v1.0.0"}})
    with pytest.raises(RequestError, match="given 2 times"):
        audit([*given, *given])
    with pytest.raises(RequestError, match="name: must not be empty"):
        audit([attrs.evolve(given[0], name="")])
    with pytest.raises(RequestError, match="there are no semantics"):
        audit(given, semantics="other")  # type: ignore[arg-type]
    with pytest.raises(BackendError):
        audit(given, backend="nonesuch")


def test_no_catalogs() -> None:
    """Nothing can be wrong with them."""
    assert audit([]).clean


def test_a_time_limit() -> None:
    """The timeout raises Incomplete; a report of half a catalog would look like one of all of it."""
    with pytest.raises(Incomplete):
        audit(sources(a={"channels": {"stable": "a.v1.0.0"}}), timeout=1e-9)


def test_the_order_of_catalogs_and_blobs_does_not_matter() -> None:
    """The order of sources does not change a report, so it can be compared with yesterday's."""
    one, two = (
        Source(name, "olm", 0, sources(**packages)[0].catalog)
        for name, packages in (
            ("one", {"b": {"channels": {"stable": "b.v1.0.0"}, "bundles": {"b.v1.0.0": [NOWHERE]}}}),
            ("two", {"a": {"channels": {"stable": "a.v1.0.0"}, "bundles": {"a.v1.0.0": [NOWHERE]}}}),
        )
    )
    assert audit([one, two]) == audit([two, one])
    assert audit([one, two]).catalogs == ("olm/one", "olm/two")


def test_properties_stay_out_of_the_way() -> None:
    """Audits read installed operators from bundles, whatever odd properties these have."""
    (source,) = sources(a={"channels": {"stable": "a.v2.0.0 > a.v1.0.0"}})
    package = source.catalog.packages["a"]
    odd = {name: attrs.evolve(bundle, properties=(Property("x", None),)) for name, bundle in package.bundles.items()}
    catalog = attrs.evolve(source.catalog, packages={"a": attrs.evolve(package, bundles=odd)})
    assert audit([attrs.evolve(source, catalog=catalog)]).clean
