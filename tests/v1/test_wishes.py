"""What an extension may wish for, and the constraints of a cluster that OLM v1 does not know."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from olmsolve import RequestError, v1
from olmsolve.catalog import fbc
from olmsolve.cluster import WorksOnKubernetes, WorksOnOpenShift


def bundle(version: str, maximum: str = "") -> dict[str, Any]:
    properties: list[dict[str, Any]] = [{"type": "olm.package", "value": {"packageName": "p", "version": version}}]
    if maximum:
        properties.append({"type": "olm.maxOpenShiftVersion", "value": maximum})
    return {"schema": "olm.bundle", "package": "p", "name": f"p.v{version}", "properties": properties}


CONTENT = fbc.from_blobs([bundle("1.0.0", "4.18"), bundle("2.0.0", "4.19"), bundle("3.0.0", "4.17")])
CATALOGS = [v1.ClusterCatalog("a", CONTENT)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 1.1),
        ("package", None),
        ("upgrade_constraint_policy", 3),
        ("upgrade_constraint_policy", "Selfcertified"),
    ],
)
def test_a_wish_of_the_wrong_type_names_its_field(field: str, value: Any) -> None:
    """YAML reads 1.1 as a number; a TypeError deep in a parser would not say so."""
    with pytest.raises(RequestError) as refused:
        v1.Extension(**{"package": "p", field: value})
    assert refused.value.field == field


def test_the_channels_of_a_wish_are_names() -> None:
    """The position of the wrong one is told."""
    with pytest.raises(RequestError) as refused:
        v1.Extension("p", channels=["a", 3])  # type: ignore[list-item]
    assert refused.value.field == "channels[1]"


@pytest.mark.parametrize(
    ("written", "meant"), [("SelfCertifed", "SelfCertified"), ("catalogProvided", "CatalogProvided")]
)
def test_a_misspelt_policy_is_not_taken_for_the_default(written: str, meant: str) -> None:
    """With the default, a forced update would silently not happen."""
    with pytest.raises(RequestError, match=f"did you mean {meant}"):
        v1.Extension("p", upgrade_constraint_policy=written)


def test_the_installed_bundle_has_text() -> None:
    """A version that is a number cannot be parsed."""
    with pytest.raises(RequestError) as refused:
        v1.InstalledBundle("p.v1.1.0", 1.1)  # type: ignore[arg-type]
    assert refused.value.field == "version"


def request(**fields: Any) -> v1.ExtensionRequest:
    return v1.ExtensionRequest(v1.Extension("p", fields.pop("version", "")), CATALOGS, **fields)


def test_constraints_of_the_cluster_refuse_the_winner() -> None:
    """OLM v1 tries no other bundle when a check refuses the one that comes first; a narrower range gets one."""
    with pytest.raises(v1.BundleRefusedError, match=r"OpenShift 4\.17, and the cluster has 4\.18") as refused:
        v1.resolve(request(eligibility=[WorksOnOpenShift("4.18")]))
    assert refused.value.bundle == "p.v3.0.0"
    assert v1.resolve(request(eligibility=[WorksOnOpenShift("4.18")], version="<3")).bundle == "p.v2.0.0"
    assert v1.resolve(request(eligibility=[WorksOnKubernetes("1.30")])).bundle == "p.v3.0.0"


def test_constraints_of_the_cluster_do_not_refuse_what_is_installed() -> None:
    """The bundle is there already, and staying brings nothing onto the cluster."""
    installed = v1.InstalledBundle("p.v3.0.0", "3.0.0")
    stays = request(installed=installed, eligibility=[WorksOnOpenShift("4.18")])
    assert v1.resolve(stays).bundle == "p.v3.0.0"
    with pytest.raises(v1.BundleRefusedError):
        v1.resolve(
            attrs.evolve(
                stays,
                installed=v1.InstalledBundle("p.v3.0.0", "2.9.0"),
                extension=v1.Extension("p", upgrade_constraint_policy="SelfCertified"),
            )
        )


def test_a_plan_keeps_to_the_constraints_of_each_request() -> None:
    """A plan may take another bundle, because it searches."""
    (planned,) = v1.plan([request(eligibility=[WorksOnOpenShift("4.18")])]).planned
    assert planned.bundle == "p.v2.0.0"
