"""OperatorGroup and Namespace, which say where operators may act, and OperatorCondition, what an operator reports."""

from __future__ import annotations

from typing import ClassVar

from olmsolve._records import field, record
from olmsolve.cluster.objects.metadata import OLM_GROUP, ClusterObject, Condition
from olmsolve.fields import Raw


@record(kw_only=True)
class OperatorGroup(ClusterObject):
    """The namespaces that the operators of a namespace serve."""

    KIND: ClassVar[str] = "OperatorGroup"
    GROUP: ClassVar[str] = OLM_GROUP

    target_namespaces: tuple[str, ...] = field("The namespaces to serve.", path="spec.targetNamespaces", default=())
    selector: Raw | None = field(
        "The Kubernetes LabelSelector of the namespaces, as read; None where the group has none.",
        path="spec.selector",
        default=None,
    )
    service_account_name: str = field(
        "The service account by which OLM installs operators.", path="spec.serviceAccountName", default=""
    )
    static_provided_apis: bool = field(
        "Whether OLM leaves the list of provided APIs as it is.", path="spec.staticProvidedAPIs", default=False
    )
    upgrade_strategy: str = field(
        '``Default``, ``TechPreviewUnsafeFailForward`` or "" (``Default``).', path="spec.upgradeStrategy", default=""
    )
    namespaces: tuple[str, ...] = field(
        'The namespaces that are served, ``("",)`` for all.', path="status.namespaces", default=()
    )
    conditions: tuple[Condition, ...] = field("The conditions of its status.", path="status.conditions", default=())


@record(kw_only=True)
class OperatorCondition(ClusterObject):
    """The conditions that the operator of the same name reports, and what an administrator says in their place."""

    KIND: ClassVar[str] = "OperatorCondition"
    GROUP: ClassVar[str] = OLM_GROUP

    overrides: tuple[Condition, ...] = field("What an administrator says.", path="spec.overrides", default=())
    spec_conditions: tuple[Condition, ...] = field("What the operator writes.", path="spec.conditions", default=())
    conditions: tuple[Condition, ...] = field("What OLM makes of both.", path="status.conditions", default=())
    service_accounts: tuple[str, ...] = field(
        "The service accounts that may write it.", path="spec.serviceAccounts", default=()
    )
    deployments: tuple[str, ...] = field("The deployments of the operator.", path="spec.deployments", default=())


@record(kw_only=True)
class Namespace(ClusterObject):
    """A namespace; its labels decide which operator groups select it."""

    KIND: ClassVar[str] = "Namespace"
    GROUP: ClassVar[str] = ""
    NAMESPACED: ClassVar[bool] = False

    phase: str = field("``Active`` or ``Terminating``.", path="status.phase", default="")
