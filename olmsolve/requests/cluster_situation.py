"""The cluster half of a situation: objects, contents, and the request of each namespace and each extension."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

import attrs

from olmsolve.classic import HealthPolicy, Request, Semantics
from olmsolve.cluster import (
    ClusterState,
    Hindrance,
    NamespaceUnresolvable,
    cluster_eligibility,
    groups_as_written,
    held_in_cluster,
)
from olmsolve.cluster.catalogs import DEFAULT_GLOBAL_NAMESPACE
from olmsolve.cluster.objects import CatalogSource, ClusterExtension, SubscriptionObject
from olmsolve.cluster.operator_groups import ClusterGroups, pruned, settled
from olmsolve.eligibility import Eligibility
from olmsolve.requests.cluster import extension_request_of, namespaces_with_subscriptions, of_cluster
from olmsolve.requests.contents import Contents
from olmsolve.requests.extension_owners import ExtensionOwners
from olmsolve.requests.open_channels import open_channels_fault
from olmsolve.requests.policy import Policy
from olmsolve.requests.questions import ClassicQuestion, ExtensionQuestion, Question

if TYPE_CHECKING:
    from olmsolve import v1

# Kubernetes clusters with OLM have the first, OpenShift the second.
_GLOBAL_NAMESPACES: Final = (DEFAULT_GLOBAL_NAMESPACE, "openshift-marketplace")


@attrs.frozen(eq=False, slots=False)
class ClusterSituation:
    """The objects of a cluster (*state*), the *contents* of its catalogs, and the *policy* of the situation."""

    state: ClusterState
    contents: Contents
    policy: Policy = attrs.field(factory=Policy)

    @cached_property
    def global_namespace(self) -> str:
        """The namespace whose catalogs all others see: the policy's, else the first usual one that has a catalog."""
        if self.policy.global_namespace is not None:
            return self.policy.global_namespace
        usual = (name for name in _GLOBAL_NAMESPACES if self.state.all(CatalogSource, name))
        return next(usual, DEFAULT_GLOBAL_NAMESPACE)

    @property
    def semantics(self) -> Semantics:
        """The semantics of compound constraints: the policy's, else those of the controller that a cluster runs."""
        return self.policy.semantics or Semantics.CONTROLLER

    @property
    def health_policy(self) -> HealthPolicy:
        """The policy for resolving where a catalog cannot be read."""
        return self.policy.health_policy or HealthPolicy.STRICT

    @cached_property
    def groups(self) -> ClusterGroups:
        """The operator groups, each with the targets and the APIs that it will have once OLM has written them."""
        return groups_as_written(self.state)

    @cached_property
    def settled_groups(self) -> ClusterGroups:
        """The operator groups, each with its targets, and with the APIs in its annotation that its operators own."""
        return ClusterGroups(pruned(settled(self.state))[0])

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces that have subscriptions, by name."""
        return namespaces_with_subscriptions(self.state)

    @property
    def extensions(self) -> tuple[str, ...]:
        """The names of the ClusterExtensions."""
        return tuple(extension.name for extension in self.state.all(ClusterExtension))

    def questions(self) -> Iterator[Question]:
        """Yield the question of each namespace with subscriptions, then of each ClusterExtension, by name."""
        for namespace in self.namespaces:
            yield ClassicQuestion(namespace, False, self.semantics, partial(self.request, namespace))
        for extension in self.extensions:
            yield ExtensionQuestion(extension, False, self.semantics, partial(self.extension_request, extension))

    def eligibility(self, namespace: str) -> tuple[Eligibility, ...]:
        """Return what must not be installed in *namespace*, by its operator group, the versions and the caller."""
        constraints = cluster_eligibility(
            self.groups if self.policy.operator_groups else None,
            namespace,
            kubernetes=self.policy.kubernetes,
            openshift=self.policy.openshift,
        )
        return (*constraints, *self.policy.eligibility)

    def request(self, namespace: str) -> Request:
        """Return the request of *namespace*. Raises RequestError and CatalogError as :func:`of_cluster` does.

        Under the semantics of the controller, a channel that OLM cannot order is a NamespaceError as well.
        """
        request = of_cluster(
            self.state,
            self.contents,
            namespace,
            global_namespace=self.global_namespace,
            health_policy=self.health_policy,
            eligibility=self.eligibility(namespace),
            house_rules=self.policy.house_rules,
        )
        if self.semantics is Semantics.CONTROLLER:
            fault = open_channels_fault(self.state.all(SubscriptionObject, namespace), request)
            if fault:
                remedy = "name the catalog in spec.source and spec.sourceNamespace of the subscription"
                raise NamespaceUnresolvable(namespace, fault, remedy).error()
        return request

    def hindrances(self, namespace: str) -> tuple[Hindrance, ...]:
        """Return what the objects say that holds *namespace* back, such as an install plan that waits.

        Raises:
            CatalogError: a catalog cannot be read.
        """
        return held_in_cluster(
            self.state,
            namespace,
            contents=self.contents,
            global_namespace=self.global_namespace,
            groups=self.settled_groups,
        )

    def extension_request(self, name: str) -> v1.ExtensionRequest:
        """Return the request of the ClusterExtension *name*. Raises RequestError and CatalogError.

        Of several extensions for one package, or for one API, all but the owner are refused the bundles with it.
        """
        request = self._extension_request(name)
        constraints, checks = self._owners.constraints(name), self._owners.check(name)
        if not (constraints or checks):
            return request
        # What somebody else has is refused before the upgrade check is reached.
        return attrs.evolve(
            request, eligibility=(*request.eligibility, *constraints), checks=(*checks, *request.checks)
        )

    def _extension_request(self, name: str) -> v1.ExtensionRequest:
        # Made once: the owners of APIs look at the requests of all extensions.
        if name not in self._made:
            made = extension_request_of(self.state, self.contents, name)
            self._made[name] = self.policy.applied_to_extension(made)
        return self._made[name]

    @cached_property
    def _made(self) -> dict[str, v1.ExtensionRequest]:
        return {}

    @cached_property
    def _owners(self) -> ExtensionOwners:
        return ExtensionOwners(self.state, self._extension_request)
