"""The questions of a situation, and the policy under which they are asked: what they mean, apart from what is there.

A question asks what the subscriptions of a namespace install, or which bundle an extension gets.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import olmsolve._attrs as attrs
from olmsolve._arguments import by_name, is_flag, is_text_or_none, wrong_type
from olmsolve.classic import HealthPolicy, Request, Semantics, house_rules_in
from olmsolve.eligibility import Eligibility, constraints
from olmsolve.errors import RequestError, VersionError
from olmsolve.semver import Version

if TYPE_CHECKING:
    from olmsolve import v1
    from olmsolve.classic import HouseRule, SemanticsName
    from olmsolve.cluster.operator_groups import ClusterGroups


E = TypeVar("E", bound=enum.Enum)

_RELEASES: Final = "BundleReleaseSupport"


def _kubernetes(value: str | Version | None) -> Version | None:
    return _version("kubernetes", value)


def _openshift(value: str | Version | None) -> Version | None:
    return _version("openshift", value)


def _version(field: str, value: str | Version | None) -> Version | None:
    """Return *value* as a version, its text read as tolerantly as a cluster's own version. Raises RequestError."""
    if value is None or isinstance(value, Version):
        return value
    if not isinstance(value, str):
        raise wrong_type(value, "a version or its text", field)
    try:
        return Version.parse_tolerant(value)
    except VersionError:
        # The parser's reason quotes what it made of the text, which nobody typed.
        example = "4.18.0" if field == "openshift" else "1.31.2"
        raise RequestError("not a version", field=f"{field} {value}", hint=f"for example {example}") from None


def _semantics(value: SemanticsName | None) -> Semantics | None:
    return None if value is None else _member(Semantics, value, "semantics")


def _health_policy(value: HealthPolicy | str | None) -> HealthPolicy | None:
    return None if value is None else _member(HealthPolicy, value, "health_policy")


def _member(kind: type[E], value: E | str, field: str) -> E:
    """Return the member of *kind* that *value* is or names. Raises RequestError."""
    try:
        return kind(value)
    except ValueError:
        choices = ", ".join(str(member.value) for member in kind)
        raise RequestError(f"there is no {value!r}", field=field, hint=f"known: {choices}") from None


def _known_gates(values: Mapping[str, bool]) -> Mapping[str, bool]:
    gates = by_name(values, "feature_gates", bool, "gates by their names")
    if gates:
        from olmsolve import v1

        v1.FeatureGates(gates)
    return gates


@attrs.frozen(kw_only=True)
class Policy:
    """The settings that hold for all questions of a situation. Every verb and every command obeys the same policy.

    *semantics* of compound constraints: None means the shipped controller's for a cluster's objects, which a
    controller acts on, and the documented semantics otherwise. *global_namespace* is the namespace whose catalogs all
    others see: None means the first of ``olm`` and ``openshift-marketplace`` that has a catalog. *health_policy* says
    what is resolved where a catalog cannot be read: None means what the request document says, else nothing, as in OLM.

    *feature_gates* are operator-controller's, by name; they count over what the objects of a cluster show.

    The other fields refuse bundles: *operator_groups* refuses operators that may not act in the operator group of their
    namespace; *kubernetes* and *openshift* (versions, or their text) refuse bundles that do not work on this version;
    *eligibility* and *house_rules* are rules of the caller.

    >>> import olmsolve
    >>> policy = olmsolve.Policy(semantics="controller", kubernetes="1.30", openshift="4.18")
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs, policy=policy)
    >>> [question.name for question in situation.questions]
    ['shop']
    """

    semantics: Semantics | None = attrs.field(converter=_semantics, default=None)
    global_namespace: str | None = attrs.field(default=None, validator=is_text_or_none)
    health_policy: HealthPolicy | None = attrs.field(converter=_health_policy, default=None)
    feature_gates: Mapping[str, bool] = attrs.field(factory=dict, converter=_known_gates, hash=False)
    operator_groups: bool = attrs.field(default=False, validator=is_flag)
    kubernetes: Version | None = attrs.field(converter=_kubernetes, default=None)
    openshift: Version | None = attrs.field(converter=_openshift, default=None)
    eligibility: tuple[Eligibility, ...] = attrs.field(converter=constraints, default=())
    house_rules: tuple[HouseRule, ...] = attrs.field(converter=house_rules_in, default=())

    def applied_to(self, request: Request) -> Request:
        """Return the *request* of a document under the parts of this policy that matter to it.

        Raises:
            RequestError: a part of the policy needs a cluster's objects to mean anything.
        """
        for name in ("operator_groups", "global_namespace"):
            if getattr(self, name):
                raise RequestError("matters for a cluster's objects only", field=name, hint="a request has none")
        versions = self.kubernetes is not None or self.openshift is not None
        if self.health_policy is None and not (versions or self.eligibility or self.house_rules):
            return request
        return attrs.evolve(
            request,
            eligibility=(*request.eligibility, *eligibility_under(self)),
            health_policy=self.health_policy or request.health_policy,
            house_rules=(*request.house_rules, *self.house_rules),
        )

    def applied_to_extension(self, request: v1.ExtensionRequest) -> v1.ExtensionRequest:
        """Return the *request* of an extension with the constraints of this policy; its other parts are for classic.

        Raises:
            RequestError: a house rule is about several bundles, and OLM v1 resolves each extension alone.
        """
        refusing = eligibility_under(self)
        if self.feature_gates:
            from olmsolve import v1

            before = {**dict(request.gates.settings), _RELEASES: request.release_support}
            gates = v1.FeatureGates({**before, **self.feature_gates})
            request = attrs.evolve(request, gates=gates.besides(_RELEASES), release_support=gates.is_on(_RELEASES))
        if self.house_rules:
            from olmsolve.classic import as_eligibility

            refusing += as_eligibility(self.house_rules)
        return attrs.evolve(request, eligibility=(*request.eligibility, *refusing)) if refusing else request


def eligibility_under(
    policy: Policy, groups: ClusterGroups | None = None, namespace: str = ""
) -> tuple[Eligibility, ...]:
    """Return what *policy* refuses in *namespace*: by its operator group, by the versions, and by the caller's rules.

    Without *groups*, as for a request document, operator groups refuse nothing.
    """
    if groups is None and policy.kubernetes is None and policy.openshift is None:
        return policy.eligibility
    # Most documents are resolved without a policy, and should not wait for the objects of clusters to load.
    from olmsolve.cluster import cluster_eligibility

    constraints = cluster_eligibility(groups, namespace, kubernetes=policy.kubernetes, openshift=policy.openshift)
    return (*constraints, *policy.eligibility)


@attrs.frozen
class ClassicQuestion:
    """The question what the subscriptions of one namespace install.

    *name* is the namespace, or with *is_document* the name of the request document. *semantics* is how its compound
    constraints are meant. Questions are equal if they ask for the same by name: their requests may differ.
    """

    name: str
    is_document: bool
    semantics: Semantics = attrs.field(eq=False)
    _read: Callable[[], Request] = attrs.field(repr=False, eq=False)

    def request(self) -> Request:
        """Return the request, with the contents of the catalogs that it can touch.

        Raises:
            RequestError: the objects or the document contradict themselves, or a content is missing.
            CatalogError: a catalog cannot be read.
        """
        return self._read()


@attrs.frozen
class ExtensionQuestion:
    """The question which bundle one cluster extension (OLM v1) gets.

    *name* is the name of the ClusterExtension, or with *is_document* the name of the request document. OLM v1 has no
    compound constraints to solve: *semantics* is there for programs that ask all questions alike.
    """

    name: str
    is_document: bool
    semantics: Semantics = attrs.field(eq=False)
    _read: Callable[[], v1.ExtensionRequest] = attrs.field(repr=False, eq=False)

    def request(self) -> v1.ExtensionRequest:
        """Return the request, with the contents of the catalogs that it can touch.

        Raises:
            RequestError: the extension or the document makes no sense, or a content is missing.
            CatalogError: a catalog cannot be read.
        """
        return self._read()


Question: TypeAlias = ClassicQuestion | ExtensionQuestion
"""One question of a situation; its request is made when it is asked for."""


def document_question(
    name: str, read: Callable[[], Request | v1.ExtensionRequest], policy: Policy, *, is_classic: bool
) -> Question:
    """Return the question *name* whose request *read* makes: for subscriptions with *is_classic*, else an extension."""
    kind: Callable[..., Question] = ClassicQuestion if is_classic else ExtensionQuestion
    return kind(name, True, policy.semantics or Semantics.DOCUMENTED, read)
