"""Plans for whole situations: what OLM would do next for each namespace, and for the extensions of OLM v1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve import events, v1
from olmsolve._arguments import wrong_type
from olmsolve._limits import Cancellation, checked, scoped
from olmsolve._records import Record, evolve, field, record
from olmsolve.answers.explain import Explanation, explanation
from olmsolve.answers.held_back import held_back
from olmsolve.classic import resolve
from olmsolve.cluster import ClusterState
from olmsolve.cluster.objects import ClusterExtension
from olmsolve.errors import BackendError, CatalogError, Incomplete, NamespaceError, OlmsolveError, RequestError
from olmsolve.lifecycle.planning.clusters import NamespacePlan, namespace_plan
from olmsolve.lifecycle.planning.foresight import foreseen
from olmsolve.lifecycle.planning.hindrances import differing_report, plan_hindrances
from olmsolve.lifecycle.planning.namespaces import in_one_line
from olmsolve.requests import (
    ClassicQuestion,
    ClusterSituation,
    ExtensionQuestion,
    Question,
    QuestionAnswer,
    Situation,
    needs_objects,
    unanswered,
)
from olmsolve.resolution import ResolutionFailure
from olmsolve.solver.backends import DEFAULT, BackendLike


def _text(error: OlmsolveError | None) -> str | None:
    return None if error is None else str(error)


@record(
    definition="olmsolve.plan",
    title="What OLM would do next, as SituationPlan.to_dict() gives it",
    about="docs/install-plans.md gives the meaning of the fields.",
)
class SituationPlan(Record):
    """The next actions of OLM for all questions of a situation.

    *namespaces* are the plans of the namespaces; *extensions* is the plan for all extensions, None where there is none.
    *collision* says why the extensions that can be met alone cannot be met together, None where they can: each is then
    planned by itself, as OLM v1 does. *errors* are the questions with bad input, each with its error; where OLM would
    write the error into the subscriptions of a namespace, that namespace is among *namespaces* too. *state* holds the
    objects of the cluster, *requests* the requests of extensions by name.
    """

    namespaces: tuple[NamespacePlan, ...] = field("The namespaces with subscriptions.", default=())
    extensions: v1.Plan | None = field(
        "The plan of the extensions; null without any.",
        schema={"anyOf": [{"$ref": "#/$defs/olmsolve.v1.plan"}, {"type": "null"}]},
        default=None,
    )
    collision: OlmsolveError | None = field(
        "Why the extensions cannot be planned together; each is then planned separately.", written=_text, default=None
    )
    errors: tuple[QuestionAnswer[None], ...] = field("The questions without an answer.", written=unanswered, default=())
    state: ClusterState = attrs.field(factory=ClusterState, repr=False)
    requests: Mapping[str, v1.ExtensionRequest] = attrs.field(factory=dict, repr=False)

    @property
    def is_whole(self) -> bool:
        """Whether each namespace is resolved, and each extension gets its bundle or stays as it is."""
        if any(namespace.failures for namespace in self.namespaces) or self.errors:
            return False
        extensions = self.extensions
        return extensions is None or not (
            extensions.failed or any(planned.refusal for planned in extensions.planned if not planned.further)
        )

    def manifests(self) -> tuple[dict[str, Any], ...]:
        """Return the objects that OLM would write, as manifests: of each namespace, and the extensions that change.

        A ClusterExtension that gets a bundle has it in ``status.install.bundle``, and the conditions that follow. One
        that fails has the conditions that say why.
        """
        extensions = self.extensions
        planned = (
            ()
            if extensions is None
            else (extension for extension in extensions.planned if not (extension.stays or extension.further))
        )
        failed = () if extensions is None else extensions.failed
        names = dict.fromkeys(extension.extension for extension in (*planned, *failed))
        return (
            *(manifest for namespace in self.namespaces for manifest in namespace.manifests()),
            *filter(None, (_manifest(self.state, name, self.requests.get(name)) for name in names)),
        )


def plan(
    situation: Situation,
    *,
    backend: BackendLike = DEFAULT,
    timeout: float | None = None,
    conflicts: int | None = None,
    cancel: Cancellation | None = None,
    observer: events.Observer | None = None,
) -> SituationPlan:
    """Return what OLM would do next for each question of *situation*; a question with bad input has its error instead.

    *timeout*, *conflicts*, *cancel* and *observer* are as in :func:`olmsolve.resolve`, for all questions together.

    Raises:
        OlmsolveError: the only question cannot be planned for.
        BackendError: there is no such backend, or it cannot keep a limit.
        Incomplete: a limit was met, or the caller cancelled.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> (shop,) = olmsolve.plan(situation).namespaces
    >>> shop.plan.csv_names
    ('shopfront.v1.5.0', 'ledger.v2.0.1')
    """
    if not isinstance(situation, Situation):
        raise wrong_type(situation, "a Situation", "situation", "olmsolve.read_situation makes one")
    with scoped(timeout=timeout, conflicts=conflicts, cancel=cancel, observer=observer):
        return _plan(situation, backend)


def _plan(situation: Situation, backend: BackendLike) -> SituationPlan:
    namespaces: list[NamespacePlan] = []
    requests: list[v1.ExtensionRequest] = []
    errors: list[QuestionAnswer[None]] = []
    for question in situation.questions:
        try:
            if isinstance(question, ExtensionQuestion):
                requests.append(attrs.evolve(question.request(), name=question.name))
            else:
                planned, fault = _planned_namespace(situation.cluster, question, backend)
                namespaces.append(planned)
                errors += [] if fault is None else [QuestionAnswer(question, error=fault)]
        except OlmsolveError as error:
            if len(situation.questions) == 1 or isinstance(error, Incomplete | BackendError):
                raise
            errors.append(QuestionAnswer(question, error=error))
    extensions, collision = _planned_extensions(requests, backend)
    state = ClusterState() if situation.cluster is None else situation.cluster.state
    requests_by_name = {request.name: request for request in requests}
    return SituationPlan(tuple(namespaces), extensions, collision, tuple(errors), state, requests_by_name)


def _planned_namespace(
    cluster: ClusterSituation | None, question: ClassicQuestion, backend: BackendLike
) -> tuple[NamespacePlan, OlmsolveError | None]:
    """Return the plan of the namespace of *question*, and the error of an input that OLM writes into subscriptions.

    The namespace is resolved a second time where that is not why the plan failed: for what is held back, for the error
    itself, and for the failure that a waiting install plan hides.

    Raises:
        OlmsolveError: the namespace cannot be asked about.
    """
    if cluster is None or question.is_document:
        raise needs_objects("plan", question.name)
    plan = namespace_plan(cluster, question.name, backend=backend)
    planned, error = _with_prospects(cluster, plan, question, backend)
    hindrances = planned.hindrances
    if planned.fault is None and error is None:
        hindrances = (*hindrances, *differing_report(plan.objects, is_resolved=not planned.failures))
    coming = foreseen(cluster, question.name, plan.sync, hindrances)
    return evolve(planned, hindrances=(*hindrances, *coming)), error


def _with_prospects(
    cluster: ClusterSituation, plan: NamespacePlan, question: ClassicQuestion, backend: BackendLike
) -> tuple[NamespacePlan, OlmsolveError | None]:
    """Return *plan* with the prospects that only a resolution shows, and the error of its input."""
    if plan.fault is not None or (plan.failures and not plan.error):
        return plan, None
    try:
        resolution = resolve(question.request(), semantics=question.semantics, backend=backend)
    except (ResolutionFailure, NamespaceError) as failure:
        return evolve(plan, prospect="" if plan.failures else in_one_line(failure)), None
    except (CatalogError, RequestError) as error:
        return plan, error
    hindrances = dict.fromkeys((*plan.hindrances, *plan_hindrances(cluster, resolution, question.name)))
    return evolve(plan, held_back=held_back(resolution), hindrances=tuple(hindrances)), None


def _planned_extensions(
    requests: Sequence[v1.ExtensionRequest], backend: BackendLike
) -> tuple[v1.Plan | None, OlmsolveError | None]:
    """Return the plan for all *requests* that do not fail alone; if these collide, a plan for each, and the reason."""
    if not requests:
        return None, None
    together, collision = _planned_with_dependencies(requests, backend)
    refusals = {request.name: refusal for request in requests if (refusal := _refusal_by_itself(request))}
    planned = tuple(
        evolve(planned_extension, refusal=refusals[planned_extension.extension])
        if not planned_extension.further and not planned_extension.refusal and planned_extension.extension in refusals
        else planned_extension
        for planned_extension in together.planned
    )
    return evolve(together, planned=planned), collision


def _refusal_by_itself(request: v1.ExtensionRequest) -> str:
    """Return why OLM v1, which plans no dependencies, leaves the extension of *request* as it is; "" if it does not."""
    try:
        v1.resolve(request)
    except v1.BundleRefusedError as error:
        return f"it takes no other bundle while {error.bundle} comes first, and {error}"
    except (v1.ResolutionError, RequestError, CatalogError):
        return ""  # a failure of its own
    return ""


def _planned_with_dependencies(
    requests: Sequence[v1.ExtensionRequest], backend: BackendLike
) -> tuple[v1.Plan, OlmsolveError | None]:
    """Return the plan as :mod:`olmsolve.v1.planning` makes it, and why the extensions collide, None if they do not."""
    wanted: list[v1.ExtensionRequest] = []
    failed: tuple[v1.FailedExtension, ...] = ()
    for request in checked(requests):
        # One by one: documents may ask for one package, and are no failures of each other.
        fitting, failing = v1.resolvable([request])
        wanted += fitting
        failed += failing
    together = _planned_together(wanted, backend)
    if isinstance(together, v1.Plan):
        return evolve(together, failed=failed), None
    # An extension whose dependencies nothing meets fails alone too, and is no collision.
    met: list[v1.ExtensionRequest] = []
    planned: list[v1.Planned] = []
    for request in wanted:
        alone = _planned_together([request], backend)
        if isinstance(alone, v1.Plan):
            met.append(request)
            planned += alone.planned
        else:
            failed = (*failed, v1.FailedExtension(request.name, request.extension.package, alone))
    if len(met) < len(wanted):
        together = _planned_together(met, backend)
        if isinstance(together, v1.Plan):
            return evolve(together, failed=failed), None
    wished = [bundle for bundle in planned if not bundle.further]
    further = dict.fromkeys(bundle for bundle in planned if bundle.further)
    return v1.Plan((*wished, *further), failed), together


def _planned_together(requests: Sequence[v1.ExtensionRequest], backend: BackendLike) -> v1.Plan | OlmsolveError:
    """Return the plan that meets all *requests*, or why there is none."""
    try:
        return v1.plan(requests, backend=backend)
    except (v1.ResolutionError, RequestError) as error:
        return error


@record(definition="installedExtensionBundle", about="The installed bundle.")
class _BundleManifest(Record):
    """The bundle in the status of an extension."""

    name: str = field("Its name.")
    version: str = field("Its version.")
    release: str | None = field("Its release.", empty="optional")


_OPEN: Final = {"additionalProperties": None}
"""The schema of an object that holds what else others have written."""


@record(schema=_OPEN)
class _Installation(Record):
    """The bundle of an extension in its status."""

    bundle: _BundleManifest = field()


@record(schema=_OPEN)
class _ExtensionStatus(Record):
    """The status of an extension, as far as OLM would write it."""

    conditions: tuple[Any, ...] = field("The conditions that OLM would write.", schema={"items": None})
    install: _Installation = field("What is installed.", empty="absent")


@record(definition="clusterExtensionObject", schema={"additionalProperties": True})
class ExtensionManifest(Record):
    """A ClusterExtension as in the dump, with its new bundle and its conditions, or why it fails.

    The shape of what ``plan`` writes. None is made: what a dump has may be nested to any depth, and is written as it
    was read.
    """

    api_version: str = field("The API that the object is written for.")
    object_kind: str = field(path="kind", schema={"const": ClusterExtension.KIND, "type": None})
    metadata: Mapping[str, Any] = field("Its name and what else it has of its metadata.", schema=_OPEN)
    spec: Mapping[str, Any] = field("The wish, as it was read.", schema=_OPEN)
    status: _ExtensionStatus = field("The status that OLM would write: its conditions, and the installed bundle.")


def _manifest(state: ClusterState, name: str, request: v1.ExtensionRequest | None) -> dict[str, Any] | None:
    """Return the ClusterExtension *name* with the status after its next update; None where *state* has no such object.

    Conditions of other types stay. The time of a condition that changes is not known, and left out.
    """
    extension = state.get(ClusterExtension, "", name)
    if extension is None or request is None:
        return None
    installed, conditions = v1.status_after_next(request)
    manifest = _copied(extension.raw)
    status = _mapping(manifest, "status")
    if installed is not None:
        bundle = _BundleManifest(installed.name, installed.version, installed.release)
        _mapping(status, "install")["bundle"] = bundle.to_dict()
    condition_by_type = {condition.type: condition.to_dict() for condition in conditions}
    before = status.get("conditions")
    for condition in before if isinstance(before, list) else ():
        type_ = condition.get("type")
        after = condition_by_type.get(type_)
        # A condition that does not change keeps its time.
        if after is None or all(condition.get(field) == value for field, value in after.items()):
            condition_by_type[type_] = condition
    status["conditions"] = list(condition_by_type.values())
    return manifest


def _copied(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of *source*, JSON values nested to any depth, without recursion."""
    copied: dict[str, Any] = dict(source)
    waiting: list[dict[str, Any] | list[Any]] = [copied]
    while waiting:
        parent = waiting.pop()
        fields: Any = parent.items() if isinstance(parent, dict) else enumerate(parent)
        for key, value in list(fields):
            if isinstance(value, Mapping | list | tuple):
                child = dict(value) if isinstance(value, Mapping) else list(value)
                parent[key] = child
                waiting.append(child)
    return copied


def _mapping(parent: dict[str, Any], field: str) -> dict[str, Any]:
    """Return the mapping *field* of *parent*, which is made where it is missing."""
    value = parent.get(field)
    parent[field] = dict(value) if isinstance(value, Mapping) else {}
    made: dict[str, Any] = parent[field]
    return made


def explained_failures(
    found: SituationPlan, situation: Situation, *, fixes: int = 3, tries: int = 30
) -> tuple[QuestionAnswer[Explanation], ...]:
    """Return an explanation of each failure in *found*, the plan of *situation*, with at most so many *fixes*.

    Each search for fixes resolves at most *tries* changed requests. Namespaces with a fault in their objects are left
    out, because the fault says all there is; so are questions that cannot be read, whose answer is their error.

    >>> import olmsolve
    >>> catalogs = {"olm/community": "olmsolve/examples/plan/community.yaml"}
    >>> situation = olmsolve.read_situation("olmsolve/examples/plan/cluster.yaml", catalogs=catalogs)
    >>> len(olmsolve.explained_failures(olmsolve.plan(situation), situation))
    0
    """
    namespaces = {
        namespace.namespace for namespace in found.namespaces if namespace.failures and namespace.fault is None
    }
    extensions = {failed.extension for failed in found.extensions.failed} if found.extensions is not None else set()

    def explained(question: Question) -> Explanation | None:
        failure = _failure(question)
        return None if failure is None else explanation(failure, fixes=fixes, tries=tries)

    questions = [
        question
        for question in situation.questions
        if question.name in (namespaces if isinstance(question, ClassicQuestion) else extensions)
    ]
    answers = situation.asking(questions).ask(explained)
    return tuple(QuestionAnswer(answer.question, answer.value) for answer in answers if answer.value is not None)


def _failure(question: Question) -> OlmsolveError | None:
    """Return the failure to resolve *question*; None where it resolves by itself, or cannot be explained."""
    try:
        if isinstance(question, ClassicQuestion):
            resolve(question.request(), semantics=question.semantics)
        else:
            v1.resolve(attrs.evolve(question.request(), name=question.name))
    except ResolutionFailure as failure:
        return failure
    return None
