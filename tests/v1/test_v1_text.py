"""Answers of OLM v1 as people read them: snapshots, and widths that are too small for tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

import olmsolve
from olmsolve import v1
from olmsolve.catalog import fbc
from olmsolve.render import (
    extension_failure_text,
    extension_plan_text,
    extension_simulation_text,
    extension_text,
    extension_why_text,
    path_text,
)


def bundle(version: str) -> dict[str, Any]:
    properties = [{"type": "olm.package", "value": {"packageName": "storefront", "version": version}}]
    name = f"storefront.v{version}"
    return {"schema": "olm.bundle", "package": "storefront", "name": name, "properties": properties}


ENTRIES = [
    {"name": "storefront.v1.3.0"},
    {"name": "storefront.v1.4.0", "replaces": "storefront.v1.3.0"},
    {"name": "storefront.v2.0.0", "replaces": "storefront.v1.4.0"},
]
CONTENT = fbc.from_blobs(
    [
        {"schema": "olm.channel", "package": "storefront", "name": "stable", "entries": ENTRIES},
        *(bundle(version) for version in ("1.3.0", "1.4.0", "2.0.0")),
        {
            "schema": "olm.deprecations",
            "package": "storefront",
            "entries": [{"reference": {"schema": "olm.channel", "name": "stable"}, "message": "stable ends in spring"}],
        },
    ]
)


def request(version: str = "") -> v1.ExtensionRequest:
    catalogs = [
        v1.ClusterCatalog("orchard", CONTENT, priority=10),
        v1.ClusterCatalog("mirror", CONTENT),
        v1.ClusterCatalog("away", CONTENT, available=False),
    ]
    wish = v1.Extension("storefront", version, ["stable"])
    return v1.ExtensionRequest(wish, catalogs, v1.InstalledBundle("storefront.v1.3.0", "1.3.0"))


def failure(version: str) -> v1.ResolutionError:
    try:
        v1.resolve(request(version))
    except v1.ResolutionError as error:
        return error
    raise AssertionError("resolved")


def test_a_resolution(snapshot: Callable[[str, str], None]) -> None:
    """The text shows the selected bundle, deprecations, and why this catalog won."""
    snapshot("v1-resolution.txt", extension_text(v1.resolve(request()).to_dict()))


def test_a_failure(snapshot: Callable[[str, str], None]) -> None:
    """OLM's words first, then what they leave out."""
    snapshot("v1-failure.txt", extension_failure_text(failure("2.x").to_dict()))


def test_a_failure_without_room_for_a_table(snapshot: Callable[[str, str], None]) -> None:
    """In a narrow terminal each catalog is a paragraph."""
    snapshot("v1-failure-narrow.txt", extension_failure_text(failure("2.x").to_dict(), width=40))


def test_a_path(snapshot: Callable[[str, str], None]) -> None:
    """The text lists the steps in order."""
    snapshot("v1-path.txt", path_text(v1.path(request()).to_dict()))


def test_control_characters_of_catalogs_are_not_obeyed() -> None:
    """Catalogs come from strangers."""
    document = v1.resolve(request()).to_dict()
    hostile = {**document, "bundle": "a\x1b[2Jb", "catalog": "c\x07"}
    assert "\x1b" not in extension_text(hostile)
    assert "\x07" not in extension_text(hostile)


def test_a_downgrade_is_called_one() -> None:
    """SelfCertified lets any bundle follow: a word for it, and what is at risk, with the check and without."""
    downgrade = v1.ExtensionRequest(
        v1.Extension("storefront", "1.3.0", upgrade_constraint_policy=v1.SELF_CERTIFIED),
        [v1.ClusterCatalog("orchard", CONTENT)],
        v1.InstalledBundle("storefront.v2.0.0", "2.0.0"),
    )
    checked, lax = (
        extension_text(v1.resolve(attrs.evolve(downgrade, settings=settings)).to_dict())
        for settings in (v1.InstallSettings(), v1.InstallSettings(crd_upgrade_safety=False))
    )
    assert checked.startswith("storefront.v1.3.0 will replace storefront.v2.0.0, a downgrade.\n")
    assert "At risk: the older operator" in checked
    assert "crdUpgradeSafety is None" in lax
    assert "downgrade" not in extension_text(v1.resolve(request()).to_dict())


def test_every_verb_calls_a_downgrade_one() -> None:
    """Also where the way is planned, walked or explained: each of them is what somebody reads last."""
    way_down = v1.Extension("storefront", version="1.3.0", upgrade_constraint_policy="SelfCertified")
    downgrade = attrs.evolve(request(), extension=way_down, installed=v1.InstalledBundle("storefront.v2.0.0", "2.0.0"))
    planned = " ".join(extension_plan_text(v1.plan([downgrade]).to_dict()).split())
    assert "storefront.v1.3.0 (orchard) will replace storefront.v2.0.0, a downgrade" in planned
    assert "at risk: the older operator may not understand" in planned
    simulation = v1.simulate([downgrade])
    assert "storefront.v2.0.0 > storefront.v1.3.0 (orchard), a downgrade" in extension_simulation_text(
        simulation.to_dict()
    )
    assert str(simulation.rounds[0].updates[0]).endswith("(orchard), a downgrade")
    assert "-> storefront.v1.3.0 (orchard), a downgrade" in path_text(v1.path(downgrade).to_dict())
    text = " ".join(extension_why_text(olmsolve.why(downgrade)).split())
    assert "will replace storefront.v2.0.0, a downgrade, because:" in text


def test_lines_of_a_message_stay_lines() -> None:
    """Missing permissions and changes of definitions are lists, which nobody can read as one paragraph."""
    failed = {
        "extension": "shop",
        "package": "shop",
        "error": "two are missing:\n  get pods\n  list pods",
        "installed": "a.v1",
    }
    simulation = {"rounds": [], "resting": [], "failed": [failed]}
    assert olmsolve.extension_simulation_text(simulation).splitlines()[1:] == [
        "  shop: a.v1 stays, and the status says: two are missing:",
        "      get pods",
        "      list pods",
    ]
    plan = olmsolve.extension_plan_text({"planned": [], "failed": [failed]})
    assert plan.splitlines()[-2:] == ["      get pods", "      list pods"]
