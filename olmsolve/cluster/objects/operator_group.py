"""OperatorGroup and Namespace, which say where operators may act, and OperatorCondition, what an operator reports."""

from __future__ import annotations

from typing import ClassVar

import attrs

from olmsolve.cluster.objects.metadata import OLM_GROUP, ClusterObject, Condition, conditions_of, metadata_of
from olmsolve.fields import Fields, Raw


@attrs.frozen(kw_only=True)
class OperatorGroup(ClusterObject):
    """The namespaces that the operators of a namespace serve.

    *selector* is a Kubernetes LabelSelector as read, None where the group has no selector. *namespaces* is
    ``status.namespaces``, and ``("",)`` for all namespaces. *upgrade_strategy* is "" where the object says nothing
    (Default).
    """

    KIND: ClassVar[str] = "OperatorGroup"
    GROUP: ClassVar[str] = OLM_GROUP

    target_namespaces: tuple[str, ...] = ()
    selector: Raw | None = None
    service_account_name: str = ""
    static_provided_apis: bool = False
    upgrade_strategy: str = ""
    namespaces: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()


@attrs.frozen(kw_only=True)
class OperatorCondition(ClusterObject):
    """The conditions that the operator of the same name reports, and the *overrides* of an administrator.

    *conditions* is ``status.conditions``; *spec_conditions* is ``spec.conditions``, where the operator writes them.
    """

    KIND: ClassVar[str] = "OperatorCondition"
    GROUP: ClassVar[str] = OLM_GROUP

    overrides: tuple[Condition, ...] = ()
    spec_conditions: tuple[Condition, ...] = ()
    conditions: tuple[Condition, ...] = ()
    service_accounts: tuple[str, ...] = ()
    deployments: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Namespace(ClusterObject):
    """A namespace; its labels decide which operator groups select it. *phase* is ``Active`` or ``Terminating``."""

    KIND: ClassVar[str] = "Namespace"
    GROUP: ClassVar[str] = ""
    NAMESPACED: ClassVar[bool] = False

    phase: str = ""


def operator_group_of(fields: Fields) -> OperatorGroup:
    """Return the OperatorGroup that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    return OperatorGroup(
        metadata=metadata_of(fields),
        raw=fields.values,
        target_namespaces=spec.texts("targetNamespaces"),
        selector=spec.raw("selector") if spec.has("selector") else None,
        service_account_name=spec.text("serviceAccountName"),
        static_provided_apis=spec.flag("staticProvidedAPIs"),
        upgrade_strategy=spec.text("upgradeStrategy"),
        namespaces=status.texts("namespaces"),
        conditions=conditions_of(status),
    )


def operator_condition_of(fields: Fields) -> OperatorCondition:
    """Return the OperatorCondition that *fields* describe."""
    spec, status = fields.part("spec"), fields.part("status")
    return OperatorCondition(
        metadata=metadata_of(fields),
        raw=fields.values,
        overrides=conditions_of(spec, "overrides"),
        spec_conditions=conditions_of(spec),
        conditions=conditions_of(status),
        service_accounts=spec.texts("serviceAccounts"),
        deployments=spec.texts("deployments"),
    )


def namespace_of(fields: Fields) -> Namespace:
    """Return the Namespace that *fields* describe."""
    return Namespace(metadata=metadata_of(fields), raw=fields.values, phase=fields.part("status").text("phase"))
