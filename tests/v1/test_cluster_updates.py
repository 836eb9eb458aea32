"""Which installed extensions block the update of their cluster, and which nobody knows of."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import v1
from olmsolve.catalog import fbc
from olmsolve.cluster import extensions_block_cluster_update
from tests.cli.small_cluster import blobs, cluster_catalog, extension

BUNDLE = {
    "schema": "olm.bundle",
    "package": "p",
    "name": "p.v1.0.0",
    "properties": [
        {"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}},
        {"type": "olm.maxOpenShiftVersion", "value": "4.18"},
    ],
}
CATALOG = v1.ClusterCatalog("a", fbc.from_blobs([BUNDLE]))
INSTALLED = v1.InstalledBundle("p.v1.0.0", "1.0.0")


@pytest.mark.parametrize(
    ("known", "selector"),
    [
        (CATALOG, None),
        (attrs.evolve(CATALOG, available=False), None),
        (CATALOG, v1.LabelSelector({"tier": "1"})),
    ],
    ids=["asked", "unavailable", "not selected"],
)
def test_what_is_installed_is_known_from_any_catalog(
    known: v1.ClusterCatalog, selector: v1.LabelSelector | None
) -> None:
    """A catalog that goes away does not change what it once installed."""
    request = v1.ExtensionRequest(v1.Extension("p", selector=selector), [known], INSTALLED)
    (blocking,) = extensions_block_cluster_update([request], "4.18.3")
    assert (blocking.name, blocking.update, blocking.maximum) == ("p.v1.0.0", "4.19", "4.18")
    assert extensions_block_cluster_update([request], "4.17.3") == ()


def test_what_no_catalog_has_is_unknown() -> None:
    """Silence would read like permission. Without anything installed there is nothing to know."""
    gone = v1.ExtensionRequest(v1.Extension("p"), [CATALOG], v1.InstalledBundle("p.v0.9.0", "0.9.0"))
    (blocking,) = extensions_block_cluster_update([gone, attrs.evolve(gone, installed=None)], "4.17")
    assert (blocking.name, blocking.update, blocking.maximum) == ("p.v0.9.0", "4.18", "")
    assert blocking.reason.startswith("unknown")


def test_a_selector_that_kubernetes_refuses_is_an_error() -> None:
    """An invalid selector chooses no catalogs, and an answer from none would look like one from all."""
    selector = v1.LabelSelector(match_expressions=[v1.LabelRequirement("tier", "Inn", ["1"])])
    request = v1.ExtensionRequest(v1.Extension("p", selector=selector), [CATALOG], INSTALLED)
    with pytest.raises(v1.SelectorError, match="Inn"):
        extensions_block_cluster_update([request], "4.18")


def offering(maxima: dict[str, str], **wish: Any) -> olmsolve.Situation:
    """A cluster with one extension; *maxima* are the last versions of OpenShift that its bundles take."""
    limits: dict[str, Any] = {
        name: [{"type": "olm.maxOpenShiftVersion", "value": maximum}] for name, maximum in maxima.items() if maximum
    }
    content = blobs(versions=len(maxima), **limits)
    objects = {"apiVersion": "v1", "kind": "List", "items": [extension(**wish), cluster_catalog()]}
    return olmsolve.read_situation(objects, catalogs={"main": fbc.from_blobs(content)})


def test_a_pin_is_the_way_out() -> None:
    """What ``why-not`` finds: without the pin the update comes that works with the next version; or it goes."""
    update = olmsolve.situation_update(offering({"v1": "4.18", "v2": ""}, version="1.0.0"), "4.18.3")
    (blocking,) = update.extensions
    assert (blocking.updates, update.is_freed) == ((), False)
    assert [(str(fix), fix.bundles) for fix in blocking.fixes] == [
        ('set version to "2.0.0"', ("etcd.v2",)),
        ("remove version", ("etcd.v2",)),
    ]
    document = update.to_dict()["extensions"][0]
    assert [fix["text"] for fix in document["fixes"]] == ['set version to "2.0.0"', "remove version"]
    text = " ".join(olmsolve.cluster_update_text(update).split())
    assert "freed by this: remove version; this installs etcd.v2" in text
    assert "freed once it is uninstalled, which deletes its definitions and all objects of their kinds" in text


def test_only_uninstalling_helps_where_all_bundles_block() -> None:
    """And where updates free the extension by themselves, nothing else is offered."""
    stuck = olmsolve.situation_update(offering({"v1": "4.18", "v2": "4.18"}), "4.18.3")
    assert stuck.extensions[0].fixes == ()
    text = " ".join(olmsolve.cluster_update_text(stuck).split())
    assert "no other way out was found: freed once it is uninstalled" in text
    free = olmsolve.situation_update(offering({"v1": "4.18", "v2": ""}), "4.18.3")
    assert (free.extensions[0].updates, free.extensions[0].fixes) == (("etcd.v2",), ())
    assert "uninstalled" not in olmsolve.cluster_update_text(free)
