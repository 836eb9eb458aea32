"""Which installed extensions block the update of their cluster, and which nobody knows of."""

from __future__ import annotations

import attrs
import pytest

from olmsolve import v1
from olmsolve.catalog import fbc
from olmsolve.cluster.extension_updates import extensions_block_cluster_update

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
    asked = v1.ExtensionRequest(v1.Extension("p", selector=selector), [known], INSTALLED)
    (blocking,) = extensions_block_cluster_update([asked], "4.18.3")
    assert (blocking.name, blocking.update, blocking.maximum) == ("p.v1.0.0", "4.19", "4.18")
    assert extensions_block_cluster_update([asked], "4.17.3") == ()


def test_what_no_catalog_has_is_unknown() -> None:
    """Silence would read like permission. Without anything installed there is nothing to know."""
    gone = v1.ExtensionRequest(v1.Extension("p"), [CATALOG], v1.InstalledBundle("p.v0.9.0", "0.9.0"))
    (blocking,) = extensions_block_cluster_update([gone, attrs.evolve(gone, installed=None)], "4.17")
    assert (blocking.name, blocking.update, blocking.maximum) == ("p.v0.9.0", "4.18", "")
    assert blocking.reason.startswith("unknown")


def test_a_selector_that_kubernetes_refuses_is_an_error() -> None:
    """An invalid selector chooses no catalogs, and an answer from none would look like one from all."""
    selector = v1.LabelSelector(match_expressions=[v1.LabelRequirement("tier", "Inn", ["1"])])
    asked = v1.ExtensionRequest(v1.Extension("p", selector=selector), [CATALOG], INSTALLED)
    with pytest.raises(v1.SelectorError, match="Inn"):
        extensions_block_cluster_update([asked], "4.18")
